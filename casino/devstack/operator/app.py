"""The sandbox operator's wallet server, as plain ASGI: a real one with its own database, which misbehaves on request.

    POST /v1/debit, /v1/credits, /v1/correction, /v1/rollback, /v1/balance      as the integration guide describes them
    GET  /v1/transactions?from=&to=&cursor= or ?transaction=
    GET  /control                    balances, and how many movements there are of each kind
    POST /control                    {"players": [{"player", "reference", "currency", "balance"}],
                                      "next": [{"call", "do", "seconds"}] or null for none, "always": {call or "*": do},
                                      "seconds": of what is always slow}
    GET  /livez

Messages are signed both ways; /control and /livez are not, so it listens on the loopback interface only. A player
whose reference ends in `-` and a behaviour, such as `anna-refuse`, meets it at each debit.
"""

import asyncio
import gzip
import json
import time
from base64 import b64encode
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final
from urllib.parse import parse_qs

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from http_message_signatures import (
    HTTPMessageSignaturesException,
    HTTPMessageVerifier,
    MappingKeyResolver,
    algorithms,
)

from casino.api.jwks import ed25519_jwk
from casino.devstack.operator.ledger import Answer, Ledger, Order
from casino.kernel import money
from casino.kernel.errors import Refusal

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
MAX_BODY_BYTES: Final = 1024 * 1024
HANG_SECONDS: Final = 20.0
SLOW_SECONDS: Final = 1.5
"""Unless a call says otherwise: within what the service waits for."""
_COVERED: Final = ("@method", "@target-uri", "content-digest")


class Behaviour(StrEnum):
    """What a call meets. `apply_` means that the wallet does it first."""

    OBEY = "obey"
    REFUSE = "refuse"
    TEMPORARY = "temporary"
    HANG = "hang"
    APPLY_THEN_HANG = "apply_then_hang"
    FAIL = "fail"
    APPLY_THEN_FAIL = "apply_then_fail"
    """Status 500 with a body that says that it is accepted."""
    GARBAGE = "garbage"
    CUT = "cut"
    HUGE = "huge"
    BOMB = "bomb"
    """A compressed body that nobody asked for: signed, small, and huge when it is unpacked."""
    REPLAY = "replay"
    """The bytes of the answer before, with their signature."""
    BAD_SIGNATURE = "bad_signature"
    UNSIGNED = "unsigned"
    OTHER_REQUEST = "other_request"
    OTHER_TRANSACTION = "other_transaction"
    PARTIAL = "partial"
    """Every second item of a batch is left for another time."""
    SLOW = "slow"
    FLAP = "flap"
    """As `apply_then_fail` in every second second."""


@dataclass(frozen=True, slots=True)
class Planned:
    """How one of the next calls is met."""

    call: str
    do: Behaviour
    seconds: float = SLOW_SECONDS


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    url: str
    headers: dict[str, str]


class WalletServer:
    """The server: a ledger, the operator's key, and the casino's keys."""

    def __init__(self, *, ledger: Ledger, key: Ed25519PrivateKey, casino: list[Ed25519PublicKey]) -> None:
        self._ledger = ledger
        self._key, self._keyid = key, _keyid(key.public_key())
        self._casino = {_keyid(public): public for public in casino}
        self._next: list[Planned] = []
        self._always: dict[str, Behaviour] = {}
        self._seconds = SLOW_SECONDS
        self._before: tuple[bytes, dict[str, str]] = b"", {}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        body = await _body(receive)
        match scope["method"], scope["path"].strip("/").split("/"):
            case "GET", ["livez"]:
                await _send(send, 200, b"{}")
            case method, ["control"]:
                await self._control(method, body, send)
            case method, ["v1", call]:
                await self._serve(method, call, scope, body, send)
            case _:
                await _send(send, 404, b"{}")

    async def _control(self, method: str, body: bytes, send: Send) -> None:
        given = json.loads(body) if method == "POST" else {}
        for player in given.get("players", ()):
            balance = money.parse(player["balance"], player["currency"])
            self._ledger.set_player(
                player["player"], reference=player["reference"], currency=player["currency"], balance=balance
            )
        self._next.extend(
            Planned(each["call"], Behaviour(each["do"]), each.get("seconds", SLOW_SECONDS))
            for each in given.get("next") or ()
        )
        if given.get("next", ()) is None:
            self._next.clear()
        if "always" in given:
            self._always = {call: Behaviour(do) for call, do in given["always"].items()}
            self._seconds = float(given.get("seconds", SLOW_SECONDS))
        counts = {kind: self._ledger.count(kind) for kind in ("debit", "credit", "correction")}
        await _send(send, 200, json.dumps({"balances": self._ledger.balances(), **counts}).encode())

    async def _serve(self, method: str, call: str, scope: Message, body: bytes, send: Send) -> None:
        if not self._is_signed(scope, method, body):
            await _send(send, 401, b'{"error": "not signed"}')
            return
        if call == "transactions" and method == "GET":
            await self._answer(send, self._list(scope))
            return
        try:
            document = json.loads(body)
            planned = self._plan(call, document)
            await self._meet(planned, call, document, send)
        except (ValueError, KeyError, TypeError, AttributeError, Refusal):
            await _send(send, 400, b'{"error": "malformed"}')

    def _plan(self, call: str, document: Answer) -> Planned:
        for index, planned in enumerate(self._next):
            if planned.call in {call, "*"}:
                return self._next.pop(index)
        always = self._always.get(call, self._always.get("*"))
        ending = self._ledger.reference_of(str(document.get("player", ""))).rpartition("-")[2]
        if always is None and call == "debit" and ending in set(Behaviour):
            always = Behaviour(ending)
        return Planned(call, always or Behaviour.OBEY, self._seconds)

    async def _meet(self, planned: Planned, call: str, document: Answer, send: Send) -> None:
        do = planned.do
        if do is Behaviour.FLAP:
            do = Behaviour.APPLY_THEN_FAIL if int(time.time()) % 2 else Behaviour.OBEY
        if do is Behaviour.SLOW:
            await asyncio.sleep(planned.seconds)
        if do is Behaviour.HANG:
            await asyncio.sleep(HANG_SECONDS)
        if do in {Behaviour.FAIL, Behaviour.HANG}:
            await _send(send, 500, b"{}")
            return
        answer = {"request": document["request"], **self._do(do, call, document)}
        if do is Behaviour.APPLY_THEN_HANG:
            await asyncio.sleep(HANG_SECONDS)
        if do is Behaviour.OTHER_REQUEST:
            answer["request"] = answer["transaction"]
        if do is Behaviour.OTHER_TRANSACTION:
            answer["transaction"] = answer["request"]
        await self._answer(send, answer, do)

    def _do(self, do: Behaviour, call: str, document: Answer) -> Answer:
        if do is Behaviour.REFUSE:
            return {"transaction": document.get("transaction"), "status": "refused", "code": "limit_reached"}
        if do is Behaviour.TEMPORARY:
            return {"transaction": document.get("transaction"), "status": "temporary"}
        if call == "balance":
            return self._ledger.balance(str(document["player"]), str(document["currency"]))
        if call == "credits":
            skip = 2 if do is Behaviour.PARTIAL else len(document["items"]) + 1
            return {
                "items": [
                    {"transaction": item["transaction"], "status": "temporary"}
                    if number % skip == skip - 1
                    else self._ledger.credit(Order.of(item))
                    for number, item in enumerate(document["items"])
                ]
            }
        act = {"debit": self._ledger.debit, "correction": self._ledger.correct, "rollback": self._ledger.roll_back}[
            call
        ]
        return act(Order.of(document))

    def _list(self, scope: Message) -> Answer:
        query = parse_qs(scope["query_string"].decode())
        if "transaction" in query:
            return self._ledger.movement(query["transaction"][0])
        return self._ledger.movements(query["from"][0], query["to"][0], int(query.get("cursor", ["0"])[0]))

    async def _answer(self, send: Send, answer: Answer, do: Behaviour = Behaviour.OBEY) -> None:
        payload = json.dumps(answer).encode()
        status = 500 if do is Behaviour.APPLY_THEN_FAIL else 200
        if do is Behaviour.GARBAGE:
            payload = b"<html>Please log in</html>"
        if do is Behaviour.CUT:
            payload = payload[: len(payload) // 2]
        if do is Behaviour.HUGE:
            payload += b" " * 10_000_000
        if do is Behaviour.BOMB:
            payload = gzip.compress(payload + b" " * 50_000_000)
        headers = {} if do is Behaviour.UNSIGNED else self._signature(status, payload)
        if do is Behaviour.BOMB:
            headers["Content-Encoding"] = "gzip"
        if do is Behaviour.REPLAY:
            payload, headers = self._before
        self._before = payload, headers
        if do is Behaviour.BAD_SIGNATURE:
            payload += b" "
        await _send(send, status, payload, headers)

    def _signature(self, status: int, payload: bytes) -> dict[str, str]:
        digest = f"sha-256=:{b64encode(sha256(payload).digest()).decode()}:"
        parameters = f'("@status" "content-digest");created={int(time.time())};keyid="{self._keyid}";alg="ed25519"'
        base = f'"@status": {status}\n"content-digest": {digest}\n"@signature-params": {parameters}'
        signature = b64encode(self._key.sign(base.encode())).decode()
        return {
            "Content-Digest": digest,
            "Signature-Input": f"wallet={parameters}",
            "Signature": f"wallet=:{signature}:",
        }

    def _is_signed(self, scope: Message, method: str, body: bytes) -> bool:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        query = scope.get("query_string", b"").decode()
        url = f"http://{headers.get('host', '')}{scope['path']}{'?' if query else ''}{query}"
        resolver = MappingKeyResolver(public_keys=self._casino, private_keys={})
        verifier = HTTPMessageVerifier(signature_algorithm=algorithms.ED25519, key_resolver=resolver)
        try:
            verifier.verify(_Request(method, url, headers), require_components=_COVERED, body=body)
        except HTTPMessageSignaturesException:
            return False
        return True


def _keyid(public: Ed25519PublicKey) -> str:
    return ed25519_jwk(public.public_bytes_raw())["kid"]


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def _body(receive: Receive) -> bytes:
    body = b""
    while len(body) <= MAX_BODY_BYTES:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return body


async def _send(send: Send, status: int, payload: bytes, headers: dict[str, str] | None = None) -> None:
    all_headers = {"content-type": "application/json", "content-length": str(len(payload)), **(headers or {})}
    encoded = [(name.lower().encode(), value.encode()) for name, value in all_headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": payload})
