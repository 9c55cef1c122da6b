"""Celery tasks of the game, one call each. A message is only a wake-up: PostgreSQL knows what is due."""

import threading
import time
from typing import Final

from celery import shared_task
from celery.signals import worker_process_init, worker_process_shutdown
from django.conf import settings

from baccarat.compliance import subscriber
from baccarat.risk import detection
from baccarat.services import absent_seats, dealing, due_loop, table_lifecycle, witness_chains
from baccarat.storage import wakeups
from casino.events import wakeups as pending_wakeups
from casino.events.sql import database_now

AUDIT_TIME_LIMIT: Final = 12 * 3600.0
"""Seconds that a nightly audit may take."""
MAX_RUN_SECONDS: Final = 20.0
"""Seconds after which a task under steady load ends, well before its time limit; the next wake-up continues."""


_stop: Final = threading.Event()
# Each process of the pool deals by itself what is due, whether messages arrive or not.
worker_process_init.connect(lambda **_: due_loop.start_thread(_stop), weak=False)
worker_process_shutdown.connect(lambda **_: _stop.set(), weak=False)


@shared_task(name=wakeups.TASK, ignore_result=True)
def deal_due(**_: object) -> None:
    """Deal until nothing is due. A wake-up sent meanwhile starts another task."""
    pending_wakeups.clear(wakeups.TOPIC)
    until = time.monotonic() + MAX_RUN_SECONDS
    while dealing.deal_due() and time.monotonic() < until:
        pass


@shared_task(name="baccarat.release_absent_seats", ignore_result=True)
def release_absent_seats(**_: object) -> None:
    """Free the seats of players who were away for too long, and close tables whose closure is pending."""
    absent_seats.release_absent_seats()
    table_lifecycle.close_due()


@shared_task(name="baccarat.open_chains", ignore_result=True)
def open_chains(**_: object) -> None:
    """Have witnesses make chains for tables that need them, replace lost ones, and ask these for what they owe."""
    if settings.TABLE_WITNESSES:
        witness_chains.replace_lost()
        witness_chains.open_chains()
        witness_chains.ask_late()


@shared_task(name="baccarat.record_significant_events", ignore_result=True)
def record_significant_events(**_: object) -> None:
    """Record significant events sealed since the last run."""
    subscriber.record_new_events()


@shared_task(name="baccarat.watch_risk", ignore_result=True)
def watch_risk(**_: object) -> None:
    """Add up what players moved since the last run, and open a case where a rule finds something."""
    detection.watch()


@shared_task(name="baccarat.test_rng", ignore_result=True)
def test_rng(**_: object) -> None:
    """Test the generator, and record a failure. Imports its code here because no other task needs it."""
    from baccarat.services import rng_monitoring

    rng_monitoring.run_rng_tests()


@shared_task(
    name="baccarat.run_nightly_audit",
    ignore_result=True,
    soft_time_limit=AUDIT_TIME_LIMIT,
    time_limit=AUDIT_TIME_LIMIT,
)
def run_nightly_audit(**_: object) -> None:
    """Run the audits of a night in AUDIT_HOUR. Imports its code here because no other task needs it."""
    from baccarat.audit import nightly
    from baccarat.proofs import judge

    if nightly.is_due(database_now()):
        nightly.run(judge.audit_sample)
