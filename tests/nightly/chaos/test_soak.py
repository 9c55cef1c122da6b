"""Play for HOURS with a fault now and then: nothing grows without bound, and nothing is lost or doubled."""

import asyncio
import os
from typing import Final

from pytest_django import DjangoDbBlocker

from casino.devstack.home import PROJECT
from tests.nightly.chaos.faults import assert_sound, play_through
from tests.nightly.chaos.soak import PANELS, Sampler
from tests.nightly.chaos.test_recovery import a_dealer, the_payer, the_sealer, the_worker
from tests.support.whole_system import System

SECONDS: Final = 3600 * float(os.environ.get("HOURS") or 1 / 6)
PICTURE: Final = PROJECT / "build" / "soak.png"
PAUSE: Final = SECONDS / 40
"""Seconds of undisturbed play before each fault."""


async def undisturbed(_system: System) -> None:
    await asyncio.sleep(PAUSE)


def test_nothing_grows_while_play_goes_on(system: System, django_db_blocker: DjangoDbBlocker) -> None:
    faults = (undisturbed, a_dealer, undisturbed, the_worker, undisturbed, the_payer, undisturbed, the_sealer)
    sampler = Sampler(system, every=SECONDS / 500)
    sampler.start()
    try:
        asyncio.run(play_through(system, django_db_blocker, faults, seconds=SECONDS))
    finally:
        sampler.over.set()
        sampler.join()
        sampler.draw(PICTURE)
    assert PICTURE.stat().st_size
    assert sampler.minutes
    assert all(len(numbers) == len(sampler.minutes) for panel in PANELS for numbers in sampler.panels[panel].values())
    assert sampler.grown() == []
    assert_sound(system, django_db_blocker)
