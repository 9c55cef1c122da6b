"""Wake-ups lost, late or too many: no data is lost with Redis, and the worker reconnects by itself."""

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from tests.support.books import agree, audit
from tests.support.players import Party, Setting, party
from tests.support.whole_system import System, until

TABLES = (Setting("mini"), Setting("classic"), Setting("overview"))
AWAY = 3.0
"""Seconds without Redis: long enough for a few failed attempts to connect."""
RECOVERY = 120
"""Seconds within which the worker must have reconnected."""
FLOOD = 200
KILLS = 4

Failure = Callable[[System], Coroutine[Any, Any, None]]


async def killed_with_its_data(system: System) -> None:
    """Kill Redis, and start it again later without its data."""
    redis = system.stack.child("redis")
    redis.wanted = False
    redis.kill()
    await asyncio.sleep(AWAY)
    redis.start()
    await until(system.redis_answers)
    system.flush_redis()


async def silent(system: System) -> None:
    """Stop the process, so that connections stay open without answers."""
    redis = system.stack.child("redis").pid
    os.kill(redis, signal.SIGSTOP)
    try:
        await asyncio.sleep(AWAY)
    finally:
        os.kill(redis, signal.SIGCONT)


async def emptied(system: System) -> None:
    """Delete all queues and bindings while the worker listens."""
    system.flush_redis()


async def bets_through(system: System, failure: Failure) -> Party:
    """Let players bet before, during and after the failure, without a restart of our processes."""
    ours = {name: system.stack.child(name).pid for name in ("web", "worker", "worker-background", "sealer")}
    async with asyncio.timeout(AWAY + RECOVERY), party(system, TABLES) as players:
        await players.bet()
        await players.settled()
        running = asyncio.create_task(failure(system))
        await asyncio.sleep(0)
        await players.bet()
        assert players.wagers() == 2 * len(TABLES)
        await running
        await players.settled()
        await players.bet()
        await players.settled()
        await players.leave()
        await agree(system, players)
    assert system.stack.dead() == []
    assert {name: system.stack.child(name).pid for name in ours} == ours
    return players


@pytest.mark.parametrize("failure", [killed_with_its_data, silent, emptied])
def test_players_bet_on_and_the_same_worker_deals_all_when_redis_was(
    system: System, django_db_blocker: DjangoDbBlocker, failure: Failure
) -> None:
    asyncio.run(bets_through(system, failure))
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


async def lose_redis_again_and_again(system: System) -> None:
    """Kill Redis while the worker has messages in progress."""
    async with asyncio.timeout(RECOVERY), party(system, TABLES) as players:
        for _ in range(KILLS):
            system.send_wake_ups(FLOOD // 4)
            await killed_with_its_data(system)
            await players.bet()
            await players.settled()
        await players.leave()
        await agree(system, players)


def test_a_worker_survives_redis_lost_in_the_middle_of_messages(
    system: System, django_db_blocker: DjangoDbBlocker
) -> None:
    worker = system.stack.child("worker").pid
    asyncio.run(lose_redis_again_and_again(system))
    assert system.stack.dead() == []
    assert system.stack.child("worker").pid == worker
    assert audit(system, django_db_blocker).findings == ()


async def bets_with_a_deaf_worker(system: System) -> None:
    """Reproduce Celery's consumer that stops taking messages after it lost its broker, while the worker lives."""
    deaf = system.stack.child("worker").pid
    async with asyncio.timeout(RECOVERY), party(system, TABLES) as players:
        await players.bet()
        await players.settled()
        system.control_workers("cancel_consumer")
        while "its consumer reconnects" not in system.log("worker"):
            await players.bet()
            await players.settled()
        system.control_workers("add_consumer")
        await until(lambda: system.waiting_messages() == 0)
        await players.leave()
        await agree(system, players)
    assert system.stack.child("worker").pid == deaf


def test_a_worker_that_takes_no_messages_any_more_deals_on_and_its_consumer_reconnects(
    system: System, django_db_blocker: DjangoDbBlocker
) -> None:
    asyncio.run(bets_with_a_deaf_worker(system))
    assert audit(system, django_db_blocker).findings == ()
