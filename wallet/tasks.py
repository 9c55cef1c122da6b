"""Celery's doors to the payments: one call each. A message is a wake-up; what is due is found in PostgreSQL."""

from celery import shared_task

from casino.events import hints
from wallet.payments import advancing, wakeup


@shared_task(name=wakeup.TASK, acks_late=True, ignore_result=True)
def advance_payments(**_: object) -> None:
    """This will advance payments until nothing is due; a wake-up asked for meanwhile brings another task."""
    hints.clear(wakeup.TOPIC)
    while advancing.advance():
        pass
