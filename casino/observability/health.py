"""Two questions for those who watch over us: is this process alive, and can it serve?"""

import logging
import threading

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

log = logging.getLogger(__name__)
REDIS_TIMEOUT = 1.0
MIGRATIONS_APPLIED = threading.Event()


@never_cache
@require_safe
def livez(_request: HttpRequest) -> JsonResponse:
    """Answer 200 as long as the process answers at all; it asks nobody else."""
    return JsonResponse({"status": "alive"})


@never_cache
@require_safe
def readyz(_request: HttpRequest) -> JsonResponse:
    """Answer 200 when the database is there and migrated, 503 otherwise.

    Redis carries wake-ups only: without it we still serve, so its loss is reported and no reason to refuse.
    """
    database = _database()
    status = "ready" if database == "ok" else "not ready"
    report = {"status": status, "database": database, "redis": _redis()}
    return JsonResponse(report, status=200 if database == "ok" else 503)


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return "ok" if _migrated() else "migrations are missing"
    except DatabaseError:
        log.warning("The database does not answer.", exc_info=True)
        return "down"


def _migrated() -> bool:
    """Migrations are never unapplied under a running process: once seen, it holds."""
    if not MIGRATIONS_APPLIED.is_set():
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return False
        MIGRATIONS_APPLIED.set()
    return True


def _redis() -> str:
    try:
        with redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=REDIS_TIMEOUT, socket_connect_timeout=REDIS_TIMEOUT
        ) as client:
            client.ping()
    except redis.RedisError:
        return "down"
    return "ok"
