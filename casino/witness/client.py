"""The house's side: closings out, links in, verified before anybody uses them. Knows no game.

A witness that does not answer, or whose answer does not verify, raises nothing: each item has a result, and
`away_since` says since when a witness has been away. Every request may be repeated: a witness gives the same bytes.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings

from casino.crypto import ed25519
from casino.crypto.signing_keys import parse_keys
from casino.witness import statements
from casino.witness.addresses import WitnessAddress, parse_addresses
from casino.witness.cosigning import CheckpointSubmission
from casino.witness.statements import ChainCreation, ChainHeader, ClosingRequest, InvalidStatement, Release
from casino.witness.transport import Transport, WitnessAnswer, WitnessAway

MAX_ITEMS: Final = 256
_MALFORMED: Final = (InvalidStatement, ValueError, TypeError, KeyError, AttributeError)


@dataclass(frozen=True, slots=True)
class SignedHeader:
    """A chain's header with the witness's signature, as the house keeps it."""

    header: ChainHeader
    signature: bytes


@dataclass(frozen=True, slots=True)
class PublishedChain:
    """A chain as its witness publishes it; `state` is new, active or retired."""

    signed: SignedHeader
    state: str
    next_index: int


@dataclass(frozen=True, slots=True)
class ReleaseItem:
    """A drawing's closing for one of its witnesses."""

    chain: SignedHeader
    request: ClosingRequest


@dataclass(frozen=True, slots=True)
class Released:
    """A verified release: the statement as it was signed, its fields, and the path of its link."""

    release: Release
    statement: bytes
    signature: bytes
    path: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Unreleased:
    """Why there is no link.

    `code` is the witness's, or `away` (nothing is known: ask again) or `invalid_answer` (the witness is wrong: stop).
    With `index_used`, `existing` is the verified release for another closing. `next_index` goes with `not_next_index`.
    """

    code: str
    detail: str
    existing: Released | None = None
    next_index: int | None = None


@dataclass(frozen=True, slots=True)
class SentBatch:
    """A batch that was sent to one witness: the places of its items in what was asked for, and the coming results.

    There is a result for each item, in order, once the witness has answered or the limits are over.
    """

    places: Sequence[int]
    results: Future[Sequence[Released | Unreleased]]


class ChainRefused(Exception):
    """A witness made, activated or retired no chain; `code` is the witness's."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class WitnessClient:
    """Talks to the configured witnesses. Use one in each process, from any thread."""

    def __init__(self, addresses: Sequence[WitnessAddress], closing_keys: Sequence[bytes]) -> None:
        """Take the house's private closing keys: the first is for new chains, all for chains that name them."""
        self.addresses = tuple(addresses)
        self._by_key = {each.release_key: each for each in addresses if each.release_key}
        self._private = {ed25519.public_key(key): key for key in closing_keys}
        self._newest: dict[bytes, tuple[SignedHeader, Released]] = {}
        self._transport = Transport()

    @property
    def closing_key(self) -> bytes:
        """The public key that new chains name. Raises StopIteration without keys."""
        return next(iter(self._private))

    def send(self, items: Sequence[ReleaseItem]) -> list[SentBatch]:
        """Send signed batches to all witnesses at once, and wait for none of them."""
        sent = []
        for key, places in self._by_witness(items).items():
            for start in range(0, len(places), MAX_ITEMS):
                part = places[start : start + MAX_ITEMS]
                batch = [items[place] for place in part]
                sent.append(SentBatch(part, self._send(key, batch)))
        return sent

    def create_chain(
        self,
        address: WitnessAddress,
        *,
        origin: str,
        table: UUID,
        number: int,
        height: int = statements.DEFAULT_HEIGHT,
        max_unpinned_s: int = 60,
    ) -> PublishedChain:
        """Have a witness make chain `number` of a table. Raises ChainRefused, WitnessAway."""
        creation = ChainCreation(address.release_key, origin, table, number, height, self.closing_key, max_unpinned_s)
        body = {
            "release_key": creation.release_key.hex(),
            "origin": origin,
            "table": str(table),
            "number": number,
            "height": height,
            "closing_key": creation.closing_key.hex(),
            "max_unpinned_s": max_unpinned_s,
            "signature": self._sign(creation.closing_key, creation.serialize()).hex(),
        }
        chain = self._chain_answer(address, "POST", "/v1/chains", body)
        header = chain.signed.header
        wanted = (origin, table, number, height, creation.closing_key, max_unpinned_s)
        actual = (
            header.origin, header.table, header.number, header.height, header.closing_key, header.max_unpinned_s
        )  # fmt: skip
        if actual != wanted:
            raise ChainRefused("invalid_answer", "The witness made another chain than it was asked for.")
        return chain

    def sign_header(self, header: ChainHeader) -> bytes:
        """Return the house's signature of a header, which activates the chain."""
        return self._sign(header.closing_key, header.serialize())

    def activate_chain(self, header: ChainHeader) -> PublishedChain:
        """Have a chain activated. Raises ChainRefused, WitnessAway."""
        return self._change(header, "activate", self.sign_header(header))

    def retire_chain(self, header: ChainHeader) -> PublishedChain:
        """Have a chain retired. Raises ChainRefused, WitnessAway."""
        return self._change(header, "retire", self._sign(header.closing_key, statements.retire_request(header.chain)))

    def chain(self, header: ChainHeader) -> PublishedChain:
        """Return a chain as its witness publishes it now. Raises ChainRefused, WitnessAway."""
        return self._chain_answer(self._address(header), "GET", f"/v1/chains/{header.chain.hex()}", None)

    def last_chain_number(self, address: WitnessAddress, *, origin: str, table: UUID) -> int:
        """Return the highest number of a table's chains at a witness, or 0. Raises ChainRefused, WitnessAway."""
        query = urlencode({"origin": origin, "table": str(table)})
        answer = self._transport.send(address, "GET", f"/v1/chains?{query}", None).result()
        chains = _members(answer).get("chains")
        if not isinstance(chains, list):
            raise ChainRefused("invalid_answer", "The witness's answer is malformed.")
        return max((_parse_chain(each, address).signed.header.number for each in chains), default=0)

    def submit_checkpoint(self, address: WitnessAddress, submission: CheckpointSubmission) -> Future[WitnessAnswer]:
        """Ask a witness to cosign (C2SP tlog-witness); the result raises WitnessAway."""
        return self._transport.send(address, "POST", "/add-checkpoint", submission.serialize().encode())

    def latest_checkpoint(self, address: WitnessAddress, origin: str) -> str | None:
        """Return the newest checkpoint that a witness has cosigned for an origin, if any. Raises WitnessAway."""
        path = f"/{sha256(origin.encode()).hexdigest()}/checkpoint"
        answer = self._transport.send(address, "GET", path, None).result()
        if answer.status not in {200, 404}:
            raise WitnessAway(f"{address.name} answered with status {answer.status}.")
        return answer.body.decode(errors="replace") if answer.status == 200 else None

    def away_since(self, release_key: bytes) -> float | None:
        """Return since when a witness has not answered, in seconds since the epoch; None if it answered last.

        From the first call on, this process asks every other second, beside what is sent anyway.
        """
        address = self._by_key.get(release_key)
        return 0.0 if address is None else self._transport.away_since(address)

    def silent_since(self, address: WitnessAddress) -> float | None:
        """Return the same of a witness that may only cosign, and wait for its answer if it was never asked."""
        return self._transport.away_since(address, waits=True)

    def remember(self, chain: SignedHeader, released: Released) -> None:
        """Present this release, if it is the newest, with each batch: a witness restored from a copy learns it so."""
        key, header = chain.header.release_key, chain.header
        newest = self._newest.get(key)
        order = (header.generation, released.release.number)
        if newest is None or order > (newest[0].header.generation, newest[1].release.number):
            self._newest[key] = chain, released

    def close(self) -> None:
        self._transport.close()

    def _by_witness(self, items: Sequence[ReleaseItem]) -> Mapping[bytes, list[int]]:
        places: defaultdict[bytes, list[int]] = defaultdict(list)
        for place, item in enumerate(items):
            places[item.chain.header.release_key].append(place)
        return places

    def _send(self, release_key: bytes, items: Sequence[ReleaseItem]) -> Future[Sequence[Released | Unreleased]]:
        """Send a batch. The answer is verified on the transport's thread, while the caller does other work."""
        results: Future[Sequence[Released | Unreleased]] = Future()
        address = self._by_key.get(release_key)
        if address is None:
            results.set_result([Unreleased("away", "The chain's witness is not configured.")] * len(items))
            return results

        def read(answered: Future[WitnessAnswer]) -> None:
            try:
                results.set_result(self._results(items, answered))
            except Exception as error:  # noqa: BLE001  (raised where the results are taken)
                results.set_exception(error)

        body = self._body(release_key, items)
        self._transport.send(address, "POST", "/v1/release", body).add_done_callback(read)
        return results

    def _results(
        self, items: Sequence[ReleaseItem], answered: Future[WitnessAnswer]
    ) -> Sequence[Released | Unreleased]:
        try:
            answer = answered.result()
        except (WitnessAway, CancelledError) as error:
            return [Unreleased("away", str(error))] * len(items)
        results = answer.members.get("results")
        if not isinstance(results, list) or len(results) != len(items):
            return [Unreleased(_code(answer), _detail(answer))] * len(items)
        return [self._result(item, result) for item, result in zip(items, results, strict=True)]

    def _body(self, release_key: bytes, items: Sequence[ReleaseItem]) -> bytes:
        body: dict[str, Any] = {"items": [self._item(item) for item in items]}
        newest = self._newest.get(release_key)
        if newest is not None:
            chain, released = newest
            body["newest"] = {
                "header": chain.header.serialize().hex(),
                "header_signature": chain.signature.hex(),
                "statement": released.statement.hex(),
                "signature": released.signature.hex(),
            }
        return json.dumps(body).encode()

    def _item(self, item: ReleaseItem) -> dict[str, Any]:
        request = item.request
        signature = self._sign(item.chain.header.closing_key, request.serialize())
        return {
            "chain": request.chain.hex(),
            "index": request.index,
            "kind": int(request.kind),
            "digest": request.digest.hex(),
            "signature": signature.hex(),
        }

    def _result(self, item: ReleaseItem, result: Any) -> Released | Unreleased:
        request, header = item.request, item.chain.header
        try:
            if result["status"] != "released":
                return _parse_unreleased(header, request.index, result)
            released = _parse_released(header, request.index, result)
        except _MALFORMED as error:
            return Unreleased("invalid_answer", f"{type(error).__name__}: {error}"[:500])
        release = released.release
        if (release.kind, release.digest) != (request.kind, request.digest):
            return Unreleased("invalid_answer", "The release is for another closing.")
        self.remember(item.chain, released)
        return released

    def _change(self, header: ChainHeader, change: str, signature: bytes) -> PublishedChain:
        path = f"/v1/chains/{header.chain.hex()}/{change}"
        return self._chain_answer(self._address(header), "POST", path, {"signature": signature.hex()})

    def _address(self, header: ChainHeader) -> WitnessAddress:
        address = self._by_key.get(header.release_key)
        if address is None:
            raise WitnessAway("The chain's witness is not configured.")
        return address

    def _chain_answer(
        self, address: WitnessAddress, method: str, path: str, body: Mapping[str, Any] | None
    ) -> PublishedChain:
        content = None if body is None else json.dumps(body).encode()
        return _parse_chain(_members(self._transport.send(address, method, path, content).result()), address)

    def _sign(self, public: bytes, message: bytes) -> bytes:
        """Sign with the private half of a closing key; an empty signature, which is refused, if it is not ours."""
        private = self._private.get(public)
        return b"" if private is None else ed25519.sign(private, message)


@lru_cache(maxsize=1)
def configured_client() -> WitnessClient:
    """Return this process's client of settings.WITNESSES and settings.CLOSING_KEYS. Raises ImproperlyConfigured."""
    keys = [raw for _, raw in parse_keys("CLOSING_KEYS", settings.CLOSING_KEYS)]
    return WitnessClient(parse_addresses(settings.WITNESSES), keys)


def _members(answer: WitnessAnswer) -> Mapping[str, Any]:
    """Return the members of a good answer. Raises ChainRefused."""
    if answer.status != 200:
        raise ChainRefused(_code(answer), _detail(answer))
    return answer.members


def _code(answer: WitnessAnswer) -> str:
    code = answer.members.get("code")
    return code if isinstance(code, str) and answer.status != 200 else "invalid_answer"


def _detail(answer: WitnessAnswer) -> str:
    return str(answer.members.get("detail", f"The witness answered with status {answer.status}."))[:500]


def _parse_chain(members: Any, address: WitnessAddress) -> PublishedChain:
    """Parse and verify a published chain. Raises ChainRefused."""
    try:
        data, signature = bytes.fromhex(members["header"]), bytes.fromhex(members["signature"])
        header = statements.verify_header(data, signature, release_key=address.release_key)
        return PublishedChain(SignedHeader(header, signature), str(members["state"]), int(members["next_index"]))
    except _MALFORMED as error:
        raise ChainRefused("invalid_answer", f"{type(error).__name__}: {error}"[:500]) from error


def _parse_released(header: ChainHeader, index: int, members: Any) -> Released:
    """Parse and verify a release of a chain's link. Raises one of _MALFORMED."""
    data, signature = bytes.fromhex(members["statement"]), bytes.fromhex(members["signature"])
    path = tuple(bytes.fromhex(each) for each in members["path"])
    release = statements.verify_release(header, data, signature, path)
    if release.index != index:
        raise InvalidStatement("The release is for another index.")
    return Released(release, data, signature, path)


def _parse_unreleased(header: ChainHeader, index: int, members: Any) -> Unreleased:
    existing, next_index = members.get("existing"), members.get("next_index")
    return Unreleased(
        str(members["code"]),
        str(members["detail"])[:500],
        None if existing is None else _parse_released(header, index, existing),
        next_index if isinstance(next_index, int) else None,
    )
