"""Processes paused while players bet, as on a machine that sleeps: others go on, and all do when they wake up.

CHAOS_SECONDS is how long each pause lasts.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Iterable
from typing import Final

import pytest
from pytest_django import DjangoDbBlocker

from tests.chaos.books import agree, audit
from tests.chaos.players import Setting, party
from tests.chaos.system import System, until
from tests.processes import descendants

pytestmark = pytest.mark.slow

PAUSE: Final = float(os.environ.get("CHAOS_SECONDS", "12"))
"""Seconds; longer than the time in which a request's body has to arrive."""
RECOVERY: Final = 120
TABLES: Final = (Setting("mini"), Setting("classic"), Setting("overview"), Setting("mini"))

Processes = Callable[[System], Iterable[int]]


def every(*names: str) -> Processes:
    """Select these processes and all below them."""

    def pids(system: System) -> list[int]:
        parents = [system.stack.child(name).pid for name in names]
        return [*parents, *(pid for parent in parents for pid, _ in descendants(parent))]

    return pids


def one_dealer(system: System) -> list[int]:
    return system.dealers()[:1]


def one_web_process(system: System) -> list[int]:
    return [pid for pid, _ in descendants(system.stack.child("web").pid)][:1]


EVERYTHING: Final = ("postgres", "redis", "web", "worker", "worker-background", "sealer", "provider")


async def play_through(system: System, processes: Processes) -> int:
    """Let players bet before, during and after the pause; return how many wagers were confirmed during it."""
    during = 0
    async with asyncio.timeout(PAUSE + RECOVERY), party(system, TABLES) as players:

        async def pause() -> None:
            nonlocal during
            await until(lambda: players.wagers() >= 2 * len(TABLES))
            before, paused = players.wagers(), list(processes(system))
            try:
                for pid in paused:
                    os.kill(pid, signal.SIGSTOP)
                await asyncio.sleep(PAUSE)
                during = players.wagers() - before
            finally:
                for pid in paused:
                    os.kill(pid, signal.SIGCONT)
            enough = players.wagers() + 2 * len(TABLES)
            await until(lambda: players.wagers() >= enough)

        await players.play_during(pause())
        await agree(system, players)
    return during


def assert_unharmed(system: System, blocker: DjangoDbBlocker) -> None:
    assert system.stack.dead() == []
    assert audit(system, blocker).findings == ()


@pytest.mark.parametrize(
    "processes",
    [one_dealer, every("sealer"), every("redis"), every("worker-background")],
    ids=["one dealer", "the sealer", "Redis", "the periodic jobs"],
)
def test_play_goes_on_while_a_process_is_paused(
    system: System, django_db_blocker: DjangoDbBlocker, processes: Processes
) -> None:
    assert asyncio.run(play_through(system, processes)) >= len(TABLES)
    assert_unharmed(system, django_db_blocker)


@pytest.mark.parametrize(
    "processes",
    [one_web_process, every("web"), every("worker"), every("postgres"), every(*EVERYTHING)],
    ids=["one web process", "web", "worker", "PostgreSQL", "everything"],
)
def test_play_goes_on_when_a_process_wakes_up(
    system: System, django_db_blocker: DjangoDbBlocker, processes: Processes
) -> None:
    asyncio.run(play_through(system, processes))
    assert_unharmed(system, django_db_blocker)
