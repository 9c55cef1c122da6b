"""PgBouncer in transaction mode: it accepts our connections, and the timeouts of the role apply."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from django.db import OperationalError, connection
from psycopg.conninfo import conninfo_to_dict

from casino.devstack.system import free_port
from casino.events.sql import fetch
from tests.conftest import Database, pointed_at
from tests.processes import wait_until
from tests.support.house import House

PGBOUNCER = shutil.which("pgbouncer")

pytestmark = pytest.mark.skipif(PGBOUNCER is None, reason="pgbouncer is not installed")


@pytest.fixture
def folder() -> Generator[Path]:
    """Return a folder that the other user reaches, too: root may not run PgBouncer."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        yield Path(name)


@pytest.fixture
def pooled(database: Database, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Connect through a PgBouncer whose one server connection all clients share."""
    parameters, port = conninfo_to_dict(database.url), free_port(0)
    users, config = folder / "users.txt", folder / "pgbouncer.ini"
    users.write_text(f'"{parameters["user"]}" "{parameters["password"]}"\n', encoding="utf-8")
    config.write_text(
        f"[databases]\ncasino = host={parameters['host']} port={parameters.get('port', 5432)} "
        f"dbname={parameters['dbname']}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n"
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
            yield
        finally:
            connection.close()
            pgbouncer.terminate()


def _connects() -> bool:
    try:
        connection.ensure_connection()
    except OperationalError:  # it is starting
        return False
    return True


def test_a_pooler_in_transaction_mode_works_with_the_timeouts_of_the_role(pooled: None) -> None:
    names = ("current_user", "current_setting('lock_timeout')", "current_setting('statement_timeout')")
    assert fetch(f"SELECT {', '.join(names)}") == [("casino_app", "2s", "10s")]
    house = House()
    at = house.seated(house.table("mini"))
    assert at.new_game()["round"]["number"] == 1
