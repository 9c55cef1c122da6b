"""The cut: player contributions mixed into a shoe after its seed is committed to, so that nobody can know its order."""

from dataclasses import dataclass
from typing import Final

MAX_CONTRIBUTION_BYTES: Final = 32


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
