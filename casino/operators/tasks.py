"""Celery tasks of operators."""

from celery import shared_task

from casino.operators import assertions, changes, request_signatures, sessions


@shared_task(name="operators.apply_changes", ignore_result=True)
def apply_changes(**_: object) -> None:
    """Apply confirmed changes whose time has come, and forget assertions and signatures that have expired."""
    changes.apply_due()
    assertions.forget_used()
    request_signatures.forget_used()


@shared_task(name="operators.end_sessions", ignore_result=True)
def end_sessions(**_: object) -> None:
    """Record the end of players' sessions that are over."""
    while sessions.end_sessions_that_are_over():
        pass
