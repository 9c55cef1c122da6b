"""A database that is destroyed under load is restored by the steps of operations.md, and nothing confirmed is lost."""

import asyncio
import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

import psycopg
import pytest
from django.conf import settings
from pytest_django import DjangoDbBlocker

from casino.compliance import erasure
from casino.crypto import crypto_shredding
from casino.devstack.bots import client
from casino.devstack.errors import DevstackError
from casino.devstack.home import PROJECT, claim
from casino.devstack.postgres import Postgres
from casino.devstack.processes import run_to_end
from casino.operators import changes
from casino.operators import services as operations
from casino.operators.models import Operator
from tests.conftest import pointed_at
from tests.nightly.chaos.faults import assert_sound, play_through
from tests.processes import wait_until
from tests.programs import needs
from tests.support.whole_system import System, running_system, until

SERVERS: Final = ("postgres", "redis", "witness", "provider")
PROMISED: Final = 90
"""Seconds from the loss of a small database until play goes on."""
ERASURE: Final = {"by": "staff:1", "reason": "registered_in_error", "overrides_retention": True}

pytestmark = needs("bash", "gpg", "gpgconf", "tar")


def steps(title: str) -> list[str]:
    """Return the commands of a section of operations.md, in order."""
    page = (PROJECT / "deploy" / "docs" / "operations.md").read_text(encoding="utf-8")
    section = page.partition(f"\n### {title}\n")[2].partition("\n### ")[0].partition("\n## ")[0]
    return re.findall(r"^    (\S.*)$", section, re.MULTILINE)


@dataclass(slots=True)
class Reader:
    """Follows the page on one machine. Backups of each server are in a folder of their own."""

    system: System
    folder: Path
    server: Postgres
    backups: Path
    wal: "subprocess.Popen[bytes] | None" = None

    @property
    def environment(self) -> dict[str, str]:
        """The variables that the page's commands name."""
        return {
            **self.system.stack.environment,
            "PATH": f"{self.server.programs}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "GNUPGHOME": str(self.folder / "gpg"),
            "BACKUP_FOLDER": str(self.backups),
            "BACKUP_RECIPIENT": str(self.folder / "backup.pub"),
            "BACKUP_URL": self.server.superuser_url,
            "SUPERUSER_URL": self.server.superuser_url,
            "DATABASE_URL": self.server.url,
            "PGDATA": str(self.server.data),
            "SECRETS": str(self.system.stack.home.folder / "secrets.json"),
        }

    def follow(self, step: str) -> str:
        """Run a command of the page, unattended, and return its output. Raises DevstackError."""
        unattended = step.replace("gpg --quick", "gpg --batch --passphrase '' --quick")
        project = shlex.quote(str(PROJECT))
        here = unattended.replace("deploy/", f"{project}/deploy/").replace("manage.py", f"{project}/manage.py")
        command = ["bash", "-euo", "pipefail", "-c", here]
        return run_to_end(command, environment=self.environment, folder=self.folder)

    def receive_wal(self, step: str) -> None:
        """Start the command of the page that goes on, and wait until the server sends it the log."""
        words = [word.replace("deploy/", f"{PROJECT}/deploy/") for word in step.split()]  # a path may have a space
        with (self.folder / "wal.log").open("ab") as log:
            self.wal = subprocess.Popen(words, env=self.environment, stderr=log)  # noqa: S603
        with psycopg.connect(self.server.superuser_url, autocommit=True) as connection:
            senders = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"
            assert wait_until(lambda: connection.execute(senders).fetchone() == (1,)), self.log()

    def stop_receiving(self) -> None:
        """Stop receiving, as when the host is shut down."""
        if self.wal is not None:
            self.wal.terminate()
            self.wal.wait()
            self.wal = None

    def log(self) -> str:
        """Return what receiving has printed."""
        return (self.folder / "wal.log").read_text(encoding="utf-8")

    def serve_restored(self) -> None:
        """Give the restored folder to the server's user, and start the server."""
        if self.server.user is not None:
            for path in (self.server.data, *self.server.data.rglob("*")):
                shutil.chown(path, self.server.user)
        self.server.start_bare()


@pytest.fixture
def reader(tmp_path: Path) -> Generator[Reader]:
    """Run a system whose backups have not begun."""
    (tmp_path / "gpg").mkdir(mode=0o700)
    with contextlib.ExitStack() as exits:
        system = exits.enter_context(running_system(tmp_path / "home", name="chaos"))
        server = Postgres(system.stack.home)
        server.child = system.stack.child("postgres")  # which the system stops in the end
        reader = Reader(system, tmp_path, server, tmp_path / "backups")
        exits.callback(run_to_end, ["gpgconf", "--kill", "all"], environment=reader.environment)
        exits.callback(reader.stop_receiving)
        yield reader


@contextlib.contextmanager
def inside(system: System, blocker: DjangoDbBlocker, url: str) -> Generator[None]:
    """Act as a process of the system, on the database at the URL."""
    environment = system.stack.environment
    with pytest.MonkeyPatch.context() as patch, blocker.unblock(), pointed_at(url):
        for name in ("SHOE_KEYS", "PERSONAL_KEYS"):
            patch.setattr(settings, name, environment[name])
        yield


def erased_players(system: System, blocker: DjangoDbBlocker, url: str) -> set[UUID]:
    with inside(system, blocker, url):
        return crypto_shredding.erased_players()


def erase_somebody(system: System, blocker: DjangoDbBlocker) -> tuple[UUID, str]:
    """Register a player and erase that player again; return the id, and the database's time in between."""
    with inside(system, blocker, system.database_url):
        house = Operator.objects.get(slug="chaos").id
        player = operations.register_player(operator=house, reference="to-be-erased", nickname="Ann").id
        ((between,),) = system.query("SELECT clock_timestamp()::text")
        changes.confirm(erasure.request(operator=house, player=player, **ERASURE).pk, by="staff:2")
    return player, between


def destroy(system: System) -> None:
    """Lose the host with the database: all of its processes at once, and its disk with the secrets."""
    postgres = system.stack.child("postgres")
    postgres.wanted = False
    os.killpg(postgres.pid, signal.SIGKILL)
    postgres.kill()
    shutil.rmtree(Postgres(system.stack.home).data)
    (system.stack.home.folder / "secrets.json").unlink()


def test_a_destroyed_database_is_restored_under_load_and_nothing_confirmed_is_lost(
    reader: Reader, django_db_blocker: DjangoDbBlocker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "MAX_ATTEMPTS", 4 * PROMISED)
    system = reader.system
    generate, export, receive, base, files, wait_for_backup = steps("Take backups")
    restore_files, restore, in_recovery, repeat_erasures, audit = steps("Restore")
    secrets = reader.system.stack.home.folder / "secrets.json"
    kept = secrets.read_bytes()
    erased: list[tuple[UUID, str]] = []

    def begin_backups() -> None:
        reader.receive_wal(receive)
        reader.follow(base)
        reader.follow(files)

    def restore_all() -> None:
        reader.follow(restore_files)
        reader.follow(restore)
        reader.serve_restored()
        reader.backups = reader.folder / "backups of the restored database"
        reader.receive_wal(receive)
        assert wait_until(lambda: reader.follow(in_recovery).split()[2] == "f")
        assert reader.follow(repeat_erasures) == "0 erasures repeated.\n"
        assert "findings=0" in reader.follow(audit)

    async def an_erasure(_: System) -> None:
        erased.append(await asyncio.to_thread(erase_somebody, system, django_db_blocker))
        await until(lambda: system.query("SELECT count(*) FROM compliance_erasurecopy") == [(1,)])

    async def the_loss_of_the_database(_: System) -> None:
        destroy(system)
        reader.stop_receiving()
        ours = [child for name, child in system.stack.children.items() if name not in SERVERS]
        for child in ours:
            await asyncio.to_thread(child.stop)
        restore_all()  # in this thread, with which the servers would end; the players wait meanwhile
        for child in ours:
            child.start()

    reader.follow(generate)
    reader.follow(export)
    begin_backups()
    reader.follow(wait_for_backup)
    first_backups = reader.backups

    gaps = asyncio.run(play_through(system, django_db_blocker, (an_erasure, the_loss_of_the_database), seconds=0))

    assert secrets.read_bytes() == kept
    assert max(gaps.values()) <= 2 * PROMISED, gaps
    assert_sound(system, django_db_blocker)
    assert erased_players(system, django_db_blocker, system.database_url) == {erased[0][0]}
    reader.backups = first_backups
    restored_as_of(erased[0], reader, django_db_blocker)


def restored_as_of(erased: tuple[UUID, str], reader: Reader, blocker: DjangoDbBlocker) -> None:
    """Restore the state from before an erasure beside: the audit names what is lost, and the erasure is repeated."""
    system, (player, between) = reader.system, erased
    _, restore, _, repeat_erasures, audit = steps("Restore")
    other = reader.folder / "earlier"
    other.mkdir()
    shutil.copy(system.stack.home.folder / "secrets.json", other)
    home = claim(other)
    assert home is not None
    with contextlib.ExitStack() as exits:
        exits.callback(home.remove)
        reader.server = Postgres(home)
        exits.callback(reader.server.stop)
        reader.follow(f"{restore} '{between}'")
        with (reader.server.data / "postgresql.auto.conf").open("a", encoding="utf-8") as file:
            file.write("synchronous_standby_names = ''\n")  # this copy has no backup to wait for
        reader.serve_restored()
        assert erased_players(system, blocker, reader.server.url) == set()
        with pytest.raises(DevstackError, match="tail cut"):
            reader.follow(audit)
        assert reader.follow(repeat_erasures).endswith("1 erasures repeated.\n")
        assert erased_players(system, blocker, reader.server.url) == {player}
