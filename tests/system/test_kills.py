"""`kill -9` of each process in the middle of a round: play goes on within seconds, and nothing is lost or doubled."""

import asyncio
import os
import signal
from collections.abc import Callable
from typing import Final

import pytest
from pytest_django import DjangoDbBlocker

from tests.support.books import audit
from tests.support.kills import kill_in_a_round
from tests.support.whole_system import System
from tests.system.paying import Caller, pay_in_and_out

LONGEST: Final = 30
"""Seconds until the round is settled and sealed: twice what a busy machine takes to start a process."""


def the_postmaster(system: System) -> None:
    """Kill PostgreSQL's first process; the others end when they notice."""
    os.kill(system.stack.child("postgres").pid, signal.SIGKILL)


KILLS: Final[dict[str, Callable[[System], None]]] = {
    **{name: lambda system, name=name: system.kill(name) for name in ("web", "worker", "sealer", "redis")},
    "postgres": the_postmaster,
}


@pytest.mark.parametrize("kill", KILLS.values(), ids=KILLS)
def test_a_round_goes_on_soon_after_a_kill_and_nothing_is_lost_or_doubled(
    system: System, django_db_blocker: DjangoDbBlocker, kill: Callable[[System], None]
) -> None:
    took = asyncio.run(kill_in_a_round(system, kill))
    print(f"{took:.1f} s")
    assert audit(system, django_db_blocker).findings == ()
    assert took <= LONGEST


def test_payments_arrive_once_though_those_who_move_them_are_killed(
    system: System, django_db_blocker: DjangoDbBlocker
) -> None:
    base = system.stack.base_url
    operator = Caller(base, (system.stack.home.folder / "operator-key").read_text(encoding="utf-8"))

    async def pay() -> None:
        async with system.watched():
            await asyncio.to_thread(
                pay_in_and_out,
                operator,
                lambda token: Caller(base, token),
                strike=lambda: system.kill("provider", "worker-background"),
            )

    asyncio.run(pay())
    assert audit(system, django_db_blocker).findings == ()
