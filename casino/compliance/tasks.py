"""Celery tasks of compliance."""

from celery import shared_task

from casino.compliance import clocks, player_exports, retention


@shared_task(name="compliance.check_clock", ignore_result=True)
def check_clock(**_: object) -> None:
    """Compare the worker's clock with PostgreSQL's."""
    clocks.record_reading("worker")


@shared_task(name="compliance.export_players", ignore_result=True, soft_time_limit=280, time_limit=300)
def export_players(**_: object) -> None:
    """Make the exports that players requested of their own data."""
    player_exports.generate_due()


@shared_task(name="compliance.purge_expired", ignore_result=True, soft_time_limit=280, time_limit=300)
def purge_expired(**_: object) -> None:
    """Delete data past its retention period."""
    retention.purge_expired()
