"""One thread that reads the sealed log for a whole process, woken by announcements, polling without them."""

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Final

from django.db import Error, connection

from casino.events import subscriptions
from casino.events.broadcast import Listener
from casino.events.records import SealedEvent

logger = logging.getLogger(__name__)

LIMIT: Final = 500
"""Events that are read and handed on together."""

FALLBACK_POLL_SECONDS: Final = 0.5
"""Seconds between looks while Redis wakes us: an announcement may get lost."""

POLL_SECONDS: Final = 0.05
"""Seconds between looks while Redis is away."""

_LONGEST_PAUSE: Final = 2.0


class ConsumerGone(Exception):
    """Nobody takes what is read any more."""


class Reader(threading.Thread):
    """Reads on from a position and hands every batch to `hand_on`, in its own thread, until it is stopped.

    It holds the one database connection that all streams of the process live on, through restarts of the database.
    """

    def __init__(self, *, after: int, on_batch: Callable[[Sequence[SealedEvent]], None]) -> None:
        super().__init__(name="stream-reader", daemon=True)
        self.position = after
        self._hand_on = on_batch
        self._stopping = threading.Event()

    def stop(self) -> None:
        """Make the thread end soon; it is not waited for."""
        self._stopping.set()

    def run(self) -> None:
        """Read until it is stopped."""
        listener, pause = Listener(), 0.0
        try:
            while not self._stopping.is_set():
                try:
                    full = self._read()
                    pause = 0.0
                except ConsumerGone:
                    return
                except Error as trouble:
                    connection.close()
                    pause = self._wait_out(trouble, pause)
                    continue
                if not full and listener.wait(FALLBACK_POLL_SECONDS) is None:
                    self._stopping.wait(POLL_SECONDS)
        finally:
            listener.close()
            connection.close()

    def _read(self) -> bool:
        """Hand on what is new; true when there may be more of it."""
        batch = subscriptions.read_sealed(self.position, LIMIT)
        if batch:
            self._hand_on(batch)
            self.position = batch[-1].position
        return len(batch) == LIMIT

    def _wait_out(self, trouble: Error, pause: float) -> float:
        if not pause:
            logger.warning("The database does not answer, open streams wait: %s", trouble)
        pause = min(max(pause * 2, POLL_SECONDS), _LONGEST_PAUSE)
        self._stopping.wait(pause)
        return pause
