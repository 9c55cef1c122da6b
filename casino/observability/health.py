"""Health endpoints: is this process alive (`livez`), can it work (`readyz`), does the house work (`healthz`).

Apps register their checks in AppConfig.ready(). Reports are cached, so that callers can't load the database with them.
"""

import hmac
import logging
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Generic, TypeVar

import redis
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from casino.database.redis_client import redis_client
from casino.observability.conditions import CONDITIONS, Level, Observation

log = logging.getLogger(__name__)
REDIS_TIMEOUT = 0.5
MIGRATIONS_APPLIED = threading.Event()
PATIENCE: Final = 2.0
"""Seconds for which a request waits for checks that another one runs."""
OK: Final = "ok"
SLOWLY: Final = "no answer within a second"
Observations = Sequence[Observation]
Result = TypeVar("Result")
# A transaction with an id is written to the log, so this needs a server that can write.
_WRITE: Final = "SELECT pg_current_xact_id(), current_setting('transaction_read_only')"
# 16 MB of a temporary file, in rows so long that few are needed: a busy server writes them within the second, too.
_SPILL: Final = """
WITH spilled AS MATERIALIZED (SELECT repeat('x', 16000) AS content FROM generate_series(1, 1024))
SELECT count(content) FROM spilled
"""
DISK_FULL: Final = ("53100", "53400")
"""SQLSTATEs of a disk or a quota that is full."""
SLOW: Final = ("57014", "55P03")
"""SQLSTATEs of a statement that took too long, and of a lock that was not had in time."""
_ANSWERED_LATE: Final = ""
"""Stands for an SQLSTATE where another request runs the checks and they take too long."""


class Checks(Generic[Result]):
    """Checks whose results are kept for `max_age` seconds. One thread repeats them; others wait for it for a moment.

    `failed` makes a result of the name of a check and the SQLSTATE, if there is one, with which it failed.
    """

    def __init__(self, failed: Callable[[str, str | None], Result], *, max_age: float) -> None:
        self.checks: Final[dict[str, Callable[[], Result]]] = {}
        self._failed: Final = failed
        self._max_age: Final = max_age
        self._running: Final = threading.Lock()
        self._results: dict[str, Result] = {}
        self._expires_at = 0.0

    def register(self, name: str, check: Callable[[], Result]) -> None:
        """Add a check, which may raise DatabaseError. It runs in a transaction."""
        self.checks[name] = lambda: within_a_second(check)

    def forget(self) -> None:
        """Repeat the checks at the next request."""
        self._results, self._expires_at = {}, 0.0

    def results(self, **more: Callable[[], Result]) -> dict[str, Result]:
        """Return what each check, and each of `more`, says."""
        checks = {**self.checks, **more}
        if not self._running.acquire(timeout=PATIENCE):
            return {name: self._failed(name, _ANSWERED_LATE) for name in checks}  # it holds up one thread, not all
        try:
            if time.monotonic() >= self._expires_at:
                self._results = {name: self.run(name, check) for name, check in checks.items()}
                self._expires_at = time.monotonic() + self._max_age
            return self._results
        finally:
            self._running.release()

    def run(self, name: str, check: Callable[[], Result]) -> Result:
        """Return what a check says, or how it failed."""
        try:
            return check()
        except (DatabaseError, InterfaceError) as error:
            log.warning("The database does not answer.", exc_info=True)
            return self._failed(name, getattr(error.__cause__, "sqlstate", None))


def within_a_second(question: Callable[[], Result]) -> Result:
    """Return the answer to a question in a transaction whose statements take a second at most. Raises DatabaseError."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = '1s'")
        return question()


def _word(_name: str, state: str | None) -> str:
    if state in DISK_FULL:
        return "the database's disk is full"
    if state in SLOW:
        return SLOWLY
    return "no answer" if state == _ANSWERED_LATE else "down"


def _finding(name: str, state: str | None) -> Observations:
    if state in DISK_FULL:
        return (Observation(name="disk"),)
    if state not in (*SLOW, _ANSWERED_LATE):
        return (Observation(name="database"),)
    of_check = CONDITIONS.get(name)
    section = name.capitalize() if of_check is None else of_check.section
    level = Level.STOPS if of_check is None else of_check.level
    return (Observation(name="slow", part=name, values={"section": section}, level=level),)


readiness: Final = Checks[str](_word, max_age=1.0)
"""Each says `ok`, or what is wrong."""
house: Final = Checks[Observations](_finding, max_age=5.0)
"""Each finds nothing, or conditions that hold."""
desk: Final = Checks[Observations](_finding, max_age=1.0)
"""The same of what only staff should know: told to who has METRICS_TOKEN alone, as anybody reads /healthz."""


WATCHED: Final[dict[str, str]] = {}
"""Statements that return how many seconds late the oldest of something is, or null, by the name of their check."""


def watch(name: str, statement: str, *, limit: float) -> None:
    """Check that nothing is later than a limit, by a statement such as WATCHED has; `name` is the condition's, too."""

    def overdue() -> Observations:
        with connection.cursor() as cursor:
            cursor.execute(statement)
            row = cursor.fetchone()
        return late(name, 0.0 if row is None or row[0] is None else float(row[0]), limit)

    WATCHED[name] = statement
    house.register(name, overdue)


def late(name: str, seconds: float, limit: float, **values: object) -> Observations:
    """Return the condition `name` if something is later than a limit."""
    return (Observation(name=name, values=values, number=int(seconds)),) if seconds > limit else ()


def refuse_to_start(process: str, *names: str) -> None:
    """End a process whose clock or keys differ from the database's. It starts while the database is away."""
    for name in names:
        result = readiness.run(name, readiness.checks[name])
        if result not in {OK, SLOWLY, "down"}:
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
    results = readiness.results(redis=check_redis)
    fine = all(results[name] == OK for name in readiness.checks)
    return _response({"status": "ready" if fine else "not ready", **results}, fine=fine)


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Return 200 with warnings, if there are any, or 503 where bets, cards or money wait, with the reasons."""
    found = conditions() if has_token(request) else _distinct(house)
    problems, warnings = ([each.described() for each in found if each.stops is stops] for stops in (True, False))
    words = {"status": "not healthy" if problems else "healthy"}
    return _response({**words, "problems": problems, "warnings": warnings}, fine=not problems)


def has_token(request: HttpRequest) -> bool:
    """Return whether a request comes with settings.METRICS_TOKEN."""
    wanted = f"Bearer {settings.METRICS_TOKEN}".encode()
    given = request.META.get("HTTP_AUTHORIZATION", "").encode()
    return bool(settings.METRICS_TOKEN) and hmac.compare_digest(wanted, given)


def conditions() -> list[Observation]:
    """Return everything that is wrong, each once."""
    return _distinct(house, desk)


def _distinct(*checks: Checks[Observations]) -> list[Observation]:
    found = {each.key: each for one in checks for findings in one.results().values() for each in findings}
    return list(found.values())


def _response(body: Mapping[str, object], *, fine: bool) -> JsonResponse:
    response = JsonResponse(body, status=200 if fine else 503)
    if not fine:
        response["Retry-After"] = "1"
    return response


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute(_WRITE)
        row = cursor.fetchone()
    return OK if row is not None and row[1] == "off" else "read only"


def _disk() -> Observations:
    """Write to the disk, which fails as DISK_FULL."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL work_mem = '64kB'")
        cursor.execute(_SPILL)
    return ()


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
house.checks["redis"] = lambda: () if check_redis() == OK else (Observation(name="redis"),)
