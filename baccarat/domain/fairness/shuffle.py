"""The order of a shoe, computed from a secret seed and the players' cut. Anyone who has both can recompute it."""

import hmac
import struct
from collections.abc import Iterator
from typing import Final

from baccarat.domain.rules.cards import FULL_DECK, Card

SEED_BYTES: Final = 32
BLOCK_TAG: Final = b"casino.baccarat.shuffle.v1\x00"
WORD_RANGE: Final = 1 << 32

_WORDS: Final = struct.Struct(">8I")
_NUMBER: Final = struct.Struct(">Q")


class MalformedSeed(ValueError):
    """A seed is not exactly 32 bytes."""


class InvalidCardCount(ValueError):
    """A shoe has at least one deck, and at most all of its cards can be requested."""


def require_seed(seed: bytes) -> bytes:
    """Return the seed if it has 32 bytes. Raises MalformedSeed."""
    if len(seed) != SEED_BYTES:
        raise MalformedSeed(f"A seed has {SEED_BYTES} bytes, not {len(seed)}.")
    return seed


def uint32_stream(seed: bytes, *, cut: bytes) -> Iterator[int]:
    """Yield 32-bit words without end, eight big-endian words per block, unpredictable without the seed.

    Block n, from 0, is HMAC-SHA-256 (RFC 2104, FIPS 180-4) keyed with the seed, over the tag, the length of the cut in
    8 big-endian bytes, the cut, and n in 8 big-endian bytes. Raises MalformedSeed.
    """
    key, counter = require_seed(seed), 0
    prefix = BLOCK_TAG + _NUMBER.pack(len(cut)) + cut
    while True:
        # Not hmac.digest: it releases the GIL, which costs more than the hash when other threads are running.
        yield from _WORDS.unpack(hmac.new(key, prefix + _NUMBER.pack(counter), "sha256").digest())
        counter += 1


def shuffle(seed: bytes, *, cut: bytes, decks: int, first: int | None = None) -> tuple[Card, ...]:
    """Return the shoe's cards in dealing order, or only its `first` cards.

    A Fisher-Yates shuffle from the front: position i of n swaps with i + r, r uniform below n - i, on the unshuffled
    shoe of `baccarat.domain.rules.cards.unshuffled_shoe`. `seed` is 32 bytes. Raises MalformedSeed and
    InvalidCardCount.

    Source: Durstenfeld, "Algorithm 235: Random permutation", Communications of the ACM 7, 1964.
    """
    size = 52 * decks
    count = size if first is None else first
    if decks < 1 or not 0 <= count <= size:
        raise InvalidCardCount(f"Cannot deal {count} cards from {decks} decks.")
    moved: dict[int, int] = {}  # only positions whose card has changed, so that drawing a few cards takes a few steps
    dealt = []
    stream = uint32_stream(seed, cut=cut)
    for position in range(count):
        chosen = position + uniform_below(stream, size - position)
        dealt.append(FULL_DECK[moved.get(chosen, chosen) % 52])
        moved[chosen] = moved.get(position, position)
    return tuple(dealt)


def uniform_below(stream: Iterator[int], below: int) -> int:
    """Draw a uniform number from 0 to `below` - 1 from 32-bit words.

    Rejection sampling: words in the last, incomplete run of `below` values are skipped.
    """
    rejected_from = WORD_RANGE - WORD_RANGE % below
    word = next(stream)
    while word >= rejected_from:
        word = next(stream)
    return word % below
