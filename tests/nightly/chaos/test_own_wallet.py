"""Faults of our processes and servers while an operator's own wallet is asked: no stake is lost, no win paid twice."""

import asyncio
import random
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable, Generator
from contextlib import AsyncExitStack
from decimal import Decimal
from pathlib import Path
from typing import Final

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pytest_django import DjangoDbBlocker

from casino.devstack.bots import house
from casino.devstack.bots.client import Client
from tests.support.books import NOT_POSTED_ONCE, NOT_SETTLED_ONCE, audit
from tests.support.players import Setting, open_table
from tests.support.whole_system import System, until
from tests.wallet.remote.operators import KEY, WalletServer, running_wallet

PLAYERS: Final = 3
MINI: Final = Setting("mini")
FUNDS: Final = Decimal(5000)
MORE: Final = 6
"""Wagers that are confirmed after each fault."""
LIMIT: Final = 240
BEHAVIOURS: Final = (*("obey",) * 8, "refuse", "fail", "apply_then_fail", "garbage", "unsigned", "slow")
ASKED: Final = "SELECT count(*) FROM wallet_remote WHERE kind = 'debit' AND status = 'requested'"
OPEN: Final = """
SELECT (SELECT count(*) FROM wallet_remote WHERE status IN ('requested', 'rolling_back'))
     + (SELECT count(*) FROM events_unsealed)
"""
HELD: Final = """
SELECT coalesce(sum(balance), 0)::bigint FROM wallet_account JOIN wallet_balance ON account_id = id
 WHERE kind = ANY (%s) AND operator_id = %s AND money_type = 'real'
"""
WITHOUT_THEIR_DEBIT: Final = """
SELECT coalesce(wager.id, debit.wager_id)
  FROM (SELECT id FROM baccarat_wager WHERE operator_id = %s) wager
  FULL JOIN (SELECT wager_id FROM wallet_remote WHERE kind = 'debit' AND status = 'accepted') debit
    ON debit.wager_id = wager.id
 WHERE wager.id IS NULL OR debit.wager_id IS NULL
"""

Fault = Callable[[System, WalletServer], Awaitable[None]]


async def in_a_call(system: System, server: WalletServer, do: str) -> None:
    """Wait until web is in the middle of asking for a stake that the wallet takes, or does not, and says nothing."""
    server.next("debit", do)
    await until(lambda: system.query(ASKED) != [(0,)])


async def web_killed_before_the_wallet_acts(system: System, server: WalletServer) -> None:
    await in_a_call(system, server, "hang")
    system.kill("web")


async def web_killed_before_it_has_the_answer(system: System, server: WalletServer) -> None:
    before = server.made("debit")
    await in_a_call(system, server, "apply_then_hang")
    await until(lambda: server.made("debit") > before)
    system.kill("web")


async def outbound_killed_after_a_credit(system: System, server: WalletServer) -> None:
    before = server.made("credit")
    server.next("credits", "apply_then_hang")
    await until(lambda: server.made("credit") > before)
    system.kill("worker-outbound")


async def postgres_restarted_in_a_call(system: System, server: WalletServer) -> None:
    await in_a_call(system, server, "apply_then_hang")
    system.crash_postgres()


async def redis_flushed(system: System, server: WalletServer) -> None:
    await in_a_call(system, server, "slow")
    system.flush_redis()


FAULTS: Final = (
    web_killed_before_the_wallet_acts,
    web_killed_before_it_has_the_answer,
    outbound_killed_after_a_credit,
    postgres_restarted_in_a_call,
    redis_flushed,
)


class Bettor:
    """A player who asks with the same key until there is an answer, and counts the wagers that were confirmed."""

    def __init__(self, client: Client, table: str) -> None:
        self.client, self.table, self.wagers = client, table, 0

    async def bet(self) -> None:
        body = {"stakes": [{"spot": random.choice(["player", "banker", "tie"]), "amount": "10.00"}], "currency": "EUR"}
        headers = {"Idempotency-Key": uuid.uuid4().hex}
        while True:
            try:
                answer = await self.client._http.post(f"{self.table}/deal", json=body, headers=headers)
            except httpx.TransportError:
                await asyncio.sleep(0.3)
                continue
            if answer.status_code != 202:
                break
            await asyncio.sleep(0.3)
        assert answer.status_code in {200, 409, 503}, answer.text
        self.wagers += answer.status_code == 200
        await asyncio.sleep(0.1 if answer.status_code == 200 else 0.5)

    async def play(self, over: asyncio.Event) -> None:
        while not over.is_set():
            await self.bet()


@pytest.fixture
def server(system: System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[WalletServer]:
    monkeypatch.setattr("django.conf.settings.PERSONAL_KEYS", system.stack.environment["PERSONAL_KEYS"])
    with running_wallet(tmp_path) as running:
        yield running


async def open_house(operator: Client, server: WalletServer) -> str:
    """Let the operator's players be paid by the server, and return the operator's id."""
    x = Ed25519PrivateKey.from_private_bytes(KEY).public_key().public_bytes_raw()
    jwk = {"kty": "OKP", "crv": "Ed25519", "x": urlsafe_b64encode(x).rstrip(b"=").decode()}
    await operator.post("/operator/key/signing-keys", {"jwk": jwk})
    await operator.post("/operator/funding", {"funding": "seamless", "wallet_url": server.url})
    return str((await operator.get("/operator"))["id"])


async def seat(operator: Client, server: WalletServer, clients: AsyncExitStack, base_url: str) -> Bettor:
    reference = uuid.uuid4().hex
    player = (await operator.post("/players", {"reference": reference, "nickname": reference[:8]}))["id"]
    funds = {"player": player, "reference": reference, "currency": "EUR", "balance": f"{FUNDS}.00"}
    server.control(players=[funds])
    token = str((await operator.post(f"/players/{player}/sessions", {}))["token"])
    client, table = await clients.enter_async_context(Client(base_url, token)), await open_table(operator, MINI)
    await client.post(f"{table}/seat", {"seat": 1, "buy_in": "500.00", "currency": "EUR", "money_type": "real"})
    return Bettor(client, table)


async def play_through(system: System, server: WalletServer, credential: str) -> tuple[str, int]:
    """Let players bet through all faults, and return the operator's id and how many wagers were confirmed."""
    async with asyncio.timeout(LIMIT), AsyncExitStack() as clients:
        operator = await clients.enter_async_context(Client(system.stack.base_url, credential))
        identity = await open_house(operator, server)
        players = [await seat(operator, server, clients, system.stack.base_url) for _ in range(PLAYERS)]
        over = asyncio.Event()

        async def strike() -> None:
            for fault in FAULTS:
                await fault(system, server)
                enough = sum(player.wagers for player in players) + MORE
                while sum(player.wagers for player in players) < enough:
                    server.next("debit", random.choice(BEHAVIOURS), seconds=1.0)
                    await asyncio.sleep(0.5)
                server.control(next=None)
            over.set()

        async with system.watched(), asyncio.TaskGroup() as group:
            group.create_task(strike())
            for player in players:
                group.create_task(player.play(over))
        await until(lambda: system.query(OPEN) == [(0,)])
        return identity, sum(player.wagers for player in players)


def test_no_stake_and_no_win_is_lost_or_doubled_whatever_dies_while_the_wallet_is_asked(
    system: System, server: WalletServer, django_db_blocker: DjangoDbBlocker
) -> None:
    credential = house.new_operator(system.stack, f"own-{uuid.uuid4().hex[:8]}")
    operator, confirmed = asyncio.run(play_through(system, server, credential))
    theirs = sum(Decimal(balance) for balance in server.control()["balances"].values())
    assert theirs * 100 == PLAYERS * FUNDS * 100 + system.query(HELD, [["wallet"], operator])[0][0]
    assert system.query(HELD, [["returning", "game", "account", "stakes", "rack"], operator]) == [(0,)]
    assert system.query(WITHOUT_THEIR_DEBIT, [operator]) == []
    ((wagers,),) = system.query("SELECT count(*) FROM baccarat_wager WHERE operator_id = %s", [operator])
    assert wagers == confirmed
    assert (system.query(NOT_SETTLED_ONCE), system.query(NOT_POSTED_ONCE)) == ([], [])
    assert audit(system, django_db_blocker).findings == ()
