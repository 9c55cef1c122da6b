"""Health endpoints: is this process alive (`livez`), can it work (`readyz`), does the house work (`healthz`).

Apps register their checks in AppConfig.ready(). Reports are cached, so that callers can't load the database with them.
"""

import logging
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Final

import redis
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from casino.database.redis_client import redis_client

log = logging.getLogger(__name__)
REDIS_TIMEOUT = 0.5
MIGRATIONS_APPLIED = threading.Event()
PATIENCE: Final = 2.0
"""Seconds for which a request waits for checks that another one runs."""
OK: Final = "ok"
Check = Callable[[], str]
"""Returns `ok`, or what is wrong. May raise DatabaseError."""

# A transaction with an id is written to the log, so this needs a server that can write.
_WRITE: Final = "SELECT pg_current_xact_id(), current_setting('transaction_read_only')"
# 16 MB of a temporary file, in rows so long that few are needed: a busy server writes them within the second, too.
_SPILL: Final = """
WITH spilled AS MATERIALIZED (SELECT repeat('x', 16000) AS content FROM generate_series(1, 1024))
SELECT count(content) FROM spilled
"""
DISK_FULL: Final = ("53100", "53400")
"""SQLSTATEs of a disk or a quota that is full."""


class HealthReport:
    """The results of checks, repeated after `max_age` seconds by one thread; others wait for it for a moment."""

    def __init__(self, *, good: str, bad: str, max_age: float) -> None:
        self.checks: Final[dict[str, Check]] = {}
        self._words: Final = bad, good
        self._max_age: Final = max_age
        self._running: Final = threading.Lock()
        self._results: dict[str, str] = {}
        self._expires_at = 0.0

    def register(self, name: str, check: Check) -> None:
        """Add a check under a name for the report; it runs in a transaction whose statements take a second at most."""

        def bounded() -> str:
            with transaction.atomic():
                with connection.cursor() as cursor:
                    cursor.execute("SET LOCAL statement_timeout = '1s'")
                return check()

        self.checks[name] = bounded

    def forget(self) -> None:
        """Repeat the checks at the next request."""
        self._results, self._expires_at = {}, 0.0

    def results(self, **more: Check) -> dict[str, str]:
        """Return what each check, and each of `more`, says."""
        return self._run_checks({**self.checks, **more})

    def response(self, **more: Check) -> JsonResponse:
        """Return 200 if every check is `ok`, else 503; results of `more` do not change the status."""
        results = self.results(**more)
        fine = all(results[name] == OK for name in self.checks)
        response = JsonResponse({"status": self._words[fine], **results}, status=200 if fine else 503)
        if not fine:
            response["Retry-After"] = "1"
        return response

    def _run_checks(self, checks: Mapping[str, Check]) -> dict[str, str]:
        if not self._running.acquire(timeout=PATIENCE):
            return dict.fromkeys(checks, "no answer")  # a frozen server holds up one thread, not all
        try:
            if time.monotonic() >= self._expires_at:
                self._results = {name: _run(check) for name, check in checks.items()}
                self._expires_at = time.monotonic() + self._max_age
            return self._results
        finally:
            self._running.release()


readiness: Final = HealthReport(good="ready", bad="not ready", max_age=1.0)
house: Final = HealthReport(good="healthy", bad="not healthy", max_age=5.0)


WATCHED: Final[dict[str, str]] = {}
"""Statements that return how many seconds late the oldest of something is, or null, by the name of their check."""


def watch(name: str, statement: str, *, limit: float, what: str) -> None:
    """Check that nothing is later than a limit, by a statement such as WATCHED has."""
    WATCHED[name] = statement
    house.register(name, _overdue(statement, limit=limit, what=what))


def _overdue(statement: str, *, limit: float, what: str) -> Check:

    def check() -> str:
        with connection.cursor() as cursor:
            cursor.execute(statement)
            row = cursor.fetchone()
        seconds = 0.0 if row is None or row[0] is None else float(row[0])
        return OK if seconds <= limit else f"{what} for {seconds:.0f} s"

    return check


def refuse_to_start(process: str, *names: str) -> None:
    """End a process whose clock or keys differ from the database's. It starts while the database is away."""
    for name in names:
        result = _run(readiness.checks[name])
        if result not in {OK, "down"}:
            log.critical("ALERT this %s does not start: %s: %s", process, name, result)
            sys.exit(f"{name}: {result}")
    connection.close()


@never_cache
@require_safe
def livez(_request: HttpRequest) -> JsonResponse:
    """Return 200 without checking anything else."""
    return JsonResponse({"status": "alive"})


@never_cache
@require_safe
def readyz(_request: HttpRequest) -> JsonResponse:
    """Return 200 if this process can do its work now, else 503 with the reasons.

    Redis only carries wake-ups: the service works without it, so its loss is reported but does not change the status.
    """
    return readiness.response(redis=check_redis)


@never_cache
@require_safe
def healthz(_request: HttpRequest) -> JsonResponse:
    """Return 200 if rounds, events and payments are handled in time and the disk has room, else 503 with reasons."""
    return house.response()


def _run(check: Check) -> str:
    try:
        return check()
    except (DatabaseError, InterfaceError) as error:
        log.warning("The database does not answer.", exc_info=True)
        full = getattr(error.__cause__, "sqlstate", None) in DISK_FULL
        return "the database's disk is full" if full else "down"


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute(_WRITE)
        row = cursor.fetchone()
    return OK if row is not None and row[1] == "off" else "read only"


def _disk() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL work_mem = '64kB'")
        cursor.execute(_SPILL)
    return OK


def _migrations() -> str:
    """Return whether all migrations are applied. Remembered, as none is unapplied under a running process."""
    if not MIGRATIONS_APPLIED.is_set():
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return "missing"
        MIGRATIONS_APPLIED.set()
    return OK


def check_redis() -> str:
    """Return whether wake-ups are carried; without them everything is found by polling, a little later."""
    try:
        with redis_client(
            settings.REDIS_URL, socket_timeout=REDIS_TIMEOUT, socket_connect_timeout=REDIS_TIMEOUT
        ) as client:
            client.ping()
    except redis.RedisError:
        return "down"
    return OK


readiness.register("database", _database)
readiness.checks["migrations"] = _migrations  # imports modules, so it holds no transaction
house.register("disk", _disk)
