"""The due loop of a dealer process: find by a query what is due, and deal it. Needs PostgreSQL and nothing else.

Celery's messages start the same use case sooner. Any number of loops may run: rows are claimed with SKIP LOCKED.
"""

import logging
import threading
from typing import Final

from django.db import DatabaseError, InterfaceError, connection

from baccarat.services import dealing
from baccarat.storage import repository

logger = logging.getLogger(__name__)

POLL_SECONDS: Final = 0.25
"""Seconds between two queries, unless a turn ends earlier."""
LONGEST_PAUSE: Final = 1.0
"""Longest pause in seconds after an error, or while what is due cannot be dealt."""


def start_thread(stop: threading.Event) -> threading.Thread:
    """Start the loop in a thread of its own, with a database connection that it keeps."""
    thread = threading.Thread(target=run, args=[stop], name="due-loop", daemon=True)
    thread.start()
    return thread


def run(stop: threading.Event) -> None:
    """Deal what is due until `stop` is set, through restarts of the database."""
    pause = 0.0
    while not stop.is_set():
        try:
            is_due, links_are_due, next_due = repository.next_due()
            dealt = dealing.deal_due() if is_due else 0
            dealt += dealing.release_due() if links_are_due else 0
        except Exception as error:  # noqa: BLE001  (the loop must survive every error)
            _log(error, repeated=pause > 0)
            connection.close()
            pause = _longer(pause)
            stop.wait(pause)
            continue
        if dealt:
            pause = 0.0
            continue
        pause = _longer(pause) if is_due or links_are_due else 0.0
        stop.wait(max(0.0, min(pause or POLL_SECONDS, next_due)))
    connection.close()


def _longer(pause: float) -> float:
    return min(max(pause * 2, POLL_SECONDS), LONGEST_PAUSE)


def _log(error: Exception, *, repeated: bool) -> None:
    if not isinstance(error, (DatabaseError, InterfaceError)):
        logger.critical("ALERT the due loop failed and tries again: %s", dealing.describe(error))
    elif not repeated:
        logger.warning("The database does not answer, dealing waits: %s", error)
