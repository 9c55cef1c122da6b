"""The Celery application. Its messages are wake-ups only: tasks find their work in PostgreSQL.

`manage.py run_jobs` runs the tasks of settings.CELERY_BEAT_SCHEDULE, without messages and without beat.
"""

import os
import time
from typing import Any, Final

from celery import Celery
from celery.app.amqp import AMQP
from celery.signals import task_failure, task_postrun, task_prerun, worker_process_init, worker_ready
from django.db import close_old_connections
from kombu.connection import Connection
from kombu.transport import redis

from casino.observability.figures import TASK_FAILURES, TASKS
from casino.observability.logging import begin
from casino.observability.process import keep_loaded, process_started

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
# Django's checks load every URL and view, which would slow down each worker's start; `manage.py check` runs them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")


SEND_TIMEOUT: Final = 0.5
"""Seconds."""


# Messages in progress are not given back when the broker is lost: it could not take them, and the worker would end. A
# lost wake-up is made up for by the next look into PostgreSQL. Nor are they kept (ack_emulation in the settings).
redis.Channel.do_restore = False


class SteadyConnection(Connection):
    """Retries a lost broker every second or two, forever.

    Celery's own intervals grow to half a minute, have no setting, and are longer than the watchdog takes for a stall.
    """

    def ensure_connection(self, errback: Any = None, max_retries: int | None = None, **options: Any) -> Any:
        retries = {"interval_start": 1, "interval_step": 0.5, "interval_max": 2, **options}
        return super().ensure_connection(errback, max_retries, **retries)  # type: ignore[no-untyped-call]


class SteadyAMQP(AMQP):  # type: ignore[misc]
    """Celery's AMQP settings with connections that reconnect soon."""

    Connection = SteadyConnection


class ImpatientCelery(Celery):  # type: ignore[misc]
    """Sends a wake-up within half a second or not at all: a broker that froze must not slow a wager.

    Celery has one timeout for both ways, and a worker on a busy machine must bear a longer one when it reads.
    """

    def connection_for_write(self, url: str | None = None, **options: Any) -> Any:
        """Return a connection with short timeouts; the worker reads from another one."""
        timeouts = {"socket_timeout": SEND_TIMEOUT, "socket_connect_timeout": SEND_TIMEOUT}
        options["transport_options"] = {**timeouts, **(options.get("transport_options") or {})}
        return super().connection_for_write(url, **options)


def _task_begins(task: Any, **_: object) -> None:
    """Close a broken connection: Celery's fixup would close every one after each task (see CELERY_DB_REUSE_MAX)."""
    task.request.began = time.perf_counter()
    begin(str(task.request.id))
    close_old_connections()


def _task_ends(task: Any, **_: object) -> None:
    TASKS.observe(time.perf_counter() - task.request.began, task.name)


def _task_fails(sender: Any, **_: object) -> None:
    TASK_FAILURES.count(sender.name)


app = ImpatientCelery("casino", amqp=SteadyAMQP)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.steps["worker"].add("casino.observability.celery_watchdog:WatchdogStep")  # by name, so that only workers load it
task_prerun.connect(_task_begins, weak=False)
task_postrun.connect(_task_ends, weak=False)
task_failure.connect(_task_fails, weak=False)
worker_ready.connect(lambda **_: process_started("worker"), weak=False)
worker_process_init.connect(lambda **_: keep_loaded(), weak=False)
