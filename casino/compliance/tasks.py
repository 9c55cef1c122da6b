"""Celery tasks of compliance."""

import logging

from celery import shared_task

from casino.checkpoints.storage import StorageUnavailable
from casino.compliance import clocks, data_exports, erasure_copies, reminders, retention
from casino.compliance.erasure_copies import CopyRefused

logger = logging.getLogger(__name__)


@shared_task(name="compliance.check_clock", ignore_result=True)
def check_clock(**_: object) -> None:
    """Compare the worker's clock with PostgreSQL's."""
    clocks.record_reading("worker")


@shared_task(name="compliance.make_exports", ignore_result=True, soft_time_limit=3000, time_limit=3300)
def make_exports(**_: object) -> None:
    """Make the exports that players and staff requested."""
    data_exports.generate_due()


@shared_task(name="compliance.purge_expired", ignore_result=True, soft_time_limit=280, time_limit=300)
def purge_expired(**_: object) -> None:
    """Delete data past its retention period."""
    retention.purge_expired()


@shared_task(name="compliance.remind", ignore_result=True)
def remind(**_: object) -> None:
    """Tell who works on cases whose deadlines are near."""
    reminders.remind()


@shared_task(name="compliance.copy_erasures", ignore_result=True)
def copy_erasures(**_: object) -> None:
    """Copy erasures to the storage of checkpoints, and repeat those that a restore undid."""
    try:
        erasure_copies.synchronize()
    except (StorageUnavailable, CopyRefused) as error:
        logger.warning("Erasures can't be copied: %s", error)
