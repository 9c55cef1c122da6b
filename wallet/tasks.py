"""Celery's doors to the payments: one call each. A message is a wake-up; what is due is found in PostgreSQL."""

from celery import shared_task
from django.conf import settings

from casino.events import wakeups
from wallet.payments import processor
from wallet.payments import wakeups as wakeup
from wallet.reconciliation import schedule


@shared_task(name=wakeup.TASK, acks_late=True, ignore_result=True)
def process_payments(**_: object) -> None:
    """Advance payments until nothing is due; a wake-up asked for meanwhile brings another task."""
    wakeups.clear(wakeup.TOPIC)
    while processor.process_payments():
        pass


@shared_task(name="wallet.reconcile", acks_late=True, ignore_result=True, soft_time_limit=280, time_limit=300)
def reconcile(**_: object) -> None:
    """Compare the days that are over with what providers have of them; one that comes twice finds nothing."""
    schedule.reconcile_due(providers=list(settings.PAYMENT_PROVIDERS))
