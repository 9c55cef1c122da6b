"""The periodic job of e-mails."""

from celery import shared_task

from casino.mail import outbox


@shared_task(name="mail.send_due", ignore_result=True, soft_time_limit=280, time_limit=300)
def send_due(**_: object) -> None:
    """Send e-mails that are due."""
    outbox.send_due()
