"""Readiness tells whether this process can work, health whether the house does; each names its reasons."""

import itertools
import json
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import RequestFactory

from casino.alerts import alerting, heartbeats
from casino.alerts.rules import EXPECTED
from casino.events.sql import execute
from casino.observability import health
from casino.observability.health import MIGRATIONS_APPLIED, healthz, livez, readyz
from tests.conftest import Database
from tests.support.house import House

GET = RequestFactory().get("/readyz")
READY = {"database", "migrations", "clock", "currencies", "personal_keys", "shoe_keys", "redis"}


@pytest.fixture(autouse=True)
def fresh_reports() -> Generator[None]:
    """Forget the reports of other tests."""
    health.readiness.forget()
    health.house.forget()
    yield
    health.readiness.forget()
    health.house.forget()


def _report(view: Any, status: int) -> dict[str, str]:
    health.readiness.forget()
    health.house.forget()
    response = view(GET)
    assert response.status_code == status, response.content
    return dict(json.loads(response.content))


def test_live_without_a_database() -> None:
    assert livez(GET).status_code == 200


def test_ready_with_a_migrated_database(database: Database) -> None:
    assert _report(readyz, 200) == {"status": "ready", **dict.fromkeys(READY, "ok")}


def test_checks_that_hang_hold_up_one_request_and_the_others_are_not_ready() -> None:
    released, report = threading.Event(), health.HealthReport(good="ready", bad="not ready", max_age=1.0)

    def hang() -> str:
        assert released.wait(60)
        return health.OK

    report.checks["frozen"] = hang

    with ThreadPoolExecutor(4) as threads:
        answers = [threads.submit(lambda: json.loads(report.response().content)["frozen"]) for _ in range(4)]
        others = {future.result() for future in itertools.islice(as_completed(answers, timeout=60), 3)}
        released.set()
    assert others == {"no answer"}
    assert sorted(future.result() for future in answers) == ["no answer"] * 3 + [health.OK]
    assert report.response().status_code == 200


def test_not_ready_while_migrations_are_missing(database: Database) -> None:
    MIGRATIONS_APPLIED.clear()
    with database.owner() as owner:
        owner.execute("DELETE FROM django_migrations WHERE app = 'sessions'")
    assert _report(readyz, 503)["migrations"] == "missing"
    assert not MIGRATIONS_APPLIED.is_set()


def test_not_ready_without_a_database(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "HOST", "/nowhere")
    assert _report(readyz, 503)["database"] == "down"
    assert _report(healthz, 503)["dealing"] == "down"


def test_not_ready_while_the_database_is_read_only(database: Database) -> None:
    execute("SET default_transaction_read_only = on")
    assert _report(readyz, 503)["database"] == "read only"
    connection.close()
    assert _report(readyz, 200)["database"] == "ok"


def test_ready_without_redis_which_is_reported(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "REDIS_URL", "unix:///nowhere/redis.sock")
    assert _report(readyz, 200)["redis"] == "down"


def test_not_ready_with_other_keys_than_those_that_encrypted(database: Database, monkeypatch) -> None:
    house = House()
    house.table("mini")
    for name, check in (("PERSONAL_KEYS", "personal_keys"), ("SHOE_KEYS", "shoe_keys")):
        with monkeypatch.context() as patch:
            patch.setattr(settings, name, "other:" + "11" * 32)
            assert f"{name} are not those of the other processes" in _report(readyz, 503)[check]
            patch.setattr(settings, name, "")
            assert _report(readyz, 200)[check] == "ok"


def everybody_runs() -> None:
    for kind in EXPECTED:
        heartbeats.beat((kind, "host", 1))
    alerting.run_pass()
    health.house.forget()


def test_healthy_when_nothing_is_late(database: Database) -> None:
    everybody_runs()
    assert _report(healthz, 200) == {
        "status": "healthy",
        **dict.fromkeys(("disk", "sealing", "feed", "mail", "processes", "alerting", "payments", "dealing"), "ok"),
        "report_deliveries": "ok",
    }


def test_unhealthy_while_nobody_deals_or_seals(database: Database) -> None:
    house = House()
    table = house.table("atlantic_city")
    house.seated(table)
    execute(
        "UPDATE baccarat_duetable SET due_at = clock_timestamp() - interval '1 minute' WHERE table_id = %s", [table]
    )
    report = _report(healthz, 503)
    assert report["processes"] == "no web, no worker, no worker-background, no worker-outbound, no sealer runs"
    assert report["alerting"] == "nobody has watched yet"
    assert report["dealing"].startswith("a round has been overdue for 6")
    assert report["sealing"] == "ok"


def test_the_disk_is_checked_by_writing_16_mb_in_few_rows(database: Database) -> None:
    """The time of a row, not that of a byte, is what makes the check fail on a busy server."""
    with connection.cursor() as cursor:
        cursor.execute("SET work_mem = '64kB'")
        try:
            cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {health._SPILL}")
            ((explained,),) = cursor.fetchall()
        finally:
            cursor.execute("RESET work_mem")
    plan = (explained if isinstance(explained, list) else json.loads(explained))[0]["Plan"]
    assert plan["Temp Written Blocks"] * 8192 >= 16_000_000
    assert plan["Plans"][0]["Actual Rows"] <= 2000


def test_reports_are_cached(database: Database, django_assert_num_queries: Any) -> None:
    assert readyz(GET).status_code == 200
    with django_assert_num_queries(0):
        assert readyz(GET).status_code == 200
