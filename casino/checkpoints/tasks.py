"""Celery's door to the checkpoints: one call."""

from celery import shared_task

from casino.checkpoints import scheduled


@shared_task(name="checkpoints.sign", acks_late=True, ignore_result=True)
def sign(**_: object) -> None:
    """Make a checkpoint if one is due."""
    scheduled.sign()
