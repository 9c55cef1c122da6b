"""Play goes on while Redis, the periodic jobs or PostgreSQL's free connections are away: within seconds, not after.

CHAOS_SECONDS sets how long each outage lasts.
"""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import psycopg
import pytest
from pytest_django import DjangoDbBlocker

from tests.support.books import agree, audit
from tests.support.players import Party, Setting, party
from tests.support.whole_system import System, until

OUTAGE: Final = float(os.environ.get("CHAOS_SECONDS", "8"))
"""Seconds."""
MAX_DELAY: Final = 2
"""Seconds from the last wager of a round to its settlement, and from an event to its arrival; the design is one."""
RECOVERY: Final = 120
TABLES: Final = (Setting("mini"), Setting("classic"), Setting("overview"), Setting("mini"))

DELAYS: Final = """
SELECT extract(epoch FROM settled.recorded_at - confirmed.last)::float8
  FROM events_event AS settled
  JOIN (SELECT stream, max(recorded_at) AS last FROM events_event WHERE type = 'WagerConfirmed' GROUP BY stream)
       AS confirmed USING (stream)
 WHERE settled.type = 'RoundSettled' AND confirmed.last BETWEEN %s AND %s
"""

Outage = Callable[[System], AbstractAsyncContextManager[None]]


@asynccontextmanager
async def redis_killed(system: System) -> AsyncGenerator[None]:
    redis = system.stack.child("redis")
    redis.wanted = False
    redis.kill()
    try:
        yield
    finally:
        redis.start()
        await until(system.redis_answers)
        system.flush_redis()


@asynccontextmanager
async def redis_frozen(system: System) -> AsyncGenerator[None]:
    redis = system.stack.child("redis").pid
    os.kill(redis, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(redis, signal.SIGCONT)


@asynccontextmanager
async def redis_flushed(system: System) -> AsyncGenerator[None]:
    """Delete everything in Redis several times a second."""

    async def flush() -> None:
        while True:
            await asyncio.to_thread(system.flush_redis)
            await asyncio.sleep(0.2)

    flushing = asyncio.create_task(flush())
    try:
        yield
    finally:
        flushing.cancel()


@asynccontextmanager
async def jobs_killed(system: System) -> AsyncGenerator[None]:
    jobs = system.stack.child("worker-background")
    jobs.wanted = False
    jobs.kill()
    try:
        yield
    finally:
        jobs.start()


@asynccontextmanager
async def connections_taken(system: System) -> AsyncGenerator[None]:
    """Take every connection that PostgreSQL has for web, and each that becomes free; a dealer has to connect anew."""
    with contextlib.ExitStack() as strangers:
        full = asyncio.Event()

        async def take() -> None:
            while True:
                try:
                    strangers.enter_context(psycopg.connect(system.web_database_url))
                except psycopg.OperationalError:
                    full.set()
                    await asyncio.sleep(0.1)
                await asyncio.sleep(0)

        taking = asyncio.create_task(take())
        try:
            await full.wait()
            os.kill(system.dealers()[0], signal.SIGKILL)
            yield
        finally:
            taking.cancel()


@dataclass
class Watch:
    """What happened during the outage."""

    began: datetime | None = None
    ended: datetime | None = None
    arrivals: list[float] = field(default_factory=list)

    async def follow(self, players: Party) -> None:
        """Record how long after its time each event arrives at the first player's stream."""
        player = players.players[0]
        async for message in player.client.stream():
            if message.event == "event":
                self.arrivals.append(time.time() - datetime.fromisoformat(message.data["recorded_at"]).timestamp())


async def play_through(system: System, outage: Outage) -> Watch:
    """Let players bet before, during and after the outage, and check their answers."""
    watch = Watch()
    async with asyncio.timeout(OUTAGE + RECOVERY), party(system, TABLES) as players:

        async def interrupt() -> None:
            await until(lambda: players.wagers() >= 2 * len(TABLES))
            following = asyncio.create_task(watch.follow(players))
            await asyncio.sleep(1)
            watch.began = system.query("SELECT clock_timestamp()")[0][0]
            async with outage(system):
                await asyncio.sleep(OUTAGE)
                watch.ended = datetime.now(watch.began.tzinfo)
            following.cancel()
            more = players.wagers() + len(TABLES)
            await until(lambda: players.wagers() >= more)

        await players.play_during(interrupt())
        await agree(system, players)
    return watch


@pytest.mark.parametrize("outage", [redis_killed, redis_frozen, redis_flushed, jobs_killed, connections_taken])
def test_rounds_are_dealt_and_streams_deliver_during_an_outage(
    system: System, django_db_blocker: DjangoDbBlocker, outage: Outage
) -> None:
    worker = system.stack.child("worker").pid
    watch = asyncio.run(play_through(system, outage))
    delays = [delay for (delay,) in system.query(DELAYS, [watch.began, watch.ended])]
    print(
        f"{outage.__name__}: {len(delays)} rounds, at most {max(delays):.2f} s to settle; "
        f"{len(watch.arrivals)} events, at most {max(watch.arrivals):.2f} s to arrive"
    )
    assert len(delays) > OUTAGE / 2
    assert len(watch.arrivals) > OUTAGE / 2
    assert max(delays) <= MAX_DELAY
    assert max(watch.arrivals) <= MAX_DELAY
    assert system.stack.child("worker").pid == worker
    assert system.stack.dead() == []
    assert audit(system, django_db_blocker).findings == ()


async def deal_with_a_new_worker(system: System) -> None:
    """Kill the worker, and then every process of the next one's pool, while Redis is away."""
    async with asyncio.timeout(RECOVERY), system.watched(), party(system, TABLES) as players:
        async with redis_killed(system):
            system.kill("worker")
            await until(lambda: len(system.dealers()) > 1)
            await players.bet()
            await players.settled()
            worker = system.stack.child("worker").pid
            for dealer in system.dealers():
                os.kill(dealer, signal.SIGKILL)
            await until(lambda: system.stack.child("worker").pid != worker)
            await players.bet()
            await players.settled()
        await players.leave()
        await agree(system, players)


def test_a_worker_starts_and_is_replaced_without_redis(system: System, django_db_blocker: DjangoDbBlocker) -> None:
    asyncio.run(deal_with_a_new_worker(system))
    assert audit(system, django_db_blocker).findings == ()
