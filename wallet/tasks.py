"""Periodic jobs, as Celery tasks. A query finds what is due."""

from celery import shared_task
from django.conf import settings

from wallet.payments import holds, processor
from wallet.reconciliation import schedule
from wallet.remote.statements import PROVIDER
from wallet.responsible_gaming import reminders


@shared_task(name="wallet.process_payments", ignore_result=True)
def process_payments(**_: object) -> None:
    """Process payments until nothing is due; a wake-up requested meanwhile makes the job due again."""
    while processor.process_payments():
        pass


@shared_task(name="wallet.watch_holds", ignore_result=True)
def watch_holds(**_: object) -> None:
    """Hold open payments for which there is a cause by now, and tell of those that wait for compliance."""
    holds.watch()


@shared_task(name="wallet.reconcile", ignore_result=True, soft_time_limit=280, time_limit=300)
def reconcile(**_: object) -> None:
    """Reconcile the days that are due; a second task finds nothing to do."""
    schedule.reconcile_due(providers=[*settings.PAYMENT_PROVIDERS, PROVIDER])


@shared_task(name="wallet.announce_reality_checks", ignore_result=True)
def announce_reality_checks(**_: object) -> None:
    """Announce the reality checks that have come due."""
    while reminders.announce_reality_checks():
        pass
