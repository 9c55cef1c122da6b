"""Liveness asks nobody; readiness asks the database and tells about Redis."""

from django.conf import settings
from django.db import connection
from django.test import RequestFactory

from casino.observability.health import MIGRATIONS_APPLIED, livez, readyz

GET = RequestFactory().get("/readyz")


def test_alive_without_a_database():
    assert livez(GET).status_code == 200


def test_ready_with_a_migrated_database(database):
    answer = readyz(GET)
    assert answer.status_code == 200
    assert answer.content == b'{"status": "ready", "database": "ok", "redis": "ok"}'


def test_not_ready_while_migrations_are_missing(database):
    MIGRATIONS_APPLIED.clear()
    with database.owner() as owner:
        owner.execute("DELETE FROM django_migrations WHERE app = 'sessions'")
    answer = readyz(GET)
    assert answer.status_code == 503
    assert b"migrations are missing" in answer.content
    assert not MIGRATIONS_APPLIED.is_set()


def test_not_ready_without_a_database(database, monkeypatch):
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "HOST", "/nowhere")
    answer = readyz(GET)
    assert answer.status_code == 503
    assert b'"database": "down"' in answer.content


def test_ready_without_redis_but_telling(database, monkeypatch):
    monkeypatch.setattr(settings, "REDIS_URL", "unix:///nowhere/redis.sock")
    answer = readyz(GET)
    assert answer.status_code == 200
    assert b'"redis": "down"' in answer.content
