"""Operators whose players' money is in their own wallet: the sandbox operator's server as a process of its own."""

import asyncio
import contextlib
import json
import sqlite3
from base64 import urlsafe_b64encode
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import partial
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from baccarat.audit import engine
from casino.devstack.system import free_port, is_responding
from casino.events import sealer
from casino.events.sql import database_now, execute, fetch
from casino.operators import signing_keys
from casino.outbound.client import WebhookClient
from tests.baccarat.api.people import Gambler, Tenant, sit, tenant
from tests.processes import forked, run_module, wait_until
from tests.support.acts import agreed
from wallet.funding.conformance import ConformanceProof
from wallet.funding.events import WalletProfile
from wallet.remote import debits, protection, signing
from wallet.remote.delivery import Batch, Courier

KEY = bytes(range(1, 33))


@dataclass(slots=True)
class WalletServer:
    """The sandbox operator's wallet; `stop` and `start` keep its money."""

    folder: Path
    port: int
    process: ForkServerProcess | None = None
    before: dict[str, int] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        casino = ",".join(key.public.hex() for key in signing.published_keys())
        log = self.folder / "operator.log"
        options = ["--port", str(self.port), "--data", str(self.folder / "wallet.sqlite3")]
        environment = {"OPERATOR_KEY": KEY.hex(), "CASINO_KEYS": casino}
        program = partial(run_module, "casino.devstack.operator")
        self.process = forked(program, *options, log=log, environment=environment)
        assert wait_until(lambda: is_responding(port=self.port, path="/livez")), log.read_text()

    def allow(self, debits: Sequence[tuple[str]], player: Gambler) -> None:
        """Let the wallet know debits that were made by nobody's message."""
        with sqlite3.connect(self.folder / "wallet.sqlite3") as database:
            database.executemany(
                "INSERT OR IGNORE INTO movement (id, kind, player, amount, currency, at)"
                " VALUES (?, 'debit', ?, -100, 'EUR', '2026')",
                [(debit, player.id) for (debit,) in debits],
            )

    def stop(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.join(20)

    def control(self, **changes: Any) -> Any:
        """Change how it behaves, and return balances and numbers of movements."""
        return httpx.post(f"{self.url}/control", content=json.dumps(changes)).json()

    def next(self, call: str, do: str, **more: Any) -> None:
        self.control(next=[{"call": call, "do": do, **more}])

    def made(self, kind: str) -> int:
        """Return how many movements of a kind were made since the last call of `forget`."""
        return int(self.control()[kind]) - self.before.get(kind, 0)

    def forget(self) -> None:
        """Obey again, and count from here."""
        self.control(always={}, next=None)
        self.before = {kind: self.control()[kind] for kind in ("debit", "credit", "correction")}

    def balance(self, player: Gambler) -> Decimal:
        return Decimal(self.control()["balances"][player.id])


@contextlib.contextmanager
def running_wallet(folder: Path) -> Generator[WalletServer]:
    """Run a wallet server until the block ends."""
    server = WalletServer(folder, free_port(0))
    server.start()
    try:
        yield server
    finally:
        server.stop()


def begin_again(server: WalletServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server obey again and the circuits be closed, and give up early."""
    server.forget()
    close_circuits(monkeypatch)


def close_circuits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the circuits be closed, and give up early."""
    monkeypatch.setattr(protection, "PROTECTION", protection.Protection(8))
    monkeypatch.setattr(debits, "PROTECTION", protection.PROTECTION)
    monkeypatch.setattr("baccarat.services.wagering.PROTECTION", protection.PROTECTION)
    monkeypatch.setattr(debits, "CALL_SECONDS", 0.7)


def seamless_house(server: WalletServer, slug: str = "lucky") -> Tenant:
    """Create an operator whose wallet is the server."""
    house = tenant(slug)
    use_wallet(house, server.url)
    return house


def use_wallet(house: Tenant, url: str) -> None:
    """Let an operator's players have their money in its wallet at this address."""
    x = Ed25519PrivateKey.from_private_bytes(KEY).public_key().public_bytes_raw()
    jwk = {"kty": "OKP", "crv": "Ed25519", "x": urlsafe_b64encode(x).rstrip(b"=").decode()}
    with agreed():
        signing_keys.add_public(key_id=house.credential.split(".")[0], jwk=json.dumps(jwk), by="test")
    house.agree("operator/funding", proven({"funding": "seamless", "wallet_url": url}))


def proven(choice: dict[str, str]) -> dict[str, str]:
    """Return the choice of an own wallet with a report that it passed the kit."""
    profile = WalletProfile(choice.get("wallet_profile", WalletProfile.STANDARD))
    proof = ConformanceProof(choice["wallet_url"], 52, 0, "5e" * 32, database_now(), profile)
    return {**choice, "conformance": proof.sign()}


def join(
    house: Tenant, server: WalletServer, name: str, *, funds: str = "500.00", behaviour: str = "", currency: str = "EUR"
) -> Gambler:
    """Register a player whose money is in the operator's wallet."""
    reference = f"{name}-{behaviour}" if behaviour else name
    player = house.do("players", {"reference": reference, "nickname": name})["id"]
    token = house.do(f"players/{player}/sessions", {"ttl_seconds": 3600})["token"]
    server.control(players=[{"player": player, "reference": reference, "currency": currency, "balance": funds}])
    return Gambler(token, player)


def seated(house: Tenant, server: WalletServer, name: str = "Ann", **options: Any) -> tuple[Gambler, str]:
    """Let such a player sit at a new table."""
    player, table = join(house, server, name, **options), house.table("mini")
    sit(player, table)
    return player, table


def post_bet(player: Gambler, table: str, amount: str = "10.00", key: str | None = None, spot: str = "banker") -> Any:
    body = {"stakes": [{"spot": spot, "amount": amount}], "currency": "EUR"}
    return player.post(f"tables/{table}/deal", body, key=key)


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json().get("code", "")


def expire() -> None:
    """Let the time of all debits run out."""
    execute("UPDATE wallet_remote_due SET due_at = clock_timestamp() - interval '1 second'")


def audited() -> list[str]:
    sealer.seal_all()
    return [f"{each.kind} {each.location} {each.expected} {each.actual}" for each in engine.run_audit().findings]


class CountingCourier(Courier):
    """Counts the transactions that it delivers."""

    count = 0

    def claim(self, limit: int) -> list[Batch]:
        batches = super().claim(limit)
        self.count += sum(len(batch.all()) for batch in batches)
        return batches


def deliver(clock: Callable[[], datetime] = database_now) -> int:
    """Deliver what is due now, until nothing is, and return how many transactions were sent."""

    async def run() -> int:
        async with WebhookClient() as client:
            courier = CountingCourier(client, clock)
            while await courier.begin():
                await courier.finish()
        return courier.count

    return asyncio.run(run())


def statuses(kind: str = "debit") -> list[str]:
    """Return the statuses of all transactions of a kind, in order."""
    rows = fetch("SELECT status FROM wallet_remote WHERE kind = %s ORDER BY requested_at, id", [kind])
    return [status for (status,) in rows]


def ledger(kind: str) -> int:
    """Return the sum of all real balances of a kind of account."""
    query = """SELECT coalesce(sum(balance), 0)::bigint FROM wallet_account JOIN wallet_balance ON account_id = id
                WHERE kind = %s AND money_type = 'real'"""
    return int(fetch(query, [kind])[0][0])
