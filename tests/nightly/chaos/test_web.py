"""The web process killed during a bet: the client resends with the same key and has bet once."""

import asyncio
import signal
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from pytest_django import DjangoDbBlocker

from casino.devstack.bots.client import Client
from casino.devstack.bots.house import CURRENCY, PAYMENT_BOT_GAME, new_player
from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from casino.devstack.system import commands, free_port, is_responding
from casino.events.sql import fetch
from casino.observability.process import ssl_context
from casino.operators import services
from tests.conftest import Database
from tests.services import Services
from tests.support.house import fresh_database
from tests.support.keys import issue_key
from tests.support.players import Setting, open_table

TIMEOUT = 90.0
BET = {"stakes": [{"spot": "banker", "amount": "10.00"}], "currency": CURRENCY}


@dataclass(frozen=True, slots=True)
class Web:
    """A web process that dies on command, and an operator's credential."""

    child: Child
    port: int
    die_at: Path
    credential: str

    def died(self) -> bool:
        """Wait for the process to end, and return whether it was killed."""
        assert self.child.process is not None
        return self.child.process.wait(TIMEOUT) == -signal.SIGKILL

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.child.start()
        self.child.wait_until(lambda: is_responding(port=self.port, path="/livez"))


@dataclass(frozen=True, slots=True)
class Ann:
    """A player at a table of her own."""

    url: str
    token: str

    def bet(self, key: str) -> httpx.Response:
        """Send the bet once."""
        headers = {"Authorization": f"Bearer {self.token}", "Idempotency-Key": key}
        return httpx.post(self.url, json=BET, headers=headers, timeout=20, verify=ssl_context())


@pytest.fixture(scope="module")
def database(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[Database]:
    """Create one database for all tests of this file."""
    with fresh_database(services, django_db_blocker) as database:
        yield database


@pytest.fixture(scope="module")
def web(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Generator[Web]:
    """Run the web process; a test that kills it starts it second."""
    folder, port = tmp_path_factory.mktemp("web"), free_port(0)
    die_at = folder / "die-at"
    command = [*commands(port=port)["web"], "tests.nightly.chaos.dying_web:application"]
    child = Child(
        name="web",
        command=command,
        environment={**database.environment, "DIE_AT": str(die_at), "WEB_PROCESSES": "1"},
        log=folder / "web.log",
        folder=PROJECT,
    )
    operator = services.create_operator(slug="chaos", name="Chaos", currencies=[CURRENCY], sandbox=True)
    credential = ".".join(issue_key(operator=operator.id, label="first"))
    web = Web(child=child, port=port, die_at=die_at, credential=credential)
    try:
        web.start()
        yield web
    finally:
        child.stop()


@pytest.fixture
def ann(web: Web) -> Ann:
    """Seat a new player at a new table."""
    return asyncio.run(_seated(web))


async def _seated(web: Web) -> Ann:
    base_url = f"http://127.0.0.1:{web.port}"
    async with Client(base_url, web.credential) as client:
        table = await open_table(client, Setting("mini"))
        token = await new_player(client, uuid4().hex, "real", PAYMENT_BOT_GAME)
    async with Client(base_url, token) as client:
        body = {"seat": 1, "buy_in": "1000.00", "currency": CURRENCY, "money_type": "real"}
        await client.post(f"{table}/seat", body)
    return Ann(url=f"{base_url}/api/v1{table}/deal", token=token)


def wagers() -> int:
    """Return the number of wagers in the log, the ledger and the read model, which must agree."""
    (counts,) = fetch(
        "SELECT (SELECT count(*) FROM events_event WHERE type = 'WagerConfirmed'), "
        "(SELECT count(*) FROM wallet_entry WHERE kind = 'wager'), (SELECT count(*) FROM baccarat_wager)"
    )
    assert len(set(counts)) == 1
    return int(counts[0])


@pytest.mark.parametrize(("moment", "committed"), [("4", False), ("commit", False), ("committed", True)])
def test_a_client_that_resends_after_a_crash_has_bet_once(web: Web, ann: Ann, moment: str, *, committed: bool) -> None:
    key, before = uuid4().hex, wagers()
    web.die_at.write_text(moment, encoding="utf-8")

    with pytest.raises(httpx.TransportError):
        ann.bet(key)

    assert web.died()
    assert wagers() == before + committed
    web.start()
    second = ann.bet(key)
    assert second.status_code == 200, second.text
    assert second.json()["round"]["seats"][0]["stakes"] == [{"spot": "banker", "amount": "10.00"}]
    assert second.headers.get("Idempotent-Replayed") == ("true" if committed else None)
    assert wagers() == before + 1
    third = ann.bet(key)
    assert (third.content, third.headers["Idempotent-Replayed"]) == (second.content, "true")
    assert wagers() == before + 1
