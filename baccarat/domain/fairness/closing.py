"""What is fixed when betting closes: every wager as a leaf, the closing digest over all of them, and receipts.

Witnesses sign the closing digest before they give out their links, so no wager can be added or dropped afterwards.
"""

import hashlib
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final
from uuid import UUID

from baccarat.domain.fairness.links import LogHead
from baccarat.domain.fairness.terms import Terms, WitnessIndex, digest_cards, encode_witnesses, prefixed
from casino.kernel import merkle
from casino.witness.statements import ClosingKind

WAGER_TAG: Final = b"casino.baccarat.wager.v2\x00"
LEAF_TAG: Final = b"casino.baccarat.wager-leaf.v1\x00"
CLOSING_TAG: Final = b"casino.baccarat.closing.v1\x00"
RECEIPT_TAG: Final = b"casino.baccarat.receipt.v2\x00"
PAYOUT_TAG: Final = b"casino.baccarat.payout.v1\x00"
NO_DIGEST: Final = "00" * 32
"""Stands for what does not exist: the closing before a table's first, the root before the first cosignature."""

_WAGER_HEAD: Final = struct.Struct(">BB")
_U8: Final = struct.Struct(">B")
_KIND: Final = struct.Struct(">BBI")
_SEAT: Final = struct.Struct(">BB")
_U64: Final = struct.Struct(">Q")
_RECEIPT_HEAD: Final = struct.Struct(">BI")

Stakes = Iterable[tuple[str, int]]
"""Names of spots and minor units, in the rules' order of spots."""
PaidLine = tuple[str, int, str, int, int]
"""What a stake returned: the spot's name, the stake, its result, what was returned, and the commission."""


class SeatClosing(IntEnum):
    """How a seat's turn ended, by the time that betting closed."""

    DEALT = 1
    PASSED = 2
    TIMED_OUT = 3


@dataclass(frozen=True, slots=True)
class SeatEnd:
    """A seat at the close of betting."""

    seat: int
    end: SeatClosing


@dataclass(frozen=True, slots=True)
class Closing:
    """The closing digest, and what it covers that the events before it do not say. Digests are in hex.

    `blind` are 32 random bytes, so that the digest tells nothing before its parts are public. `sealed_head` is the
    digest of the log's last sealed event. `before` is the digest of the table's closing before, so that none can be
    left out. `cosigned` is the log as witnesses had cosigned it, None at a table without witnesses.
    """

    digest: str
    blind: str
    sealed_head: str
    before: str
    cosigned: LogHead | None = None


def encode_wager(
    *,
    terms: str,
    wager: UUID,
    player: UUID,
    seat: int,
    play_money: bool,
    currency: str,
    stakes: Stakes,
    nonce: bytes,
) -> bytes:
    """Return the bytes that a player signs to wager; `stakes` are as asked."""
    return b"".join(
        (
            WAGER_TAG,
            bytes.fromhex(terms),
            wager.bytes,
            player.bytes,
            _WAGER_HEAD.pack(seat, 2 if play_money else 1),
            prefixed(currency.encode("ascii")),
            _encode_stakes(stakes),
            nonce,
        )
    )


def wager_leaf(wager: bytes, *, public_key: bytes = b"") -> bytes:
    """Return the leaf of a wager; `public_key` is that of its signature, empty for a caller that does not sign."""
    return merkle.leaf_hash(LEAF_TAG + prefixed(wager) + prefixed(public_key))


def close(
    *,
    blind: bytes,
    terms: str,
    witnesses: Sequence[WitnessIndex],
    kind: ClosingKind,
    cause: int,
    leaves: Sequence[bytes],
    seats: Sequence[SeatEnd],
    closed_at_us: int,
    sealed_head: str,
    before: str,
    cosigned: LogHead | None = None,
) -> Closing:
    """Compute the closing of a drawing. `seats` are in ascending order; `closed_at_us` is Unix time in microseconds.

    `leaves` are those of the wagers, in order of confirmation.
    """
    head = cosigned or LogHead(0, NO_DIGEST)
    ends = hashlib.sha256(b"".join(_SEAT.pack(each.seat, each.end) for each in seats)).digest()
    digest = hashlib.sha256(
        CLOSING_TAG
        + blind
        + bytes.fromhex(terms)
        + encode_witnesses(witnesses)
        + _KIND.pack(kind, cause, len(leaves))
        + merkle.root(leaves)
        + ends
        + _U64.pack(closed_at_us)
        + bytes.fromhex(sealed_head)
        + _U64.pack(head.size)
        + bytes.fromhex(head.root)
        + bytes.fromhex(before)
    ).hexdigest()
    return Closing(digest=digest, blind=blind.hex(), sealed_head=sealed_head, before=before, cosigned=cosigned)


def close_shoe(
    *,
    blind: bytes,
    table: UUID,
    first_round: int,
    shoe: UUID,
    rules: str,
    commitment: str,
    cut: str,
    closed_at_us: int,
    sealed_head: str,
    before: str,
    witnesses: Sequence[WitnessIndex] = (),
    cosigned: LogHead | None = None,
) -> Closing:
    """Compute the closing of a long shoe, which pins its cut: as it starts, or before its witnesses' links.

    Its terms are those of its first round, before a card is out or the next shoe is named.
    """
    terms = Terms(
        table=table,
        number=first_round,
        shoe=shoe,
        next_place=0,
        cards=digest_cards(()),
        rules=rules,
        commitment=commitment,
        cut=cut,
        witnesses=tuple(witnesses),
        next_commitment=NO_DIGEST,
    )
    return close(
        blind=blind,
        terms=terms.digest(),
        witnesses=witnesses,
        kind=ClosingKind.SHOE,
        cause=0,
        leaves=[],
        seats=[],
        closed_at_us=closed_at_us,
        sealed_head=sealed_head,
        before=before,
        cosigned=cosigned,
    )


def encode_receipt(
    *,
    terms: str,
    leaf: bytes,
    player: UUID,
    seat: int,
    place: int,
    stakes: Stakes,
    currency: str,
    confirmed_at_us: int,
    close_by_us: int,
) -> bytes:
    """Return the bytes of a receipt, which the house signs; `stakes` are as confirmed."""
    return b"".join(
        (
            RECEIPT_TAG,
            bytes.fromhex(terms),
            leaf,
            player.bytes,
            _RECEIPT_HEAD.pack(seat, place),
            _encode_stakes(stakes),
            prefixed(currency.encode("ascii")),
            _U64.pack(confirmed_at_us),
            _U64.pack(close_by_us),
        )
    )


def encode_payout(
    *,
    terms: str,
    leaf: bytes,
    player: UUID,
    results: Sequence[PaidLine],
    currency: str,
    settled_at_us: int,
) -> bytes:
    """Return the bytes that say what a wager returned, which the house signs; `results` are in the rules' order."""
    return b"".join(
        (
            PAYOUT_TAG,
            bytes.fromhex(terms),
            leaf,
            player.bytes,
            struct.pack(">I", len(results)),
            *map(_encode_result, results),
            prefixed(currency.encode("ascii")),
            _U64.pack(settled_at_us),
        )
    )


def _encode_result(line: PaidLine) -> bytes:
    spot, stake, result, returned, commission = line
    names = prefixed(spot.encode("ascii")) + _U64.pack(stake) + prefixed(result.encode("ascii"))
    return names + _U64.pack(returned) + _U64.pack(commission)


def _encode_stakes(stakes: Stakes) -> bytes:
    listed = [prefixed(spot.encode("ascii")) + _U64.pack(units) for spot, units in stakes]
    return _U8.pack(len(listed)) + b"".join(listed)
