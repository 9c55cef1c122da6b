"""What is fixed before the first chip of a round: its terms, the cut of its drawing, and the witnesses' indexes.

Numbers are unsigned and big-endian; `B(x)` is the length of x in 8 bytes, then x. Digests and keys are in hex where a
person or JSON reads them.
"""

import hashlib
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from baccarat.domain.fairness.cut import Contribution, parse_contribution

CONTRIBUTION_TAG: Final = b"casino.baccarat.contribution.v1\x00"
CONTRIBUTED_TAG: Final = b"casino.baccarat.contributed.v1\x00"
CUT_TAG: Final = b"casino.baccarat.cut.v2\x00"
TERMS_TAG: Final = b"casino.baccarat.terms.v1\x00"
MAX_WITNESSES: Final = 4

_U8: Final = struct.Struct(">B")
_U32: Final = struct.Struct(">I")
_U64: Final = struct.Struct(">Q")


@dataclass(frozen=True, slots=True)
class WitnessIndex:
    """The link of a witness's chain that a drawing uses: the chain's id in hex, and the link's index."""

    chain: str
    index: int


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of one round, named by its table and number. Digests are in hex.

    `next_place` is the place in the shoe of the round's first card; `cards` is the digest of those dealt from the shoe
    so far, `rules` that of the rules as canonical JSON. `witnesses` are empty at a table without one.
    `next_commitment` is to the table's next drawing.
    """

    table: UUID
    number: int
    shoe: UUID
    next_place: int
    cards: str
    rules: str
    commitment: str
    cut: str
    witnesses: tuple[WitnessIndex, ...]
    next_commitment: str

    def digest(self) -> str:
        """Return the digest that wagers are signed over: 32 bytes in hex."""
        return hashlib.sha256(
            TERMS_TAG
            + self.table.bytes
            + _U64.pack(self.number)
            + self.shoe.bytes
            + _U64.pack(self.next_place)
            + _digest(self.cards)
            + _digest(self.rules)
            + _digest(self.commitment)
            + bytes.fromhex(self.cut)
            + encode_witnesses(self.witnesses)
            + _digest(self.next_commitment)
        ).hexdigest()


def prefixed(data: bytes) -> bytes:
    """Return bytes behind their length."""
    return _U64.pack(len(data)) + data


def digest_cards(cards: Sequence[str]) -> str:
    """Return the digest of the cards dealt from a shoe so far, two letters each, in hex."""
    return hashlib.sha256("".join(cards).encode("ascii")).hexdigest()


def encode_witnesses(witnesses: Sequence[WitnessIndex]) -> bytes:
    """Return the count of witnesses, then each chain's id and index, ascending by id. Raises ValueError for more than
    four, or two of one chain.
    """
    listed = sorted((_digest(each.chain), each.index) for each in witnesses)
    if len(listed) > MAX_WITNESSES or len({chain for chain, _ in listed}) != len(listed):
        raise ValueError(f"A drawing has at most {MAX_WITNESSES} witnesses, each with a chain of its own.")
    return _U8.pack(len(listed)) + b"".join(chain + _U64.pack(index) for chain, index in listed)


def encode_contribution(
    *, table: UUID, commitment: str, witnesses: Sequence[WitnessIndex], seat: int, contribution: str
) -> bytes:
    """Return the bytes that a player signs to contribute to a cut. Raises MalformedContribution."""
    drawing = table.bytes + _digest(commitment) + encode_witnesses(witnesses)
    return CONTRIBUTION_TAG + drawing + _U8.pack(seat) + prefixed(parse_contribution(contribution))


def encode_contributed(
    *,
    table: UUID,
    commitment: str,
    witnesses: Sequence[WitnessIndex],
    player: UUID,
    contribution: Contribution,
    contributed_at_us: int,
) -> bytes:
    """Return the bytes of a contribution's receipt, which the house signs."""
    drawing = table.bytes + _digest(commitment) + encode_witnesses(witnesses)
    public_key, given = bytes.fromhex(contribution.public_key), parse_contribution(contribution.contribution)
    by = _U8.pack(contribution.seat) + player.bytes + prefixed(public_key) + prefixed(given)
    return CONTRIBUTED_TAG + drawing + by + _U64.pack(contributed_at_us)


def close_cut(
    *,
    commitment: str,
    witnesses: Sequence[WitnessIndex],
    contributions: Iterable[Contribution],
) -> bytes:
    """Return the cut of a drawing: 32 bytes, also if nobody contributed. Raises MalformedContribution."""
    listed = sorted(
        (each.seat, bytes.fromhex(each.public_key), parse_contribution(each.contribution)) for each in contributions
    )
    parts = [CUT_TAG, _digest(commitment), encode_witnesses(witnesses), _U32.pack(len(listed))]
    for seat, public_key, contribution in listed:
        parts += [_U8.pack(seat), prefixed(public_key), prefixed(contribution)]
    return hashlib.sha256(b"".join(parts)).digest()


def _digest(digits: str) -> bytes:
    """Return 32 bytes from hex. Raises ValueError for any other length."""
    parsed = bytes.fromhex(digits)
    if len(parsed) != hashlib.sha256().digest_size:
        raise ValueError(f"A digest has 32 bytes, not {len(parsed)}.")
    return parsed
