"""Celery tasks of operators."""

from celery import shared_task

from casino.operators import assertions, changes, request_signatures


@shared_task(name="operators.apply_changes", ignore_result=True)
def apply_changes(**_: object) -> None:
    """Apply confirmed changes whose time has come, and forget assertions and signatures that have expired."""
    changes.apply_due()
    assertions.forget_used()
    request_signatures.forget_used()
