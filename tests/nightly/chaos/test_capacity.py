"""More web processes than cores: PostgreSQL has connections for all of their threads, and play goes on."""

import asyncio
from collections import Counter
from pathlib import Path

import httpx
import pytest
from pytest_django import DjangoDbBlocker

from casino.observability.process import ssl_context
from tests.support.books import agree, audit
from tests.support.players import Setting, party
from tests.support.whole_system import System, running_system

PROCESSES = 32
REQUESTS = 600
TIMEOUT = 60


async def ask_with_every_thread(system: System) -> Counter[str]:
    """Send many requests at once, each over a connection of its own, and count the codes of the answers."""
    headers = {"Authorization": f"Bearer {system.credential}"}
    address = f"{system.stack.base_url}/api/v1/tables"
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with httpx.AsyncClient(limits=limits, timeout=TIMEOUT, headers=headers, verify=ssl_context()) as client:
        answers = await asyncio.gather(*(client.get(address) for _ in range(REQUESTS)))
    return Counter("ok" if answer.is_success else str(answer.json()["code"]) for answer in answers)


async def play_beside_a_flood(system: System) -> Counter[str]:
    """Flood twice: in the first flood all threads connect at once, which may last longer than a request waits."""
    async with party(system, (Setting("mini"), Setting("classic"))) as players:
        first = await ask_with_every_thread(system)
        assert set(first) <= {"ok", "overloaded", "unavailable"}
        codes = await ask_with_every_thread(system)
        await players.bet()
        await players.settled()
        await players.leave()
        await agree(system, players)
    return codes


def test_32_web_processes_have_connections_for_all_of_their_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker
) -> None:
    monkeypatch.setenv("WEB_PROCESSES", str(PROCESSES))
    monkeypatch.setenv("QUOTA_PER_ADDRESS", "0")
    monkeypatch.setenv("QUOTA_PER_CREDENTIAL", "0")
    with running_system(tmp_path, name="chaos") as system:
        codes = asyncio.run(play_beside_a_flood(system))
        ((connections,),) = system.query("SELECT count(*) FROM pg_stat_activity WHERE usename = 'casino_web'")
        print(f"{codes}; {connections} connections of web")
        assert codes["ok"] > 0
        assert set(codes) <= {"ok", "overloaded"}
        assert connections > PROCESSES
        assert "FATAL" not in system.log("web")
        assert audit(system, django_db_blocker).findings == ()
