"""Celery tasks of compliance."""

from celery import shared_task

from casino.compliance import clocks


@shared_task(name="compliance.check_clock", ignore_result=True)
def check_clock(**_: object) -> None:
    """Compare the worker's clock with PostgreSQL's."""
    clocks.record_reading("worker")
