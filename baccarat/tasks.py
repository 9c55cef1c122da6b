"""Celery's doors to the dealers: each task is one call. A message is a wake-up; what is due is found in PostgreSQL."""

from celery import shared_task

from baccarat import wakeup
from baccarat.operations import dealing
from casino.events import hints


@shared_task(name=wakeup.TASK, acks_late=True, ignore_result=True)
def deal_due(**_: object) -> None:
    """This will deal until nothing is due; a wake-up asked for meanwhile brings another task."""
    hints.clear(wakeup.TOPIC)
    while dealing.deal_due():
        pass
