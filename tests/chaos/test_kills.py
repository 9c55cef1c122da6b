"""Any process killed at any moment while players bet: every confirmed wager is settled exactly once."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Sequence
from random import Random

import pytest
from pytest_django import DjangoDbBlocker

from tests.chaos.books import agree, audit
from tests.chaos.players import party
from tests.chaos.system import EVERYTHING_BUT_POSTGRES, System, until

pytestmark = pytest.mark.slow

LIMIT = 180
"""Seconds after which a system that has not come back counts as lost."""

MORE = 8
"""Wagers that have to be confirmed after the last strike: the system plays on."""

Strike = Callable[[System], Awaitable[None]]


async def worker(system: System) -> None:
    system.kill("worker")


async def one_dealer(system: System) -> None:
    """One process of the worker's pool; the worker itself goes on."""
    await until(lambda: bool(system.dealers()))
    os.kill(system.dealers()[0], signal.SIGKILL)


async def redis_with_all_it_held(system: System) -> None:
    """Killed, started by the supervisor from what it had on disk, and then made to forget that too."""
    system.kill("redis")
    await until(system.redis_answers)
    system.flush_redis()


async def web(system: System) -> None:
    system.kill("web")


async def sealer(system: System) -> None:
    system.kill("sealer")


async def beat(system: System) -> None:
    system.kill("beat")


async def everything_but_postgres(system: System) -> None:
    system.kill(*EVERYTHING_BUT_POSTGRES)


async def postgres(system: System) -> None:
    system.crash_postgres()


async def struck(system: System, strikes: Sequence[Strike]) -> None:
    """Let players play through strikes at random moments, then on for a while, and check all they heard."""
    chance, over = Random(), asyncio.Event()
    async with asyncio.timeout(LIMIT), system.watched(), party(system) as players:

        async def played(more: int) -> None:
            enough = players.wagers() + more
            await until(lambda: players.wagers() >= enough and not system.stack.dead())

        async def strike_all() -> None:
            for strike in strikes:
                await played(1)
                await asyncio.sleep(chance.uniform(0, 0.5))
                await strike(system)
            await played(MORE)
            over.set()

        async with asyncio.TaskGroup() as group:
            group.create_task(strike_all())
            group.create_task(players.play(over.is_set))
        await agree(system, players)


@pytest.mark.parametrize(
    "strikes",
    [
        pytest.param([worker, one_dealer, one_dealer], id="the worker and single dealers"),
        pytest.param([redis_with_all_it_held], id="Redis"),
        pytest.param([web, web], id="web"),
        pytest.param([sealer, beat, sealer], id="the sealer and beat"),
        pytest.param([everything_but_postgres], id="everything but PostgreSQL"),
        pytest.param([postgres], id="PostgreSQL"),
    ],
)
def test_every_confirmed_wager_is_settled_exactly_once_through_the_sudden_death_of(
    system: System, django_db_blocker: DjangoDbBlocker, strikes: Sequence[Strike]
) -> None:
    asyncio.run(struck(system, strikes))
    report = audit(system, django_db_blocker)
    assert report.findings == ()
    assert report.rounds > MORE
