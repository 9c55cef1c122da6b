"""The Celery application. Its messages are wake-ups only: what is due is found in PostgreSQL."""

import os
from typing import Any

from celery import Celery
from celery.app.amqp import AMQP
from celery.signals import worker_ready
from kombu.connection import Connection

from casino.observability.startup import process_started

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
# Django's checks load all of web. They are `manage.py check`'s; each worker's start would pay for them again.
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")


class SteadyConnection(Connection):
    """Looks for a lost broker every second or two, for ever: Celery's own steps grow to half a minute between looks."""

    def ensure_connection(self, errback: Any = None, max_retries: int | None = None, **options: Any) -> Any:
        """Return the connection when the broker answers."""
        steps = {"interval_start": 1, "interval_step": 0.5, "interval_max": 2, **options}
        return super().ensure_connection(errback, max_retries, **steps)  # type: ignore[no-untyped-call]


class SteadyAMQP(AMQP):  # type: ignore[misc]
    """Celery's ways to its broker, by connections that come back soon."""

    Connection = SteadyConnection


app = Celery("casino", amqp=SteadyAMQP)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.steps["worker"].add("casino.observability.celery_watchdog:WatchdogStep")  # by its name: only workers load it
worker_ready.connect(lambda **_: process_started("worker"), weak=False)
