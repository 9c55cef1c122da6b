"""kill -9 of any process at any moment while players bet: every confirmed wager is settled exactly once."""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random

import pytest
from pytest_django import DjangoDbBlocker

from tests.chaos.books import agree, audit
from tests.chaos.players import Party, party
from tests.chaos.system import EVERYTHING_BUT_POSTGRES, System, until

pytestmark = pytest.mark.slow

LIMIT = 90
"""Seconds after which a system that has not come back counts as lost."""

MORE = 12
"""Wagers that have to be confirmed after the last strike: the system plays on."""

Strike = Callable[[System], Awaitable[None]]


async def worker(system: System) -> None:
    system.kill("worker")


async def one_dealer(system: System) -> None:
    system.kill_one_dealer()


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


async def struck(system: System, strike: Strike, *, times: int) -> Party:
    """This will let players play through strikes at random moments, then on for a while, and check all they heard."""
    chance, over = Random(), asyncio.Event()  # noqa: S311  (no card depends on it)
    async with asyncio.timeout(LIMIT), system.watched(), party(system) as players:

        async def played(more: int) -> None:
            enough = players.wagers() + more
            await until(lambda: players.wagers() >= enough and not system.stack.dead())

        async def strikes() -> None:
            for _ in range(times):
                await played(1)
                await asyncio.sleep(chance.uniform(0, 0.5))
                await strike(system)
            await played(MORE)
            over.set()

        async with asyncio.TaskGroup() as group:
            group.create_task(strikes())
            group.create_task(players.play(over.is_set))
        await agree(system, players)
    return players


@pytest.mark.parametrize(
    ("strike", "times"),
    [
        (worker, 2),
        (one_dealer, 3),
        (redis_with_all_it_held, 2),
        (web, 2),
        (sealer, 2),
        (beat, 1),
        (everything_but_postgres, 1),
        (postgres, 1),
    ],
)
def test_every_confirmed_wager_is_settled_exactly_once_through_kill_9_of(
    system: System, django_db_blocker: DjangoDbBlocker, strike: Strike, times: int
) -> None:
    asyncio.run(struck(system, strike, times=times))
    report = audit(system, django_db_blocker)
    assert report.findings == ()
    assert report.rounds > MORE
