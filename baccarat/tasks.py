"""Celery tasks of the game: each is one call. A message is a wake-up; what is due is found in PostgreSQL."""

import time
from datetime import UTC, datetime
from typing import Final

from celery import shared_task
from django.conf import settings

from baccarat.compliance import subscriber
from baccarat.services import absent_seats, closing, dealing
from baccarat.storage import wakeups
from casino.events import wakeups as hints

AUDIT_TIME_LIMIT: Final = 12 * 3600.0
"""Seconds that a nightly audit may take."""
MAX_RUN_SECONDS: Final = 20.0
"""Seconds after which a task under steady load ends, well before its time limit; the next wake-up goes on."""


@shared_task(name=wakeups.TASK, acks_late=True, ignore_result=True)
def deal_due(**_: object) -> None:
    """Deal until nothing is due; a wake-up asked for meanwhile brings another task."""
    hints.clear(wakeups.TOPIC)
    until = time.monotonic() + MAX_RUN_SECONDS
    while dealing.deal_due() and time.monotonic() < until:
        pass


@shared_task(name="baccarat.release_absent_seats", acks_late=True, ignore_result=True)
def release_absent_seats(**_: object) -> None:
    """Free the seats of players who were away for too long, and close tables that are given up."""
    absent_seats.release_absent_seats()
    closing.close_due()


@shared_task(name="baccarat.record_significant_events", acks_late=True, ignore_result=True)
def record_significant_events(**_: object) -> None:
    """Record what is significant in what was sealed since the last time."""
    subscriber.record_new_events()


@shared_task(name="baccarat.test_rng", acks_late=True, ignore_result=True)
def test_rng(**_: object) -> None:
    """Test what the shoes brought; record it if it is out of band. No other task needs this code."""
    from baccarat.services import rng_monitoring

    rng_monitoring.run_rng_tests()


@shared_task(
    name="baccarat.run_nightly_audit",
    acks_late=False,  # it takes longer than a message waits to be acknowledged
    ignore_result=True,
    soft_time_limit=AUDIT_TIME_LIMIT,
    time_limit=AUDIT_TIME_LIMIT,
)
def run_nightly_audit(**_: object) -> None:
    """Audit everything in AUDIT_HOUR. No other task needs this code."""
    if datetime.now(UTC).hour == settings.AUDIT_HOUR:
        from baccarat.audit import scheduled

        scheduled.run_nightly_audit()
