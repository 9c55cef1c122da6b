"""Processes killed while players bet and pay: play goes on within seconds, and nothing is lost or doubled.

CHAOS_SECONDS is how long processes are killed for; each is killed once at least.
"""

import asyncio
import functools
import os
import signal
import sys
import time
from typing import Final

import pytest
from pytest_django import DjangoDbBlocker

from casino.devstack.home import PROJECT
from tests.nightly.chaos.faults import Fault, assert_sound, play_through
from tests.processes import alive, descendants
from tests.support.whole_system import System

PROMISED: Final = 5
"""Seconds after a kill until a wager is confirmed and a round settled, beside what the code takes to load."""
PROMISED_FOR_WEB: Final = 2
"""The same for one web process, and for the process that starts them: the others serve on."""
STARTS: Final = 3
"""How many processes load the code, or start, one after the other until one has taken a killed one's place."""


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


def timed(fault: Fault, loading: dict[str, float]) -> Fault:
    """Return the fault, measuring how long the code takes to load at the same time, on a machine that may be busy."""

    @functools.wraps(fault)
    async def strike(system: System) -> None:
        await fault(system)
        began, words = time.monotonic(), (sys.executable, "-c", "import casino.asgi")
        process = await asyncio.create_subprocess_exec(*words, env=system.stack.environment, cwd=PROJECT)
        assert await process.wait() == 0
        loading[fault.__name__] = max(time.monotonic() - began, loading.get(fault.__name__, 0))

    return strike


@pytest.mark.parametrize("faults", FAULTS.values(), ids=FAULTS)
def test_play_goes_on_soon_after_a_kill_and_nothing_is_lost_or_doubled(
    system: System, django_db_blocker: DjangoDbBlocker, faults: tuple[Fault, ...]
) -> None:
    loading: dict[str, float] = {}
    gaps = asyncio.run(play_through(system, django_db_blocker, tuple(timed(fault, loading) for fault in faults)))
    for fault in faults:
        took = loading[fault.__name__]
        within = PROMISED_FOR_WEB + took if fault in WEB else PROMISED + STARTS * took
        gap = max(gap for name, gap in gaps.items() if name.split()[0] == fault.__name__)
        assert gap <= within, (fault.__name__, gap, took)
    assert_sound(system, django_db_blocker)
