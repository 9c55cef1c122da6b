"""The whole system in a home of its own, watched over as `manage.py up` does it, and struck by its tests."""

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
from tests.processes import alive, descendants

EVERYTHING_BUT_POSTGRES = ("redis", "web", "worker", "beat", "sealer")
LOOK_EVERY = 0.05
"""Seconds between two looks of the supervisor."""


@dataclass(slots=True)
class System:
    """A running stack, an operator's credential there, and how much money was credited by money_type, in cents."""

    stack: Stack
    credential: str
    credited: dict[str, int] = field(default_factory=dict)

    @property
    def database_url(self) -> str:
        """The application's own URL."""
        return self.stack.environment["DATABASE_URL"]

    @property
    def redis_url(self) -> str:
        """Where the wake-ups are."""
        return self.stack.environment["REDIS_URL"]

    def kill(self, *names: str) -> None:
        """Kill -9 these processes with their groups, all before the first is missed."""
        for name in names:
            os.killpg(self.stack.child(name).pid, signal.SIGKILL)
        for name in names:
            self.stack.child(name).kill()

    def dealers(self) -> list[int]:
        """The processes of the worker's pool."""
        return sorted(pid for pid, _ in alive(descendants(self.stack.child("worker").pid)))

    def crash_postgres(self) -> None:
        """End PostgreSQL at once, without a checkpoint: it recovers from its log when it starts again."""
        postgres = self.stack.child("postgres")
        os.kill(postgres.pid, signal.SIGQUIT)
        assert postgres.process is not None
        postgres.process.wait()

    def redis_answers(self) -> bool:
        """Whether Redis is there."""
        try:
            with redis.Redis.from_url(self.redis_url, socket_timeout=1) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def flush_redis(self) -> None:
        """Make Redis forget everything, also what it had on disk."""
        with redis.Redis.from_url(self.redis_url) as client:
            client.flushall()

    def waiting_messages(self) -> int:
        """How many messages nobody has taken yet."""
        with redis.Redis.from_url(self.redis_url) as client:
            return int(client.llen("celery"))

    def query(self, statement: LiteralString, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Read from the system's database."""
        with psycopg.connect(self.database_url) as connection:
            return connection.execute(statement, parameters).fetchall()

    def log(self, name: str) -> str:
        """What a process has written so far."""
        return self.stack.child(name).log.read_text(encoding="utf-8", errors="replace")

    def send_wake_ups(self, count: int, **options: object) -> None:
        """Send as many wake-ups to the dealers as asked, past every restraint."""
        address = self.redis_url.replace("unix://", "redis+socket://")
        with celery_app.connection_for_write(address) as connection, connection.SimpleQueue("celery"):
            for _ in range(count):
                celery_app.send_task("baccarat.deal_due", connection=connection, ignore_result=True, **options)

    def deafen_workers(self) -> None:
        """Have every worker leave the dealers' queue, and stay."""
        command = [sys.executable, "-m", "celery", "-A", "casino", "control", "cancel_consumer", "celery"]
        run_to_end(command, environment=self.stack.environment, folder=PROJECT)

    @contextlib.asynccontextmanager
    async def watched(self) -> AsyncGenerator[None]:
        """Start again what dies, as the supervisor of `manage.py up` does, until the block ends."""
        supervisor = Supervisor(self.stack)

        async def look() -> None:
            while True:
                supervisor.check_once(time.monotonic())
                await asyncio.sleep(LOOK_EVERY)

        async with asyncio.TaskGroup() as group:
            looking = group.create_task(look())
            yield
            while self.stack.dead():
                await asyncio.sleep(LOOK_EVERY)
            looking.cancel()


async def until(holds: Callable[[], bool]) -> None:
    """Wait until it holds."""
    while not holds():
        await asyncio.sleep(LOOK_EVERY)


@contextlib.contextmanager
def running_system(folder: Path) -> Generator[System]:
    """Run a whole system, embedded servers included, in this folder; all of it is gone at the end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CASINO_HOME", str(folder))
        for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL", "DATABASE_POOL"):
            patch.delenv(name, raising=False)
        said: list[str] = []
        with Stack(name="chaos", print_line=said.append) as stack:
            yield System(stack=stack, credential=house.new_operator(stack, "chaos"))
        home = claim(folder / "chaos")
        assert home is not None
        home.remove()
