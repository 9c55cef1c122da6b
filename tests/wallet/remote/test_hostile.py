"""Wallets that are broken on purpose take no stake, hold no thread and stop nothing but their own money."""

import base64
import contextlib
import hashlib
import json
import time
from collections.abc import Callable, Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from casino.api.jwks import ed25519_jwk
from casino.events.sql import fetch
from tests.baccarat.api.people import bet, deal_all
from tests.baccarat.services.test_wagering import code, expire, post_bet, seated
from tests.conftest import Database
from tests.threads import serving
from tests.wallet.remote.operators import KEY, WalletServer, deliver, join, seamless_house, statuses
from wallet.payments.providers import ProviderUnavailable
from wallet.remote import client, debits, delivery, protection, statements
from wallet.remote.client import Endpoint, NotAnswered

SECONDS = 0.7
PATIENCE = 15.0
"""Seconds within which a call has ended, on a slow machine, too."""
Answer = Callable[["Handler", dict[str, Any]], None]


class Handler(BaseHTTPRequestHandler):
    """Answers as its server's `answer` does."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        cast("Hostile", self.server).asked.append(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with contextlib.suppress(OSError):  # whoever asked has gone
            cast("Hostile", self.server).answer(self, json.loads(body) if body else {})

    do_GET = do_POST  # noqa: N815

    def send(self, payload: bytes, *, status: int = 200, signed_status: int = 200, pause: float = 0.0) -> None:
        """Send a signed answer, slowly if there is a pause after each byte."""
        headers = {**signature(signed_status, payload), "Location": "/v1/elsewhere", "Content-Length": len(payload)}
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()
        for byte in payload if pause else b"":
            self.wfile.write(bytes([byte]))
            time.sleep(pause)
        if not pause:
            self.wfile.write(payload)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


class Hostile(ThreadingHTTPServer):
    """A wallet that signs whatever it says; it obeys until `answer` is replaced."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []
        self.answer: Answer = obey

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def control(self, **_: Any) -> None:
        """Change nothing: it has no players."""


def signature(status: int, payload: bytes) -> dict[str, str]:
    digest = f"sha-256=:{base64.b64encode(hashlib.sha256(payload).digest()).decode()}:"
    key = Ed25519PrivateKey.from_private_bytes(KEY)
    keyid = ed25519_jwk(key.public_key().public_bytes_raw())["kid"]
    parameters = f'("@status" "content-digest");created={int(time.time())};keyid="{keyid}";alg="ed25519"'
    base = f'"@status": {status}\n"content-digest": {digest}\n"@signature-params": {parameters}'
    signed = base64.b64encode(key.sign(base.encode())).decode()
    return {"Content-Digest": digest, "Signature-Input": f"w={parameters}", "Signature": f"w=:{signed}:"}


def accepted(asked: dict[str, Any]) -> bytes:
    item = {"status": "accepted", "reference": "T-1", "found": True}
    told = {"request": asked["request"], "balance": {"amount": "500.00", "currency": "EUR"}, **item}
    told["transaction"] = asked.get("transaction")
    told["items"] = [{"transaction": each["transaction"], **item} for each in asked.get("items", ())]
    return json.dumps(told).encode()


def obey(handler: Handler, asked: dict[str, Any]) -> None:
    handler.send(accepted(asked))


def redirect(handler: Handler, asked: dict[str, Any]) -> None:
    handler.send(accepted(asked), status=307, signed_status=307)


def created(handler: Handler, asked: dict[str, Any]) -> None:
    handler.send(accepted(asked), status=201, signed_status=201)


def signed_for_another_status(handler: Handler, asked: dict[str, Any]) -> None:
    handler.send(accepted(asked), signed_status=201)


def drip(handler: Handler, asked: dict[str, Any]) -> None:
    handler.send(accepted(asked), pause=0.1)


def endless_headers(handler: Handler, _: dict[str, Any]) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        handler.wfile.write(b"X-More: 1\r\n")
        time.sleep(0.01)


def continue_for_ever(handler: Handler, _: dict[str, Any]) -> None:
    while True:
        handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        time.sleep(0.01)


def nested(handler: Handler, _: dict[str, Any]) -> None:
    handler.send(b"[" * 100_000)


def no_text(handler: Handler, asked: dict[str, Any]) -> None:
    handler.send(json.dumps({"request": asked["request"], "items": [{"transaction": []}], "status": []}).encode())


@pytest.fixture
def hostile() -> Generator[Hostile]:
    with serving(Hostile()) as server:
        yield server


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up early, and let no circuit open."""
    monkeypatch.setattr(debits, "CALL_SECONDS", SECONDS)
    monkeypatch.setattr(delivery, "CALL_SECONDS", SECONDS)
    monkeypatch.setattr(protection, "MOST_LOST", 10**6)


@pytest.mark.parametrize(
    "answer", [redirect, created, signed_for_another_status, drip, endless_headers, continue_for_ever, nested, no_text]
)
@pytest.mark.usefixtures("impatient")
def test_whatever_a_wallet_answers_its_debit_is_taken_back_and_its_credit_is_sent_again(
    database: Database, hostile: Hostile, answer: Answer
) -> None:
    assert database
    ann, table = seated(seamless_house(cast("WalletServer", hostile)), cast("WalletServer", hostile))
    bet(ann, table, player="10.00", banker="10.00")
    deal_all()
    hostile.answer = answer
    assert code(post_bet(ann, table)) == (409, "wallet_did_not_answer")
    assert deliver() == 2
    assert (statuses(), statuses("credit")) == (["accepted", "rolling_back"], ["requested"])
    assert {error != "" for (error,) in fetch("SELECT error FROM wallet_remote_due")} == {True}
    assert "/v1/elsewhere" not in hostile.asked
    hostile.answer = obey
    expire()
    deliver()
    assert (statuses(), statuses("credit")) == (["accepted", "rolled_back"], ["accepted"])


@pytest.mark.parametrize("answer", [drip, endless_headers, continue_for_ever])
def test_a_call_ends_whatever_comes_and_how_slowly(hostile: Hostile, answer: Answer) -> None:
    hostile.answer = answer
    began = time.monotonic()
    with pytest.raises(NotAnswered):
        client.call_and_wait(Endpoint(uuid4(), hostile.url), "debit", {"request": "1"}, seconds=SECONDS)
    assert time.monotonic() - began < PATIENCE


@pytest.mark.usefixtures("impatient")
def test_a_batch_of_rollbacks_ends_before_its_lease_however_slow_the_wallet_is(
    database: Database, hostile: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database
    ann, table = seated(seamless_house(cast("WalletServer", hostile)), cast("WalletServer", hostile))
    hostile.answer = drip
    for _ in range(4):
        post_bet(ann, table)
    monkeypatch.setattr(delivery, "_NO_NEW_CALL", 1.5 * SECONDS)
    before = hostile.asked.count("/v1/rollback")
    assert deliver() == 4
    assert hostile.asked.count("/v1/rollback") - before < 4
    waiting = fetch("SELECT attempts, error FROM wallet_remote_due")
    assert ({attempts for attempts, _ in waiting}, len({error for _, error in waiting})) == ({1}, 2)


def test_who_sits_down_does_not_wait_for_a_dead_wallet_either(
    database: Database, hostile: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database
    monkeypatch.setattr(protection, "PROBE_EVERY", 1000.0)
    house, server = seamless_house(cast("WalletServer", hostile)), cast("WalletServer", hostile)
    ann, table = seated(house, server)
    bob = join(house, server, "Bob")
    hostile.answer = redirect
    for _ in range(protection.MOST_LOST):
        assert code(post_bet(ann, table)) == (409, "wallet_did_not_answer")
    asked = len(hostile.asked)
    seat = {"seat": 1, "buy_in": "10.00", "currency": "EUR", "money_type": "real"}
    assert code(bob.post(f"tables/{house.table('mini')}/seat", seat)) == (503, "wallet_unavailable")
    assert len(hostile.asked) == asked


def listed(**changes: Any) -> dict[str, Any]:
    item = {
        "transaction": "1",
        "kind": "debit",
        "amount": "10.00",
        "currency": "EUR",
        "reference": "T-1",
        "status": "accepted",
        "at": "2026-11-21T09:00:00Z",
    }
    return item | changes


@pytest.mark.parametrize(
    "changes",
    [
        {"transaction": "a\x00b"},
        {"transaction": "x" * 101},
        {"reference": "T\n1"},
        {"at": "2026-11-21T09:00:00"},
        {"currency": "EURO"},
        {"amount": "10.005"},
        {"amount": 10},
        {"kind": "gift"},
    ],
)
def test_a_list_with_what_nobody_can_compare_is_no_list(
    database: Database, hostile: Hostile, changes: dict[str, Any]
) -> None:
    assert database
    statement = statement_of(hostile)
    hostile.answer = lambda handler, _: handler.send(json.dumps({"items": [listed()], "next": None}).encode())
    assert len(read(statement)) == 1
    hostile.answer = lambda handler, _: handler.send(json.dumps({"items": [listed(**changes)], "next": None}).encode())
    with pytest.raises(ProviderUnavailable):
        read(statement)


@pytest.mark.parametrize("limit", ["MAX_PAGES", "MAX_RECORDS"])
def test_a_list_without_an_end_is_given_up(
    database: Database, hostile: Hostile, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    assert database
    monkeypatch.setattr(statements, limit, 3)

    def more(handler: Handler, _: dict[str, Any]) -> None:
        page = {"items": [listed(), listed()], "next": str(len(hostile.asked))}
        handler.send(json.dumps(page).encode())

    hostile.answer = more
    with pytest.raises(ProviderUnavailable, match="without an end"):
        read(statement_of(hostile))
    assert len(hostile.asked) <= 3


def test_a_cursor_that_stands_still_is_given_up(database: Database, hostile: Hostile) -> None:
    assert database
    hostile.answer = lambda handler, _: handler.send(b'{"items": [], "next": "7"}')
    with pytest.raises(ProviderUnavailable, match="without an end"):
        read(statement_of(hostile))
    assert len(hostile.asked) == 2


def statement_of(hostile: Hostile) -> statements.WalletStatement:
    return statements.statement_of(UUID(seamless_house(cast("WalletServer", hostile)).id))


def read(statement: statements.WalletStatement) -> list[Any]:
    now = debits.database_now()
    return statement.records(account="", since=now, until=now)
