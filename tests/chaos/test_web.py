"""The web process killed in the middle of a bet: the client sends again with the same key, and there is one effect."""

import asyncio
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from casino import trust
from casino.events.rows import fetch
from casino.operators import operations
from casino.stack.bots.client import Client
from casino.stack.bots.house import CURRENCY, new_player
from casino.stack.home import PROJECT
from casino.stack.processes import Child
from casino.stack.system import answers, commands, free_port
from tests.chaos.players import Setting, open_table
from tests.conftest import Database

pytestmark = pytest.mark.slow

BET = {"stakes": [{"spot": "banker", "amount": "10.00"}], "currency": CURRENCY}


@dataclass(frozen=True, slots=True)
class Web:
    """A web process that dies when told to, and a player at a table there."""

    child: Child
    port: int
    order: Path
    table: str
    token: str

    def start(self) -> None:
        """This will start it and wait until it answers."""
        self.child.start()
        self.child.wait_until(lambda: answers(port=self.port, path="/livez"))

    def bet(self, key: str) -> httpx.Response:
        """This will send the bet once."""
        headers = {"Authorization": f"Bearer {self.token}", "Idempotency-Key": key}
        url = f"http://127.0.0.1:{self.port}/api/v1{self.table}/deal"
        return httpx.post(url, json=BET, headers=headers, timeout=20, verify=trust.authorities())


@pytest.fixture
def web(database: Database, tmp_path: Path) -> Generator[Web]:
    """A running one, with a player who has sat down."""
    port, order = free_port(0), tmp_path / "die-at"
    command = commands(port=port, beat_file=tmp_path / "beat")["web"]
    command[command.index("casino.asgi:application")] = "tests.chaos.dying_web:application"
    child = Child(
        name="web",
        command=command,
        environment={**database.environment, "DIE_AT": str(order), "DATABASE_POOL": "4"},
        log=tmp_path / "web.log",
        folder=PROJECT,
    )
    operator = operations.create_operator(slug="chaos", name="Chaos", currency=CURRENCY, sandbox=True)
    credential = ".".join(operations.issue_key(operator=operator.id, label="first"))
    try:
        child.start()
        child.wait_until(lambda: answers(port=port, path="/livez"))
        table, token = asyncio.run(_seat(f"http://127.0.0.1:{port}", credential))
        yield Web(child=child, port=port, order=order, table=table, token=token)
    finally:
        child.stop()


async def _seat(base_url: str, credential: str) -> tuple[str, str]:
    async with Client(base_url, credential) as client:
        table = await open_table(client, Setting("mini"))
        token = await new_player(client, "ann", "real")
    async with Client(base_url, token) as client:
        body = {"seat": 1, "buy_in": "1000.00", "currency": CURRENCY, "book": "real"}
        await client.post(f"{table}/seat", body)
    return table, token


def wagers() -> int:
    """How many wagers have been confirmed, by the log, the ledger and the read model, which agree."""
    (counts,) = fetch(
        "SELECT (SELECT count(*) FROM events_event WHERE type = 'WagerConfirmed'), "
        "(SELECT count(*) FROM wallet_entry WHERE kind = 'wager'), (SELECT count(*) FROM baccarat_wager)"
    )
    assert len(set(counts)) == 1
    return int(counts[0])


@pytest.mark.parametrize(("moment", "kept"), [("4", False), ("commit", False), ("committed", True)])
def test_a_client_that_sends_again_after_a_crash_has_bet_once(web: Web, moment: str, *, kept: bool) -> None:
    key = uuid4().hex
    web.order.write_text(moment, encoding="utf-8")

    with pytest.raises(httpx.TransportError):
        web.bet(key)

    assert wagers() == int(kept)
    web.start()
    again = web.bet(key)
    assert again.status_code == 200, again.text
    assert again.json()["round"]["seats"][0]["wager"] == [{"spot": "banker", "amount": "10.00"}]
    assert again.headers.get("Idempotent-Replayed") == ("true" if kept else None)
    assert wagers() == 1
    third = web.bet(key)
    assert (third.content, third.headers["Idempotent-Replayed"]) == (again.content, "true")
    assert wagers() == 1
