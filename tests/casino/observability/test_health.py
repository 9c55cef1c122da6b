"""Readiness tells whether this process can work, health whether the house does; each names its reasons."""

import itertools
import json
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.test import RequestFactory
from psycopg.sql import SQL

from casino.alerts import alerting, heartbeats
from casino.alerts.rules import EXPECTED
from casino.devstack.home import PROJECT, temporary_home
from casino.devstack.postgres import Postgres, unprivileged_user
from casino.events.sql import execute
from casino.observability import health
from casino.observability.health import MIGRATIONS_APPLIED, healthz, livez, readyz
from tests.clocks import needs_faketime, skewed
from tests.conftest import Database, pointed_at
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


@needs_faketime
@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, "clock"),
        ({"PERSONAL_KEYS": "other:" + "11" * 32}, "personal_keys: PERSONAL_KEYS are not those of the other processes"),
    ],
)
def test_a_process_whose_clock_or_keys_differ_does_not_start(database: Database, changes: dict, reason: str) -> None:
    environment = {**database.environment, **changes}
    command = [sys.executable, str(PROJECT / "manage.py"), "seal"]
    process = subprocess.run(  # noqa: S603
        command,
        env=environment if changes else skewed(environment, "+3600"),
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert process.returncode == 1
    assert reason in process.stderr


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


@pytest.fixture
def small_disk() -> Generator[Path]:
    """Mount a file system of 4 MB that PostgreSQL's user reaches."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        user = unprivileged_user()
        mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", name]
        if user is None or subprocess.run(mount, check=False, capture_output=True).returncode:  # noqa: S603
            pytest.skip("this user may not mount a file system")
        try:
            shutil.chown(name, user)
            yield Path(name)
        finally:
            subprocess.run(["umount", name], check=True)  # noqa: S603, S607


@pytest.mark.slow
def test_unhealthy_while_the_disk_has_no_room(small_disk: Path, database: Database) -> None:
    """Temporary files go where the disk has 4 MB left; the rest of this server is empty."""
    with temporary_home() as home:
        postgres = Postgres(home)
        postgres.start()
        try:
            with psycopg.connect(postgres.superuser_url, autocommit=True) as superuser:
                superuser.execute(SQL("CREATE TABLESPACE small LOCATION {}").format(str(small_disk)))
                superuser.execute("GRANT CREATE ON TABLESPACE small TO casino_app")
            with pointed_at(postgres.url):
                assert _report(healthz, 503)["disk"] == "ok"
                connection.close()
                with psycopg.connect(postgres.superuser_url, autocommit=True) as superuser:
                    superuser.execute("ALTER ROLE casino_app SET temp_tablespaces = 'small'")
                assert _report(healthz, 503)["disk"] == "the database's disk is full"
        finally:
            postgres.stop()


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
