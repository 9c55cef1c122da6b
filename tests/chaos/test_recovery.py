"""Processes killed while players bet and pay: play goes on within seconds, and nothing is lost or doubled.

CHAOS_SECONDS is how long processes are killed for; each is killed once at least.
"""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from itertools import cycle
from typing import Final

import pytest
from pytest_django import DjangoDbBlocker

from tests.chaos.books import agree, audit
from tests.chaos.payments import payer
from tests.chaos.players import Setting, party
from tests.chaos.system import System, until
from tests.processes import alive, descendants

pytestmark = pytest.mark.slow

SECONDS: Final = float(os.environ.get("CHAOS_SECONDS", "12"))
PROMISED: Final = 5
"""Seconds after a kill until a wager is confirmed and a round settled: as long as a process takes to load the code."""
PROMISED_FOR_WEB: Final = 2
"""The same for one web process, and for the process that starts them."""
BUSY: Final = 3
"""How many times as long it may take on a busy machine: most of it is the time of a processor."""
RECOVERY: Final = 180
TABLES: Final = (Setting("mini"), Setting("classic"), Setting("overview"), Setting("mini"), Setting("classic"))

GAP: Final = """
SELECT coalesce(extract(epoch FROM min(recorded_at) - %s)::float8, 'infinity')
  FROM events_event WHERE type = %s AND recorded_at > %s
"""

Fault = Callable[[System], Awaitable[None]]


async def a_dealer(system: System) -> None:
    await system.kill_dealer()


async def the_worker(system: System) -> None:
    system.kill("worker")


async def the_payer(system: System) -> None:
    """Kill the worker that moves payments and runs the periodic jobs."""
    system.kill("worker-background")


async def a_web_process(system: System) -> None:
    """Kill one of the processes that serve; the others serve on."""
    os.kill(min(pid for pid, _ in alive(descendants(system.stack.child("web").pid))), signal.SIGKILL)


async def the_first_web_process(system: System) -> None:
    """Kill the process that starts the others; they serve until it has been replaced."""
    os.kill(system.stack.child("web").pid, signal.SIGKILL)


async def the_web_server(system: System) -> None:
    """Kill all of its processes."""
    system.kill("web")


async def the_sealer(system: System) -> None:
    system.kill("sealer")


async def the_provider(system: System) -> None:
    system.kill("provider")


async def a_backend(system: System) -> None:
    """Kill one server process of PostgreSQL, upon which it ends all others and recovers from its log."""
    ((backend,),) = system.query(
        "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() LIMIT 1"
    )
    os.kill(backend, signal.SIGKILL)


async def the_postmaster(system: System) -> None:
    """Kill PostgreSQL's first process; the others end when they notice."""
    os.kill(system.stack.child("postgres").pid, signal.SIGKILL)


WEB: Final = (a_web_process, the_first_web_process)
FAULTS: Final = {
    "our processes": (a_dealer, the_worker, the_payer, the_web_server, *WEB, the_sealer, the_provider),
    "PostgreSQL": (a_backend, the_postmaster),
}


async def play_through(system: System, faults: tuple[Fault, ...]) -> dict[str, float]:
    """Let players bet and pay while faults strike one after the other; return the seconds until play went on."""
    gaps: dict[str, float] = {}
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(SECONDS + RECOVERY), system.watched(), party(system, TABLES) as players:
        over = asyncio.Event()

        async def strike_all() -> None:
            ends = loop.time() + SECONDS
            for number, fault in enumerate(cycle(faults)):
                if number >= len(faults) and loop.time() > ends:
                    break
                await played()
                ((struck,),) = system.query("SELECT clock_timestamp()")
                await fault(system)
                await played()
                for event in ("WagerConfirmed", "RoundSettled"):
                    ((gap,),) = system.query(GAP, [struck, event, struck])
                    name = f"{fault.__name__} {event}"
                    gaps[name] = max(gap, gaps.get(name, 0))
            over.set()

        async def played() -> None:
            """Wait for a wager of everybody, on average, that is confirmed and settled."""
            enough = players.wagers() + 2 * len(TABLES)
            await until(lambda: players.wagers() >= enough and not system.stack.dead())

        async with payer(system) as paying:
            async with asyncio.TaskGroup() as group:
                group.create_task(strike_all())
                group.create_task(players.play(over.is_set))
                group.create_task(paying.pay(over.is_set))
            await paying.agree(system)
        await agree(system, players)
    print(*(f"{name}: {gap:.1f} s" for name, gap in gaps.items()), sep="\n")
    return gaps


@pytest.mark.parametrize("faults", FAULTS.values(), ids=FAULTS)
def test_play_goes_on_soon_after_a_kill_and_nothing_is_lost_or_doubled(
    system: System, django_db_blocker: DjangoDbBlocker, faults: tuple[Fault, ...]
) -> None:
    gaps = asyncio.run(play_through(system, faults))
    served_on = {name: gap for name, gap in gaps.items() if name.startswith(tuple(fault.__name__ for fault in WEB))}
    assert max(gaps.values()) <= BUSY * PROMISED, gaps
    assert max(served_on.values(), default=0) <= BUSY * PROMISED_FOR_WEB, gaps
    assert_sound(system, django_db_blocker)


def assert_sound(system: System, blocker: DjangoDbBlocker) -> None:
    """Assert that the audit finds nothing, and that the projections are what the events say."""
    assert audit(system, blocker).findings == ()
    system.stack.manage("rebuild", "--check")
