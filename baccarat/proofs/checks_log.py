"""Checks of an exported round against the log: digests, links, the checkpoint's tree and its signature."""

import re
from collections import Counter
from datetime import UTC, datetime
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from baccarat.proofs import verifier
from baccarat.proofs.document import TIME_FORMAT, ExportedEvent, ExportedKey, RoundExport, decode_terms
from baccarat.proofs.loader import SHOE_EVENTS, TABLE_EVENTS
from baccarat.proofs.results import CheckNotPossible, Mismatch, require_equal
from casino.events.hash_chain import GENESIS, digest
from casino.kernel import merkle
from casino.kernel.canonical_json import canonical

CHECKPOINT_FORMAT: Final = "casino.checkpoint.v1"
REDACTABLE_EVENTS: Final = frozenset(
    {"RoundSuspended", "RoundResumed", "RoundVoidRequested", "RoundVoidDeclined", "RoundVoided", "ShoeEnded"}
)

_BETTING: Final = frozenset({"RoundOpened", "CardsForced", "SeatPassed", "SeatTimedOut", "WagerConfirmed"})
_CLOSED: Final = frozenset({"BettingClosed", "HandTurned"})
_FOLLOWS: Final = {
    **dict.fromkeys((*_BETTING, "BettingClosed"), _BETTING),
    **dict.fromkeys(("HandTurned", "CardsDealt"), _CLOSED),
    "RoundOpened": frozenset({""}),
    "CardsForced": frozenset({"RoundOpened"}),
    "RoundSettled": frozenset({"CardsDealt"}),
    "RoundVoided": _BETTING | _CLOSED | {"CardsDealt", "RoundSettled"},
}
"""Events of a round that its result depends on, and which of them each may directly follow."""
_transaction: Final = attrgetter("transaction")
_ROUND: Final = re.compile(f"round-{verifier.TEXTS['uuid']}")
_SINGLE_EVENTS: Final = frozenset(
    {"TableOpened", *SHOE_EVENTS, "TableClosed", "LinksReleased"} - {"ShoeCutContributed"}
)
"""Those that occur once, beside those whose order says so."""


def check_digests(exported: RoundExport) -> str:
    """Recompute the digest of every event that is not withheld."""
    events = exported.events
    for event in events:
        if event.data is not None:
            require_equal(
                event.digest, _digest(event).hex(), f"the digest does not follow from the content: {event.location}"
            )
        elif event.type not in REDACTABLE_EVENTS:
            raise Mismatch(
                f"an event is withheld that must be readable: {event.location}", "its data and metadata", "withheld"
            )
    withheld = [event.type for event in events if event.data is None]
    if withheld:
        raise CheckNotPossible(
            f"{len(events) - len(withheld)} of {len(events)} digests are right; withheld from this reader: "
            f"{', '.join(withheld)}. Their digests are in the log, their content can't be checked with this file"
        )
    return f"all {len(events)} digests follow from the events"


def _digest(event: ExportedEvent) -> bytes:
    return digest(
        position=event.position,
        event=event.id,
        transaction=event.transaction,
        stream=event.stream,
        version=event.version,
        type=event.type,
        schema=event.schema,
        data=canonical(event.data),
        metadata=canonical(event.metadata),
        recorded_at=datetime.strptime(event.recorded_at, TIME_FORMAT).replace(tzinfo=UTC),
        previous=bytes.fromhex(event.previous),
    )


def check_chain(exported: RoundExport) -> str:
    """Check that events ascend, that the round's have no gap, and that neighbours in the log are linked."""
    own = [f"round-{exported.round['id']}", f"table-{exported.round['table']}"]
    rounds = [_round_before(event, exported) for event in exported.other_events]
    for at, event in enumerate(exported.other_events):
        if rounds[at] is None or rounds[at] in rounds[:at]:
            raise Mismatch("an event belongs to another stream", own, event.stream)
    for event in exported.events:
        of_table, data = event.type in TABLE_EVENTS, event.data or {"shoe": exported.shoe.id}
        if of_table != (event.stream == own[1]) or (event.type in SHOE_EVENTS and data["shoe"] != exported.shoe.id):
            raise Mismatch(f"a {event.type} is in another stream, or of another shoe", own, event.stream)
    counts = Counter(event.type for event in (*exported.round_events, *exported.table_events))
    for kind in _SINGLE_EVENTS:
        if counts[kind] > 1:
            raise Mismatch("an event occurs twice", kind, counts[kind])
    for events, name in (
        (exported.events, "position"), (exported.round_events, "version"), (exported.table_events, "version"),
    ):  # fmt: skip
        for before, after in pairwise(events):
            if getattr(after, name) <= getattr(before, name):
                raise Mismatch(f"events of {after.stream} are out of order", before.location, after.location)
    versions = [event.version for event in exported.round_events]
    require_equal(list(range(1, len(versions) + 1)), versions, "the round's events have a gap")
    _check_order(exported)
    links = _links(exported)
    return f"no gap in the round's {len(versions)} events; {links} links between neighbours in the log hold"


def _check_order(exported: RoundExport) -> None:
    """Check that shoe, wagers, closing, cards and settlement came in this order, and the closing before the seed."""
    if len({event.transaction for event in exported.events}) != len(list(groupby(exported.events, _transaction))):
        raise Mismatch("events of one transaction are apart", "neighbours", "another's between them")
    played = [event.type for event in exported.round_events if event.type in _FOLLOWS]
    for before, after in pairwise(["", *played]):
        if before not in _FOLLOWS[after]:
            raise Mismatch(
                f"events of {exported.round_events[0].stream} are out of order", sorted(_FOLLOWS[after]), before
            )
    opened = exported.require_event("RoundOpened").position
    closed = exported.find_event("BettingClosed") or exported.find_event("RoundVoided")
    for event in exported.table_events:
        late = event.type == "ShoeStarted" and event.position > opened
        if late or (event.type in {"ShoeEnded", "TableClosed"} and closed and event.position < closed.position):
            raise Mismatch(f"events of {event.stream} are out of order", opened, event.position)


def _round_before(event: ExportedEvent, exported: RoundExport) -> int | None:
    """Return how many rounds before this one another round's event is; None for one that is not about this round.

    With the cards of the round before, its terms were fixed; with those of the last but one, its shoe was committed to.
    """
    if exported.is_long or event.data is None or not _ROUND.fullmatch(event.stream):
        return None
    terms = decode_terms(event)
    ahead = 0 if terms is None else exported.opened.number + 1 - terms.number
    return ahead if ahead in {1, 2} else None


def _links(exported: RoundExport) -> int:
    links, first = 0, exported.events[0]
    if first.position == 1:
        require_equal(GENESIS.hex(), first.previous, "position 1 is linked to another")
    for before, after in pairwise(exported.events):
        if after.position == before.position + 1:
            links += 1
            require_equal(before.digest, after.previous, f"the link to position {before.position} is broken")
    return links


def check_inclusion(exported: RoundExport) -> str:
    """Check that every event is a leaf of the checkpoint's Merkle tree."""
    checkpoint = exported.checkpoint
    size = 0 if checkpoint is None else checkpoint["position"]
    within = [event for event in exported.events if event.position <= size]
    paths = {line.position: [bytes.fromhex(step) for step in line.path] for line in exported.inclusion_proofs}
    if paths.keys() - {event.position for event in within} or len(paths) != len(exported.inclusion_proofs):
        listed = sorted(line.position for line in exported.inclusion_proofs)
        what = "some inclusion proofs belong to none of the events"
        raise Mismatch(what, sorted(event.position for event in within), listed)
    if checkpoint is None:
        raise CheckNotPossible("no checkpoint has been signed since; export the round again later")
    root = bytes.fromhex(checkpoint["root"])
    for event in within:
        if event.position not in paths:
            raise Mismatch("an inclusion path is missing", f"a path for position {event.position}", sorted(paths))
        leaf = merkle.leaf_hash(bytes.fromhex(event.digest))
        if not merkle.is_included(leaf, event.position - 1, size, paths[event.position], root):
            what = f"position {event.position} is not in the checkpoint's tree"
            raise Mismatch(what, root, "a path that does not lead there")
        if event.position == size:
            require_equal(checkpoint["head"], event.digest, "the checkpoint's head is another event")
    younger = [event.position for event in exported.events if event.position > size]
    if younger:
        raise CheckNotPossible(f"positions {younger} are younger than the checkpoint; export the round again later")
    return f"all {len(within)} events are in the tree of checkpoint {checkpoint['number']}, of {size} positions"


def check_signature(exported: RoundExport) -> str:
    """Check the checkpoint's Ed25519 signature by the key it names, which must have been in force at its time."""
    key, signed = _signing_key(exported), dict(exported.checkpoint or {})
    require_equal(CHECKPOINT_FORMAT, signed["format"], "the checkpoint has another format")
    if (signed["number"] == 1) == bool(signed["previous"]):
        raise Mismatch("the checkpoint follows another than the one before", signed["number"], signed["previous"])
    signature = bytes.fromhex(signed.pop("signature"))
    try:
        message = f"{CHECKPOINT_FORMAT}\n".encode() + canonical(signed)
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key.public_key)).verify(signature, message)
    except InvalidSignature:
        raise Mismatch(f"the signature is not by key {key.id}", "a valid Ed25519 signature", signature) from None
    made_at, since, until = _parse_time(signed["made_at"]), key.valid_from, key.valid_until
    if _parse_time(since) > made_at or (until is not None and _parse_time(until) < made_at):
        raise Mismatch(f"key {key.id} was not in force at that time", [since, until], signed["made_at"])
    return f"checkpoint {signed['number']} of {signed['made_at']} is signed by key {key.id}"


def check_key(exported: RoundExport, *, trusted: frozenset[str]) -> str:
    """Check that the signing key is known from another source; `trusted` are public keys in hex."""
    used = _signing_key(exported)
    if not trusted:
        raise CheckNotPossible("the key comes from the file itself; pass the casino's published key to be sure")
    if used.public_key not in trusted:
        raise Mismatch("the checkpoint is signed by another key", sorted(trusted), used.public_key)
    return "the signing key is a trusted one"


def _signing_key(exported: RoundExport) -> ExportedKey:
    if exported.checkpoint is None:
        raise CheckNotPossible("there is no checkpoint yet")
    name = exported.checkpoint["key"]
    key = next((key for key in exported.keys if key.id == name), None)
    if key is None:
        raise Mismatch("the signing key is not listed", name, [key.id for key in exported.keys])
    return key


def _parse_time(text: str) -> datetime:
    return datetime.fromisoformat(text)
