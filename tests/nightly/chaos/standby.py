"""PostgreSQL on two hosts: a primary, and a standby that has every commit before the client is told."""

import asyncio
import contextlib
import os
import shutil
import signal
from collections.abc import Generator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from casino.devstack.bots import house
from casino.devstack.home import claim
from casino.devstack.postgres import APP, ENVIRONMENT, OWNER, WEB, Postgres
from casino.devstack.processes import run_to_end
from casino.devstack.redis import Redis
from casino.devstack.system import Stack
from tests.processes import alive, descendants, wait_until
from tests.support.whole_system import System


class Pair:
    """The two servers. URLs name both: libpq finds the one that takes writes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = _claimed(folder / "primary")
        standby = folder / "standby"
        standby.mkdir()
        shutil.copy(self.home.folder / "secrets.json", standby)
        self.standby_home = _claimed(standby)
        self.primary, self.standby = Postgres(self.home), Postgres(self.standby_home)
        self.redis = Redis(self.home)

    def start(self) -> None:
        """Start both, and Redis; from then on commits wait for the standby."""
        self.redis.start()
        self.primary.start()
        self.standby.data.mkdir(mode=0o700)
        if self.standby.user is not None:
            shutil.chown(self.standby.data, self.standby.user)
        copy = [str(self.primary.programs / "pg_basebackup"), "--dbname", self.primary.superuser_url, "--pgdata"]
        copy += [str(self.standby.data), "--write-recovery-conf", "--checkpoint=fast"]
        run_to_end(copy, environment=ENVIRONMENT, user=self.primary.user)
        self.standby.start_bare()
        with psycopg.connect(self.primary.superuser_url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            connection.execute("SELECT pg_reload_conf()")
            state = "SELECT sync_state FROM pg_stat_replication"
            assert wait_until(lambda: connection.execute(state).fetchall() == [("sync",)])

    def stop(self) -> None:
        """Stop all servers and delete their data."""
        for server in (self.redis, self.standby, self.primary):
            server.stop()
        for home in (self.standby_home, self.home):
            home.remove()

    def url(self, user: str) -> str:
        """Return the URL of one user's database on whichever server takes writes."""
        secrets = self.home.secrets
        password = quote(secrets.owner_password if user == OWNER else secrets.app_password, safe="")
        hosts = ",".join(quote(str(server.sockets), safe="") for server in (self.primary, self.standby))
        return f"postgresql://{user}:{password}@/casino?host={hosts}&target_session_attrs=read-write"

    def send(self, server: Postgres, number: signal.Signals) -> None:
        """Send a signal to all processes of a server, as what happens to a host does."""
        postmaster = server.child.pid
        for pid in (postmaster, *(pid for pid, _ in alive(descendants(postmaster)))):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    async def fail_over(self) -> None:
        """Kill the primary's host, and promote the standby, as whoever watches them both does a moment later."""
        self.send(self.primary, signal.SIGKILL)
        await asyncio.sleep(1)
        promote = [str(self.standby.programs / "pg_ctl"), "promote", "-D", str(self.standby.data), "--no-wait"]
        run_to_end(promote, environment=ENVIRONMENT, user=self.standby.user)


def _claimed(folder: Path):  # type: ignore[no-untyped-def]
    home = claim(folder)
    assert home is not None
    return home


@contextlib.contextmanager
def system_with_standby(folder: Path) -> Generator[tuple[System, Pair]]:
    """Run a whole system on two PostgreSQL servers, and remove it at the end."""
    pair = Pair(folder)
    with contextlib.ExitStack() as exits, pytest.MonkeyPatch.context() as patch:
        exits.callback(pair.stop)
        pair.start()
        patch.setenv("CASINO_HOME", str(folder))
        patch.setenv("DATABASE_URL", pair.url(APP))
        patch.setenv("DATABASE_OWNER_URL", pair.url(OWNER))
        patch.setenv("DATABASE_WEB_URL", pair.url(WEB))
        patch.setenv("REDIS_URL", pair.redis.url)
        with Stack(name="failover", print_line=lambda line: None) as stack:
            yield System(stack=stack, credential=house.new_operator(stack, "failover")), pair
