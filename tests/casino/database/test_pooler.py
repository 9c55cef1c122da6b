"""PgBouncer in transaction mode: it accepts our connections, and the timeouts of the role apply."""

import os
import pwd
import re
import subprocess
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from django.db import OperationalError, connection, transaction
from psycopg.conninfo import conninfo_to_dict

from casino.database import TIMEOUTS
from casino.devstack.home import PROJECT
from casino.devstack.system import free_port
from casino.events import subscriptions
from casino.events.sql import fetch
from tests.conftest import Database, pointed_at
from tests.processes import wait_until
from tests.programs import find, needs
from tests.support.house import House

PGBOUNCER = find("pgbouncer")

pytestmark = needs("pgbouncer")


@pytest.fixture
def folder() -> Generator[Path]:
    """Return a folder that the other user reaches, too: root may not run PgBouncer."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        yield Path(name)


@pytest.fixture
def pooled(database: Database, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    """Connect through a PgBouncer whose clients share one server connection; return its URL.

    It has another pool for jobs, as the documentation has it.
    """
    parameters, port = conninfo_to_dict(database.url), free_port(0)
    users, config = folder / "users.txt", folder / "pgbouncer.ini"
    users.write_text(f'"{parameters["user"]}" "{parameters["password"]}"\n', encoding="utf-8")
    target = f"host={parameters['host']} port={parameters.get('port', 5432)} dbname={parameters['dbname']}"
    config.write_text(
        f"[databases]\ncasino = {target}\ncasino_jobs = {target} {documented_query()}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n"
        f"unix_socket_dir =\nauth_type = scram-sha-256\nauth_file = {users}\npool_mode = transaction\n"
        "default_pool_size = 1\n",
        encoding="utf-8",
    )
    folder.chmod(0o755)
    sockets = list(Path(str(parameters["host"])).glob(".s.PGSQL.*"))
    owner = pwd.getpwuid(sockets[0].stat().st_uid).pw_name if sockets else "nobody"
    as_user = ["-u", owner] if os.getuid() == 0 else []
    monkeypatch.setenv("DATABASE_POOLER", "true")
    monkeypatch.setenv("DATABASE_PREPARED_STATEMENTS", "false")
    url = f"postgresql://{parameters['user']}:{parameters['password']}@127.0.0.1:{port}/casino"
    with (
        subprocess.Popen([str(PGBOUNCER), "-q", *as_user, str(config)]) as pgbouncer,  # noqa: S603
        pointed_at(url),
    ):
        try:
            assert wait_until(_connects, seconds=20)
            yield url
        finally:
            connection.close()
            pgbouncer.terminate()


def documented_query() -> str:
    """Return what the documentation has PgBouncer set for jobs."""
    text = (PROJECT / "deploy" / "docs" / "operations.md").read_text(encoding="utf-8")
    (found,) = re.findall(r"connect_query='[^\n]*'(?=\n)", text)
    return str(found)


def _connects() -> bool:
    try:
        connection.ensure_connection()
    except OperationalError:  # it is starting
        return False
    return True


def timeouts() -> dict[str, str]:
    return {name: fetch("SELECT current_setting(%s)", [name])[0][0] for name in TIMEOUTS["short"]}


def test_a_pooler_in_transaction_mode_works_with_the_timeouts_of_the_role(pooled: str) -> None:
    assert fetch("SELECT current_user::text") == [("casino_app",)]
    assert timeouts() == TIMEOUTS["short"]
    house = House()
    at = house.seated(house.table("mini"))
    assert at.new_game()["round"]["number"] == 1


def test_jobs_have_their_long_timeouts_in_a_pool_of_their_own(pooled: str) -> None:
    with pointed_at(f"{pooled}_jobs"):
        assert timeouts() == TIMEOUTS["long"]
        with transaction.atomic():
            assert subscriptions.claim("feed") is not None
            assert timeouts() == {**TIMEOUTS["long"], "idle_in_transaction_session_timeout": "4s"}
        assert timeouts() == TIMEOUTS["long"]
    assert timeouts() == TIMEOUTS["short"]
