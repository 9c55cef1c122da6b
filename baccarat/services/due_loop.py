"""The due loop of a dealer process: find by a query what is due, and deal it. Needs PostgreSQL and nothing else.

Celery's messages start the same use case sooner. Any number of loops may run: rows are claimed with SKIP LOCKED.
"""

import threading
from typing import Final

from baccarat.services import dealing
from baccarat.storage import repository
from casino.observability import loop

POLL_SECONDS: Final = 0.25
"""Seconds between two queries, unless a turn ends earlier."""
LONGEST_PAUSE: Final = 1.0
"""Longest pause in seconds while what is due cannot be dealt."""


def start_thread(stop: threading.Event) -> threading.Thread:
    """Deal what is due until `stop` is set, in a thread of its own, through restarts of the database."""
    pause = 0.0

    def step() -> float:
        nonlocal pause
        is_due, links_are_due, next_due = repository.next_due()
        dealt = dealing.deal_due() if is_due else 0
        dealt += dealing.release_due() if links_are_due else 0
        waits = not dealt and (is_due or links_are_due)
        pause = min(max(pause * 2, POLL_SECONDS), LONGEST_PAUSE) if waits else 0.0
        return 0.0 if dealt else max(0.0, min(pause or POLL_SECONDS, next_due))

    return loop.start(step, stop, work="dealing")
