"""PostgreSQL's primary dies with its host under load: play goes on at the standby, nothing is lost or doubled."""

import asyncio
import signal
import time
from pathlib import Path
from typing import Final

import httpx
import psycopg
from pytest_django import DjangoDbBlocker

from tests.nightly.chaos.faults import assert_sound, play_through
from tests.nightly.chaos.standby import Pair, system_with_standby
from tests.support.whole_system import System

PROMISED: Final = 10
"""Seconds from the primary's death, with the second until the standby is promoted, until play goes on."""
PROMISED_ANSWER: Final = 10
"""Seconds until a caller is told that the outcome is unknown, while commits wait for the standby."""


def test_play_waits_for_a_frozen_standby_and_goes_on_at_a_promoted_one_and_nothing_is_lost_or_doubled(
    tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> None:
    with system_with_standby(tmp_path) as (system, pair):

        async def the_standby(_: System) -> None:
            await freeze_standby(system, pair)

        async def the_primary(_: System) -> None:
            await pair.fail_over()

        gaps = asyncio.run(play_through(system, django_db_blocker, (the_standby, the_primary), seconds=0))

        with psycopg.connect(pair.standby.superuser_url) as connection:
            assert connection.execute("SELECT pg_is_in_recovery()").fetchone() == (False,)
        assert max(gap for name, gap in gaps.items() if name.startswith("the_primary")) <= 2 * PROMISED, gaps
        assert_sound(system, django_db_blocker)


async def freeze_standby(system: System, pair: Pair) -> None:
    """Freeze the standby: nothing is confirmed, callers hear so in time, and may repeat their request."""
    headers = {"Authorization": f"Bearer {system.credential}", "Idempotency-Key": "while-frozen"}
    async with httpx.AsyncClient(base_url=f"{system.stack.base_url}/api/v1", headers=headers, timeout=60) as client:
        pair.send(pair.standby, signal.SIGSTOP)
        try:
            for _ in range(2):
                began = time.monotonic()
                answer = await client.post("/players", json={"reference": "while-frozen"})
                assert answer.status_code == 503, answer.text
                assert int(answer.headers["Retry-After"]) >= 1
                assert time.monotonic() - began <= 2 * PROMISED_ANSWER
        finally:
            pair.send(pair.standby, signal.SIGCONT)
        while (answer := await client.post("/players", json={"reference": "while-frozen"})).status_code == 503:
            await asyncio.sleep(0.2)
        assert answer.status_code == 201, answer.text
        players = (await client.get("/players", params={"reference": "while-frozen"})).json()["items"]
        assert [player["id"] for player in players] == [answer.json()["id"]]
