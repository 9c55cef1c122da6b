from celery import shared_task

from casino.reports import delivery, schedule


@shared_task(name="reports.generate_due", ignore_result=True, soft_time_limit=280, time_limit=300)
def generate_due_reports(**_: object) -> None:
    """Generate reports of days, months and years that are over; a duplicate message finds nothing to do."""
    schedule.generate_due_reports()


@shared_task(name="reports.deliver_due", ignore_result=True, soft_time_limit=280, time_limit=300)
def deliver_due(**_: object) -> None:
    """Queue new versions of saved reports, and deliver what is due."""
    delivery.queue_deliveries()
    delivery.deliver_due()
