"""The one loop of everything that runs until it is stopped: a step, a rest, and on through outages and errors."""

import asyncio
import contextlib
import logging
import threading
import traceback
from collections.abc import Awaitable, Callable
from typing import Final

from django.db import Error, connection

logger = logging.getLogger(__name__)

FIRST_PAUSE: Final = 0.05
LONGEST_PAUSE: Final = 1.0
"""Seconds after an error; the pause doubles from error to error until a step succeeds."""


def run(step: Callable[[], float], stop: threading.Event, *, work: str) -> None:
    """Call `step` until stopped, each time as many seconds later as it returned.

    A step that fails loses its connection and is called again. `work` is what waits meanwhile, for the log.
    """
    trouble = _Trouble(work)
    while not stop.is_set():
        try:
            rest = step()
        except Exception as error:  # noqa: BLE001  (what a step cannot do now, it may be able to do later)
            rest = trouble.again(error)
            connection.close()
        else:
            trouble.end()
        if rest > 0:
            stop.wait(rest)
    connection.close()


async def run_async(step: Callable[[], Awaitable[float]], stop: asyncio.Event, *, work: str) -> None:
    """Do the same on an event loop."""
    trouble = _Trouble(work)
    while not stop.is_set():
        try:
            rest = await step()
        except Exception as error:  # noqa: BLE001
            rest = trouble.again(error)
        else:
            trouble.end()
        if rest > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), rest)


def start(step: Callable[[], float], stop: threading.Event, *, work: str) -> threading.Thread:
    """Run the loop in a thread of its own, with a database connection that it keeps."""
    thread = threading.Thread(target=run, args=[step, stop], kwargs={"work": work}, name=work, daemon=True)
    thread.start()
    return thread


class _Trouble:
    """How long to pause after the errors of a step, which are logged."""

    def __init__(self, work: str) -> None:
        self._work, self._pause = work, 0.0

    def again(self, error: Exception) -> float:
        if not isinstance(error, Error):  # by its type and place alone: a message may quote cards or seeds
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{place.filename}:{place.lineno}"
            logger.critical("ALERT %s failed and is tried again: %s at %s", self._work, type(error).__name__, where)
        elif not self._pause:
            logger.warning("The database does not answer, %s waits: %s", self._work, str(error).partition("\n")[0])
        self._pause = min(max(self._pause * 2, FIRST_PAUSE), LONGEST_PAUSE)
        return self._pause

    def end(self) -> None:
        if self._pause:
            logger.warning("After an error, %s continues.", self._work)
        self._pause = 0.0
