"""What a process says of itself when its clock, its keys or its disk are wrong."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from psycopg.sql import SQL

from casino.devstack.home import PROJECT, temporary_home
from casino.devstack.postgres import Postgres, unprivileged_user
from tests.casino.observability.test_health import _effects
from tests.clocks import needs_faketime, skewed
from tests.conftest import Database, pointed_at


@needs_faketime
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
                assert "disk" not in _effects(503)
                connection.close()
                with psycopg.connect(postgres.superuser_url, autocommit=True) as superuser:
                    superuser.execute("ALTER ROLE casino_app SET temp_tablespaces = 'small'")
                assert _effects(503)["disk"] == "Bets, cards and payments can't be stored"
        finally:
            postgres.stop()
