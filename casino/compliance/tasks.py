"""The beat's look at the clocks."""

from celery import shared_task

from casino.compliance import clocks


@shared_task(name="integrity.read_clock", ignore_result=True)
def read_clock(**_: object) -> None:
    """Hold the worker's clock against PostgreSQL's."""
    clocks.record_reading("worker")
