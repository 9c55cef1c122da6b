"""Wake-ups lost, late, or far too many: Redis carries no truth, and the worker comes back to it by itself."""

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from tests.chaos.books import agree, audit
from tests.chaos.players import Party, Setting, party
from tests.chaos.system import System, until

pytestmark = pytest.mark.slow

TABLES = (Setting("mini"), Setting("classic"), Setting("overview"))
AWAY = 3.0
"""Seconds for which Redis is away: long enough for a few attempts to reach it in vain."""
RECOVERY = 120
"""Seconds in which the worker has to have found Redis again."""
FLOOD = 200

Trouble = Callable[[System], Coroutine[Any, Any, None]]


async def lost_with_all_it_held(system: System) -> None:
    """Killed, away for a while, and empty when it is back."""
    redis = system.stack.child("redis")
    redis.wanted = False
    redis.kill()
    await asyncio.sleep(AWAY)
    redis.start()
    await until(system.redis_answers)
    system.flush_redis()


async def silent(system: System) -> None:
    """Stopped in its tracks: connections stay open and nobody answers."""
    redis = system.stack.child("redis").pid
    os.kill(redis, signal.SIGSTOP)
    try:
        await asyncio.sleep(AWAY)
    finally:
        os.kill(redis, signal.SIGCONT)


async def emptied(system: System) -> None:
    """All queues and bindings gone from under the worker that listens."""
    system.flush_redis()


async def bets_through(system: System, trouble: Trouble) -> Party:
    """Let players bet before, during and after the trouble, without starting any process of ours again."""
    ours = {name: system.stack.child(name).pid for name in ("web", "worker", "beat", "sealer")}
    async with asyncio.timeout(AWAY + RECOVERY), party(system, TABLES) as players:
        await players.bet()
        await players.settled()
        begun = asyncio.create_task(trouble(system))
        await asyncio.sleep(0)
        await players.bet()
        assert players.wagers() == 2 * len(TABLES)
        await begun
        await players.settled()
        await players.bet()
        await players.settled()
        await players.leave()
        await agree(system, players)
    assert system.stack.dead() == []
    assert {name: system.stack.child(name).pid for name in ours} == ours
    return players


@pytest.mark.parametrize("trouble", [lost_with_all_it_held, silent, emptied])
def test_players_bet_on_and_the_same_worker_deals_all_when_redis_was(
    system: System, django_db_blocker: DjangoDbBlocker, trouble: Trouble
) -> None:
    asyncio.run(bets_through(system, trouble))
    assert audit(system, django_db_blocker).findings == ()


async def bets_in_a_flood(system: System) -> None:
    """Messages at once, with a delay, past their time: all while players play."""
    async with asyncio.timeout(RECOVERY), party(system, TABLES) as players:
        system.send_wake_ups(FLOOD)
        system.send_wake_ups(FLOOD // 4, countdown=1)
        system.send_wake_ups(FLOOD // 4, expires=0.001)
        await players.play(lambda: players.wagers() >= 10 * len(TABLES))
        await until(lambda: system.waiting_messages() == 0)
        await agree(system, players)


def test_hundreds_of_wake_ups_at_once_late_or_expired_deal_no_round_twice(
    system: System, django_db_blocker: DjangoDbBlocker
) -> None:
    asyncio.run(bets_in_a_flood(system))
    assert audit(system, django_db_blocker).findings == ()


async def bets_with_a_deaf_worker(system: System) -> None:
    """The worker lives on and takes no more messages, as Celery's consumer does after some losses of its broker."""
    deaf = system.stack.child("worker").pid
    async with asyncio.timeout(RECOVERY), system.watched(), party(system, TABLES) as players:
        await players.bet()
        await players.settled()
        system.deafen_workers()
        await until(lambda: system.stack.child("worker").pid != deaf)
        await players.bet()
        await players.settled()
        await players.leave()
        await agree(system, players)
    assert "takes no messages any more" in system.log("worker")


def test_a_worker_that_takes_no_messages_any_more_ends_itself_and_another_deals(
    system: System, django_db_blocker: DjangoDbBlocker
) -> None:
    asyncio.run(bets_with_a_deaf_worker(system))
    assert audit(system, django_db_blocker).findings == ()
