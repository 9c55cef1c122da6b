"""Play, and payments, through faults: how long until play went on, and whether the books agree."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from itertools import cycle
from typing import Final

from pytest_django import DjangoDbBlocker

from tests.nightly.chaos.payments import payer
from tests.support.books import agree, audit
from tests.support.players import Setting, party
from tests.support.whole_system import System, until

SECONDS: Final = float(os.environ.get("CHAOS_SECONDS", "12"))
RECOVERY: Final = 180
"""Seconds after each fault in which players and payments go on on any machine."""
TABLES: Final = (Setting("mini"), Setting("classic"), Setting("overview"), Setting("mini"), Setting("classic"))

GAP: Final = """
SELECT coalesce(extract(epoch FROM min(recorded_at) - %s)::float8, 'infinity')
  FROM events_event WHERE type = %s AND recorded_at > %s
"""

Fault = Callable[[System], Awaitable[None]]


async def play_through(
    system: System, blocker: DjangoDbBlocker, faults: tuple[Fault, ...], *, seconds: float = SECONDS
) -> dict[str, float]:
    """Let players bet and pay while faults strike one after the other; return the seconds until play went on.

    Each strikes once, and then they go on for as many seconds.
    """
    gaps: dict[str, float] = {}
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(RECOVERY) as limit, system.watched(), party(system, TABLES) as players:
        over = asyncio.Event()

        async def strike_all() -> None:
            ends = loop.time() + seconds
            for number, fault in enumerate(cycle(faults)):
                if number >= len(faults) and loop.time() > ends:
                    break
                await played()
                limit.reschedule(loop.time() + RECOVERY)
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

        async with payer(system, blocker) as paying:
            async with asyncio.TaskGroup() as group:
                group.create_task(strike_all())
                group.create_task(players.play(over.is_set))
                group.create_task(paying.pay(over.is_set))
            await paying.agree(system)
        await agree(system, players)
    print(*(f"{name}: {gap:.1f} s" for name, gap in gaps.items()), sep="\n")
    return gaps


def assert_sound(system: System, blocker: DjangoDbBlocker) -> None:
    """Assert that the audit finds nothing, and that the projections are what the events say."""
    assert audit(system, blocker).findings == ()
    system.stack.manage("rebuild", "--check")
