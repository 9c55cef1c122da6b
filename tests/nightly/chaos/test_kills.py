"""Processes killed at random moments while players bet: every confirmed wager is settled exactly once."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from random import Random

import pytest
from pytest_django import DjangoDbBlocker

from tests.support.books import agree, audit
from tests.support.players import party
from tests.support.whole_system import EVERYTHING_BUT_POSTGRES, System, until

LIMIT = 180
"""Seconds within which the system must recover."""

MORE = 8
"""Wagers that must be confirmed after the last kill."""

Kill = Callable[[System], Awaitable[None]]


async def worker(system: System) -> None:
    system.kill("worker")


async def one_dealer(system: System) -> None:
    await system.kill_dealer()


async def redis_and_its_data(system: System) -> None:
    """Kill Redis, let the supervisor start it from its disk, and then delete its data."""
    system.kill("redis")
    await until(system.redis_answers)
    system.flush_redis()


async def web(system: System) -> None:
    system.kill("web")


async def sealer(system: System) -> None:
    system.kill("sealer")


async def background(system: System) -> None:
    system.kill("worker-background")


async def everything_but_postgres(system: System) -> None:
    system.kill(*EVERYTHING_BUT_POSTGRES)


async def postgres(system: System) -> None:
    system.crash_postgres()


async def play_through(system: System, kills: Sequence[Kill]) -> None:
    """Let players bet through kills at random moments and for a while after, then check all their answers."""
    chance = Random()
    async with asyncio.timeout(LIMIT), system.watched(), party(system) as players:

        async def played(more: int) -> None:
            enough = players.wagers() + more
            await until(lambda: players.wagers() >= enough and not system.stack.dead())

        async def kill_all() -> None:
            for kill in kills:
                await played(1)
                await asyncio.sleep(chance.uniform(0, 0.5))
                await kill(system)
            await played(MORE)

        await players.play_during(kill_all())
        await agree(system, players)


@pytest.mark.parametrize(
    "kills",
    [
        pytest.param([worker, one_dealer, one_dealer], id="the worker and single dealers"),
        pytest.param([redis_and_its_data], id="Redis"),
        pytest.param([web, web], id="web"),
        pytest.param([sealer, background, sealer], id="the sealer and the periodic jobs"),
        pytest.param([everything_but_postgres], id="everything but PostgreSQL"),
        pytest.param([postgres], id="PostgreSQL"),
    ],
)
def test_every_confirmed_wager_is_settled_exactly_once_after_killing(
    system: System, django_db_blocker: DjangoDbBlocker, kills: Sequence[Kill]
) -> None:
    asyncio.run(play_through(system, kills))
    report = audit(system, django_db_blocker)
    assert report.findings == ()
    assert report.rounds > MORE
