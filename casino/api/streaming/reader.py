"""A thread that reads the sealed log for a whole process, woken by notifications, with polling as a fallback."""

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
"""Events read and delivered together."""

FALLBACK_POLL_SECONDS: Final = 0.5
"""Polling interval in seconds while Redis is up: a notification may get lost."""

POLL_SECONDS: Final = 0.05
"""Polling interval in seconds while Redis is down."""

_LONGEST_PAUSE: Final = 2.0


class ConsumerGone(Exception):
    """Nobody consumes the batches any more."""


class Reader(threading.Thread):
    """Reads from a position and passes every batch to `hand_on`, in its own thread, until it is stopped.

    Uses one database connection for all streams of the process, and reconnects after a restart of the database.
    """

    def __init__(self, *, after: int, on_batch: Callable[[Sequence[SealedEvent]], None]) -> None:
        super().__init__(name="stream-reader", daemon=True)
        self.position = after
        self._hand_on = on_batch
        self._stopping = threading.Event()

    def stop(self) -> None:
        """Ask the thread to end, without waiting for it."""
        self._stopping.set()

    def run(self) -> None:
        """Read until stopped."""
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
        """Deliver new events; return whether there may be more."""
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
