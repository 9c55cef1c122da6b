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

from casino.alerts import heartbeats
from casino.alerts.rules import EXPECTED
from casino.events.sql import execute
from casino.observability import health
from casino.observability.conditions import CONDITIONS, Level
from casino.observability.health import MIGRATIONS_APPLIED, healthz, livez, readyz
from tests.conftest import Database
from tests.support.house import House

GET = RequestFactory().get("/readyz")
READY = {"database", "schema", "migrations", "clock", "currencies", "personal_keys", "shoe_keys", "redis"}


@pytest.fixture(autouse=True)
def fresh_reports() -> Generator[None]:
    """Forget the reports of other tests."""
    health.readiness.forget()
    health.house.forget()
    yield
    health.readiness.forget()
    health.house.forget()


def _report(view: Any, status: int) -> dict[str, Any]:
    health.readiness.forget()
    health.house.forget()
    response = view(GET)
    assert response.status_code == status, response.content
    return dict(json.loads(response.content))


def _effects(status: int, kind: str = "problems") -> dict[str, str]:
    """Return what /healthz says, by condition."""
    return {each["condition"]: each["effect"] for each in _report(healthz, status)[kind]}


def test_live_without_a_database() -> None:
    assert livez(GET).status_code == 200


def test_ready_with_a_migrated_database(database: Database) -> None:
    assert _report(readyz, 200) == {"status": "ready", **dict.fromkeys(READY, "ok")}


def test_checks_that_hang_hold_up_one_request_and_the_others_are_not_ready() -> None:
    released, report = threading.Event(), health.Checks(lambda _name, _state: "no answer", max_age=1.0)

    def hang() -> str:
        assert released.wait(60)
        return health.OK

    report.checks["frozen"] = hang

    with ThreadPoolExecutor(4) as threads:
        answers = [threads.submit(lambda: report.results()["frozen"]) for _ in range(4)]
        others = {future.result() for future in itertools.islice(as_completed(answers, timeout=60), 3)}
        released.set()
    assert others == {"no answer"}
    assert sorted(future.result() for future in answers) == ["no answer"] * 3 + [health.OK]
    assert report.results() == {"frozen": health.OK}


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
    assert _effects(503) == {"database": "No bet is taken and no card is dealt"}


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
    health.house.forget()


def test_healthy_when_nothing_is_late(database: Database) -> None:
    everybody_runs()
    assert _report(healthz, 200) == {"status": "healthy", "problems": [], "warnings": []}


def test_unhealthy_while_nobody_deals_or_seals(database: Database) -> None:
    house = House()
    table = house.table("atlantic_city")
    house.seated(table)
    execute(
        "UPDATE baccarat_duetable SET due_at = clock_timestamp() - interval '1 minute' WHERE table_id = %s", [table]
    )
    problems = _effects(503)
    assert set(problems) == {*EXPECTED.values(), "dealing"}
    assert problems["dealing"].startswith("Cards and payouts have waited for 6")
    assert _effects(503, "warnings") == {}


def test_what_holds_up_no_bet_card_or_money_is_a_warning_beside_200(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    everybody_runs()
    monkeypatch.setattr(settings, "REDIS_URL", "unix:///nowhere/redis.sock")
    execute(
        "INSERT INTO mail_email (address, subject, body, created_at, due_at, attempts, error) "
        "VALUES ('a@b.example', 's', 'b', now() - interval '2 hours', now() - interval '1 hour', 3, 'no answer')"
    )
    redis, mail = sorted(_report(healthz, 200)["warnings"], key=lambda each: str(each["condition"]), reverse=True)
    assert redis == {
        "condition": "redis",
        "effect": "Cards and balances come up to half a second late",
        "cause": "Redis does not answer",
        "command": "docker compose restart redis",
        "id": "redis",
        "severity": "warning",
        "runbook": "/admin/runbook/redis/",
    }
    assert mail["effect"] == "An e-mail has waited for 2 h"


def test_a_check_that_is_slow_is_a_condition_and_stops_what_it_asks_about(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    everybody_runs()

    def sleep() -> Any:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(10)")

    for name, status, kind in (("dealing", 503, "problems"), ("mail", 200, "warnings")):
        with monkeypatch.context() as patch:
            patch.setitem(health.house.checks, name, lambda: health.within_a_second(sleep))
            assert _effects(status, kind) == {"slow": f"{CONDITIONS[name].section} can't be checked"}


def test_a_locked_table_is_slow_and_not_down(database: Database) -> None:
    everybody_runs()
    with database.owner() as owner, owner.transaction():
        owner.execute("LOCK TABLE wallet_payment_due")
        assert _effects(503) == {"slow": "Payments can't be checked"}


def test_every_row_of_the_table_reads_as_sentences() -> None:
    for name, row in CONDITIONS.items():
        for text in (row.effect, row.cause):
            assert text[0].isupper() or text[0] == "{", name
            assert text[-1] not in ".;", name
        assert row.command, name
    levels = [list(Level).index(row.level) for row in CONDITIONS.values()]
    assert levels == sorted(levels), "the worst come first"


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
