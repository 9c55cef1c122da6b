"""Celery tasks of staff."""

from celery import shared_task

from casino.staff import access_changes


@shared_task(name="staff.end_roles", ignore_result=True)
def end_roles(**_: object) -> None:
    """Take away roles whose time is over."""
    access_changes.end_roles()
