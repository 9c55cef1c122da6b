"""Processes paused while players bet, as on a machine that sleeps: others go on, and all do when they wake up.

One that holds a table stops that table alone, and for seconds.

CHAOS_SECONDS is how long each pause lasts, at least: one of web is longer than a request's body may take to arrive.
"""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

import pytest
from pytest_django import DjangoDbBlocker

from tests.processes import descendants
from tests.support.books import agree, audit
from tests.support.players import Setting, party
from tests.support.table_holder import table_holder
from tests.support.whole_system import System, until

PAUSE: Final = float(os.environ.get("CHAOS_SECONDS", "8"))
"""Seconds; longer than those after which a table that a frozen process holds is free again."""
PAUSE_OF_WEB: Final = max(PAUSE, 12)
"""Seconds; longer than the time in which a request's body has to arrive."""
RECOVERY: Final = 120
GOES_ON: Final = 20.0
"""Seconds after a pause within which all tables have confirmed wagers again; 1 to 2 even on a busy machine."""
TABLES: Final = (Setting("mini"), Setting("classic"), Setting("overview"), Setting("mini"))
LONGEST_STOP: Final = 2 * 3.0
"""Seconds for which a frozen process may stop the table that it holds, with room for a busy machine."""
OPERATOR: Final = "SELECT operator_id FROM baccarat_table WHERE id = %s"
NEXT_WAGER: Final = """
SELECT extract(epoch FROM min(event.recorded_at) - %s)::float8
  FROM events_event AS event JOIN baccarat_round AS round ON event.stream = 'round-' || round.id
 WHERE event.type = 'WagerConfirmed' AND round.table_id = %s AND event.recorded_at > %s
"""

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


async def play_through(system: System, processes: Processes, seconds: float = PAUSE) -> int:
    """Let players bet before, during and after the pause; return how many wagers were confirmed during it."""
    during = 0
    async with asyncio.timeout(seconds + RECOVERY), party(system, TABLES) as players:

        async def pause() -> None:
            nonlocal during
            await until(lambda: players.wagers() >= 2 * len(TABLES))
            before, paused = players.wagers(), list(processes(system))
            try:
                for pid in paused:
                    os.kill(pid, signal.SIGSTOP)
                await asyncio.sleep(seconds)
                during = players.wagers() - before
            finally:
                for pid in paused:
                    os.kill(pid, signal.SIGCONT)
            woken, enough = time.monotonic(), players.wagers() + 2 * len(TABLES)
            await until(lambda: players.wagers() >= enough)
            lasted = time.monotonic() - woken
            print(f"{during} wagers during the pause; {2 * len(TABLES)} more {lasted:.1f} s after it")
            assert lasted < GOES_ON

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
    ("processes", "seconds"),
    [
        (one_web_process, PAUSE_OF_WEB),
        (every("web"), PAUSE_OF_WEB),
        (every("worker"), PAUSE),
        (every("postgres"), PAUSE),
        (every(*EVERYTHING), PAUSE_OF_WEB),
    ],
    ids=["one web process", "web", "worker", "PostgreSQL", "everything"],
)
def test_play_goes_on_when_a_process_wakes_up(
    system: System, django_db_blocker: DjangoDbBlocker, processes: Processes, seconds: float
) -> None:
    asyncio.run(play_through(system, processes, seconds))
    assert_unharmed(system, django_db_blocker)


async def play_while_a_table_is_held(system: System) -> list[float]:
    """Let a process freeze while it holds one of the tables where players bet.

    Return the seconds until each table has confirmed a wager again, that table first.
    """
    async with asyncio.timeout(RECOVERY), party(system, TABLES) as players:
        tables = [player.table.rpartition("/")[2] for player in players.players]
        ((operator,),) = system.query(OPERATOR, tables[:1])
        seconds: list[float] = []

        async def hold() -> None:
            with table_holder(tables[0], operator, system.stack.environment) as freeze:
                enough = players.wagers() + 2 * len(TABLES)
                await until(lambda: players.wagers() >= enough)
                await asyncio.to_thread(freeze)
                ((frozen,),) = system.query("SELECT clock_timestamp()")

                def after_that() -> list[Any]:
                    return [system.query(NEXT_WAGER, [frozen, table, frozen])[0][0] for table in tables]

                await until(lambda: None not in after_that())
                seconds.extend(after_that())

        await players.play_during(hold())
        await agree(system, players)
    return seconds


def test_a_frozen_process_that_holds_a_table_stops_it_alone_and_for_three_seconds(
    system: System, django_db_blocker: DjangoDbBlocker
) -> None:
    seconds = asyncio.run(play_while_a_table_is_held(system))
    print(f"the held table's next wager came after {seconds[0]:.1f} s, the others' after {max(seconds[1:]):.1f} s")
    assert 2 < seconds[0] < LONGEST_STOP  # PostgreSQL ends the transaction after 2.5 s
    assert max(seconds[1:]) < LONGEST_STOP
    assert_unharmed(system, django_db_blocker)
