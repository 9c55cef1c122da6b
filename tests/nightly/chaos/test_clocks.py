"""Clocks that jump by an hour while players bet, as on hosts whose time service fails: play goes on as if they had not.

Only PostgreSQL's clock counts. Web says why it is unready, so that a proxy sends requests to others.
"""

import asyncio
from collections.abc import Generator
from pathlib import Path
from typing import Final

import httpx
import pytest
from pytest_django import DjangoDbBlocker

from casino.devstack.system import is_responding
from casino.observability.process import ssl_context
from tests.clocks import needs_faketime, skewed_by_file
from tests.nightly.chaos.faults import GAP
from tests.support.books import agree, audit
from tests.support.players import Setting, party
from tests.support.whole_system import System, until

PROCESSES: Final = ("web", "worker", "sealer")
TABLES: Final = (Setting("mini"), Setting("classic"), Setting("atlantic_city", players=2, rules={"turn_seconds": 1}))
RECOVERY: Final = 120
JUMPS: Final = {"+3600": "is -3600", "-3600": "is 3600", "+0": "ok"}
"""What each clock is off by, and what web says then: where PostgreSQL's clock is, seen from its own."""
GOES_ON: Final = 5.0
"""Seconds after a jump within which a wager is confirmed and a round settled; less than 1 on a machine that is free."""


@pytest.fixture
def clock(system: System, tmp_path: Path) -> Generator[Path]:
    """Restart the processes with clocks that this file sets, and as they were in the end."""
    file = tmp_path / "clock"
    file.write_text("+0\n", encoding="ascii")
    children = [system.stack.child(name) for name in PROCESSES]
    usual = [child.environment for child in children]

    def restart(environments: list[dict[str, str]]) -> None:
        for child, environment in zip(children, environments, strict=True):
            child.environment = environment
            child.restart()
        children[0].wait_until(lambda: is_responding(port=system.stack.port, path="/readyz"))

    restart([skewed_by_file(environment, file) for environment in usual])
    try:
        yield file
    finally:
        restart(usual)


def reported(system: System) -> str:
    """Return what web says about its clock."""
    answer = httpx.get(f"{system.stack.base_url}/readyz", timeout=20, verify=ssl_context())
    clock: str = answer.json()["clock"]
    assert answer.status_code == 200 or clock != "ok"
    return clock


async def play_through(system: System, clock: Path) -> dict[str, float]:
    """Let players bet while the clocks jump; return the seconds until play went on after each jump."""
    gaps: dict[str, float] = {}
    async with asyncio.timeout(RECOVERY), party(system, TABLES) as players:

        async def jump() -> None:
            for offset, report in JUMPS.items():
                await played()
                clock.write_text(f"{offset}\n", encoding="ascii")
                while report not in await asyncio.to_thread(reported, system):
                    await asyncio.sleep(0.2)
                ((jumped,),) = system.query("SELECT clock_timestamp()")
                await played()
                for event in ("WagerConfirmed", "RoundSettled"):
                    ((gaps[f"{offset} s, {event}"],),) = system.query(GAP, [jumped, event, jumped])

        async def played() -> None:
            enough = players.wagers() + 2 * len(TABLES)
            await until(lambda: players.wagers() >= enough)

        await players.play_during(jump())
        await agree(system, players)
    return gaps


@needs_faketime
def test_play_goes_on_while_clocks_are_off_by_an_hour_and_nothing_is_lost_or_doubled(
    system: System, clock: Path, django_db_blocker: DjangoDbBlocker
) -> None:
    gaps = asyncio.run(play_through(system, clock))
    print(*(f"{name}: {gap:.1f} s" for name, gap in gaps.items()), sep="\n")
    assert max(gaps.values()) < GOES_ON, gaps
    assert system.stack.dead() == []
    assert audit(system, django_db_blocker).findings == ()
