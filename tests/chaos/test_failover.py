"""PostgreSQL's primary dies with its host under load: play goes on at the standby, nothing is lost or doubled."""

import asyncio
from pathlib import Path
from typing import Final

import psycopg
import pytest
from pytest_django import DjangoDbBlocker

from tests.chaos.faults import assert_sound, play_through
from tests.chaos.standby import system_with_standby
from tests.chaos.system import System

pytestmark = pytest.mark.slow

PROMISED: Final = 10
"""Seconds from the primary's death, with the second until the standby is promoted, until play goes on."""


def test_play_goes_on_at_the_promoted_standby_and_nothing_is_lost_or_doubled(
    tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> None:
    with system_with_standby(tmp_path) as (system, pair):

        async def the_primary(_: System) -> None:
            await pair.fail_over()

        gaps = asyncio.run(play_through(system, (the_primary,), seconds=0))

        with psycopg.connect(pair.standby.superuser_url) as connection:
            assert connection.execute("SELECT pg_is_in_recovery()").fetchone() == (False,)
        assert max(gaps.values()) <= 2 * PROMISED, gaps
        assert_sound(system, django_db_blocker)
