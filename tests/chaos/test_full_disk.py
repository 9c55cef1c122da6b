"""The disk with PostgreSQL's data, Redis's and the logs full while players bet: play goes on soon after there is room.

CHAOS_SECONDS is how long the disk is full.
"""

import asyncio
import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest
from pytest_django import DjangoDbBlocker

from tests.chaos.books import agree, audit
from tests.chaos.players import Setting, party
from tests.chaos.system import System, running_system, until

pytestmark = pytest.mark.slow

FULL: Final = min(float(os.environ.get("CHAOS_SECONDS", "8")), 60)
SIZE: Final = "700m"
RECOVERY: Final = 60
"""Seconds; half of it is enough on a machine that is not busy."""
TABLES: Final = (Setting("mini"), Setting("classic"), Setting("overview"))


@pytest.fixture
def disk() -> Generator[Path]:
    """Mount a small disk in memory; only root may."""
    folder = Path(tempfile.mkdtemp(prefix="casino-disk-"))
    mounted = subprocess.run(  # noqa: S603
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=1777", "tmpfs", str(folder)],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        if mounted.returncode:
            pytest.skip(f"No disk can be mounted: {mounted.stderr.strip()}")
        yield folder
    finally:
        if not mounted.returncode:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)  # noqa: S603, S607
        shutil.rmtree(folder, ignore_errors=True)


def fill(file: Path) -> None:
    """Write until there is no room."""
    block = bytes(1 << 20)
    with contextlib.suppress(OSError), file.open("ab", buffering=0) as stream:
        while stream.write(block):
            pass


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
    with running_system(disk / "home") as system:
        asyncio.run(play_through(system, disk / "ballast"))
        assert audit(system, django_db_blocker).findings == ()
        system.stack.manage("rebuild", "--check")
