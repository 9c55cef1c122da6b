"""Celery tasks. A message is only a wake-up; a query finds what is due."""

from celery import shared_task
from django.conf import settings

from casino.events import wakeups
from wallet.payments import processor
from wallet.payments import wakeups as wakeup
from wallet.reconciliation import schedule


@shared_task(name=wakeup.TASK, acks_late=True, ignore_result=True)
def process_payments(**_: object) -> None:
    """Process payments until nothing is due; a wake-up requested meanwhile sends another task."""
    wakeups.clear(wakeup.TOPIC)
    while processor.process_payments():
        pass


@shared_task(name="wallet.reconcile", acks_late=True, ignore_result=True, soft_time_limit=280, time_limit=300)
def reconcile(**_: object) -> None:
    """Reconcile the days that are due; a second task finds nothing to do."""
    schedule.reconcile_due(providers=list(settings.PAYMENT_PROVIDERS))
