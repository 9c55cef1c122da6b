"""A stream of words determined by a secret seed and the players' cut, unpredictable without the seed."""

import hmac
import struct
from collections.abc import Iterator
from typing import Final

SEED_BYTES: Final = 32
BLOCK_TAG: Final = b"casino.baccarat.shuffle.v1\x00"

_WORDS: Final = struct.Struct(">8I")
_COUNTER: Final = struct.Struct(">Q")


class MalformedSeed(ValueError):
    """A seed is not exactly 32 bytes."""


def require_seed(seed: bytes) -> bytes:
    """Return the seed if it has 32 bytes. Raises MalformedSeed."""
    if len(seed) != SEED_BYTES:
        raise MalformedSeed(f"A seed has {SEED_BYTES} bytes, not {len(seed)}.")
    return seed


def block(seed: bytes, *, cut: bytes, counter: int) -> bytes:
    """Return block `counter` (from 0) of the stream, 32 bytes. Raises MalformedSeed.

    HMAC-SHA-256 (RFC 2104, FIPS 180-4) keyed with the seed, over the tag, the length of the cut in 8 big-endian bytes,
    the cut, and the counter in 8 big-endian bytes.
    """
    return hmac.digest(require_seed(seed), _prefix(cut) + _COUNTER.pack(counter), "sha256")


def uint32_stream(seed: bytes, *, cut: bytes) -> Iterator[int]:
    """Yield the stream's 32-bit words without end, eight big-endian words per block. Raises MalformedSeed."""
    key, prefix, counter = require_seed(seed), _prefix(cut), 0
    while True:
        # Not hmac.digest: it releases the GIL, which costs more than the hash when other threads are running.
        yield from _WORDS.unpack(hmac.new(key, prefix + _COUNTER.pack(counter), "sha256").digest())
        counter += 1


def _prefix(cut: bytes) -> bytes:
    return BLOCK_TAG + _COUNTER.pack(len(cut)) + cut
