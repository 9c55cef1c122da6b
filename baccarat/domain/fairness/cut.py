"""The cut: player contributions mixed into a shoe after its seed is committed to, so that nobody can know its order."""

import hashlib
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

CUT_TAG: Final = b"casino.baccarat.cut.v1\x00"
NO_CUT: Final = b""
"""The cut of a shoe to which nobody contributed."""
MAX_CONTRIBUTION_BYTES: Final = 32

_NUMBER: Final = struct.Struct(">Q")


class MalformedContribution(ValueError):
    """A contribution is not 1 to 32 bytes in hex."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """One seat's contribution to the cut: 1 to 32 bytes of its choice, in lower-case hex.

    `public_key` is that of its signature, "" if it is not signed.
    """

    seat: int
    contribution: str
    public_key: str = ""


@dataclass(frozen=True, slots=True)
class ContributionSignature:
    """A player's signature of a contribution to one drawing, in hex.

    `public_key` is the algorithm in one byte, 01 for Ed25519, then the key of the player's session.
    """

    public_key: str
    signature: str


def parse_contribution(digits: str) -> bytes:
    """Parse a contribution from hex. Raises MalformedContribution unless it is 1 to 32 bytes."""
    try:
        parsed = bytes.fromhex(digits)
    except ValueError:
        parsed = b""
    if not 1 <= len(parsed) <= MAX_CONTRIBUTION_BYTES or len(digits) != 2 * len(parsed):
        raise MalformedContribution(f"A contribution is 1 to {MAX_CONTRIBUTION_BYTES} bytes in hex.")
    return parsed


def compute_cut(shoe: UUID, contributions: Iterable[Contribution]) -> bytes:
    """Return a shoe's cut: 32 bytes, or empty if nobody contributed. Raises MalformedContribution.

    SHA-256 (FIPS 180-4) over the tag, the shoe's id, the count, and for each seat in ascending order its number, the
    length and the bytes. Numbers are 8 big-endian bytes, so that no two lists have the same encoding.
    """
    listed = sorted((each.seat, parse_contribution(each.contribution)) for each in contributions)
    if not listed:
        return NO_CUT
    parts = [CUT_TAG, shoe.bytes, _NUMBER.pack(len(listed))]
    for seat, contribution in listed:
        parts += [_NUMBER.pack(seat), _NUMBER.pack(len(contribution)), contribution]
    return hashlib.sha256(b"".join(parts)).digest()
