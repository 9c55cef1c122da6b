"""A promise made before the first bet: the hash of the seed that will decide the cards."""

import hashlib
import hmac
from typing import Final

from baccarat.domain.fairness.stream import require_seed

COMMITMENT_TAG: Final = b"casino.baccarat.commitment.v1\x00"


def commit(seed: bytes) -> str:
    """Return the commitment to a 32-byte seed: SHA-256 over tag and seed, in hex. Raises MalformedSeed."""
    return hashlib.sha256(COMMITMENT_TAG + require_seed(seed)).hexdigest()


def opens(commitment: str, seed: bytes) -> bool:
    """Tell whether a revealed seed is the one that was committed to. Raises MalformedSeed."""
    return hmac.compare_digest(commit(seed).encode(), commitment.encode())
