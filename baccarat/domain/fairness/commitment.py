"""Commitment to a seed: a hash published before the first bet on the cards that the seed determines."""

import hashlib
import hmac
from typing import Final

from baccarat.domain.fairness.stream import require_seed

COMMITMENT_TAG: Final = b"casino.baccarat.commitment.v1\x00"


def commit(seed: bytes) -> str:
    """Return the commitment to a 32-byte seed: SHA-256 over tag and seed, in hex. Raises MalformedSeed."""
    return hashlib.sha256(COMMITMENT_TAG + require_seed(seed)).hexdigest()


def opens(commitment: str, seed: bytes) -> bool:
    """Return whether a revealed seed matches the commitment. Raises MalformedSeed."""
    return hmac.compare_digest(commit(seed).encode(), commitment.encode())
