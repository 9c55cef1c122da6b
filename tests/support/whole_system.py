"""A whole system supervised as by `manage.py up`, whose processes the tests kill."""

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest
import redis

from casino.celery import app as celery_app
from casino.devstack.bots import house
from casino.devstack.home import PROJECT, claim
from casino.devstack.processes import run_to_end
from casino.devstack.supervisor import Supervisor
from casino.devstack.system import Stack
from casino.operators.sessions import MAX_SESSION_SECONDS
from tests.processes import alive, descendants

EVERYTHING_BUT_POSTGRES = ("redis", "web", "worker", "worker-background", "sealer")
CHECK_EVERY = 0.05
"""Seconds between two checks by the supervisor."""


@dataclass(slots=True)
class System:
    """A running stack, an operator's credential, and the money credited to players in cents, by money type.

    `audited` is the position of the log up to which it was audited.
    """

    stack: Stack
    credential: str
    credited: dict[str, int] = field(default_factory=dict)
    audited: int = 0

    @property
    def database_url(self) -> str:
        """The application's database URL."""
        return self.stack.environment["DATABASE_URL"]

    @property
    def web_database_url(self) -> str:
        """The database URL of web, whose login may not use reserved connections."""
        return self.stack.environment["DATABASE_WEB_URL"]

    @property
    def redis_url(self) -> str:
        """The broker's URL."""
        return self.stack.environment["REDIS_URL"]

    def kill(self, *names: str) -> None:
        """Kill these processes and their groups, all before the supervisor notices the first."""
        for name in names:
            os.killpg(self.stack.child(name).pid, signal.SIGKILL)
        for name in names:
            self.stack.child(name).kill()

    def dealers(self) -> list[int]:
        """Return the pids of the worker's pool."""
        return sorted(pid for pid, _ in alive(descendants(self.stack.child("worker").pid)))

    async def kill_dealer(self) -> None:
        """Kill one process of the worker's pool, not the worker itself, as soon as there is one."""
        while not (dealers := self.dealers()):
            await asyncio.sleep(CHECK_EVERY)
        os.kill(dealers[0], signal.SIGKILL)

    def crash_postgres(self) -> None:
        """Stop PostgreSQL without a checkpoint: it recovers from its log at the next start."""
        postgres = self.stack.child("postgres")
        os.kill(postgres.pid, signal.SIGQUIT)
        assert postgres.process is not None
        postgres.process.wait()

    def revive(self) -> None:
        """Start what died unnoticed, and fail with its log."""
        dead = self.stack.dead()
        reports = [child.exit_report() for child in dead]
        for child in dead:
            child.start()
        assert not dead, "\n".join(reports)

    def redis_answers(self) -> bool:
        """Return whether Redis answers."""
        try:
            with redis.Redis.from_url(self.redis_url, socket_timeout=1) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def flush_redis(self) -> None:
        """Delete everything in Redis, on disk too."""
        with redis.Redis.from_url(self.redis_url) as client:
            client.flushall()

    def waiting_messages(self) -> int:
        """Return the number of messages in the dealers' queue."""
        with redis.Redis.from_url(self.redis_url) as client:
            return int(client.llen("celery"))

    def query(self, statement: LiteralString, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Query the system's database."""
        with psycopg.connect(self.database_url) as connection:
            return connection.execute(statement, parameters).fetchall()

    def log(self, name: str) -> str:
        """Return the log of a process."""
        return self.stack.child(name).log.read_text(encoding="utf-8", errors="replace")

    def send_wake_ups(self, count: int, **options: object) -> None:
        """Send wake-ups to the dealers, without the usual rate limit."""
        address = self.redis_url.replace("unix://", "redis+socket://")
        with celery_app.connection_for_write(address) as connection, connection.SimpleQueue("celery"):
            for _ in range(count):
                celery_app.send_task("baccarat.deal_due", connection=connection, ignore_result=True, **options)

    def control_workers(self, command: str) -> None:
        """Send every worker a command about the dealers' queue, such as cancel_consumer."""
        words = [sys.executable, "-m", "celery", "-A", "casino", "control", command, "celery"]
        run_to_end(words, environment=self.stack.environment, folder=PROJECT)

    @contextlib.asynccontextmanager
    async def watched(self) -> AsyncGenerator[None]:
        """Restart dead processes, as the supervisor of `manage.py up` does, until the block ends."""
        supervisor = Supervisor(self.stack)

        async def check() -> None:
            while True:
                supervisor.check_once(time.monotonic())
                await asyncio.sleep(CHECK_EVERY)

        async with asyncio.TaskGroup() as group:
            checks = group.create_task(check())
            yield
            while self.stack.dead():
                await asyncio.sleep(CHECK_EVERY)
            checks.cancel()


async def until(holds: Callable[[], bool]) -> None:
    """Wait until the condition holds."""
    while not holds():
        await asyncio.sleep(CHECK_EVERY)


@contextlib.contextmanager
def running_system(
    folder: Path, *, name: str, demo: bool = False, table_witnesses: int = 0, **variables: str
) -> Generator[System]:
    """Run a whole system with an operator of this name; at the end, remove its home from this folder.

    The servers are embedded unless `variables` name others.
    """
    with contextlib.ExitStack() as exits:
        exits.callback(_remove, folder / name)
        with pytest.MonkeyPatch.context() as patch:
            for server in ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL"):
                patch.delenv(server, raising=False)
            for variable, value in variables.items():
                patch.setenv(variable, value)
            patch.setenv("CASINO_HOME", str(folder))
            patch.setenv("PLAYER_SESSION_SECONDS", str(MAX_SESSION_SECONDS))  # a soak is longer than an hour
            output: list[str] = []
            stack = exits.enter_context(
                Stack(name=name, demo=demo, table_witnesses=table_witnesses, print_line=output.append)
            )
        yield System(stack=stack, credential=house.new_operator(stack, name))


def _remove(folder: Path) -> None:
    """Delete a home that nobody uses any more."""
    home = claim(folder)
    assert home is not None
    home.remove()
