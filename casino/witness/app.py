"""The witness over HTTP: an ASGI application. Reads are public, each write is signed by a house."""

import asyncio
import json
import logging
import re
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, NoReturn
from urllib.parse import parse_qsl
from uuid import UUID

from casino.kernel.text import is_reference
from casino.witness.cosigning import SIZE_TYPE, Cosigner
from casino.witness.houses import Refused
from casino.witness.service import PresentedRelease, SignedRequest, Witness
from casino.witness.statements import MAX_HEIGHT, MIN_HEIGHT, ChainCreation, ClosingKind, ClosingRequest

logger = logging.getLogger(__name__)

MAX_BODY: Final = 256 * 1024
MAX_ITEMS: Final = 256
BODY_SECONDS: Final = 10.0
_MAX_TEXT: Final = 255
_MAX_INTEGER: Final = 2**62
_READERS: Final = 4
_HASH: Final = "([0-9a-f]{64})"
_GET: Final = tuple(
    (re.compile(pattern, re.ASCII), name)
    for pattern, name in (
        ("/", "_identity"),
        (f"/{_HASH}/checkpoint", "_latest_checkpoint"),
        ("/v1/chains", "_chains"),
        (f"/v1/chains/{_HASH}", "_chain"),
        (f"/v1/chains/{_HASH}/([0-9]{{1,18}})", "_statement"),
        ("/v1/statements", "_statements"),
        ("/v1/refusals", "_refusals"),
        ("/v1/checkpoints", "_checkpoints"),
        ("/v1/refused-checkpoints", "_refused_checkpoints"),
    )
)
_POST: Final = tuple(
    (re.compile(pattern, re.ASCII), name)
    for pattern, name in (
        ("/add-checkpoint", "_add_checkpoint"),
        ("/v1/chains", "_create"),
        (f"/v1/chains/{_HASH}/activate", "_activate"),
        (f"/v1/chains/{_HASH}/retire", "_retire"),
        ("/v1/release", "_release"),
    )
)
_JSON: Final = "application/json"
_TEXT: Final = "text/plain; charset=utf-8"
Answer = tuple[int, str, bytes]
Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]


class Application:
    """Serves one witness. Writes are done by one thread, so that they never wait for one another inside SQLite."""

    def __init__(self, witness: Witness) -> None:
        self._witness = witness
        self._cosigner = Cosigner(witness.store, witness.houses)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="witness-writer")
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="witness-reader")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request (ASGI)."""
        if scope["type"] != "http":
            return
        status, kind, body = await self._answer(scope, receive)
        headers = [
            (b"content-type", kind.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
            (b"access-control-allow-origin", b"*"),
        ]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    async def _answer(self, scope: Scope, receive: Receive) -> Answer:
        try:
            call = await self._route(scope, receive)
            create = getattr(call, "func", None) == self._create  # computes all links, which releases must not wait for
            pool = self._writer if scope["method"] == "POST" and not create else self._readers
            return await asyncio.get_running_loop().run_in_executor(pool, call)
        except Refused as error:
            return _refusal(error)
        except (sqlite3.Error, OSError) as error:
            logger.critical("ALERT the witness cannot store: %s", error)
            return _refusal(Refused(503, "storage_failed", "The witness cannot store statements."))

    async def _route(self, scope: Scope, receive: Receive) -> Callable[[], Answer]:
        """Return the call that answers. Raises Refused."""
        method, path = scope["method"], scope["path"]
        routes = {"GET": _GET, "HEAD": _GET, "POST": _POST}.get(method)
        if routes is None:
            raise Refused(405, "method_not_allowed", "Use GET or POST.")
        for pattern, name in routes:
            match = pattern.fullmatch(path)
            if match is not None:
                last = await _read_body(receive) if method == "POST" else _parse_query(scope["query_string"])
                return partial(getattr(self, name), *match.groups(), last)
        raise Refused(404, "not_found", "There is nothing at this address.")

    def _identity(self, _query: Mapping[str, str]) -> Answer:
        identity, epoch = self._witness.store.identity, self._witness.store.epoch()
        return _json(
            {
                "name": identity.name,
                "release_key": identity.release_key.hex(),
                "cosigner": identity.cosign_key.vkey,
                "generation": epoch.generation,
                "origins": sorted(self._witness.houses),
            }
        )

    def _latest_checkpoint(self, origin_hash: str, _query: Mapping[str, str]) -> Answer:
        return 200, _TEXT, self._cosigner.latest(origin_hash).encode()

    def _chains(self, query: Mapping[str, str]) -> Answer:
        return _json({"chains": self._witness.records.chains(_text(query, "origin"), _table(query).bytes)})

    def _chain(self, chain: str, _query: Mapping[str, str]) -> Answer:
        return _json(self._witness.records.chain(bytes.fromhex(chain)))

    def _statement(self, chain: str, index: str, _query: Mapping[str, str]) -> Answer:
        return _json(self._witness.records.statement(bytes.fromhex(chain), int(index)))

    def _statements(self, query: Mapping[str, str]) -> Answer:
        generation, after = _number(query, "generation"), _number(query, "after")
        return _json({"statements": self._witness.records.statements(_text(query, "origin"), generation, after)})

    def _refusals(self, query: Mapping[str, str]) -> Answer:
        return _json({"refusals": self._witness.records.refusals(_text(query, "origin"), _number(query, "after"))})

    def _checkpoints(self, query: Mapping[str, str]) -> Answer:
        return _json({"checkpoints": self._cosigner.checkpoints(_text(query, "origin"), _number(query, "after"))})

    def _refused_checkpoints(self, query: Mapping[str, str]) -> Answer:
        rows = self._cosigner.refused_checkpoints(_text(query, "origin"), _number(query, "after"))
        return _json({"checkpoints": rows})

    def _add_checkpoint(self, body: bytes) -> Answer:
        try:
            text = body.decode()
        except UnicodeDecodeError:
            raise Refused(400, "malformed", "The body is not UTF-8.") from None
        return 200, _TEXT, self._cosigner.add_checkpoint(text).encode()

    def _create(self, body: bytes) -> Answer:
        members = _parse_json(body)
        creation = ChainCreation(
            release_key=_hex(members, "release_key", 32),
            origin=_text(members, "origin"),
            table=_table(members),
            number=_integer(members, "number", 1, _MAX_INTEGER),
            height=_integer(members, "height", MIN_HEIGHT, MAX_HEIGHT),
            closing_key=_hex(members, "closing_key", 32),
            max_unpinned_s=_integer(members, "max_unpinned_s", 1, 2**32 - 1),
        )
        return _json(self._witness.create(creation, _hex(members, "signature", 64)))

    def _activate(self, chain: str, body: bytes) -> Answer:
        return _json(self._witness.activate(bytes.fromhex(chain), _hex(_parse_json(body), "signature", 64)))

    def _retire(self, chain: str, body: bytes) -> Answer:
        return _json(self._witness.retire(bytes.fromhex(chain), _hex(_parse_json(body), "signature", 64)))

    def _release(self, body: bytes) -> Answer:
        members = _parse_json(body)
        items = members.get("items")
        if not isinstance(items, list) or not 0 < len(items) <= MAX_ITEMS:
            raise Refused(400, "malformed", f"`items` is a list of 1 to {MAX_ITEMS} items.")
        newest = members.get("newest")
        results = self._witness.release([_item(each) for each in items], None if newest is None else _presented(newest))
        return _json({"results": results})


def _json(value: Any, status: int = 200) -> Answer:
    return status, _JSON, json.dumps(value, separators=(",", ":")).encode()


def _refusal(error: Refused) -> Answer:
    if error.code == "other_size":
        return error.status, SIZE_TYPE, str(error).encode()
    return _json(error.as_json(), error.status)


async def _read_body(receive: Receive) -> bytes:
    """Read a bounded body in bounded time. Raises Refused."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise Refused(400, "malformed", "The request ended early.")
                body += message.get("body", b"")
                if len(body) > MAX_BODY:
                    raise Refused(413, "too_large", f"A body has {MAX_BODY} bytes at most.")
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        raise Refused(408, "too_slow", f"A body arrives within {BODY_SECONDS:.0f} seconds.") from None


def _parse_query(query: bytes) -> Mapping[str, str]:
    try:
        return dict(parse_qsl(query.decode("ascii"), keep_blank_values=True, strict_parsing=bool(query)))
    except ValueError:
        raise Refused(400, "malformed", "The query is malformed.") from None


def _parse_json(body: bytes) -> Mapping[str, Any]:
    try:
        members = json.loads(body)
    except (ValueError, RecursionError):
        members = None
    if not isinstance(members, dict):
        raise Refused(400, "malformed", "The body is a JSON object.")
    return members


def _item(members: Any) -> SignedRequest | None:
    """Read an item, None if it is malformed: a bad item fails alone."""
    try:
        request = ClosingRequest(
            chain=_hex(members, "chain", 32),
            index=_integer(members, "index", 0, _MAX_INTEGER),
            kind=ClosingKind(_integer(members, "kind", min(ClosingKind), max(ClosingKind))),
            digest=_hex(members, "digest", 32),
        )
        return SignedRequest(request, _hex(members, "signature", 64))
    except Refused:
        return None


def _presented(members: Any) -> PresentedRelease:
    return PresentedRelease(
        header=_hex(members, "header"),
        header_signature=_hex(members, "header_signature", 64),
        release=_hex(members, "statement"),
        signature=_hex(members, "signature", 64),
    )


def _hex(members: Any, name: str, length: int | None = None) -> bytes:
    value = members.get(name) if isinstance(members, dict) else None
    if not isinstance(value, str) or not re.fullmatch("(?:[0-9a-f]{2})*", value, re.ASCII):
        _reject(name, "lower-case hex")
    raw = bytes.fromhex(value)
    if length is not None and len(raw) != length:
        _reject(name, f"{length} bytes in hex")
    return raw


def _integer(members: Any, name: str, least: int, most: int) -> int:
    value = members.get(name) if isinstance(members, dict) else None
    if type(value) is not int or not least <= value <= most:
        _reject(name, f"a whole number from {least} to {most}")
    return value


def _number(query: Mapping[str, str], name: str) -> int:
    value = query.get(name, "0")
    if not re.fullmatch("[0-9]{1,18}", value, re.ASCII):
        _reject(name, "a whole number")
    return int(value)


def _text(members: Mapping[str, Any], name: str) -> str:
    value = members.get(name)
    if not isinstance(value, str) or not is_reference(value, limit=_MAX_TEXT):
        _reject(name, "a text")
    return value


def _table(members: Mapping[str, Any]) -> UUID:
    try:
        return UUID(_text(members, "table"))
    except ValueError:
        _reject("table", "a UUID")


def _reject(name: str, expected: str) -> NoReturn:
    raise Refused(400, "malformed", f"`{name}` is {expected}.")
