"""Celery's doors to the dealers: each task is one call. A message is a wake-up; what is due is found in PostgreSQL."""

import time
from typing import Final

from celery import shared_task

from baccarat import wakeup
from baccarat.operations import dealing, freeing
from baccarat.significance import reading
from casino.events import hints

LONGEST: Final = 20.0
"""Seconds after which a task under steady load ends, well before its time limit; the next wake-up goes on."""


@shared_task(name=wakeup.TASK, acks_late=True, ignore_result=True)
def deal_due(**_: object) -> None:
    """This will deal until nothing is due; a wake-up asked for meanwhile brings another task."""
    hints.clear(wakeup.TOPIC)
    until = time.monotonic() + LONGEST
    while dealing.deal_due() and time.monotonic() < until:
        pass


@shared_task(name="baccarat.free_seats", acks_late=True, ignore_result=True)
def free_seats(**_: object) -> None:
    """This will free the seats of players who have been away for longer than their tables keep a seat."""
    freeing.free_due()


@shared_task(name="baccarat.note_significant", acks_late=True, ignore_result=True)
def note_significant(**_: object) -> None:
    """This will record what is significant in what was sealed since the last time."""
    reading.note_new()
