"""Celery's door to reports: a message is a wake-up; what is due is found in PostgreSQL."""

from celery import shared_task

from casino.reports import schedule


@shared_task(name="reports.generate_due", acks_late=True, ignore_result=True, soft_time_limit=280, time_limit=300)
def generate_due_reports(**_: object) -> None:
    """Make reports of days, months and years that are over; one that comes twice finds nothing."""
    schedule.generate_due_reports()
