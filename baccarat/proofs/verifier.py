#!/usr/bin/env python3
"""Checks one exported round of baccarat (casino.round.v1) with nothing but Python's standard library (3.10 or newer).

    python verifier.py ROUND.json|PACK.zip [--key HEX|FILE] [--witness-key HEX|FILE] [--require-signed] [--json]

It uses no code of the casino, so that nobody has to trust that code. From the file alone it
recomputes the digests of the events and their links, the inclusion of each in the signed checkpoint, the checkpoint's
signature, the commitment, the cut, the witnesses' statements, the order of the cards, the third-card rule, payouts and
commission.

The result of each check is `ok`, `not checkable yet` (and why), `does not apply` or `FAILED` (with the expected and the
actual value).
Exit status: 0 when a trusted key has signed everything and nothing failed, 1 when something did, 2 when the file can't
be read as a round or a pack, 3 when nothing failed but no trusted key has signed everything, or what you require is
missing: that is not verified, 4 when everything agrees but a sandbox operator chose the cards, as a test, 5 when
everything agrees but no witness that you trust has cosigned the log: another log, with another round, would verify as
well.

For a dispute pack (casino.pack.v1, a ZIP), it also checks the manifest, and then the round in it.

`--key` is the public key of the casino's checkpoints, obtained from another source than the file: 64 hex digits, or a
file with keys, such as the response of `/api/v1/log/keys`. A round with witnesses needs the keys by which they sign
releases, too, and the verdict names those who cosigned the checkpoint and whose cosigner's key is trusted
(`NAME+ID+KEY`): give `--witness-key` for each, or once for a file with what the witness answers at its address. A round
whose cards follow from no link of a witness that you name is not verified. With `--require-signed`, neither is one with
a wager that its player did not sign.

The verdict says who could have chosen the cards. It also has caveats, which are no fault of the file but what a reader
has to know: a void that no witness has confirmed, a void after a link was known, statements dated before what they are
for.

Sources: FIPS 180-4 (SHA-256), RFC 2104 (HMAC), RFC 8032 (Ed25519), RFC 8785 (canonical JSON), RFC 9162 (Merkle trees),
C2SP (signed notes, checkpoints and cosignatures of logs).
"""

import argparse
import base64
import functools
import hashlib
import hmac
import io
import itertools
import json
import re
import struct
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, TypedDict

Json = dict[str, Any]
Point = tuple[int, int, int, int]

FORMAT = "casino.round.v1"
SEAL_TAG = b"casino.events.seal/1".ljust(24, b"\0")
DRAWING_TAG = b"casino.baccarat.commitment.v2\0"
DRAW_TAG = b"casino.baccarat.draw.v2\0"
ROUND_SEED_TAG = b"casino.baccarat.round-seed.v1\0"
CUT_TAG = b"casino.baccarat.cut.v2\0"
TERMS_TAG = b"casino.baccarat.terms.v1\0"
WAGER_TAG = b"casino.baccarat.wager.v2\0"
WAGER_LEAF_TAG = b"casino.baccarat.wager-leaf.v1\0"
RECEIPT_TAG = b"casino.baccarat.receipt.v2\0"
PAYOUT_TAG = b"casino.baccarat.payout.v1\0"
CONTRIBUTED_TAG = b"casino.baccarat.contributed.v1\0"
CONTRIBUTION_TAG = b"casino.baccarat.contribution.v1\0"
CLOSING_TAG = b"casino.baccarat.closing.v1\0"
CARD_TAG = b"casino.baccarat.card.v1\0"
SALT_TAG = b"casino.baccarat.salt.v1\0"
CHAIN_TAG = b"casino.witness.chain.v1\0"
LINK_LEAF_TAG = b"casino.witness.leaf.v1\0"
RELEASE_TAG = b"casino.witness.release.v1\0"
NOTE_KEY, COSIGNER_KEY = b"\1", b"\4"

OK, OPEN, NONE, FAILED = "ok", "open", "none", "failed"
VERDICT_TEXT = {OK: "ok", OPEN: "not checkable yet", NONE: "does not apply", FAILED: "FAILED"}
MAX_INTEGER = 2**53 - 1
MAX_DEPTH = 64
MAX_DECKS = 8
MAX_EARLY_MS = 1000
"""By how much clocks may differ: a link that was given out earlier than that was given out before the bets."""
NO_DIGEST = "00" * 32


class CheckFailed(Exception):
    """A value differs: what, the expected value, the actual value."""

    def __init__(self, what: str, expected: Any = "", actual: Any = "") -> None:
        super().__init__(what)
        self.what, self.expected, self.actual = what, format_value(expected), format_value(actual)


class CannotRead(CheckFailed):
    """The bytes are neither an exported round nor a dispute pack."""


class CannotCheck(Exception):
    """Something cannot be checked with what is available; the message says why."""


class DoesNotApply(Exception):
    """The round has nothing of this kind; the message says so."""


def format_value(value: Any) -> str:
    """Format a value: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)


# ---------------------------------------------------------------------------------------------- strict parsing


def read(raw: bytes) -> Json:
    """Parse JSON in UTF-8: integers only, unique names; reject what two readers could interpret differently."""

    def reject(text: str) -> None:
        raise ValueError(f"{text} is not an integer")

    def unique_names(pairs: list[tuple[str, Any]]) -> Json:
        fields = dict(pairs)
        if len(fields) != len(pairs):
            raise ValueError("an object has a name twice")
        return fields

    def parse_integer(text: str) -> int:
        number = int(text)
        if abs(number) > MAX_INTEGER:
            raise ValueError(f"{text} is too large")
        return number

    document: Json = json.loads(
        raw.decode("utf-8"),
        parse_float=reject,
        parse_constant=reject,
        parse_int=parse_integer,
        object_pairs_hook=unique_names,
    )
    canonical(document)
    return document


def canonical(value: Any) -> bytes:
    """Encode events' data by RFC 8785: names sorted as UTF-16, no spaces, UTF-8; all numbers are integers."""
    return json.dumps(in_order(value), separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def in_order(value: Any, depth: int = 0) -> Any:
    if depth > MAX_DEPTH or "\0" in (value if isinstance(value, str) else ""):
        raise ValueError("a value is nested too deeply, or has U+0000")
    if isinstance(value, dict):
        names = sorted(in_order(list(value)), key=lambda name: str(name).encode("utf-16-be"))
        return {name: in_order(value[name], depth + 1) for name in names}
    return [in_order(each, depth + 1) for each in value] if isinstance(value, (list, tuple)) else value


def same_type_and_value(one: Any, other: Any) -> bool:
    return canonical(one) == canonical(other)


TIME_PATTERN = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{6})Z\Z", re.ASCII)
HEX64 = re.compile(r"[0-9a-f]{64}\Z")

# A shape is the name of a kind, the members of an object, [items of a list], [ONCE, items] or [ASCENDING, items]. "?"
# after a member: it may be absent; before a kind, or (None, shape): it may be null. Objects are listed once, or ascend,
# by their first member.
ONCE, ASCENDING = "once", "ascending"

NUMBERS = {
    "count": (0, MAX_INTEGER), "positive": (1, MAX_INTEGER), "seat": (1, 255), "u32": (1, 2**32 - 1),
    "decks": (1, MAX_DECKS), "part": (1, 10_000), "hands": (0, 1),
}  # fmt: skip
TEXTS = {
    "text": "(?s:.*)", "uuid": "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", "hash": "[0-9a-f]{64}",
    "signature": "[0-9a-f]{128}", "hex": "(?:[0-9a-f]{2})*",
    "contribution": "(?:[0-9a-f]{2}){1,32}", "card": "[A23456789TJQK][cdhs]", "spot": "[a-z][a-z0-9_]{0,31}",
    "outcome": "player|banker|tie", "kind": "main|side",
    "money": "real|play", "amount": r"(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,8})?",
    "shuffle": "each_round|shoe", "under_minimum": "raise|reject", "spots_per_round": "any|one",
    "timing": "settlement|deferred", "side": "player|banker", "reason": "malfunction|misdeal|wrong_rules|fraud|other",
}  # fmt: skip

FLAG, POINTS_OF_HANDS, CARDS_OF_HANDS, HANDS_WITH_IT = (False, True), range(10), (2, 3), (0, 1, 2)
FACTS: dict[str, Sequence[Any]] = {
    "winner": ("player", "banker", "tie"),
    **dict.fromkeys(("player_points", "banker_points", "margin"), POINTS_OF_HANDS),
    **dict.fromkeys(("player_cards", "banker_cards"), CARDS_OF_HANDS), "cards": (4, 5, 6),
    **dict.fromkeys(("natural", "player_natural", "banker_natural"), FLAG),
    **dict.fromkeys(("player_pair", "banker_pair", "player_perfect", "banker_perfect"), FLAG),
    **dict.fromkeys(("pairs", "perfect_pairs"), HANDS_WITH_IT),
}  # fmt: skip
"""The facts of a coup that pay lines ask for, and their values."""
RATIO = {"numerator": "part", "denominator": "part"}
SPOT = {
    "name": "spot", "kind": "kind",
    "lines": [{"when": [ONCE, {"fact": "text", "values": [ONCE, "value"]}], "pays": (None, RATIO)}],
    "commission": (None, {"rate": RATIO, "rounding": (None, RATIO), "timing": "timing"}),
    "minimum": "?positive", "maximum": "?positive", "needs": [ONCE, "spot"],
}  # fmt: skip
MOST_SPOTS, MOST_LINES = 24, 32
SHOE_SHAPE = {"decks": "decks", "cut_cards_from_end": "?count", "burn": "flag", "fixed_order": "flag"}
RULES = {
    "preset": "text", "version": "count", "currency": "text", **SHOE_SHAPE, "shuffle": "shuffle",
    "chips": [ASCENDING, "positive"], "minimum": "count", "maximum": "count", "under_minimum": "under_minimum",
    "spots_per_round": "spots_per_round", "play_money": "flag", "hands_after_cut": "hands", "spots": "spots",
}  # fmt: skip
RECORDED_RULES = {"digest": "hash", "values": "rules"}
NEXT_SHOE = {"shoe": "uuid", "commitment": "hash", "shape": SHOE_SHAPE}
CONTRIBUTION = {"seat": "seat", "contribution": "contribution", "public_key?": "hex"}
CUT = {"contributions": [ASCENDING, CONTRIBUTION], "cut": "hash"}
LINKS = [ASCENDING, {"chain": "hash", "index": "count"}]
RELEASES = [ASCENDING, {
    "chain": "hash", "link": "hash", "time_ms": "count", "number": "positive", "previous": "hash",
    "signature": "signature", "path": "hex",
}]  # fmt: skip
CLOSING = {
    "digest": "hash", "blind": "hash", "sealed_head": "hash", "before": "hash",
    "cosigned?": (None, {"size": "count", "root": "hash"}),
}  # fmt: skip
PLACE = {"next_place": "count", "cards": "hash", "commitment": "hash", "next_commitment": "hash"}
TERMS = {"number": "count", "shoe": "uuid", **PLACE, "rules": "hash", "cut": "hash"}
PLAYER_SIGNATURE = {"public_key": "hex", "signature": "signature"}
WAGER_SIGNATURE = {**PLAYER_SIGNATURE, "nonce": "hash"}
PLAYER = {"seat": "seat", "player": "uuid", "money_type": "money"}
COUNTS = {"won": "count", "commission": "count", "returned": "count"}
SETTLED = {
    **PLAYER, "wager": "uuid",
    "results": [ONCE, {"spot": "spot", "stake": "positive", "result": "text", **COUNTS}],
    "staked": "count", "won": "count", "commission": "count", "deferred": "flag", "returned": "count",
}  # fmt: skip
GIVEN_BACK = PLAYER | {"wager": "uuid"} | dict.fromkeys((
    "staked", "returned", "commission", "from_rack", "to_game", "to_account", "from_game", "from_account", "owed",
    "forgiven",
), "count")  # fmt: skip
OPENED = {
    "round": "uuid", "table": "uuid", "operator": "uuid", "number": "positive", "rules": "hash", "rules_label": "text",
    "shoe": "uuid", "commitment": "?hash", "seats": [ASCENDING, PLAYER], "opened_at": "time", "witnesses?": LINKS,
    "terms": "hash", "contributions": CUT["contributions"],
}  # fmt: skip
EVENTS: dict[str, dict[str, Any]] = {
    "TableOpened": {"rules": RECORDED_RULES, "next_shoe": (None, NEXT_SHOE)},
    "RulesTookEffect": {"rules": RECORDED_RULES},
    "TermsFixed": {"number": "count", "digest": "hash", "place": (None, PLACE), "next_shoe": (None, NEXT_SHOE)},
    "ShoeCommitted": {**NEXT_SHOE, "number": "count"},
    "ShoeCutContributed": {
        "shoe": "uuid", "seat": "seat", "player": "uuid", "contribution": "contribution",
        "signature?": (None, PLAYER_SIGNATURE),
    },
    "ShoeStarted": {
        "shoe": "uuid", "number": "count", "commitment": "hash", "turned_card": "?card", "burned_count": "count",
        **CUT, "root": "?hash", "first_round": "count", "started_at": "time", "closing": (None, CLOSING),
    },
    "ShoeCutClosed": {"shoe": "uuid", "closed_at": "time", "witnesses": LINKS, "closing": CLOSING},
    "ShoeLinksReleased": {"shoe": "uuid", "releases": RELEASES},
    "ShoeEnded": {"shoe": "uuid", "seed": "hash"},
    "TableClosed": {"seeds": [ONCE, {"shoe": "uuid", "seed": "?hash"}]},
    "WitnessChainOpened": {"header": "hex", "signature": "signature", "house_signature": "signature"},
    "WitnessChainsReplaced": {"ended": [ONCE, {"chain": "hash", "index": "count"}], "successor": "hash"},
    "RoundOpened": OPENED,
    "WagerConfirmed": {
        **PLAYER, "wager": "uuid", "stakes": "stakes", "raised?": "stakes", "confirmed_at": "time",
        "signature?": (None, WAGER_SIGNATURE),
    },
    "SeatPassed": {"seat": "seat"},
    "SeatTimedOut": {"seat": "seat"},
    "SeatLeftRound": {"seat": "seat"},
    "CardsForced": {"cards": ["card"]},
    "BettingClosed": {"closed_at": "time", "closing": CLOSING},
    "LinksReleased": {"round": "uuid", "releases": RELEASES},
    "HandTurned": {"side": "side", "cards": ["card"]},
    "CardsDealt": {
        "shoe_position": "count", "cards": ["card"],
        "next_terms": (None, {"number": "count", "shoe": "uuid", "commitment": "hash", "decks": "decks"}),
    },
    "RoundSettled": {
        "outcome": "outcome", "player_total": "count", "banker_total": "count", "natural": "flag",
        "wagers": [ASCENDING, SETTLED], "settled_at": "time", "seed": "?hash",
    },
    "RoundVoided": {
        "seats": [ASCENDING, GIVEN_BACK], "seed": "?hash", "reason": "reason", "voided_at": "time",
        "closing": (None, CLOSING),
    },
}  # fmt: skip
"""Which members of an event's data checks use."""
EVENT = {
    "position": "positive", "id": "count", "transaction": "positive", "stream": "text", "version": "u32",
    "type": "text", "schema": "u32", "data": "?members", "metadata": "?members", "recorded_at": "moment",
    "previous": "hash", "digest": "hash",
}  # fmt: skip
EXPORT = {
    "format": "text", "exported_at": "moment",
    "round": {
        "id": "uuid", "table": "uuid", "operator": "uuid", "number": "positive", "rules": "hash", "rules_label": "text",
        "currency": "text", "phase": "text", "opened_at": "time", "settled_at": "?time", "shoe_position": "?count",
        "cards": ["card"], "player_total": "?count", "banker_total": "?count", "natural": "?flag",
        "outcome": "?outcome",
    },
    "rules": "rules",
    "shoe": {
        "id": "uuid", "decks": "decks", "commitment": "hash", **CUT, "seed": "?hash", "round_seed": "?hash",
        "root": "?hash", "shoe_position": "?count", "dealt": ["card"],
        "openings": [ASCENDING, {"shoe_position": "count", "card": "card", "salt": "hash", "path": ["hash"]}],
    },
    "events": [EVENT],
    "inclusion_proofs": [ASCENDING, {"position": "positive", "path": ["hash"]}],
    "checkpoint": "?text",
    "keys": [ONCE, {"id": "text", "public_key": "hash", "valid_from": "time", "valid_until": "?time"}],
}  # fmt: skip
STAKES = [ONCE, {"spot": "spot", "amount": "amount"}]
RECEIPT = {
    "kind": "text", "table": "uuid", "round": "uuid",
    "terms": {"digest": "hash", **TERMS, "witnesses?": LINKS, **CUT},
    "wager": "uuid", "player": "uuid", "seat": "seat", "money_type": "money", "currency": "text", "place": "count",
    "stakes": STAKES, "raised": STAKES, "wager_signature": (None, WAGER_SIGNATURE), "leaf": "hash",
    "confirmed_at": "time", "close_by": "?time", "public_key": "hash", "signature": "signature",
}  # fmt: skip
PAYOUT = {
    "kind": "text", "table": "uuid", "round": "uuid", "terms": "hash", "wager": "uuid", "player": "uuid",
    "leaf": "hash",
    "results": [ONCE, {
        "spot": "spot", "stake": "amount", "result": "text", "returned": "amount", "commission": "amount",
    }],
    "currency": "text", "settled_at": "time", "public_key": "hash", "signature": "signature",
}  # fmt: skip
CONTRIBUTED = {
    "kind": "text", "table": "uuid", "commitment": "hash", "witnesses": LINKS, "seat": "seat", "player": "uuid",
    "contribution": "contribution", "player_key": "hex", "contributed_at": "time", "public_key": "hash",
    "signature": "signature",
}  # fmt: skip


def shaped(value: Any, shape: Any, at: str, *, closed: bool = False) -> Any:
    """Refuse a value of another shape; return it with the members of the shape only, which `closed` requires."""
    if isinstance(shape, tuple):
        return None if value is None else shaped(value, shape[1], at, closed=closed)
    if isinstance(shape, (dict, list)):
        if type(value) is not type(shape):
            raise CheckFailed(f"{at} is not as specified", "a list" if isinstance(shape, list) else "an object", value)
        if isinstance(value, dict):
            return shaped_members(value, shape, at, closed=closed)
        items = [shaped(item, shape[-1], f"{at}/{place}", closed=closed) for place, item in enumerate(value)]
        require_order(items, shape[0], at)
        return items
    if not (value is None and shape[0] == "?") and not is_of_kind(value, shape.removeprefix("?"), at):
        raise CheckFailed(f"{at} is not as specified", shape, value)
    return value


def shaped_members(value: Json, shape: Any, at: str, *, closed: bool) -> Json:
    found = {}
    for name, of in shape.items():
        plain = name.removesuffix("?")
        if plain in value:
            found[plain] = shaped(value[plain], of, f"{at}/{plain}", closed=closed)
        elif plain == name:
            raise CheckFailed(f"{at} lacks a member", name, sorted(value))
    if closed and len(found) != len(value):
        raise CheckFailed(f"{at} has other members", sorted(found), sorted(value))
    return found


def require_order(items: list[Any], order: Any, at: str) -> None:
    """Check that no two items have the same first member, and that they ascend by it, if they have to."""
    if order not in (ONCE, ASCENDING):
        return
    keys = [next(iter(item.values())) if isinstance(item, dict) else item for item in items]
    if len(set(keys)) != len(keys) or (order == ASCENDING and keys != sorted(keys)):
        raise CheckFailed(f"{at} does not list each {order}", "each once, in order", keys)


def is_of_kind(value: Any, kind: str, at: str) -> bool:
    if kind in ("flag", "value"):
        return isinstance(value, bool if kind == "flag" else (bool, int, str))
    if kind in NUMBERS:
        least, most = NUMBERS[kind]
        return type(value) is int and least <= value <= most
    if kind in ("rules", "spots"):
        return bool(shaped(value, RULES, at)["chips"]) if kind == "rules" else are_spots(value, at)
    if kind in ("members", "stakes"):
        return isinstance(value, dict) and (
            kind == "members"
            or all(is_of_kind(spot, "spot", at) and is_of_kind(value[spot], "positive", at) for spot in value)
        )
    if not isinstance(value, str):
        return False
    return is_time(value, kind) if kind in ("time", "moment") else bool(re.fullmatch(TEXTS[kind], value))


def are_spots(value: Any, at: str) -> bool:
    """Return whether spots and their pay lines say of every coup what it pays. Another member might say otherwise."""
    spots = shaped(value, [ONCE, SPOT], at, closed=True)
    names, lines = {spot["name"] for spot in spots}, [line for spot in spots for line in spot["lines"]]
    return (
        0 < len(spots) <= MOST_SPOTS
        and all(0 < len(spot["lines"]) <= MOST_LINES for spot in spots)
        and all(are_values(each["fact"], each["values"]) for line in lines for each in line["when"])
        and all(set(spot["needs"]) <= names - {spot["name"]} for spot in spots)
        and len({spot["commission"]["timing"] for spot in spots if spot["commission"]}) < 2
    )


def are_values(fact: str, values: list[Any]) -> bool:
    """Return whether there are values, and all of them of a fact: true is not 1."""
    known = [canonical(value) for value in FACTS.get(fact, ())]
    return bool(values) and all(canonical(value) in known for value in values)


def is_time(text: str, kind: str) -> bool:
    """Return whether a text is a time from 1970 on; only of a moment, microseconds that are none have to be written."""
    match = TIME_PATTERN.match(text) or (kind == "time" and TIME_PATTERN.match(text.replace("Z", ".000000Z")))
    if not match or int(match[1]) < 1970:
        return False
    try:
        datetime(*map(int, match.groups()))  # type: ignore[arg-type]  # noqa: DTZ001
    except ValueError:
        return False
    return True


def require_shape(document: Any) -> Json:
    """Check the file's structure before any other check; return it with the members that checks use."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        actual = document.get("format") if isinstance(document, dict) else type(document).__name__
        raise CannotRead("the file is not an exported round", FORMAT, actual)
    export: Json = shaped(document, EXPORT, "the file", closed=True)
    if not export["events"]:
        raise CheckFailed("the file contains no events", "the round's events", "none")
    return {**export, "events": [shape_event(event) for event in export["events"]]}


def shape_event(event: Json) -> Json:
    """Return an event with the members of its data that checks use; `sealed` has them all."""
    members, data, at = EVENTS.get(event["type"]), event["data"], f"position {event['position']}"
    if (data is None) != (event["metadata"] is None):
        raise CheckFailed(f"{at} is withheld in part", "data and metadata", "one of them")
    if members is None:
        return {**event, "sealed": data}
    if event["schema"] != 1:
        raise CheckFailed(f"{at} is a {event['type']} of an unknown schema", 1, event["schema"])
    found = None if data is None else shaped(data, members, f"{at}: {event['type']}")
    return {**event, "data": found, "sealed": data}


# ------------------------------------------------------------------------------------------------------- Ed25519, SHA-2

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def add(one: Point, other: Point) -> Point:
    """Add two points of the curve in extended coordinates (RFC 8032, 5.1.4)."""
    a, b = (one[1] - one[0]) * (other[1] - other[0]) % P, (one[1] + one[0]) * (other[1] + other[0]) % P
    c, d = 2 * one[3] * other[3] * D % P, 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def add_multiples(number: int, one: Point, factor: int, other: Point) -> Point:
    """Return number * one + factor * other, and double only once for both (Shamir's trick)."""
    terms = {"01": other, "10": one, "11": add(one, other)}
    result = (0, 1, 1, 0)
    for bits in zip(f"{number:0256b}", f"{factor:0256b}", strict=True):
        result = add(result, result)
        if term := terms.get("".join(bits)):
            result = add(result, term)
    return result


def recover(y: int, sign: int) -> int | None:
    """Return the x of a y on the curve (RFC 8032, 5.1.3), None if there is none."""
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if square == 0:
        return None if sign else 0
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P:
        return None
    return P - x if x & 1 != sign else x


def point_of(data: bytes) -> Point | None:
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    x = recover(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


Y = 4 * pow(5, P - 2, P) % P
X = recover(Y, 0) or 0
BASE = (X, Y, 1, X * Y % P)


ORDER_EIGHT = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7


def is_of_large_order(point: bytes) -> bool:
    """Return whether all verifiers read a point alike: some refuse those of small order, and other spellings."""
    y = int.from_bytes(point[:32], "little") & ((1 << 255) - 1)
    return 1 < y < P - 1 and y not in (ORDER_EIGHT, P - ORDER_EIGHT)


@functools.lru_cache(maxsize=1024)  # proofs of one log repeat its checkpoints
def is_signed(public: bytes, message: bytes, signature: bytes) -> bool:
    """Verify an Ed25519 signature of 64 bytes by a 32-byte public key (RFC 8032, 5.1.7)."""
    if len(public) != 32 or len(signature) != 64 or not is_of_large_order(public) or not is_of_large_order(signature):
        return False
    key, point, s = point_of(public), point_of(signature[:32]), int.from_bytes(signature[32:], "little")
    if key is None or point is None or s >= L:
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    x, y, z, t = key
    found = add_multiples(s, BASE, challenge, (-x, y, z, -t))
    return not ((found[0] - point[0] * found[2]) % P or (found[1] - point[1] * found[2]) % P)


# ------------------------------------------------------------------------------------------------------- digests, trees


def microseconds(text: str) -> int:
    year, month, day, hour, minute, second, fraction = map(int, TIME_PATTERN.findall(text)[0])
    moment = datetime(year, month, day, hour, minute, second, fraction, tzinfo=timezone.utc)  # noqa: UP017
    return (moment - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1)  # noqa: UP017


def instant(text: str) -> str:
    """Format a time of a key as sortable text: fractions may have any length."""
    moment, fraction = re.findall(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z\Z", text)[0]
    return f"{moment}.{fraction:0<6}"


def seal(event: Json) -> str:
    """Return the digest of a sealed event: tag, numbers, lengths, the previous digest, then the four texts."""
    texts = (
        event["stream"].encode(), event["type"].encode(), canonical(event["data"]), canonical(event["metadata"])
    )  # fmt: skip
    head = struct.pack(
        ">24sQQQIIqIIII32s", SEAL_TAG, event["position"], event["id"], event["transaction"], event["version"],
        event["schema"], microseconds(event["recorded_at"]), *map(len, texts), bytes.fromhex(event["previous"]),
    )  # fmt: skip
    return sha256(head, *texts).hex()


def root_by_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """Return the root from a leaf's hash and its path, None if the path has the wrong length (RFC 9162)."""
    if not 0 <= index < size:
        return None
    node, last, root = index, size - 1, leaf
    for step in path:
        if last == 0:
            return None
        if node & 1 or node == last:
            root = sha256(b"\1", step, root)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            root = sha256(b"\1", root, step)
        node, last = node >> 1, last >> 1
    return root if last == 0 else None


def describe_root(root: bytes | None) -> str:
    return "a path of the wrong length" if root is None else root.hex()


def root_of(leaves: Sequence[bytes]) -> bytes:
    """Return the root of a whole tree of leaf hashes (RFC 9162, 2.1.1)."""
    if len(leaves) == 1:
        return leaves[0]
    half = 1
    while 2 * half < len(leaves):
        half *= 2
    return sha256(b"\1", root_of(leaves[:half]), root_of(leaves[half:]))


# --------------------------------------------------------------------------------------------------------- signed notes

SIGNATURE_LINE = re.compile(r"\u2014 ([!-*,-~]+) ([A-Za-z0-9+/]+={0,2})\Z")
HEAD = re.compile(r"([ -~]+)\n([1-9][0-9]{0,15})\n([A-Za-z0-9+/]{43}=)\n(?:[ -~]+\n)*\Z")
MAX_SIGNATURES = 64
MAX_TIME = 253_402_300_799
"""The last second of the year 9999."""
COSIGNER = re.compile(r"([^\s+\"]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})(?![A-Za-z0-9+/=])")


def key_id(name: str, kind: bytes, public: bytes) -> bytes:
    """Return the four bytes that begin each signature of a key."""
    return sha256(name.encode(), b"\n", kind, public)[:4]


def parse_note(note: str) -> tuple[str, str, int, bytes, list[tuple[str, bytes, bytes]]]:
    """Return a signed checkpoint's text, origin, size and root, and its signatures: name, key's id, signature."""
    text, empty, lines = note.rpartition("\n\n")
    head = HEAD.match(text + "\n")
    if not empty or head is None or not lines.endswith("\n") or int(head[2]) > MAX_INTEGER:
        raise CheckFailed("the note is no signed checkpoint", "a signed note", note)
    signatures = []
    for line in lines[:-1].split("\n"):
        match = SIGNATURE_LINE.match(line)
        raw = decode_base64(match[2]) if match else b""
        if match is None or len(raw) < 5:
            raise CheckFailed("the note has a line that is no signature", "a signature", line)
        signatures.append((match[1], raw[:4], raw[4:]))
    if len({each[:2] for each in signatures}) != len(signatures) or len(signatures) > MAX_SIGNATURES:
        raise CheckFailed("the note has too many signatures, or two of one key", f"at most {MAX_SIGNATURES}", lines)
    return text + "\n", head[1], int(head[2]), decode_base64(head[3]), signatures


def decode_base64(text: str) -> bytes:
    """Decode base64 in its one canonical form."""
    raw = base64.b64decode(text, validate=True)
    if base64.b64encode(raw).decode() != text:
        raise CheckFailed("a text is not base64", base64.b64encode(raw).decode(), text)
    return raw


def parse_cosigner(match: re.Match[str]) -> tuple[str, bytes]:
    """Return the name and the public key of a cosigner."""
    name, identity, typed = match[1], match[2], base64.b64decode(match[3])
    if typed[:1] != COSIGNER_KEY or key_id(name, COSIGNER_KEY, typed[1:]).hex() != identity:
        raise ValueError(f"{match[0]} is not the key of a cosigner")
    return name, typed[1:]


# ------------------------------------------------------------------------------------------------------ shoes and cards

RANKS, SUITS = "A23456789TJQK", "cdhs"
DECK = [rank + suit for suit in SUITS for rank in RANKS]
POINTS = {card: 0 if card[0] in "TJQK" else RANKS.index(card[0]) + 1 for card in DECK}


def commitment_of(seed: bytes, table: str, shoe: str, number: int) -> str:
    """Return the commitment to the seed of one drawing."""
    return sha256(DRAWING_TAG, seed, uuid_bytes(table), uuid_bytes(shoe), struct.pack(">Q", number)).hex()


def seed_of_round(seed: bytes, number: int) -> bytes:
    """Return the seed of the table's round with this number, in a long shoe whose rounds draw their own cards."""
    return hmac.new(seed, ROUND_SEED_TAG + struct.pack(">Q", number), hashlib.sha256).digest()


def cards_left(decks: int, out: Iterable[str]) -> list[str]:
    """Return the unshuffled shoe without the cards that are out; of equal ones, the first are out."""
    cards = DECK * decks
    for card in out:
        if card not in cards:
            raise CheckFailed("more cards are out than the shoe has", decks, card)
        cards.remove(card)
    return cards


def shuffle(
    seed: bytes, cut: bytes, decks: int, count: int, *, links: Sequence[bytes] = (), out: Iterable[str] = ()
) -> list[str]:
    """Return the first `count` cards: Fisher-Yates from the front, by unbiased 32-bit words of HMAC-SHA-256.

    Each of the `links` follows its chain's id and its index, in order of the chains. What is `out` is not shuffled.
    """
    cards = cards_left(decks, out)
    words = stream(seed, cut, links)
    for place in range(count):
        left = len(cards) - place
        word = next(words)
        while word >= 2**32 - 2**32 % left:
            word = next(words)
        other = place + word % left
        cards[place], cards[other] = cards[other], cards[place]
    return cards[:count]


def stream(seed: bytes, cut: bytes, links: Sequence[bytes] = ()) -> Iterator[int]:
    """Yield the words of a drawing, under a key of its own."""
    key = hmac.new(seed, DRAW_TAG + cut + bytes([len(links)]) + b"".join(links), hashlib.sha256).digest()
    for counter in itertools.count():
        yield from struct.unpack(">8I", hmac.new(key, struct.pack(">Q", counter), hashlib.sha256).digest())


def indexes_of(witnesses: list[Json]) -> bytes:
    """Return what terms, cuts and closings say of witnesses: their count, then each chain's id and index."""
    listed = sorted(bytes.fromhex(each["chain"]) + struct.pack(">Q", each["index"]) for each in witnesses)
    if len(listed) > 4 or len({each[:32] for each in listed}) != len(listed):
        raise CheckFailed("a drawing has at most four witnesses", "a chain of each", witnesses)
    return bytes([len(listed)]) + b"".join(listed)


def cut_of(commitment: str, contributions: list[Json], indexes: bytes = b"\0") -> bytes:
    """Return the cut from the players' contributions in order of seats."""
    listed = [
        bytes([line["seat"]])
        + prefixed(bytes.fromhex(line["public_key"]))
        + prefixed(bytes.fromhex(line["contribution"]))
        for line in contributions
    ]
    return sha256(CUT_TAG, bytes.fromhex(commitment), indexes, struct.pack(">I", len(listed)), *listed)


def digest_of_terms(terms: Json) -> str:
    """Return the digest of a round's terms."""
    digests = [bytes.fromhex(terms[name]) for name in ("cards", "rules", "commitment", "cut")]
    if [len(each) for each in digests] != [32] * 4:
        raise CheckFailed("the terms have a digest of another length", "32 bytes", terms)
    return sha256(
        TERMS_TAG,
        uuid_bytes(terms["table"]),
        struct.pack(">Q", terms["number"]),
        uuid_bytes(terms["shoe"]),
        struct.pack(">Q", terms["next_place"]),
        *digests,
        indexes_of(terms["witnesses"]),
        bytes.fromhex(terms["next_commitment"]),
    ).hex()


def wager_leaf(terms: str, wager: Json, currency: str, spots: Iterable[str]) -> bytes:
    """Return the leaf of a wager, with its stakes as asked; check the player's signature, if there is one.

    `spots` are the names of the rules' spots, in their order.
    """
    raised, money = wager.get("raised", {}), 2 if wager["money_type"] == "play" else 1
    asked = {spot: units - raised.get(spot, 0) for spot, units in wager["stakes"].items()}
    head = bytes.fromhex(terms) + uuid_bytes(wager["wager"]) + uuid_bytes(wager["player"])
    head += bytes([wager["seat"], money]) + prefixed(currency.encode("ascii"))
    signature = wager.get("signature")
    nonce, key = (bytes.fromhex(signature[name]) for name in ("nonce", "public_key")) if signature else (bytes(32), b"")
    text = WAGER_TAG + head + encode_stakes(asked, spots) + nonce
    if signature and not (
        len(nonce) == 32 and key[:1] == b"\1" and is_signed(key[1:], text, bytes.fromhex(signature["signature"]))
    ):
        raise CheckFailed("a wager is not signed by its player", f"seat {wager['seat']}", signature["signature"])
    return sha256(b"\0", WAGER_LEAF_TAG, prefixed(text), prefixed(key))


def encode_stakes(stakes: dict[str, int], spots: Iterable[str]) -> bytes:
    """Return what wagers and receipts say of stakes: their count, then each spot's name and units that are not 0."""
    listed = [prefixed(spot.encode()) + struct.pack(">Q", stakes[spot]) for spot in spots if stakes.get(spot)]
    return bytes([len(listed)]) + b"".join(listed)


def prefixed(data: bytes) -> bytes:
    return struct.pack(">Q", len(data)) + data


def digest_of_closing(terms: str, closing: Json, root: bytes, closed_at: str, indexes: bytes = b"\0") -> str:
    """Return the closing digest: over a blind, the terms, the wagers, the seats and what the log had before."""
    seats = b"".join(bytes([each["seat"], each["end"]]) for each in closing["seats"])
    return sha256(
        CLOSING_TAG,
        bytes.fromhex(closing["blind"]),
        bytes.fromhex(terms),
        indexes,
        bytes([closing["kind"], closing["cause"]]),
        struct.pack(">I", closing["count"]),
        root,
        sha256(seats),
        struct.pack(">Q", microseconds(closed_at)),
        bytes.fromhex(closing["sealed_head"]),
        struct.pack(">Q", closing["cosigned_size"]),
        bytes.fromhex(closing["cosigned_root"]),
        bytes.fromhex(closing["before"]),
    ).hex()


def uuid_bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace("-", ""))


def card_leaf(place: int, card: str, salt: bytes) -> bytes:
    return sha256(b"\0", CARD_TAG, struct.pack(">Q", place), card.encode("ascii"), salt)


def salt_of(seed: bytes, place: int) -> bytes:
    return hmac.new(seed, SALT_TAG + struct.pack(">Q", place), hashlib.sha256).digest()


def total(cards: Iterable[str]) -> int:
    return sum(POINTS[card] for card in cards) % 10


BANKER_DRAWS_ON = {
    0: range(10), 1: range(10), 2: range(10), 3: (0, 1, 2, 3, 4, 5, 6, 7, 9), 4: range(2, 8), 5: range(4, 8),
    6: (6, 7), 7: (),
}  # fmt: skip


def deal_hands(cards: list[str]) -> tuple[list[str], list[str], bool, int]:
    """Return both hands from the cards in deal order, by the drawing rules, and how many cards they take."""
    if len(cards) < 4:
        raise CheckFailed("too few cards for two hands", "4 to 6 cards", cards)
    player, banker, used = [cards[0], cards[2]], [cards[1], cards[3]], 4
    if max(total(player), total(banker)) >= 8:
        return player, banker, True, used
    bank, third = total(banker), None
    if total(player) <= 5:
        third = POINTS[card_at(cards, used, "the Player draws on 0 to 5")]
        player, used = [*player, cards[used]], used + 1
    draws = bank <= 5 if third is None else third in BANKER_DRAWS_ON[bank]
    if draws:
        card_at(cards, used, f"the Banker, who has {bank}, draws")
        banker, used = [*banker, cards[used]], used + 1
    return player, banker, False, used


def deal_all(cards: list[str]) -> tuple[list[str], list[str], bool]:
    """Return both hands, which take all of the cards, and whether one is a natural."""
    player, banker, natural, used = deal_hands(cards)
    if used != len(cards):
        raise CheckFailed(f"the rules use {used} of {len(cards)} cards", used, cards)
    return player, banker, natural


def card_at(cards: list[str], place: int, why: str) -> str:
    if place >= len(cards):
        raise CheckFailed(f"a third card is missing: {why}", "another card", cards)
    return cards[place]


def outcome_of(player: list[str], banker: list[str]) -> str:
    has, bank = total(player), total(banker)
    return "player" if has > bank else "banker" if bank > has else "tie"


# --------------------------------------------------------------------------------------------------------------- money


def facts_of(cards: list[str]) -> Json:
    """Return the facts of a coup from its cards in deal order."""
    player, banker, _ = deal_all(cards)
    hands, winner = (player, banker), outcome_of(player, banker)
    points, counts = [total(hand) for hand in hands], [len(hand) for hand in hands]
    naturals = [len(hand) == 2 and total(hand) >= 8 for hand in hands]
    pairs = [hand[0][0] == hand[1][0] for hand in hands]
    perfect = [hand[0] == hand[1] for hand in hands]
    best = {"player": naturals[:1], "banker": naturals[1:], "tie": naturals}[winner]
    return {
        "winner": winner, "player_points": points[0], "banker_points": points[1], "margin": abs(points[0] - points[1]),
        "player_cards": counts[0], "banker_cards": counts[1], "cards": sum(counts),
        "natural": all(best), "player_natural": naturals[0], "banker_natural": naturals[1],
        "player_pair": pairs[0], "banker_pair": pairs[1], "player_perfect": perfect[0], "banker_perfect": perfect[1],
        "pairs": sum(pairs), "perfect_pairs": sum(perfect),
    }  # fmt: skip


def spot_of(rules: Json, name: str) -> Json:
    """Return the spot of a name."""
    for spot in rules["spots"]:
        if spot["name"] == name:
            return dict(spot)
    raise CheckFailed("a stake is on no spot of the rules", names_of(rules), name)


def names_of(rules: Json) -> list[str]:
    return [spot["name"] for spot in rules["spots"]]


def result_of(rules: Json, name: str, stake: int, facts: Json) -> Json:
    """Settle one stake: result, what it won, commission and what is returned, in minor units."""
    spot = spot_of(rules, name)
    for line in spot["lines"]:
        if all(facts[each["fact"]] in each["values"] for each in line["when"]):
            break
    else:
        return {"result": "lose", "won": 0, "commission": 0, "returned": 0}
    odds = line["pays"]
    if odds is None:
        return {"result": "push", "won": 0, "commission": 0, "returned": stake}
    won = (2 * stake * odds["numerator"] + odds["denominator"]) // (2 * odds["denominator"])
    owed = commission_on(spot["commission"], won, min(rules["chips"]))
    return {"result": "win", "won": won, "commission": owed, "returned": stake + won - owed}


def is_deferred(rules: Json) -> bool:
    return any(spot["commission"] and spot["commission"]["timing"] == "deferred" for spot in rules["spots"])


def commission_on(commission: Json | None, win: int, chip: int) -> int:
    """Return the rate of the win, at most the win: half up to the minor unit, or up to a part of the lowest chip."""
    if commission is None:
        return 0
    rate, unit = commission["rate"], commission["rounding"]
    over, under = win * rate["numerator"], rate["denominator"]
    if unit is None:
        return int((2 * over + under) // (2 * under))
    step = unit["numerator"] * chip
    steps = -((-over * unit["denominator"]) // (under * step))
    return int(min(win, -((-steps * step) // unit["denominator"])))


GAME = ("decks", "shuffle", "cut_cards_from_end", "hands_after_cut", "burn", "fixed_order", "spots")
"""The rules that decide the game, which a published preset fixes; a table's currency, chips and times are its own."""
PUBLISHED = {
    "atlantic_city": "0384e6811fbe04a693f558b32387993a617a767eae3e4c6b42edd057b4eb18d8",
    "overview": "8107cf42c9499053ed9c7c73796c0bd232aa5bfeda38872c2adf68cffafde5dd",
    "mini": "e5e81cfd6398f10b855bc24517766fe1affe5dce90b77582d96f135bdf66eaaf",
    "classic": "116e54afbe2d8a0726c1ccd97e0af6a014e7808fa0d61c8c17362908698bb5e6",
    "big_table": "3a80b9bcb8e508d90103d0e8d9b50e1665766500a61399ff55a5747971f6e60e",
}
"""The digest of these members of the rules of each published preset."""


def is_published(rules: Json) -> bool:
    """Return whether the game is that of the published preset whose name the rules bear."""
    return PUBLISHED.get(rules["preset"]) == sha256(canonical({name: rules[name] for name in GAME})).hex()


def describe_rules(rules: Json) -> Json:
    """Say whose rules decide the game, and if they are the table's own, how: the shoe, and what each spot pays."""
    published = is_published(rules)
    words = [] if published else [shoe_in_words(rules), *map(spot_in_words, rules["spots"])]
    return {"label": f"{rules['preset']}@{rules['version']}", "published": published, "words": words}


def shoe_in_words(rules: Json) -> str:
    decks = f"{rules['decks']} deck{'s' if rules['decks'] > 1 else ''}"
    if rules["shuffle"] == "each_round":
        return f"Cards: {decks}, shuffled before each round"
    last = "one more hand after the one with it" if rules["hands_after_cut"] else "the hand with it is the last"
    parts = [
        f"Cards: a shoe of {decks}", f"the cut card {rules['cut_cards_from_end']} cards from the end", last,
        *(["cards are burned as it starts"] if rules["burn"] else []),
        *(["its order is fixed as it starts"] if rules["fixed_order"] else []),
    ]  # fmt: skip
    return ", ".join(parts)


def spot_in_words(spot: Json) -> str:
    """Say what a spot pays, such as "Tie: pays 8:1 if the winner is tie"."""
    parts = [line_in_words(line) for line in spot["lines"]]
    if spot["commission"]:
        rate, unit = spot["commission"]["rate"], spot["commission"]["rounding"]
        part = "" if unit is None else f", rounded up to {unit['numerator']}/{unit['denominator']} of the lowest chip"
        later = ", set aside" if spot["commission"]["timing"] == "deferred" else ""
        parts.append(f"less {rate['numerator']}/{rate['denominator']} commission{part}{later}")
    parts += [f"{name} {spot[name]} minor units" for name in ("minimum", "maximum") if spot[name] is not None]
    if spot["needs"]:
        parts.append(f"with a stake on {' or '.join(spot['needs'])} only")
    return f"{spot['name'].replace('_', ' ').capitalize()}: {'; '.join(parts)}"


def line_in_words(line: Json) -> str:
    odds = line["pays"]
    what = "returns the stake" if odds is None else f"pays {odds['numerator']}:{odds['denominator']}"
    return " if ".join([what, *([" and ".join(map(condition_in_words, line["when"]))] if line["when"] else [])])


def condition_in_words(condition: Json) -> str:
    """Say a condition, such as "the player points are 8 or 9" or "no banker pair"."""
    name, values = condition["fact"].replace("_", " "), condition["values"]
    if FACTS[condition["fact"]] is FLAG:
        return " or ".join(f"{'a' if value else 'no'} {name}" for value in values)
    return f"the {name} {'are' if name.endswith('s') else 'is'} {' or '.join(map(str, values))}"


# ------------------------------------------------------------------------------------------------------------ the proof

RULES_EVENTS = {"TableOpened", "RulesTookEffect"}
TABLE_EVENTS = {
    *RULES_EVENTS, "TermsFixed", "ShoeCommitted", "ShoeCutContributed", "ShoeCutClosed", "ShoeLinksReleased",
    "ShoeStarted", "ShoeEnded", "TableClosed", "WitnessChainOpened", "WitnessChainsReplaced",
}  # fmt: skip
SINGLE_EVENTS = {
    "TableOpened", "ShoeCommitted", "ShoeCutClosed", "ShoeLinksReleased", "ShoeStarted", "ShoeEnded", "TableClosed",
    "LinksReleased",
}  # fmt: skip
"""Those of the table's and the round's that occur once, beside those whose order says so."""
REDACTABLE_EVENTS = {
    "RoundSuspended", "RoundResumed", "RoundVoidRequested", "RoundVoidDeclined", "RoundVoided", "ShoeEnded",
}  # fmt: skip
BETTING = {"RoundOpened", "CardsForced", "SeatPassed", "SeatTimedOut", "WagerConfirmed"}
CLOSED = {"BettingClosed", "HandTurned"}
FOLLOWS = {
    **dict.fromkeys((*BETTING, "BettingClosed"), BETTING), **dict.fromkeys(("HandTurned", "CardsDealt"), CLOSED),
    "RoundOpened": {""}, "CardsForced": {"RoundOpened"}, "RoundSettled": {"CardsDealt"},
    "RoundVoided": BETTING | CLOSED | {"CardsDealt", "RoundSettled"},
}  # fmt: skip
"""Events of a round that its result depends on, and which of them each may directly follow."""


class Proof:
    """The parts of the file, and its events by kind."""

    def __init__(
        self, document: Json, keys: set[str], witness_keys: Iterable[str] = (), *, require_signed: bool = False
    ) -> None:
        self.round, self.rules, self.shoe = document["round"], document["rules"], document["shoe"]
        self.events, self.inclusion_proofs = document["events"], document["inclusion_proofs"]
        self.checkpoint, self.keys = document["checkpoint"], document["keys"]
        keys = keys | set(witness_keys)
        self.trusted = {key for key in keys if HEX64.match(key)}
        self.required, self.require_signed = self.trusted.intersection(witness_keys), require_signed
        self.cosigners = [parse_cosigner(match) for match in map(COSIGNER.match, sorted(keys - self.trusted)) if match]
        self.stream = f"round-{self.round['id']}"
        self.table_stream = f"table-{self.round['table']}"
        self.of_round = [event for event in self.events if event["stream"] == self.stream]
        self.of_table = [event for event in self.events if event["stream"] == self.table_stream]
        own = {self.stream, self.table_stream}
        self.others = [event for event in self.events if event["stream"] not in own]

    def require_event(self, kind: str) -> Json:
        """Return the first event of a kind, which must exist and not be withheld."""
        event = self.find_event(kind)
        if event is None:
            raise CheckFailed("an event is missing", kind, [each["type"] for each in self.of_round])
        if event["data"] is None:
            raise CheckFailed("an event is withheld that must be readable", kind, "withheld")
        return event

    def find_event(self, kind: str) -> Json | None:
        return next((event for event in self.of_round if event["type"] == kind), None)

    def all_data(self, kind: str) -> list[Json]:
        return [event["data"] for event in self.of_round if event["type"] == kind and event["data"] is not None]

    @property
    def opened(self) -> Json:
        return dict(self.require_event("RoundOpened")["data"])

    @property
    def witnesses(self) -> list[Json]:
        """Return the links that the round uses: the chain of each witness, and the index."""
        return list(self.opened.get("witnesses", []))

    @property
    def shoe_witnesses(self) -> list[Json]:
        """Return the links that the shoe follows from: those of the round, or of its long shoe."""
        if not self.is_long:
            return self.witnesses
        closed = self.find_shoe_event("ShoeCutClosed")
        return list(closed["data"]["witnesses"]) if closed else []

    @property
    def is_long(self) -> bool:
        return bool(self.rules["shuffle"] == "shoe")

    @property
    def draws_by_round(self) -> bool:
        """Return whether the round draws its cards from what is left of a long shoe."""
        return self.is_long and not self.rules["fixed_order"]

    def terms_events(self, number: int) -> list[Json]:
        """Return the events that fix the terms of the table's round with this number, with what they say of them."""
        fixed = [event for event in self.of_table if event["type"] == "TermsFixed" and event["data"]]
        events = sorted((*fixed, *filter(None, map(terms_with_cards, self.others))), key=lambda each: each["position"])
        return [event for event in events if event["data"]["number"] == number]

    def find_shoe_event(self, kind: str) -> Json | None:
        """Return the table's event of a kind about this shoe."""
        about = [event for event in self.of_table if event["data"] and event["data"].get("shoe") == self.shoe["id"]]
        return next((event for event in about if event["type"] == kind), None)


def terms_with_cards(event: Json) -> Json | None:
    """Return the event of a deal with which the next round's terms were fixed, as one that fixes terms; or None."""
    terms = event["type"] == "CardsDealt" and event["data"] and event["data"].get("next_terms")
    if not terms:
        return None
    shape = {"decks": terms["decks"], "cut_cards_from_end": None, "burn": False, "fixed_order": False}
    shoe = {"shoe": terms["shoe"], "commitment": terms["commitment"], "shape": shape}
    return {**event, "data": {"number": terms["number"], "next_shoe": shoe, "place": None}}


def check_digests(proof: Proof) -> str:
    """Check that each digest follows from the event's content, time, position and the previous digest."""
    withheld = [event for event in proof.events if event["data"] is None]
    for event in proof.events:
        where = f"position {event['position']}, {event['stream']} version {event['version']}, {event['type']}"
        if event["data"] is None:
            if event["type"] not in REDACTABLE_EVENTS:
                raise CheckFailed(
                    f"an event is withheld that must be readable: {where}", "its data and metadata", "withheld"
                )
            continue
        computed = seal({**event, "data": event["sealed"]})
        if computed != event["digest"]:
            raise CheckFailed(f"the digest does not follow from the content: {where}", event["digest"], computed)
    if withheld:
        names = ", ".join(event["type"] for event in withheld)
        raise CannotCheck(
            f"{len(proof.events) - len(withheld)} of {len(proof.events)} digests are right; withheld from this reader: "
            f"{names}. Their digests are in the log, their content can't be checked with this file"
        )
    return f"all {len(proof.events)} digests follow from the events"


def check_chain(proof: Proof) -> str:
    """Check that events ascend, that the round's stream has no gap, and that neighbours in the log are linked."""
    rounds = [find_round_before(event, proof) for event in proof.others]
    for at, event in enumerate(proof.others):
        if rounds[at] is None or rounds[at] in rounds[:at]:
            raise CheckFailed("an event belongs to another stream", [proof.stream, proof.table_stream], event["stream"])
    for event in proof.events:
        if not is_in_its_stream(event, proof):
            what = f"a {event['type']} is in another stream, or of another shoe"
            raise CheckFailed(what, [proof.stream, proof.table_stream], event["stream"])
    single = [event["type"] for event in (*proof.of_round, *proof.of_table) if event["type"] in SINGLE_EVENTS]
    if len(set(single)) != len(single):
        raise CheckFailed("an event occurs twice", sorted(set(single)), sorted(single))
    for events, name in ((proof.events, "position"), (proof.of_round, "version"), (proof.of_table, "version")):
        for before, after in itertools.pairwise(events):
            if after[name] <= before[name]:
                raise CheckFailed(f"events of {after['stream']} are out of order", f"above {before[name]}", after[name])
    versions = [event["version"] for event in proof.of_round]
    if versions != list(range(1, len(versions) + 1)):
        raise CheckFailed("the round's events have a gap", list(range(1, len(versions) + 1)), versions)
    check_order(proof)
    return (
        f"no gap in the round's {len(versions)} events; "
        f"{count_linked_neighbours(proof)} links between neighbours in the log hold"
    )


def is_in_its_stream(event: Json, proof: Proof) -> bool:
    """Return whether the event of a table is in its stream, and of this shoe if it is of a shoe; others are not."""
    kind, data, of_table = event["type"], event["data"], event["type"] in TABLE_EVENTS
    if of_table and kind.startswith("Shoe") and data is not None and data["shoe"] != proof.shoe["id"]:
        return False
    return of_table == bool(event["stream"] == proof.table_stream)


def check_order(proof: Proof) -> None:
    """Check that shoe, wagers, closing, cards and settlement came in this order, and the closing before the seed."""
    transactions = [number for number, _ in itertools.groupby(event["transaction"] for event in proof.events)]
    if len(set(transactions)) != len(transactions):
        raise CheckFailed("events of one transaction are apart", sorted(set(transactions)), transactions)
    played = [event["type"] for event in proof.of_round if event["type"] in FOLLOWS]
    for before, after in itertools.pairwise(["", *played]):
        if before not in FOLLOWS[after]:
            raise CheckFailed(f"events of {proof.stream} are out of order", sorted(FOLLOWS[after]), before)
    opened = proof.require_event("RoundOpened")["position"]
    closed = proof.find_event("BettingClosed") or proof.find_event("RoundVoided")
    for event in proof.of_table:
        late = event["type"] == "ShoeStarted" and event["position"] > opened
        if late or (
            event["type"] in ("ShoeEnded", "TableClosed") and closed and event["position"] < closed["position"]
        ):
            raise CheckFailed(f"events of {event['stream']} are out of order", opened, event["position"])


def find_round_before(event: Json, proof: Proof) -> int | None:
    """Return how many rounds before this one another round's event is; None for one that is not about this round.

    With the cards of the round before, its terms were fixed; with those of the last but one, its shoe was committed to.
    """
    terms = terms_with_cards(event)
    if proof.is_long or not re.fullmatch(f"round-{TEXTS['uuid']}", event["stream"]):
        return None
    ahead = proof.opened["number"] + 1 - terms["data"]["number"] if terms else 0
    return ahead if ahead in {1, 2} else None


def count_linked_neighbours(proof: Proof) -> int:
    """Count events whose neighbour is in the file, and check that they are linked, and the log's first to none."""
    count, first = 0, proof.events[0]
    if first["position"] == 1 and first["previous"] != NO_DIGEST:
        raise CheckFailed("position 1 is linked to another", NO_DIGEST, first["previous"])
    for before, after in itertools.pairwise(proof.events):
        if after["position"] == before["position"] + 1:
            count += 1
            if before["digest"] != after["previous"]:
                where = before["position"]
                raise CheckFailed(f"the link to position {where} is broken", before["digest"], after["previous"])
    return count


def check_inclusion(proof: Proof) -> str:
    """Check that each event's digest is a leaf of the checkpoint's Merkle tree."""
    size, root = (0, b"") if proof.checkpoint is None else parse_note(proof.checkpoint)[2:4]
    listed = [line["position"] for line in proof.inclusion_proofs]
    within = [event["position"] for event in proof.events if event["position"] <= size]
    if set(listed) - set(within) or len(set(listed)) != len(listed):
        raise CheckFailed("some inclusion proofs belong to none of the events", sorted(within), sorted(listed))
    if proof.checkpoint is None:
        raise CannotCheck("no checkpoint has been signed since; export the round again later")
    paths = {line["position"]: [bytes.fromhex(step) for step in line["path"]] for line in proof.inclusion_proofs}
    younger = [event["position"] for event in proof.events if event["position"] > size]
    for event in proof.events:
        position = event["position"]
        if position > size:
            continue
        if position not in paths:
            raise CheckFailed("an inclusion path is missing", f"a path for position {position}", sorted(paths))
        leaf = sha256(b"\0", bytes.fromhex(event["digest"]))
        computed = root_by_path(leaf, position - 1, size, paths[position])
        if computed != root:
            raise CheckFailed(
                f"position {position} is not in the checkpoint's tree", root.hex(), describe_root(computed)
            )
    if younger:
        raise CannotCheck(f"positions {younger} are younger than the checkpoint; export the round again later")
    return f"all {len(proof.events)} events are in the tree of checkpoint {size}"


def signing_key(proof: Proof) -> tuple[Json, bytes]:
    """Return the listed key that a line of the checkpoint names, and that line's signature."""
    if proof.checkpoint is None:
        raise CannotCheck("there is no checkpoint yet")
    _, origin, _, _, signatures = parse_note(proof.checkpoint)
    listed = {key_id(origin, NOTE_KEY, bytes.fromhex(key["public_key"])): key for key in proof.keys}
    own = [(listed[identity], signature) for name, identity, signature in signatures
           if name == origin and identity in listed]  # fmt: skip
    if len(own) != 1:
        raise CheckFailed("not one listed key has signed the checkpoint", [each["id"] for each in proof.keys], len(own))
    return own[0]


def check_signature(proof: Proof) -> str:
    """Check that a listed key has signed the checkpoint, and was in force when the newest event in it happened."""
    key, signature = signing_key(proof)
    text, origin, size, _, _ = parse_note(proof.checkpoint)
    if not is_signed(bytes.fromhex(key["public_key"]), text.encode(), signature):
        raise CheckFailed(f"the signature is not by key {key['id']}", "a valid Ed25519 signature", signature.hex())
    times = [instant(event["recorded_at"]) for event in proof.events if event["position"] <= size]
    if key["valid_until"] is not None and any(each > instant(key["valid_until"]) for each in times):
        raise CheckFailed(f"key {key['id']} was not in force at that time", key["valid_until"], max(times))
    return f"checkpoint {size} of the log of {origin} is signed by key {key['id']}"


def check_key(proof: Proof) -> str:
    """Check that the signing key is known from another source."""
    key, _ = signing_key(proof)
    if not proof.trusted:
        raise CannotCheck("the key comes from the file itself; pass the casino's published key to be sure")
    if key["public_key"] not in proof.trusted:
        raise CheckFailed("the checkpoint is signed by another key", sorted(proof.trusted), key["public_key"])
    return "the signing key is a trusted one"


def check_cosignatures(proof: Proof) -> str:
    """Check that witnesses have cosigned the checkpoint, which is of the log that their chains are for."""
    _, origin, size, _, signatures = parse_note(proof.checkpoint) if proof.checkpoint else ("", "", 0, b"", [])
    names = ", ".join(dict.fromkeys(name for name, _, _ in signatures if name != origin))
    if not names:
        raise DoesNotApply("no witness has cosigned the checkpoint")
    origins = [chain[3] for chain in opened_chains(proof).values()]
    if any(each != origin for each in origins):
        raise CheckFailed("the cosigned log is not the one of the witnesses' chains", origins, origin)
    cosigned = find_cosignatures(proof)
    if not cosigned:
        raise CannotCheck(f"the log of {origin} is cosigned by keys that you do not trust, under these names: {names}")
    return f"the log of {origin}, of {size} positions, is cosigned by {describe_cosignatures(cosigned)}"


def find_cosignatures(proof: Proof) -> list[Json]:
    """Return the name and the time of each cosignature by a trusted key."""
    text, _, _, _, signatures = parse_note(proof.checkpoint)
    trusted = {(name, key_id(name, COSIGNER_KEY, key)): key for name, key in proof.cosigners}
    cosigned = []
    for name, identity, blob in signatures:
        if (name, identity) not in trusted:
            continue
        moment = int.from_bytes(blob[:8], "big")
        message = f"cosignature/v1\ntime {moment}\n{text}".encode()
        if not 0 < moment <= MAX_TIME or not is_signed(trusted[name, identity], message, blob[8:]):
            raise CheckFailed("a cosignature is not by its key", name, blob.hex())
        at = datetime(1970, 1, 1) + timedelta(seconds=moment)  # noqa: DTZ001
        cosigned.append({"name": name, "time": f"{at:%Y-%m-%dT%H:%M:%S}Z"})
    return cosigned


def describe_cosignatures(cosigned: list[Json]) -> str:
    return ", ".join(f"{each['name']} at {each['time']}" for each in cosigned)


def check_rules(proof: Proof) -> str:
    """Check that the rules in the file are those of the table at the round's opening."""
    start = proof.require_event("RoundOpened")
    opened = start["data"]
    rules_events = [
        event for event in proof.of_table
        if event["type"] in RULES_EVENTS and event["data"] and event["position"] < start["position"]
    ]  # fmt: skip
    if not rules_events or rules_events[0]["type"] != "TableOpened":
        raise CheckFailed(
            "no event contains the table's rules", "TableOpened", [event["type"] for event in proof.of_table]
        )
    recorded = rules_events[-1]["data"]["rules"]
    wanted = {**recorded["values"], "third_cards": "punto_banco"}
    for name in sorted(set(wanted) | set(proof.rules)):
        if name not in proof.rules or name not in wanted or not same_type_and_value(proof.rules[name], wanted[name]):
            raise CheckFailed(f"the rules differ: {name}", wanted.get(name), proof.rules.get(name))
    digest, name = sha256(canonical(recorded["values"])).hex(), f"{proof.rules['preset']}@{proof.rules['version']}"
    if recorded["digest"] != digest:
        raise CheckFailed("the rules have another digest", digest, recorded["digest"])
    if (opened["rules"], opened["rules_label"]) != (digest, name):
        raise CheckFailed("the round was opened under other rules", [digest, name], opened["rules"])
    return f"{name}, {digest}, as recorded in the log"


def check_record(proof: Proof) -> str:
    """Check that the summary matches the events."""
    opened, settled, dealt = proof.opened, proof.find_event("RoundSettled"), proof.find_event("CardsDealt")
    ended, cards = (settled or {}).get("data") or {}, (dealt or {}).get("data") or {}
    voided = proof.find_event("RoundVoided")
    if voided is None and settled is None:
        raise CheckFailed("the round has not ended", "RoundSettled or RoundVoided", proof.of_round[-1]["type"])
    wanted = {
        "id": opened["round"], "table": opened["table"], "operator": opened["operator"], "number": opened["number"],
        "rules": opened["rules"], "rules_label": opened["rules_label"], "currency": proof.rules["currency"],
        "phase": "settled" if voided is None else "voided",
        "opened_at": opened["opened_at"], "settled_at": ended.get("settled_at"),
        "shoe_position": cards.get("shoe_position"), "cards": cards.get("cards", []), "outcome": ended.get("outcome"),
        "player_total": ended.get("player_total"), "banker_total": ended.get("banker_total"),
        "natural": ended.get("natural"),
    }  # fmt: skip
    for name in sorted(set(wanted) | set(proof.round)):
        if name not in wanted or name not in proof.round or not same_type_and_value(wanted[name], proof.round[name]):
            raise CheckFailed(f"the summary differs: {name}", wanted.get(name), proof.round.get(name))
    wanted = {"id": opened["shoe"], "decks": proof.rules["decks"], "shoe_position": cards.get("shoe_position")}
    if not proof.draws_by_round:
        wanted |= {"round_seed": None, "dealt": []}
    for name, value in wanted.items():
        if not same_type_and_value(value, proof.shoe[name]):
            raise CheckFailed(f"the shoe's summary differs: {name}", value, proof.shoe[name])
    return f"round {opened['number']} of table {opened['table']}: {ended.get('outcome') or 'no outcome'}"


def find_commitment(proof: Proof) -> tuple[Json, Json]:
    """Return the event that committed to the shoe's seed, and the one that fixed its order."""
    if not proof.is_long:
        return find_announcing_event(proof), require_terms(proof)[0]
    started = proof.find_shoe_event("ShoeStarted")
    if started is None:
        raise CheckFailed(
            "no event starts the round's shoe", "ShoeStarted", [event["type"] for event in proof.of_table]
        )
    promise = proof.find_shoe_event("ShoeCommitted")
    if promise is None:
        raise CheckFailed("an event is missing", "ShoeCommitted", [event["type"] for event in proof.of_table])
    return promise, started


def require_terms(proof: Proof) -> list[Json]:
    """Return the events that fixed the round's terms; the first closed the cut of its own shoe."""
    fixed = proof.terms_events(proof.opened["number"])
    if not fixed:
        raise CheckFailed("no event fixes the round's terms", "TermsFixed", [each["type"] for each in proof.of_table])
    return fixed


def find_announcing_event(proof: Proof) -> Json:
    """Return the event that committed to the round's own shoe: the table's opening, or what was fixed a round ahead."""
    number = proof.opened["number"]
    first = next((event for event in proof.of_table if event["type"] == "TableOpened"), None)
    if first is None:
        raise CheckFailed("an event is missing", "TableOpened", [event["type"] for event in proof.of_table])
    events = [first] if number == 1 else proof.terms_events(number - 1)
    committing = [event for event in events if event["data"].get("next_shoe")]
    if len(committing) != 1:
        raise CheckFailed("not one earlier event commits to the round's shoe", 1, len(committing))
    event: Json = committing[0]
    commitment = event["data"]["next_shoe"]
    if commitment["shoe"] != proof.opened["shoe"]:
        raise CheckFailed("the commitment is to another shoe", commitment["shoe"], proof.opened["shoe"])
    return event


def commitment_data(proof: Proof, promise: Json) -> Json:
    """Return what that event commits to: a commitment, and the shape it is bound to."""
    return dict(promise["data"] if proof.is_long else promise["data"]["next_shoe"])


def describe_commitment_time(proof: Proof, promise: Json) -> str:
    if proof.is_long:
        return ", before the first bet"
    wager = proof.find_event("WagerConfirmed")
    if wager is None:
        return " one round ahead"
    seconds = (microseconds(wager["recorded_at"]) - microseconds(promise["recorded_at"])) // 10**6
    return f" one round ahead, {seconds} s before the first wager"


def require_revealed(proof: Proof) -> None:
    """Check that seeds are those that events reveal, which may be withheld; and that none reveals a secret one."""
    by_round = seeds_in(proof.find_event("RoundSettled"), proof.find_event("RoundVoided"))
    by_table = seeds_in(proof.find_shoe_event("ShoeEnded"))
    for event in proof.of_table:
        if event["type"] == "TableClosed":
            by_table |= {each["seed"] for each in event["data"]["seeds"] if each["shoe"] == proof.shoe["id"]} - {None}
    is_withheld = any(event["data"] is None for event in proof.events)
    known = {"seed": by_table, "round_seed": by_round} if proof.draws_by_round else {"seed": by_table | by_round}
    for name, revealed in known.items():
        seed = proof.shoe[name]
        if revealed - {seed} or not (seed is None or revealed or is_withheld):
            raise CheckFailed("the seed differs from the revealed one", sorted(revealed), seed)


def seeds_in(*events: Json | None) -> set[str]:
    return {event["data"]["seed"] for event in events if event and event["data"]} - {None}


def check_commitment(proof: Proof) -> str:
    """Check that the revealed seed is the one committed to before the first bet."""
    promise, fixed = find_commitment(proof)
    opened, committed = proof.require_event("RoundOpened"), commitment_data(proof, promise)
    commitment = committed["commitment"]
    if promise["position"] > opened["position"]:
        raise CheckFailed("the commitment came after the round was opened", opened["position"], promise["position"])
    for event in (fixed, opened):
        later = event["data"].get("commitment")
        if later is not None and later != commitment:
            raise CheckFailed("the shoe has two commitments", commitment, later)
    if proof.shoe["commitment"] != commitment:
        raise CheckFailed("the commitment differs from the recorded one", commitment, proof.shoe["commitment"])
    played = {name: proof.rules[name] for name in SHOE_SHAPE}
    if not same_type_and_value(committed["shape"], played):
        raise CheckFailed("the commitment is for other rules", committed["shape"], played)
    seed = proof.shoe["seed"]
    require_revealed(proof)
    if proof.draws_by_round:
        check_round_seed(proof)
    if seed is None:
        own = "the round's seed opens its commitment; " if proof.shoe["round_seed"] else ""
        raise CannotCheck(f"{own}the shoe's seed is secret until the shoe ends")
    number = committed["number"] if proof.is_long else opened["data"]["number"]
    computed = commitment_of(bytes.fromhex(seed), opened["data"]["table"], proof.shoe["id"], number)
    if computed != commitment:
        raise CheckFailed("the seed does not open the commitment", commitment, computed)
    when = describe_commitment_time(proof, promise)
    return f"the seed's hash is {commitment}, published at position {promise['position']}{when}"


def check_round_seed(proof: Proof) -> None:
    """Check that the seed by which a round draws its cards opens its commitment, and follows from its shoe's."""
    if proof.shoe["round_seed"] is None:
        return
    seed, number = bytes.fromhex(proof.shoe["round_seed"]), proof.opened["number"]
    commitment = (require_terms(proof)[-1]["data"]["place"] or {}).get("commitment")
    computed = commitment_of(seed, proof.round["table"], proof.shoe["id"], number)
    if computed != commitment:
        raise CheckFailed("the round's seed does not open its commitment", commitment, computed)
    if proof.shoe["seed"] is not None:
        due = seed_of_round(bytes.fromhex(proof.shoe["seed"]), number).hex()
        if due != seed.hex():
            raise CheckFailed("the round's seed does not follow from the shoe's", due, seed.hex())


def is_signed_contribution(table: str, commitment: str, data: Json, indexes: bytes = b"\0") -> bool:
    """Return whether a contribution is signed by its player."""
    key = bytes.fromhex(data["signature"]["public_key"])
    signed = (
        CONTRIBUTION_TAG + bytes.fromhex(table.replace("-", "")) + bytes.fromhex(commitment) + indexes
        + bytes([data["seat"]]) + prefixed(bytes.fromhex(data["contribution"]))
    )  # fmt: skip
    return key[:1] == b"\1" and is_signed(key[1:], signed, bytes.fromhex(data["signature"]["signature"]))


def with_keys(contributions: list[Json]) -> list[Json]:
    """Return contributions with the public keys of their signatures, empty where there is none."""
    return [{"public_key": "", **line} for line in contributions]


def collect_contributions(proof: Proof, promise: Json, fixed: Json) -> list[Json]:
    """Return each seat's last contribution between the commitment and the fixing of the cut."""
    contributions = {}
    commitment = commitment_data(proof, promise)["commitment"]
    indexes = indexes_of([] if proof.is_long else proof.witnesses)
    fixed = (proof.find_shoe_event("ShoeCutClosed") if proof.is_long else None) or fixed
    for event in (*proof.of_round, *proof.of_table):
        data = event["data"]
        if event["type"] != "ShoeCutContributed":
            continue
        if not promise["position"] < event["position"] < fixed["position"]:
            when = [promise["position"], fixed["position"]]
            raise CheckFailed("a contribution is too early or too late", when, event["position"])
        signature, contribution = data.get("signature"), bytes.fromhex(data["contribution"]).hex()
        if signature is not None and not is_signed_contribution(proof.round["table"], commitment, data, indexes):
            raise CheckFailed("a contribution is not signed by its player", data["seat"], signature["signature"])
        key = "" if signature is None else signature["public_key"]
        contributions[data["seat"]] = {"seat": data["seat"], "contribution": contribution, "public_key": key}
    return [contributions[seat] for seat in sorted(contributions)]


def check_cut(proof: Proof) -> str:
    """Check that the cut follows from the contributions between the commitment and the first card."""
    promise, fixed = find_commitment(proof)
    listed = collect_contributions(proof, promise, fixed)
    cut = cut_of(commitment_data(proof, promise)["commitment"], listed, indexes_of(proof.shoe_witnesses)).hex()
    places = [("exported", proof.shoe), *([("recorded", fixed["data"])] if proof.is_long else [])]
    for where, data in places:
        if not same_type_and_value(with_keys(data["contributions"]), listed):
            raise CheckFailed(f"the {where} contributions differ from those in the log", listed, data["contributions"])
        if data["cut"] != cut:
            raise CheckFailed(f"the {where} cut does not result from the contributions", cut, data["cut"])
    repeated: list[Json] = [] if proof.is_long else listed  # a round's events repeat none of a long shoe
    if not same_type_and_value(with_keys(proof.opened["contributions"]), repeated):
        what = "the opening's contributions differ from those in the log"
        raise CheckFailed(what, repeated, proof.opened["contributions"])
    if proof.is_long:
        check_shoe_closing(proof, fixed)
    if not listed:
        return f"{cut}, as nobody contributed"
    seats = ", ".join(str(line["seat"]) for line in listed)
    return f"{cut}, from the contributions of seats {seats} before the first card"


def check_shoe_closing(proof: Proof, started: Json) -> None:
    """Check that the closing of a long shoe pins its cut: as it starts, or before its witnesses' links."""
    data, closed = started["data"], proof.find_shoe_event("ShoeCutClosed")
    closing, closed_at = data["closing"], data["started_at"]
    if closed:
        if closing is not None:
            raise CheckFailed("the shoe has two closings", None, closing)
        started, closing, closed_at = closed, closed["data"]["closing"], closed["data"]["closed_at"]
    committed = commitment_data(proof, find_commitment(proof)[0])
    if data["number"] != committed["number"]:
        raise CheckFailed("the shoe has another number", committed["number"], data["number"])
    if closing is None:
        raise CheckFailed("the shoe's closing is missing", "a closing digest", None)
    rules = [
        event["data"]["rules"]["values"] for event in proof.of_table
        if event["type"] in RULES_EVENTS and event["data"] and event["position"] < started["position"]
    ]  # fmt: skip
    terms = digest_of_terms({
        "table": proof.round["table"], "number": data["first_round"], "shoe": data["shoe"], "next_place": 0,
        "cards": sha256(b"").hex(), "rules": sha256(canonical(rules[-1])).hex(), "commitment": data["commitment"],
        "cut": data["cut"], "witnesses": proof.shoe_witnesses, "next_commitment": NO_DIGEST,
    })  # fmt: skip
    cosigned = closing.get("cosigned") or {"size": 0, "root": NO_DIGEST}
    wanted = {
        "kind": 4, "cause": 0, "count": 0, "seats": [],
        "cosigned_size": cosigned["size"], "cosigned_root": cosigned["root"],
    }  # fmt: skip
    indexes = indexes_of(proof.shoe_witnesses)
    digest = digest_of_closing(terms, {**closing, **wanted}, sha256(b""), format_instant(closed_at), indexes)
    if closing["digest"] != digest:
        raise CheckFailed("the shoe's closing digest differs", digest, closing["digest"])
    check_references(proof, started, closing)


def check_terms(proof: Proof) -> str:
    """Check that the round opened on terms fixed before it, that name its table, rules, shoe and cut."""
    opened = proof.require_event("RoundOpened")
    fixed = require_terms(proof)
    if fixed[-1]["position"] > opened["position"]:
        raise CheckFailed("the terms were fixed after betting opened", opened["position"], fixed[-1]["position"])
    last, dealt = fixed[-1]["data"], proof.find_event("CardsDealt")
    rules = {name: value for name, value in proof.rules.items() if name != "third_cards"}
    wanted = {
        "table": proof.round["table"], "number": opened["data"]["number"], "shoe": opened["data"]["shoe"],
        "rules": sha256(canonical(rules)).hex(), "commitment": proof.shoe["commitment"], "cut": proof.shoe["cut"],
        "witnesses": proof.witnesses,
    }  # fmt: skip
    if dealt:
        wanted["next_place"] = dealt["data"]["shoe_position"]
    if not proof.is_long:
        wanted |= place_of_own_shoe(fixed)
    if proof.draws_by_round:  # its commitment is to a seed of the round's own
        wanted.pop("commitment")
        wanted["cards"] = sha256("".join(proof.shoe["dealt"]).encode("ascii")).hex()
    if any(event["data"].get("place") != last["place"] for event in fixed):
        raise CheckFailed("the terms differ: place", fixed[0]["data"]["place"], last["place"])
    terms = {**wanted, **(last["place"] or {})}
    digest = digest_of_terms(terms)
    for where, value in (("recorded", last.get("digest", digest)), ("opening's", opened["data"]["terms"])):
        if value != digest:
            raise CheckFailed(f"the {where} digest is not of these terms", digest, value)
    for name, value in wanted.items():
        if not same_type_and_value(terms[name], value):
            raise CheckFailed(f"the terms differ: {name}", value, terms[name])
    return f"{digest}, fixed at position {fixed[-1]['position']}, before betting opened"


def place_of_own_shoe(fixed: list[Json]) -> Json:
    """Return where the cards of a round's own shoe begin, and the commitment after it; terms say neither."""
    if any(event["data"].get("place") for event in fixed):
        raise CheckFailed("the terms of a round's own shoe have a place", None, fixed[-1]["data"]["place"])
    following = fixed[0]["data"]["next_shoe"] or {}
    return {"next_place": 0, "cards": sha256(b"").hex(), "next_commitment": following.get("commitment")}


ENDS = {"WagerConfirmed": 1, "SeatPassed": 2, "SeatTimedOut": 3, "SeatLeftRound": None}
VOID_CAUSES = {"malfunction": 1, "misdeal": 2, "wrong_rules": 3, "fraud": 4, "other": 5}


def find_closing(proof: Proof) -> tuple[Json, int, int, str]:
    """Return the event with the round's closing, the closing's kind and cause, and the name of its time."""
    closed, voided = proof.find_event("BettingClosed"), proof.find_event("RoundVoided")
    event = closed or voided
    if closed and voided and voided["data"] and voided["data"].get("closing"):
        raise CheckFailed("the round has two closings", None, voided["data"]["closing"])
    if event is None or event["data"] is None:
        raise DoesNotApply("betting never closed")
    if event["data"]["closing"] is None:
        raise CheckFailed("the closing is missing", "a closing digest", None)
    if closed is not None:
        return closed, 1, 0, "closed_at"
    return event, 2, VOID_CAUSES[event["data"]["reason"]], "voided_at"


def find_ends(proof: Proof) -> list[Json]:
    """Return how each seat's turn ended, once, by seat; seats that left the round are not listed."""
    ends: dict[int, int | None] = {}
    for event in proof.of_round:
        if event["type"] in ENDS:
            seat = event["data"]["seat"]
            if seat in ends:
                raise CheckFailed("the turn of a seat ended twice", "one end", seat)
            ends[seat] = ENDS[event["type"]]
    return [{"seat": seat, "end": end} for seat, end in sorted(ends.items()) if end]


def check_closing(proof: Proof) -> str:
    """Check that the closing digest pins every wager in order, and how each seat's turn ended."""
    closed, kind, cause, at = find_closing(proof)
    data, closing = closed["data"], closed["data"]["closing"]
    terms, currency = proof.opened["terms"], proof.rules["currency"]
    wagers = proof.all_data("WagerConfirmed")
    leaves = [wager_leaf(terms, wager, currency, names_of(proof.rules)) for wager in wagers]
    root = root_of(leaves) if leaves else sha256(b"")
    cosigned = closing.get("cosigned") or {"size": 0, "root": NO_DIGEST}
    wanted = {
        "kind": kind, "cause": cause, "count": len(wagers), "wagers": root.hex(),
        "cosigned_size": cosigned["size"], "cosigned_root": cosigned["root"],
        "seats": find_ends(proof),
    }  # fmt: skip
    indexes = indexes_of(proof.witnesses)
    digest = digest_of_closing(terms, {**closing, **wanted}, root, format_instant(data[at]), indexes)
    if closing["digest"] != digest:
        raise CheckFailed("the closing digest differs", digest, closing["digest"])
    rest, signed = check_references(proof, closed, closing), sum(map(is_signed_wager, wagers))
    if proof.require_signed and signed < len(wagers):
        raise CannotCheck(f"{digest}, over {len(wagers)} wagers, {signed} signed; you require that all are")
    early = "" if signed == len(wagers) else "; an early closing is not excluded"
    return f"{digest}, over {len(wagers)} wagers, {signed} signed{early}{unchecked(rest)}"


def is_signed_wager(wager: Json) -> bool:
    return wager.get("signature") is not None


def unchecked(names: Iterable[str]) -> str:
    """Say which members point to what is not in the file."""
    listed = ", ".join(dict.fromkeys(names))
    return f"; not checked, as it is not in the file: {listed}" if listed else ""


def check_references(proof: Proof, closed: Json, closing: Json) -> list[str]:
    """Check what a closing says of the log and the closing before; return the names of what the file does not hold."""
    position, found = closed["position"], proof.events
    heads = {event["previous"]: event["position"] - 1 for event in found}
    heads |= {event["digest"]: event["position"] for event in found}
    if heads.get(closing["sealed_head"], 0) >= position:
        raise CheckFailed("the closing names a later event as the log's last", f"below {position}", closing)
    rest = [] if closing["sealed_head"] in heads else ["sealed_head"]
    cosigned = closing.get("cosigned")
    if cosigned and cosigned["size"] >= position:
        raise CheckFailed("the closing names a later log as cosigned", f"below {position}", cosigned["size"])
    wanted = closing_before(proof, closed)
    if wanted is not None and wanted != closing["before"]:
        raise CheckFailed("the closing follows another than the one before", wanted, closing["before"])
    if wanted is None and closing["before"] == NO_DIGEST and closed["stream"] == proof.stream:
        raise CheckFailed("the closing follows none, though it is not the table's first", "a digest", NO_DIGEST)
    return [*rest, *(["cosigned"] if cosigned else []), *(["before"] if wanted is None else [])]


def closing_before(proof: Proof, closed: Json) -> str | None:
    """Return the digest of the table's closing before, zeros if there is none, None if the file does not have it."""
    started = proof.find_shoe_event("ShoeStarted") if proof.is_long else None
    if closed["stream"] != proof.stream:
        return NO_DIGEST if started and started["data"]["number"] == 1 else None
    if started and proof.opened["number"] == started["data"]["first_round"]:
        of_shoe = (proof.find_shoe_event("ShoeCutClosed") or started)["data"]["closing"]
        return str(of_shoe["digest"]) if of_shoe else None
    return NO_DIGEST if proof.opened["number"] == 1 else None


def links_of_shoe(proof: Proof) -> list[bytes]:
    """Return the links that the shoe follows from, each after its chain's id and its index, in order of the chains."""
    if not proof.is_long:
        return links_of_round(proof)
    return links_of(proof.shoe_witnesses, released_for_shoe(proof)) if proof.shoe_witnesses else []


def links_of_round(proof: Proof) -> list[bytes]:
    return links_of(proof.witnesses, proof.require_event("LinksReleased")) if proof.witnesses else []


def links_of(witnesses: list[Json], released: Json) -> list[bytes]:
    return [
        bytes.fromhex(place["chain"]) + struct.pack(">Q", place["index"]) + bytes.fromhex(release["link"])
        for place, release in pair_releases(witnesses, released)
    ]


def released_for_shoe(proof: Proof) -> Json:
    """Return the event that has the links of the round's long shoe."""
    released = proof.find_shoe_event("ShoeLinksReleased")
    if released is None:
        raise CheckFailed("an event is missing", "ShoeLinksReleased", [event["type"] for event in proof.of_table])
    return released


def pair_releases(witnesses: list[Json], released: Json) -> list[tuple[Json, Json]]:
    """Return each place on a chain with the statement that gave out its link: one of each witness, by chain."""
    releases = released["data"]["releases"]
    wanted, found = [each["chain"] for each in witnesses], [each["chain"] for each in releases]
    if wanted != found or wanted != sorted(wanted):
        raise CheckFailed("a link is missing", wanted, found)
    return list(zip(witnesses, releases, strict=True))


def drawings_of(proof: Proof) -> list[tuple[list[Json], int, Json | None, Json, Json | None]]:
    """Return the drawings that links were given out for: these, the closing's kind, closing, release, what follows."""
    drawings: list[tuple[list[Json], int, Json | None, Json, Json | None]] = []
    if proof.is_long and proof.shoe_witnesses:
        closed, started = proof.find_shoe_event("ShoeCutClosed"), proof.find_shoe_event("ShoeStarted")
        drawings.append((proof.shoe_witnesses, 4, closed, released_for_shoe(proof), started))
    dealt = proof.find_event("CardsDealt")
    if proof.witnesses and (dealt is not None or proof.find_event("LinksReleased") is not None):
        closed, kind = proof.find_event("BettingClosed"), 1
        if closed is None:
            closed, kind = proof.find_event("RoundVoided"), 2
        drawings.append((proof.witnesses, kind, closed, proof.require_event("LinksReleased"), dealt))
    return drawings


def check_witnesses(proof: Proof) -> str:
    """Check that each witness gave out its links for the closings of this round and its shoe, on the table's chains.

    A round of a long shoe uses links, too: they pin its wagers, and its cards follow from them unless it has an order.
    """
    drawings = drawings_of(proof)
    require_named_links(proof)
    if not drawings and not proof.witnesses:
        require_witnesses(proof, [[]])
        raise DoesNotApply("the table has no witness: nobody but the house held back the cards")
    if not drawings:
        raise DoesNotApply("no card was dealt, and the witnesses have not answered yet")
    chains, signers, listed, given = opened_chains(proof), list[list[str]](), list[str](), list[Statement]()
    check_chains_in_use(proof, chains)
    for witnesses, kind, closed, released, before in drawings:
        pairs = pair_releases(witnesses, released)
        if closed is None or closed["data"] is None:
            raise CannotCheck("the closing is withheld from this reader")
        positions = [each["position"] for each in (closed, released, before) if each is not None]
        if positions != sorted(positions):
            raise CheckFailed("the links were not given out between closing and cards", sorted(positions), positions)
        digest, keys = closed["data"]["closing"]["digest"], list[str]()
        for place, release in pairs:
            if place["chain"] not in chains:
                raise CheckFailed("no earlier event opens the chain of a witness", place["chain"], sorted(chains))
            statement = check_release(chains[place["chain"]], place, release, kind, digest)
            require_late_link(
                release, (closed["data"].get("closed_at") or closed["data"].get("voided_at"), *bets(proof, kind))
            )
            given.append((chains[place["chain"]], release, statement))
            keys.append(chains[place["chain"]][2].hex())
            listed.append(f"{place['chain']} at {place['index']}")
        signers.append(keys)
    rest, links, every = check_numbers(given), ", ".join(listed), dict.fromkeys(itertools.chain(*signers))
    if not proof.trusted.issuperset(every):
        raise CannotCheck(f"the links of {links} are signed by keys that you do not trust: {', '.join(every)}")
    require_witnesses(proof, [*signers, *([] if proof.witnesses and proof.shoe_witnesses else [[]])])
    return f"the closing, before the links of {links}, signed by keys {', '.join(every)}{unchecked(rest)}"


def require_witnesses(proof: Proof, signers: list[list[str]]) -> None:
    """Check that each witness whom the reader names gave out one of the links of each drawing."""
    missing = sorted({key for key in proof.required for keys in signers if key not in keys})
    if missing:
        raise CannotCheck(f"no link is given out by the witness that you require, with the key {', '.join(missing)}")


def bets(proof: Proof, kind: int) -> list[str]:
    """Return when the wagers were confirmed that a link of this kind must not come before."""
    return [] if kind == 4 else [wager["confirmed_at"] for wager in proof.all_data("WagerConfirmed")]


def require_late_link(release: Json, times: Iterable[str]) -> None:
    """Check that a link was given out after times that are signed or pinned by its closing, as clocks may differ."""
    latest = max(microseconds(format_instant(each)) // 1000 for each in times)
    if release["time_ms"] + MAX_EARLY_MS < latest:
        raise CheckFailed("link before the wager: it was given out too early", f"from {latest} ms", release["time_ms"])


def check_numbers(given: list["Statement"]) -> list[str]:
    """Check that statements of one witness follow one another; return the names of what the file does not hold."""
    rest, last = list[str](), dict[tuple[bytes, int], tuple[Json, bytes]]()
    for (_, _, key, _, generation), release, statement in given:
        before = last.get((key, generation))
        last[key, generation] = release, statement
        if (release["number"] == 1) != (release["previous"] == NO_DIGEST):
            raise CheckFailed("a statement has another number than its place", release["number"], release["previous"])
        if before is None:
            rest += [] if release["number"] == 1 else ["number", "previous"]
            continue
        if before[0]["number"] >= release["number"] or before[0]["time_ms"] > release["time_ms"]:
            raise CheckFailed("a later statement of a witness comes before an earlier one", before[0], release)
        if before[0]["number"] + 1 < release["number"]:
            rest.append("previous")
        elif release["previous"] != sha256(before[1]).hex():
            raise CheckFailed("a statement follows another than the one before", sha256(before[1]), release["previous"])
    return rest


def require_named_links(proof: Proof) -> None:
    """Check that links were given out for this round, and for witnesses that it names."""
    given = proof.find_event("LinksReleased")
    if given and given["data"]["round"] != proof.round["id"]:
        raise CheckFailed("links were given out for another round", proof.round["id"], given["data"]["round"])
    if given and not proof.witnesses:
        raise CheckFailed("links were given out that no witness was named for", "none", given["data"])


def caveats_on(proof: Proof) -> Iterator[Json]:
    """Yield what is no fault of the file but what its reader has to know, with a code for programs."""
    voided, closed, released = (proof.find_event(kind) for kind in ("RoundVoided", "BettingClosed", "LinksReleased"))
    if voided is not None and proof.witnesses and proof.find_event("RoundSettled") is None:
        known = [each["time_ms"] for each in released["data"]["releases"]] if released else []
        if released is None:
            text = "the witnesses have not said yet whether they gave out their links before the void"
            yield {"code": "unconfirmed", "text": f"the void is unconfirmed: {text}"}
        elif closed is not None and min(known) < milliseconds(voided):
            text = "the round was voided after the release of a link: the cards could be known"
            yield {"code": "after_release", "text": text}
    for witnesses, kind, closed, released, _ in drawings_of(proof):
        fixed = [proof.find_shoe_event("ShoeCommitted")] if kind == 4 else proof.terms_events(proof.opened["number"])
        for place, release in pair_releases(witnesses, released):
            for what, event in (("terms", fixed[-1]), ("closing", closed)):
                if event is not None and release["time_ms"] < milliseconds(event):
                    where = f"{place['chain']} at {place['index']}"
                    ahead = f"{milliseconds(event) - release['time_ms']} ms before its {what}"
                    yield {"code": f"before_{what}", "text": f"the statement for {where} is dated {ahead}"}
                    break


def milliseconds(event: Json) -> int:
    return microseconds(event["recorded_at"]) // 1000


Chain = tuple[int, bytes, bytes, str, int]
"""Height, root, release key, origin and generation of a chain."""
Statement = tuple[Chain, Json, bytes]
"""A release with its chain, and the bytes that were signed."""


def check_release(chain: Chain, place: Json, release: Json, kind: int, digest: str) -> bytes:
    """Check that a chain's witness gave out its link at a place for a closing; return what it signed."""
    height, root, key, _, _ = chain
    index, link = struct.pack(">Q", place["index"]), bytes.fromhex(release["link"])
    statement = (
        RELEASE_TAG + bytes.fromhex(place["chain"]) + index + bytes([kind]) + bytes.fromhex(digest) + link
        + struct.pack(">QQ", release["time_ms"], release["number"]) + bytes.fromhex(release["previous"])
    )  # fmt: skip
    if not is_signed(key, statement, bytes.fromhex(release["signature"])):
        raise CheckFailed("the release is not signed by the chain's witness", digest, release["signature"])
    path = bytes.fromhex(release["path"])
    steps = [path[at : at + 32] for at in range(0, len(path), 32)]
    leaf = sha256(b"\0", LINK_LEAF_TAG, index, link)
    if root_by_path(leaf, place["index"], 1 << height, steps) != root:
        raise CheckFailed("the link is not on the chain", root, release["link"])
    return statement


def opened_chains(proof: Proof) -> dict[str, Chain]:
    """Return each chain that was opened for the table before the round, by id."""
    chains, start = {}, proof.require_event("RoundOpened")["position"]
    for event in proof.of_table:
        if event["type"] != "WitnessChainOpened" or event["position"] > start:
            continue
        header = bytes.fromhex(event["data"]["header"])
        at = len(CHAIN_TAG) + 8
        at += int.from_bytes(header[at - 8 : at], "big")
        table, (height,), rest = header[at : at + 16], header[at + 32 : at + 33], header[at + 33 :]
        origin = header[len(CHAIN_TAG) + 8 : at].decode()
        if not header.startswith(CHAIN_TAG) or len(rest) != 3 * 32 + 12 or not 8 <= height <= 20:
            raise CheckFailed("a chain's header is malformed", "a header", header)
        root, house, witness = (rest[place : place + 32] for place in (0, 32, 64))
        if table != uuid_bytes(proof.round["table"]):
            raise CheckFailed("a witness's chain is another table's", proof.round["table"], table)
        for key, signature in ((witness, "signature"), (house, "house_signature")):
            if not is_signed(key, header, bytes.fromhex(event["data"][signature])):
                raise CheckFailed("a chain's header is not signed by witness and house", key, event["data"][signature])
        number, generation = struct.unpack(">QQ", header[at + 16 : at + 32])
        chains[sha256(header).hex()] = height, root, witness, origin, generation
        if number != len(chains):
            raise CheckFailed("a witness's chain of the table is missing", len(chains), number)
    return chains


def check_chains_in_use(proof: Proof, chains: dict[str, Chain]) -> None:
    """Check that no witness was left out or swapped unseen: of each in use one link, and of an ended chain none."""
    start = proof.require_event("RoundOpened")["position"]
    before = [event for event in proof.of_table if event["position"] < start]
    opened = {
        sha256(bytes.fromhex(event["data"]["header"])).hex(): event
        for event in before
        if event["type"] == "WitnessChainOpened"
    }
    ended = ended_chains([event for event in before if event["type"] == "WitnessChainsReplaced"], opened, chains)
    taken = [(proof.witnesses, taking_event(proof))]
    closed = proof.find_shoe_event("ShoeCutClosed") if proof.is_long else None
    if closed is not None:
        taken.append((proof.shoe_witnesses, closed))
    for witnesses, event in taken:
        in_use = {
            chains[chain][2].hex()
            for chain, each in opened.items()
            if each["position"] < event["position"] and (chain not in ended or ended[chain][1] > event["position"])
        }
        keys = sorted(chains[place["chain"]][2].hex() for place in witnesses if place["chain"] in chains)
        if sorted(in_use) != keys:
            raise CheckFailed("the links are not those of the table's witnesses", sorted(in_use), keys)
        for place in witnesses:
            if place["chain"] in ended and place["index"] >= ended[place["chain"]][0]:
                raise CheckFailed(
                    "a link is used after its chain has ended", f"below {ended[place['chain']][0]}", place["index"]
                )
    is_ended = any(place["chain"] in ended for place in proof.witnesses)
    if is_ended and proof.find_event("BettingClosed") is not None:
        raise CheckFailed("a round was played after its witness was replaced", "a void", "BettingClosed")


def ended_chains(events: list[Json], opened: dict[str, Json], chains: dict[str, Chain]) -> dict[str, tuple[int, int]]:
    """Return where chains ended before the round: their first unused index, and the position of the event."""
    ended: dict[str, tuple[int, int]] = {}
    for event in events:
        data = event["data"]
        follows = [chain for chain, each in opened.items() if each["version"] == event["version"] + 1]
        if follows != [data["successor"]]:
            raise CheckFailed("a witness was replaced without its successor", data["successor"], follows)
        before = {chain for chain, each in opened.items() if each["position"] < event["position"]} - set(ended)
        lost = {each["chain"] for each in data["ended"]}
        if not lost <= before or len({chains[chain][2] for chain in lost}) != 1:
            raise CheckFailed("other chains ended than those of one witness", sorted(before), sorted(lost))
        ended.update({each["chain"]: (each["index"], event["position"]) for each in data["ended"]})
    return ended


def taking_event(proof: Proof) -> Json:
    """Return the event that took the round's links: its own shoe's commitment, or what fixed its terms first.

    The shoe of a table's first round is committed to before the table can have chains.
    """
    is_first = proof.is_long or proof.opened["number"] == 1
    return require_terms(proof)[0] if is_first else find_announcing_event(proof)


def format_instant(text: str) -> str:
    """Format a time of an event's data with all six digits of its fraction."""
    return f"{instant(text)}Z"


def check_cards(proof: Proof) -> str:
    """Check the cards dealt at their positions: from a seed, or opened against the shoe's root."""
    started = find_commitment(proof)[1] if proof.is_long else None
    start = started["data"] if started else {}
    root = start["root"] if started else None
    if proof.shoe["root"] != root:
        raise CheckFailed("the root differs from the recorded one", root, proof.shoe["root"])
    if proof.is_long and (root is None) is not proof.draws_by_round:
        raise CheckFailed(
            "a shoe has a root where its order is fixed, and only there", proof.rules["fixed_order"], root
        )
    if proof.find_event("CardsDealt") is None:
        require_exact_openings(proof, {})
        raise DoesNotApply("no card was dealt")
    dealt = proof.require_event("CardsDealt")["data"]
    place, cards = dealt["shoe_position"], dealt["cards"]
    if proof.find_event("CardsForced"):
        require_exact_openings(proof, {})
        chosen = proof.require_event("CardsForced")["data"]["cards"]
        if not same_type_and_value(chosen, cards):
            raise CheckFailed("the cards are not the chosen ones", chosen, cards)
        raise DoesNotApply(f"{' '.join(cards)} were chosen, as a test: they are not those of the shoe")
    if proof.is_long:
        check_burned(proof, start, place)
    way = check_drawn_cards(proof, start, dealt) if proof.draws_by_round else check_ordered_cards(proof, start, dealt)
    return f"{' '.join(cards)} at place {place} of the shoe: {way}"


def check_burned(proof: Proof, start: Json, place: int) -> None:
    """Check that a long shoe began by its rule: a card turned over, and as many burned after it as it has points."""
    turned, count = start["turned_card"], start["burned_count"]
    if (turned is not None, bool(count)) != (proof.rules["burn"],) * 2:
        raise CheckFailed("cards were burned by another rule", proof.rules["burn"], count)
    burned = (POINTS[turned] or 10) if turned else 0
    if count != burned:
        raise CheckFailed("the number of burned cards does not follow from the turned card", burned, count)
    if turned and place <= burned:
        raise CheckFailed("burned cards were dealt", f"places after {burned}", place)


def check_ordered_cards(proof: Proof, start: Json, dealt: Json) -> str:
    """Check the cards of an order that was fixed before, and the card turned over, against the seed or the root."""
    wanted = dict(enumerate(dealt["cards"], dealt["shoe_position"]))
    if start.get("turned_card"):
        wanted[0] = start["turned_card"]
    require_exact_openings(proof, wanted)
    shoe = proof.shoe
    ways = [
        check_opened_cards(proof, wanted) if shoe["openings"] or (shoe["root"] and shoe["seed"] is None) else "",
        check_seeded_cards(proof, wanted) if shoe["seed"] is not None else "",
    ]
    if not any(ways):
        raise CannotCheck("the shoe's seed is still secret, and no cards are opened")
    return " and ".join(filter(None, ways))


def check_drawn_cards(proof: Proof, start: Json, deal: Json) -> str:
    """Recompute what the round drew from the cards left, by its own seed and links; and the card turned over before."""
    require_exact_openings(proof, {})
    shoe, decks, cards, place = proof.shoe, proof.rules["decks"], deal["cards"], deal["shoe_position"]
    cut, dealt, turned = bytes.fromhex(shoe["cut"]), shoe["dealt"], start["turned_card"]
    if place < len(dealt) + start["burned_count"]:
        raise CheckFailed("more cards are out than places", place, len(dealt) + start["burned_count"])
    if turned and dealt[:1] != [turned]:
        raise CheckFailed("the first card that was out is not the turned card", turned, dealt[:1])
    if turned and shoe["seed"] is not None:
        first = shuffle(bytes.fromhex(shoe["seed"]), cut, decks, 1, links=links_of_shoe(proof))
        if first != [turned]:
            raise CheckFailed("the turned card differs from the shoe's", first, turned)
    if shoe["round_seed"] is None:
        raise CannotCheck("the round's seed is still secret")
    links = links_of_round(proof)
    due = shuffle(bytes.fromhex(shoe["round_seed"]), cut, decks, len(cards), links=links, out=dealt)
    if due != cards:
        raise CheckFailed("the cards differ from those that the round draws", due, cards)
    by = ", the cut and the witnesses' links" if links else " and the cut"
    return f"drawn from what {len(dealt)} cards left, by the round's seed{by}"


def require_exact_openings(proof: Proof, wanted: dict[int, str]) -> None:
    """Check that the file opens only cards of this round, each once."""
    places = [each["shoe_position"] for each in proof.shoe["openings"]]
    if set(places) - set(wanted) or len(set(places)) != len(places):
        raise CheckFailed("the file opens cards that this round did not use", sorted(wanted), sorted(places))


def check_opened_cards(proof: Proof, wanted: dict[int, str]) -> str:
    """Check that each card with its salt is a leaf of the tree whose root was published before the first bet."""
    if proof.shoe["root"] is None:
        raise CheckFailed("cards are opened without a root", "a root", None)
    opened = {each["shoe_position"]: each for each in proof.shoe["openings"]}
    for place, card in sorted(wanted.items()):
        if place not in opened:
            raise CheckFailed("a card is not opened", f"an opening of place {place}", sorted(opened))
        opening = opened[place]
        if opening["card"] != card:
            raise CheckFailed(f"the card opened at place {place} differs", card, opening["card"])
        path = [bytes.fromhex(step) for step in opening["path"]]
        leaf = card_leaf(place, card, bytes.fromhex(opening["salt"]))
        root = root_by_path(leaf, place, 52 * proof.rules["decks"], path)
        if root is None or root.hex() != proof.shoe["root"]:
            raise CheckFailed(
                f"the card at place {place} is not in the shoe's tree", proof.shoe["root"], describe_root(root)
            )
    return "opened against the root published before the shoe's first bet"


def check_seeded_cards(proof: Proof, wanted: dict[int, str]) -> str:
    """Recompute the whole shoe from the seed and the cut, and the root of its tree if it has one."""
    seed, cut, decks = bytes.fromhex(proof.shoe["seed"]), bytes.fromhex(proof.shoe["cut"]), proof.rules["decks"]
    links = links_of_shoe(proof)
    order = shuffle(seed, cut, decks, 52 * decks, links=links)
    for place, card in sorted(wanted.items()):
        if place >= len(order) or order[place] != card:
            raise CheckFailed(
                f"the card at place {place} differs from the shoe's order", order[place : place + 1], card
            )
    if proof.shoe["root"] is not None:
        root = root_of([card_leaf(place, card, salt_of(seed, place)) for place, card in enumerate(order)]).hex()
        if root != proof.shoe["root"]:
            raise CheckFailed("the root differs from that of the shoe", root, proof.shoe["root"])
    return (
        "recomputed from the seed, the cut and the witnesses' links"
        if links
        else "recomputed from the seed and the cut"
    )


def check_hands(proof: Proof) -> str:
    """Check that the cards make the hands, the outcome and the points by the third-card rule."""
    if proof.find_event("CardsDealt") is None:
        raise DoesNotApply("no card was dealt")
    cards, settled = proof.require_event("CardsDealt")["data"]["cards"], proof.require_event("RoundSettled")["data"]
    player, banker, natural = deal_all(cards)
    if proof.rules["third_cards"] != "punto_banco":
        raise CheckFailed("the third-card rule has another name", "punto_banco", proof.rules["third_cards"])
    wanted = {
        "player_total": total(player), "banker_total": total(banker), "natural": natural,
        "outcome": outcome_of(player, banker),
    }  # fmt: skip
    for name, value in wanted.items():
        if not same_type_and_value(settled[name], value):
            raise CheckFailed(f"the result differs: {name}", value, settled[name])
    for turned in proof.all_data("HandTurned"):
        hand = {"player": player, "banker": banker}[turned["side"]][:2]
        if turned["cards"] != hand:
            raise CheckFailed(f"the {turned['side']} hand that was turned over differs", hand, turned["cards"])
    hands = f"Player {' '.join(player)} is {total(player)}, Banker {' '.join(banker)} is {total(banker)}"
    return f"{hands}: {wanted['outcome']}"


def confirmed_wagers(proof: Proof) -> dict[int, Json]:
    """Return the confirmed wagers by seat."""
    by_seat = {}
    for wager in proof.all_data("WagerConfirmed"):
        if wager["seat"] in by_seat:
            raise CheckFailed("a seat confirmed two wagers", "one wager of a seat", wager["seat"])
        by_seat[wager["seat"]] = wager
    return by_seat


def check_wagers(proof: Proof) -> str:
    """Check that each wager is of a seat in the round, within limits, and settled once with its confirmed stakes."""
    seats = {seat["seat"]: seat for seat in proof.opened["seats"]}
    confirmed = confirmed_wagers(proof)
    if not confirmed and proof.find_event("BettingClosed"):
        raise CheckFailed("betting was closed without a wager", "a wager", "none")
    for number, wager in sorted(confirmed.items()):
        seat = seats.get(number)
        if seat is None or (seat["player"], seat["money_type"]) != (wager["player"], wager["money_type"]):
            raise CheckFailed(f"seat {number} is not in the round with this wager", seat, wager)
        round_, named = (int(each.replace("-", ""), 16) for each in (proof.opened["round"], wager["wager"]))
        if named != round_ + number:
            raise CheckFailed(f"the wager of seat {number} has another id", f"{round_ + number:032x}", wager["wager"])
        require_limits(proof.rules, wager)
    if proof.find_event("RoundSettled") is None:
        return f"wagers, none of them settled: {len(confirmed)}"
    settled = proof.require_event("RoundSettled")["data"]["wagers"]
    if sorted(wager["seat"] for wager in settled) != sorted(confirmed):
        raise CheckFailed(
            "the settled wagers are not the confirmed ones", sorted(confirmed), [wager["seat"] for wager in settled]
        )
    for wager in settled:
        own = confirmed[wager["seat"]]
        stakes = {line["spot"]: line["stake"] for line in wager["results"]}
        order = [name for name in names_of(proof.rules) if name in stakes]
        for name, wanted, actual in (
            ("order of spots", order, list(stakes)),
            ("wager", own["wager"], wager["wager"]),
            ("player", own["player"], wager["player"]),
            ("money_type", own["money_type"], wager["money_type"]),
            ("stakes", own["stakes"], stakes),
            ("staked", sum(own["stakes"].values()), wager["staked"]),
        ):
            if not same_type_and_value(wanted, actual):
                raise CheckFailed(f"seat {wager['seat']} is settled with a different {name}", wanted, actual)
    return f"wagers within the limits, settled as confirmed: {len(confirmed)}"


def require_limits(rules: Json, wager: Json) -> None:
    stakes, number = wager["stakes"], wager["seat"]
    if wager["money_type"] == "play" and not rules["play_money"]:
        raise CheckFailed(f"seat {number} bets play money", "real", "play")
    if not stakes or (rules["spots_per_round"] == "one" and len(stakes) > 1):
        raise CheckFailed(f"seat {number} bets on a wrong number of spots", rules["spots_per_round"], stakes)
    for name, stake in sorted(stakes.items()):
        spot = spot_of(rules, name)
        limits = limits_of(rules, spot)
        if not limits[0] <= stake <= limits[1]:
            raise CheckFailed(f"seat {number} has a stake outside the limits on {name}", limits, stake)
        if spot["needs"] and not set(spot["needs"]).intersection(stakes):
            raise CheckFailed(f"seat {number} has a stake on {name} without one that it needs", spot["needs"], stakes)
    for name, more in sorted(wager.get("raised", {}).items()):
        spot, stake = spot_of(rules, name), stakes.get(name, 0)
        least, told = limits_of(rules, spot)[0], [rules["under_minimum"], spot["kind"]]
        if told != ["raise", "main"]:
            raise CheckFailed(f"the stake of seat {number} on {name} may not be raised", ["raise", "main"], told)
        if stake != least or more > stake:
            raise CheckFailed(f"seat {number} is not raised to the minimum", least, [stake, more])


def limits_of(rules: Json, spot: Json) -> list[int]:
    """Return the least and the most that may be staked on a spot: its own, or the table's."""
    return [rules[name] if spot[name] is None else spot[name] for name in ("minimum", "maximum")]


def check_money(proof: Proof, names: tuple[str, ...]) -> tuple[int, list[Json]]:
    """Recompute every spot of every settled wager, and the sums; `names` are the fields to compare."""
    settled = proof.require_event("RoundSettled")["data"]
    facts, lines = facts_of(proof.require_event("CardsDealt")["data"]["cards"]), 0
    for wager in settled["wagers"]:
        sums = {"won": 0, "commission": 0, "returned": 0}
        for line in wager["results"]:
            lines += 1
            wanted = result_of(proof.rules, line["spot"], line["stake"], facts)
            for name in names:
                if not same_type_and_value(wanted[name], line[name]):
                    where = f"seat {wager['seat']}, {line['spot']}: {name} differs"
                    raise CheckFailed(where, wanted[name], line[name])
            for name in sums:
                sums[name] += wanted[name]
        for name in set(names) & set(sums):
            if not same_type_and_value(sums[name], wager[name]):
                raise CheckFailed(f"seat {wager['seat']}: the sum of {name} differs", sums[name], wager[name])
    return lines, settled["wagers"]


def check_payouts(proof: Proof) -> str:
    """Check that each stake won, lost or pushed, and was paid, by the rules."""
    if proof.find_event("RoundSettled") is None:
        raise DoesNotApply("the round was not settled")
    lines, _ = check_money(proof, ("result", "won", "returned"))
    return f"stakes paid by the rules: {lines}"


def check_commission(proof: Proof) -> str:
    """Check that commission on each win has its spot's rate and rounding, and the rules' time of payment."""
    if proof.find_event("RoundSettled") is None:
        raise DoesNotApply("the round was not settled")
    _, settled = check_money(proof, ("commission",))
    for wager in settled:
        if not same_type_and_value(wager["deferred"], is_deferred(proof.rules)):
            raise CheckFailed(
                f"seat {wager['seat']}: commission is taken at a different time", is_deferred(proof.rules), wager
            )
    taken_now = "set aside until the shoe ends" if is_deferred(proof.rules) else "taken at once"
    charged = sum(wager["commission"] for wager in settled)
    if not any(spot["commission"] for spot in proof.rules["spots"]):
        return "none is charged at this table"
    return f"{charged} minor units in all, {taken_now}"


def check_void(proof: Proof) -> str:
    """Check that a void returns every stake and takes back all payouts, seat by seat."""
    voided = proof.find_event("RoundVoided")
    if voided is None:
        raise DoesNotApply("the round was not voided")
    if voided["data"] is None:
        raise CannotCheck("the void is withheld from this reader")
    lines, confirmed = voided["data"]["seats"], confirmed_wagers(proof)
    settled = proof.find_event("RoundSettled")
    paid = {wager["seat"]: wager for wager in settled["data"]["wagers"]} if settled else {}
    if sorted(line["seat"] for line in lines) != sorted(confirmed):
        raise CheckFailed(
            "the voided wagers are not the confirmed ones", sorted(confirmed), [line["seat"] for line in lines]
        )
    for line in lines:
        own, wager = confirmed[line["seat"]], paid.get(line["seat"])
        held = wager["commission"] if wager and wager["deferred"] else 0
        wanted = {
            "wager": own["wager"], "player": own["player"], "money_type": own["money_type"],
            "staked": sum(own["stakes"].values()),
            **{name: wager[name] if wager else 0 for name in ("returned", "commission")},
        }  # fmt: skip
        for name, value in wanted.items():
            if not same_type_and_value(value, line[name]):
                raise CheckFailed(f"seat {line['seat']} has a different void: {name}", value, line[name])
        if line["from_rack"] > held:
            raise CheckFailed(f"seat {line['seat']} gets more from the rack than it holds", held, line["from_rack"])
        moved = line["to_game"] + line["to_account"] - line["from_game"] - line["from_account"]
        moved -= line["owed"] + line["forgiven"]
        if moved != (due := line["staked"] - line["returned"]):
            raise CheckFailed(f"seat {line['seat']} gets a different amount back", due, moved)
    return f"wagers voided in full: {len(lines)}"


def check_receipts(proof: Proof, receipts: Sequence[bytes]) -> str:
    """Check that each receipt is signed by its key, and that the round was played as it says."""
    checks = {"wager": check_receipt, "payout": check_payout, "contribution": check_contributed}
    texts, keys = [], set()
    for receipt in (each for raw in receipts for each in listed(read(raw))):
        kind = receipt.get("kind") if isinstance(receipt, dict) else None
        if not isinstance(kind, str) or kind not in checks:
            raise CheckFailed("the receipt is of no known kind", sorted(checks), kind)
        texts.append(checks[kind](proof, receipt))
        keys.add(receipt["public_key"])
    unknown = sorted(keys - proof.trusted)
    if unknown:
        raise CannotCheck(f"{'; '.join(texts)}; signed by a key that you do not trust: {', '.join(unknown)}")
    return "; ".join(texts)


def listed(document: Any) -> list[Any]:
    """Return the receipts of a file, which has one or a list of them."""
    return document if isinstance(document, list) else [document]


def require_signed_receipt(receipt: Json, signed: bytes) -> None:
    key, signature = receipt["public_key"], receipt["signature"]
    if not is_signed(bytes.fromhex(key), signed, bytes.fromhex(signature)):
        raise CheckFailed("the receipt is not signed by its key", key, signature)


def require_same_round(proof: Proof, receipt: Json, terms: str) -> None:
    told = [receipt["round"], receipt["table"], terms]
    found = [proof.round["id"], proof.round["table"], proof.opened.get("terms")]
    if told != found:
        raise CheckFailed("the receipt is of other terms", told, found)


def check_receipt(proof: Proof, receipt: Json) -> str:
    """Check the receipt of a wager."""
    receipt = shaped(receipt, RECEIPT, "the receipt", closed=True)
    terms, leaf, signed = encode_receipt(receipt)
    require_signed_receipt(receipt, signed)
    place = receipt["place"]
    digests = [receipt["terms"]["digest"], receipt["leaf"]]
    if digests != [terms, leaf.hex()]:
        raise CheckFailed("the receipt has other digests than its terms and its wager", [terms, leaf.hex()], digests)
    require_same_round(proof, receipt, terms)
    wagers = proof.all_data("WagerConfirmed")[place : place + 1]
    stakes = {each["spot"]: units_of(each["amount"]) for each in receipt["stakes"]}
    currency, spots = proof.rules["currency"], names_of(proof.rules)
    if [(wager_leaf(terms, wager, currency, spots), wager["stakes"]) for wager in wagers] != [(leaf, stakes)]:
        raise CheckFailed("the wager is not at the place of its receipt", [leaf.hex(), stakes], wagers)
    require_links_after(proof, receipt["confirmed_at"])
    return f"the wager at place {place}, on terms {terms}, is as its receipt says"


def check_payout(proof: Proof, payout: Json) -> str:
    """Check that a wager returned what the house signed that it did."""
    payout = shaped(payout, PAYOUT, "the payout", closed=True)
    require_signed_receipt(payout, encode_payout(payout))
    require_same_round(proof, payout, payout["terms"])
    amounts = ("stake", "returned", "commission")
    lines = [{**line, **{name: units_of(line[name]) for name in amounts}} for line in payout["results"]]
    told = {
        **{name: payout[name] for name in ("leaf", "wager", "player", "currency")},
        "results": lines, "settled_at": format_instant(payout["settled_at"]),
    }  # fmt: skip
    settled = (proof.find_event("RoundSettled") or {}).get("data") or {"wagers": []}
    results = {each["seat"]: each["results"] for each in settled["wagers"]}
    currency, spots = proof.rules["currency"], names_of(proof.rules)
    found = [
        {
            "leaf": wager_leaf(payout["terms"], wager, currency, spots).hex(), "wager": wager["wager"],
            "player": wager["player"], "currency": currency,
            "results": [{name: line[name] for name in lines[0]} for line in results[wager["seat"]]],
            "settled_at": format_instant(settled["settled_at"]),
        }
        for wager in proof.all_data("WagerConfirmed") if lines and wager["seat"] in results
    ]  # fmt: skip
    if told not in found:
        raise CheckFailed("the wager returned something else than its payout says", told, found)
    return f"wager {payout['wager']} returned what its payout says"


def encode_payout(payout: Json) -> bytes:
    """Return the bytes of a payout, which the house signs."""
    lines = [
        prefixed(line["spot"].encode()) + struct.pack(">Q", units_of(line["stake"])) + prefixed(line["result"].encode())
        + struct.pack(">QQ", units_of(line["returned"]), units_of(line["commission"]))
        for line in payout["results"]
    ]  # fmt: skip
    return b"".join((
        PAYOUT_TAG, bytes.fromhex(payout["terms"]), bytes.fromhex(payout["leaf"]), uuid_bytes(payout["player"]),
        struct.pack(">I", len(lines)), *lines, prefixed(payout["currency"].encode("ascii")),
        struct.pack(">Q", microseconds(format_instant(payout["settled_at"]))),
    ))  # fmt: skip


def check_contributed(proof: Proof, receipt: Json) -> str:
    """Check that a contribution is among those from which the drawing's cut was made."""
    receipt = shaped(receipt, CONTRIBUTED, "the receipt", closed=True)
    require_signed_receipt(receipt, encode_contributed(receipt))
    promise, _ = find_commitment(proof)
    told = [receipt["table"], receipt["commitment"], receipt["witnesses"]]
    witnesses = [] if proof.is_long else proof.witnesses
    found = [proof.round["table"], commitment_data(proof, promise)["commitment"], witnesses]
    if told != found:
        raise CheckFailed("the receipt is of another drawing", told, found)
    names = ("seat", "player", "contribution", "player_key")
    given = [receipt[name] for name in names]
    made = [
        [
            data["seat"],
            data["player"],
            data["contribution"],
            (data.get("signature") or {"public_key": ""})["public_key"],
        ]
        for data in (event["data"] for event in proof.of_table if event["type"] == "ShoeCutContributed")
    ]
    if given not in made:
        raise CheckFailed("the cut lacks the contribution of its receipt", given, made)
    return f"the contribution {receipt['contribution']} of seat {receipt['seat']} is in the cut's log"


def encode_contributed(receipt: Json) -> bytes:
    """Return the bytes of a contribution's receipt, which the house signs."""
    return b"".join((
        CONTRIBUTED_TAG, uuid_bytes(receipt["table"]), bytes.fromhex(receipt["commitment"]),
        indexes_of(receipt["witnesses"]), bytes([receipt["seat"]]), uuid_bytes(receipt["player"]),
        prefixed(bytes.fromhex(receipt["player_key"])), prefixed(bytes.fromhex(receipt["contribution"])),
        struct.pack(">Q", microseconds(format_instant(receipt["contributed_at"]))),
    ))  # fmt: skip


def require_links_after(proof: Proof, confirmed_at: str) -> None:
    """Check that the round's links were given out after a receipt's wager was confirmed."""
    released = proof.find_event("LinksReleased")
    for release in released["data"]["releases"] if released else ():
        require_late_link(release, [confirmed_at])


def encode_receipt(receipt: Json) -> tuple[str, bytes, bytes]:
    """Return the digest of the terms, the wager's leaf and the bytes that are signed, from nothing but a receipt."""
    stakes, raised = (
        {each["spot"]: units_of(each["amount"]) for each in receipt[name]} for name in ("stakes", "raised")
    )
    terms = digest_of_terms({"witnesses": [], **receipt["terms"], "table": receipt["table"]})
    wager = {**receipt, "stakes": stakes, "raised": raised, "signature": receipt["wager_signature"]}
    # A receipt has no rules: it lists stakes in their order, in which the round has to have them, too.
    leaf, times = wager_leaf(terms, wager, receipt["currency"], stakes), (receipt["confirmed_at"], receipt["close_by"])
    signed = (
        RECEIPT_TAG, bytes.fromhex(terms), leaf, uuid_bytes(receipt["player"]),
        struct.pack(">BI", receipt["seat"], receipt["place"]), encode_stakes(stakes, stakes),
        prefixed(receipt["currency"].encode("ascii")),
        struct.pack(">QQ", *(microseconds(format_instant(each)) if each else 0 for each in times)),
    )  # fmt: skip
    return terms, leaf, b"".join(signed)


def units_of(amount: str) -> int:
    """Return an amount of the API in minor units."""
    return int(amount.replace(".", ""))


CHECKS = (
    ("digests", check_digests),
    ("chain", check_chain),
    ("inclusion", check_inclusion),
    ("signature", check_signature),
    ("key", check_key),
    ("cosignatures", check_cosignatures),
    ("rules", check_rules),
    ("record", check_record),
    ("commitment", check_commitment),
    ("cut", check_cut),
    ("terms", check_terms),
    ("closing", check_closing),
    ("witnesses", check_witnesses),
    ("cards", check_cards),
    ("hands", check_hands),
    ("wagers", check_wagers),
    ("payouts", check_payouts),
    ("commission", check_commission),
    ("void", check_void),
)


class Check(TypedDict):
    """One check: its verdict (ok, open, none, failed), a sentence, and if it failed what it expected and found."""

    name: str
    verdict: str
    text: str
    expected: str
    found: str


class Verdict(TypedDict):
    """What all checks of a file come to, as `--json` prints it.

    `verdict` is a key of VERDICTS, `status` the exit status. `as_of` is {"size", "cosigned_by"} of the
    checkpoint under a trusted key that covers everything, None if none does; `cosigned_by` lists {"name", "time"} of
    trusted witnesses. `could_choose` is a key of CHOOSERS, None where that does not matter or nothing is known.
    `rules` is {"label", "published", "words"} of a round under a trusted key: whether they decide the game as a preset
    was published, and if not, how in words. A caveat has a code and a text.
    """

    verdict: str
    status: int
    round: str | None
    as_of: Json | None
    could_choose: str | None
    rules: Json | None
    caveats: list[Json]
    checks: list[Check]


def check_result(name: str, verdict: str, text: str, expected: str = "", found: str = "") -> Check:
    return {"name": name, "verdict": verdict, "text": text, "expected": expected, "found": found}


def failed(name: str, mismatch: CheckFailed) -> Check:
    return check_result(name, FAILED, mismatch.what, mismatch.expected, mismatch.actual)


def run_check(name: str, check: Callable[[Proof], str], proof: Proof) -> Check:
    try:
        return check_result(name, OK, check(proof))
    except CannotCheck as reason:
        return check_result(name, OPEN, str(reason))
    except DoesNotApply as reason:
        return check_result(name, NONE, str(reason))
    except CheckFailed as mismatch:
        return failed(name, mismatch)
    except Exception as error:  # noqa: BLE001  (whatever is in the file, there is a verdict)
        return check_result(name, FAILED, "the content is malformed", "well-formed content", repr(error))


def verify(
    raw: bytes,
    keys: Iterable[str] = (),
    receipts: Sequence[bytes] = (),
    *,
    witness_keys: Iterable[str] = (),
    require_signed: bool = False,
) -> Verdict:
    """Check the bytes of an exported round or of a dispute pack, whatever they are; `keys` are trusted public keys.

    They are in hex, those of cosigners as `NAME+ID+KEY`. Of `witness_keys`, which are trusted, too, those in hex have
    to occur among the links. `receipts` are the bytes of receipts and payouts, which the round is compared with.
    """
    checks, name = list[Check](), "pack" if raw.startswith(ZIP) else "file"
    try:
        if name == "pack":
            files = read_zip(raw)
            checks.append(check_result(name, OK, check_pack(files)))
            raw, name = files["round.json"], "file"
        proof = Proof(require_shape(read(raw)), set(keys), set(witness_keys), require_signed=require_signed)
        checks.append(check_result(name, OK, f"an exported round of {len(proof.events)} events"))
        checks += [run_check(each, check, proof) for each, check in CHECKS]
        if receipts:
            checks.append(run_check("receipt", lambda played: check_receipts(played, receipts), proof))
        return build_result(checks, proof)
    except CheckFailed as mismatch:
        status = UNREADABLE if isinstance(mismatch, CannotRead) else STATUS["failed"]
        return {**build_result([*checks, failed(name, mismatch)]), "status": status}
    except Exception as error:  # noqa: BLE001  (bytes that are damaged anyhow)
        wanted = {"pack": "a dispute pack", "file": "an exported round"}[name]
        checks.append(check_result(name, FAILED, f"the {name} can't be read", wanted, str(error)))
        return {**build_result(checks), "status": UNREADABLE}


ZIP = b"PK"
PACK_TAG = b"casino.pack.v1\n"
LARGEST_PACK = 2**26
UNLISTED_FILES = {"SHA256SUMS", "manifest.json", "manifest.sig"}


def read_zip(raw: bytes) -> dict[str, bytes]:
    """Return a pack's files by name; reject one that would exhaust memory, or needs a password."""
    with zipfile.ZipFile(io.BytesIO(raw)) as pack:
        if sum(each.file_size for each in pack.infolist()) > LARGEST_PACK:
            raise CannotRead("the pack is larger than any dispute pack", f"at most {LARGEST_PACK} bytes", "more")
        if len(set(pack.namelist())) != len(pack.namelist()):
            raise CheckFailed("the pack has two files of one name", sorted(set(pack.namelist())), pack.namelist())
        ways = {each.compress_type for each in pack.infolist()}
        if ways - {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise CannotRead("the pack is compressed as no dispute pack is", "stored or deflated", sorted(ways))
        return {name: pack.read(name) for name in pack.namelist()}


def check_pack(files: dict[str, bytes]) -> str:
    """Check that the manifest lists every file with its digest, and is signed by the key beside it."""
    manifest, signed = read(files["manifest.json"]), read(files["manifest.sig"])
    listed = {each["name"]: each["sha256"] for each in manifest["files"]}
    if sorted(files) != sorted({*listed, *UNLISTED_FILES}) or len(listed) != len(manifest["files"]):
        raise CheckFailed(
            "the pack's files differ from its manifest", sorted({*listed, *UNLISTED_FILES}), sorted(files)
        )
    for name, digest in sorted(listed.items()):
        if sha256(files[name]).hex() != digest:
            raise CheckFailed(f"{name} differs from the manifest", digest, sha256(files[name]).hex())
    sums = "".join(f"{digest}  {name}\n" for name, digest in listed.items()).encode()
    if files["SHA256SUMS"] != sums:
        raise CheckFailed("SHA256SUMS differs from the manifest", sha256(sums).hex(), sha256(files["SHA256SUMS"]).hex())
    key, signature = bytes.fromhex(signed["key"]), bytes.fromhex(signed["signature"])
    if not is_signed(key, PACK_TAG + files["manifest.json"], signature):
        raise CheckFailed("the manifest's signature is not by its key", "a valid Ed25519 signature", signature.hex())
    if read(files["round.json"])["round"]["id"] != manifest["round"]:
        raise CheckFailed(
            "the pack contains another round", manifest["round"], read(files["round.json"])["round"]["id"]
        )
    return f"{len(listed)} files as in the manifest, signed by key {signed['key']} at {manifest['made_at']}"


def build_result(checks: list[Check], proof: Proof | None = None) -> Verdict:
    verdicts = {check["name"]: check["verdict"] for check in checks}
    as_of, chooser, caveats, rules = None, None, list[Json](), None
    if proof is None or FAILED in verdicts.values():
        verdict = "failed"
    else:
        caveats = list(caveats_on(proof))
        if any(verdicts[name] != OK for name in SIGNED) or OPEN in (verdicts["witnesses"], verdicts["closing"]):
            verdict = "unverified"
        else:
            verdict = "partly" if OPEN in verdicts.values() else "verified"
            verdict = verdict if verdicts["cosignatures"] == OK else "uncosigned"
            verdict = "forced" if proof.find_event("CardsForced") else verdict
            chooser, rules = could_choose(proof), describe_rules(proof.rules)
            by = find_cosignatures(proof) if verdicts["cosignatures"] == OK else []
            as_of = {"size": parse_note(proof.checkpoint)[2], "cosigned_by": by}
    return {
        "verdict": verdict, "status": STATUS.get(verdict, 0), "round": proof.round["id"] if proof else None,
        "as_of": as_of, "could_choose": chooser, "rules": rules, "caveats": caveats, "checks": checks,
    }  # fmt: skip


def could_choose(proof: Proof) -> str | None:
    """Return who could have chosen the cards, if any were dealt and everything agrees."""
    if proof.find_event("CardsDealt") is None or proof.find_event("CardsForced") is not None:
        return None
    if not (proof.witnesses if proof.draws_by_round else proof.shoe_witnesses):
        return "house"
    if proof.is_long and not proof.draws_by_round:
        return "house_knows"
    if not all(map(is_signed_wager, proof.all_data("WagerConfirmed"))):
        return "house_early"
    return "nobody" if proof.required else "house_and_witnesses"


CHOOSERS = {
    "nobody": "Nobody could have chosen the cards, as long as one of the witnesses whose keys you gave is honest.",
    "house_and_witnesses": "The house and every witness together could have chosen the cards, nobody else.",
    "house_early": "The house could have known the cards before a wager that is not signed, but not chosen them alone.",
    "house_knows": "The house knew the order of the shoe before the bets, but could not have chosen it alone.",
    "house": "The house could have chosen the cards: they follow from no link of a witness.",
}


SIGNED = ("inclusion", "signature", "key")
"""The checks without which everything else may have been made up."""
VERDICTS = {
    "verified": "VERIFIED: everything was recomputed and agrees.",
    "partly": "VERIFIED AS FAR AS THIS FILE ALLOWS: nothing is wrong; what is not checkable yet is listed above.",
    "uncosigned": "NOT COSIGNED: nothing is wrong, but a log with another round would verify as well; see above.",
    "forced": "FORCED: everything agrees, but a sandbox operator chose the cards, as a test.",
    "unverified": "NOT VERIFIED: nothing is wrong, but a signature or a witness that it needs is missing; see above.",
    "failed": "FAILED: this file does not agree with the casino's log, rules and cards.",
}


STATUS = {"failed": 1, "unverified": 3, "forced": 4, "uncosigned": 5}
"""The exit status of each verdict that is not 0."""
UNREADABLE = 2
"""The exit status for what is no round at all: its verdict is `failed`, too."""


def format_report(result: Verdict) -> Iterator[str]:
    """Format the result as lines of text."""
    for check in result["checks"]:
        yield f"{check['name']:<12} {VERDICT_TEXT[check['verdict']]:<18} {check['text']}"
        if check["verdict"] == FAILED:
            yield f"{'':>31} expected: {check['expected']}"
            yield f"{'':>31} found:    {check['found']}"
    if result["as_of"]:
        size, cosigned = result["as_of"]["size"], result["as_of"]["cosigned_by"]
        by = f"cosigned by {describe_cosignatures(cosigned)}" if cosigned else "cosigned by no witness that you trust"
        yield f"As of checkpoint {size}, {by}; a later void would not show here."
    if result["could_choose"]:
        yield CHOOSERS[result["could_choose"]]
    if result["rules"]:
        label, published = result["rules"]["label"], result["rules"]["published"]
        yield f"Rules {label}: {'as published' if published else 'own rules'}."
        yield from (f"{'':>4}{each}." for each in result["rules"]["words"])
    for caveat in result["caveats"]:
        yield f"Note: {caveat['text']}."
    unreadable = "CANNOT BE READ: this is neither an exported round nor a dispute pack."
    yield unreadable if result["status"] == UNREADABLE else VERDICTS[result["verdict"]]


def parse_keys(text: str) -> list[str]:
    """Parse public keys: the text itself, or all keys in a document of keys, such as a JWK set."""
    keys = re.findall(r"\b[0-9a-f]{64}\b", text)
    keys += [base64.urlsafe_b64decode(f"{x}=").hex() for x in re.findall(r'"x": ?"([\w-]{43})"', text, re.ASCII)]
    for match in COSIGNER.finditer(text):
        parse_cosigner(match)
        keys.append(match[0])
    if not keys:
        raise ValueError("it contains no key")
    return keys


def read_keys(given: Iterable[str]) -> list[str]:
    """Return the keys of arguments, each of which is one or the path of a file with some."""
    own = (key if HEX64.match(key) or COSIGNER.fullmatch(key) else read_bytes(key).decode("utf-8") for key in given)
    return [key for text in own for key in parse_keys(text)]


def read_bytes(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read()
    with open(path, "rb") as file:  # noqa: PTH123  (nothing but what every Python has)
        return file.read()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="the exported round or dispute pack, or - for standard input")
    key_help = "64 hex digits, NAME+ID+KEY, or a file with it; may be repeated"
    parser.add_argument("--key", action="append", default=[], help=f"a trusted public key: {key_help}")
    witness_help = "a public key of a witness whose link the cards have to follow from"
    parser.add_argument("--witness-key", action="append", default=[], help=f"{witness_help}: {key_help}")
    parser.add_argument("--require-signed", action="store_true", help="verify no round with a wager that is not signed")
    receipt_help = "a receipt of a wager or a contribution, or a payout, to compare the round with; may be repeated"
    parser.add_argument("--receipt", action="append", default=[], help=receipt_help)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def answer(options: argparse.Namespace, encoding: str) -> tuple[int, str]:
    """Return the exit status and what to print. Raises OSError and ValueError for files or keys that can't be read."""
    raw, receipts = read_bytes(options.file), [read_bytes(path) for path in options.receipt]
    keys, required = read_keys(options.key), read_keys(options.witness_key)
    result = verify(raw, keys, receipts, witness_keys=required, require_signed=options.require_signed)
    lines = [json.dumps(result, indent=2)] if options.json else [printable(line) for line in format_report(result)]
    text = "".join(f"{line}\n" for line in lines)
    return result["status"], text.encode(encoding, "backslashreplace").decode(encoding)


def printable(line: str) -> str:
    """Escape what a terminal would obey: a file may say anything."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in line)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Checks one exported round of baccarat.")
    add_arguments(parser)
    try:
        status, text = answer(parser.parse_args(arguments), sys.stdout.encoding or "utf-8")
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return UNREADABLE
    sys.stdout.write(text)
    return status


if __name__ == "__main__":
    sys.exit(main())
