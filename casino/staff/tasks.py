"""Celery tasks of staff."""

from celery import shared_task

from casino.staff import access_changes, provider_descriptions


@shared_task(name="staff.end_roles", ignore_result=True)
def end_roles(**_: object) -> None:
    """Take away roles whose time is over."""
    access_changes.end_roles()


@shared_task(name="staff.read_identity_providers", ignore_result=True, soft_time_limit=280, time_limit=300)
def read_identity_providers(**_: object) -> None:
    """Read what identity providers say of themselves."""
    provider_descriptions.read_due()
