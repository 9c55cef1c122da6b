from celery import shared_task

from casino.reports import schedule


@shared_task(name="reports.generate_due", ignore_result=True, soft_time_limit=280, time_limit=300)
def generate_due_reports(**_: object) -> None:
    """Generate reports of days, months and years that are over; a duplicate message finds nothing to do."""
    schedule.generate_due_reports()
