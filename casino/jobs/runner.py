"""Runs periodic jobs when they are due by the database's clock. Needs PostgreSQL and nothing else.

Any number of runners may work. A runner claims one job at a time by a lease, which it renews while the job runs; the
lease of a runner that dies or freezes ends after a few seconds, and another takes over. Every job finds what it has to
do in the database and is safe to run twice: the lease only saves work.
"""

import contextlib
import faulthandler
import logging
import secrets
import signal
import threading
from collections.abc import Generator
from types import FrameType
from typing import Any, Final

from celery import Celery
from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError, close_old_connections, connection

from casino.events import wakeups
from casino.events.sql import execute, fetch
from casino.jobs import leases
from casino.jobs.leases import FREE, LEASE_SECONDS, RENEWAL_SECONDS
from casino.observability import loop
from casino.observability.figures import TASK_FAILURES, TASKS
from casino.observability.logging import begin

logger = logging.getLogger(__name__)

POLL_SECONDS: Final = 0.25
"""Seconds between two queries for due jobs while none runs."""

_ADD: Final = "INSERT INTO jobs_job (name) SELECT unnest(%s::text[]) ON CONFLICT DO NOTHING"
# No job is due later than its interval from now, so one that was put off is due.
_CLAIM: Final = f"""
WITH next AS (
    SELECT job.name, seconds FROM jobs_job AS job
      JOIN unnest(%(names)s::text[], %(seconds)s::float8[]) AS schedule (name, seconds) ON schedule.name = job.name
     WHERE due_at NOT BETWEEN clock_timestamp() AND clock_timestamp() + make_interval(secs => seconds) AND {FREE}
     ORDER BY due_at LIMIT 1 FOR UPDATE OF job SKIP LOCKED
)
UPDATE jobs_job AS job
   SET due_at = clock_timestamp() + make_interval(secs => next.seconds),
       leased_until = clock_timestamp() + make_interval(secs => %(lease)s), holder = %(holder)s
  FROM next WHERE next.name = job.name
RETURNING job.name
"""  # noqa: S608  (constants)
_RENEW: Final = """
UPDATE jobs_job SET leased_until = clock_timestamp() + make_interval(secs => %s)
 WHERE name = %s AND holder = %s AND leased_until IS NOT NULL
"""
_RELEASE: Final = "UPDATE jobs_job SET leased_until = NULL WHERE name = %s AND holder = %s"
_BRING_FORWARD: Final = "UPDATE jobs_job SET due_at = least(due_at, clock_timestamp()) WHERE name = %s"


class JobRunner:
    """Runs the tasks of an application's beat schedule, one at a time, under their time limits."""

    def __init__(self, app: Celery) -> None:
        self._app = app
        self._tasks = {name: entry["task"] for name, entry in app.conf.beat_schedule.items()}
        self._seconds = {name: float(entry["schedule"]) for name, entry in app.conf.beat_schedule.items()}
        self._holder = leases.new_holder()
        self._running: str | None = None
        self._added = False

    def run(self, stop: threading.Event) -> None:
        """Run jobs in the main thread until `stop` is set, through restarts of the database and of Redis."""
        ended = threading.Event()
        loop.start(self._renew_lease, ended, work="job-lease")
        try:
            loop.run(lambda: 0.0 if self.run_next() else self._wait(), stop, work="running of jobs")
        finally:
            ended.set()

    def run_next(self) -> str | None:
        """Claim and run the job that is longest overdue; return its name, or None if none is due."""
        close_old_connections()
        if not self._added:
            execute(_ADD, [list(self._tasks)])
            self._added = True
        schedule = {"names": list(self._seconds), "seconds": list(self._seconds.values())}
        rows = fetch(_CLAIM, {**schedule, "lease": LEASE_SECONDS, "holder": self._holder})
        if not rows:
            return None
        name: str = rows[0][0]
        self._running = name
        try:
            self._run(name)
        finally:
            self._running = None
        execute(_RELEASE, [name, self._holder])
        return name

    def _run(self, name: str) -> None:
        task = self._app.tasks[self._tasks[name]]
        begin(f"{name}-{secrets.token_hex(4)}")
        soft = task.soft_time_limit or self._app.conf.task_soft_time_limit
        hard = task.time_limit or self._app.conf.task_time_limit
        try:
            with TASKS.time(task.name), _time_limits(soft, hard):
                task()
        except SoftTimeLimitExceeded:
            TASK_FAILURES.count(task.name)
            logger.error("The job %s was stopped after %s s and continues when it is due again.", name, soft)  # noqa: TRY400
            connection.close()  # perhaps in the middle of a statement
        except (OperationalError, InterfaceError):
            raise
        except Exception:
            TASK_FAILURES.count(task.name)
            logger.exception("The job %s failed; it is tried again when it is due again.", name)

    def _renew_lease(self) -> float:
        if (name := self._running) is not None:
            execute(_RENEW, [LEASE_SECONDS, name, self._holder])
        return RENEWAL_SECONDS

    def _wait(self) -> float:
        """Wait for a wake-up of any job, which makes it due, or return when to poll next."""
        if not wakeups.available():
            return POLL_SECONDS
        name = wakeups.wait_for_any(list(self._tasks), POLL_SECONDS)
        if name is not None:
            execute(_BRING_FORWARD, [name])
        return 0.0


@contextlib.contextmanager
def _time_limits(soft: float, hard: float) -> Generator[None]:
    """Raise SoftTimeLimitExceeded in the block after `soft` seconds, and end the process after `hard` seconds."""

    def interrupt(_signal: int, _frame: FrameType | None) -> Any:
        raise SoftTimeLimitExceeded

    before = signal.signal(signal.SIGALRM, interrupt)
    faulthandler.dump_traceback_later(hard, exit=True, file=2)
    try:
        signal.setitimer(signal.ITIMER_REAL, soft)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:  # also if the signal came just before the timer was stopped
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGALRM, before)
