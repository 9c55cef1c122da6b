"""The disk with PostgreSQL's data, Redis's and the logs full while players bet: play goes on soon after there is room.

CHAOS_SECONDS is how long the disk is full.
"""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest
from pytest_django import DjangoDbBlocker

from tests.support.books import agree, audit
from tests.support.disk import fill, may_mount, mount, unmount
from tests.support.players import Setting, party
from tests.support.whole_system import System, running_system, until

FULL: Final = min(float(os.environ.get("CHAOS_SECONDS", "8")), 60)
SIZE: Final = "700m"
RECOVERY: Final = 60
"""Seconds; half of it is enough on a machine that is not busy."""
TABLES: Final = (Setting("mini"), Setting("classic"), Setting("overview"))


@pytest.fixture
def disk() -> Generator[Path]:
    """Mount a small disk in memory; only root may."""
    if not may_mount():
        pytest.skip("No disk may be mounted here.")
    folder = Path(tempfile.mkdtemp(prefix="casino-disk-"))
    mount(folder, size=SIZE)
    try:
        yield folder
    finally:
        unmount(folder)
        shutil.rmtree(folder, ignore_errors=True)


async def play_through(system: System, ballast: Path) -> None:
    """Let players bet before, during and after, and compare their answers with the log."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(FULL + 4 * RECOVERY), system.watched(), party(system, TABLES) as players:

        async def interrupt() -> None:
            await until(lambda: players.wagers() >= 2 * len(TABLES))
            ends = loop.time() + FULL
            while loop.time() < ends:
                await asyncio.to_thread(fill, ballast)
                await asyncio.sleep(0.2)
            ballast.unlink()
            emptied, enough = loop.time(), players.wagers() + 2 * len(TABLES)
            await until(lambda: players.wagers() >= enough and not system.stack.dead())
            print(f"{loop.time() - emptied:.1f} s until {2 * len(TABLES)} more wagers")
            assert loop.time() - emptied <= RECOVERY

        await players.play_during(interrupt())
        await agree(system, players)


def test_play_goes_on_after_the_disk_was_full_and_nothing_is_lost_or_doubled(
    disk: Path, monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker
) -> None:
    monkeypatch.setenv("CASINO_SCRATCH", str(disk))
    with running_system(disk / "home", name="chaos") as system:
        asyncio.run(play_through(system, disk / "ballast"))
        assert audit(system, django_db_blocker).findings == ()
        system.stack.manage("rebuild", "--check")
