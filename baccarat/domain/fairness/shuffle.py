"""The order of cards, computed from a secret seed, the players' cut and the witnesses' links.

Anyone who has them can recompute it.
"""

import hmac
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from baccarat.domain.fairness.terms import WitnessIndex, encode_witnesses
from baccarat.domain.rules.cards import FULL_DECK, Card

SEED_BYTES: Final = 32
DRAW_TAG: Final = b"casino.baccarat.draw.v2\x00"
ROUND_SEED_TAG: Final = b"casino.baccarat.round-seed.v1\x00"
WORD_RANGE: Final = 1 << 32

_WORDS: Final = struct.Struct(">8I")
_NUMBER: Final = struct.Struct(">Q")


@dataclass(frozen=True, slots=True)
class Link:
    """What a witness gave out for a drawing: the link, in hex, of its chain at an index."""

    chain: str
    index: int
    link: str


class MalformedSeed(ValueError):
    """A seed is not exactly 32 bytes."""


class InvalidCardCount(ValueError):
    """A shoe has at least one deck, at most all of its cards can be out, and at most what is left can be requested."""


def require_seed(seed: bytes) -> bytes:
    """Return the seed if it has 32 bytes. Raises MalformedSeed."""
    if len(seed) != SEED_BYTES:
        raise MalformedSeed(f"A seed has {SEED_BYTES} bytes, not {len(seed)}.")
    return seed


def round_seed(seed: bytes, number: int) -> bytes:
    """Return the seed of the table's round with this number, in a long shoe whose rounds draw their own cards.

    It is shown as the round ends, and tells nothing about the shoe's seed or another round's. Raises MalformedSeed.
    """
    return hmac.new(require_seed(seed), ROUND_SEED_TAG + _NUMBER.pack(number), "sha256").digest()


def draw_key(seed: bytes, *, cut: bytes, links: Sequence[Link] = ()) -> bytes:
    """Return the key of a drawing: HMAC-SHA-256 keyed with the seed, over the tag, the cut, and the witnesses' links.

    Each link follows its chain's id and its index; `links` are ordered by chain. Raises MalformedSeed.
    """
    listed = sorted(links, key=lambda each: each.chain)
    count = encode_witnesses([WitnessIndex(each.chain, each.index) for each in listed])[:1]
    parts = (bytes.fromhex(each.chain) + _NUMBER.pack(each.index) + bytes.fromhex(each.link) for each in listed)
    return hmac.new(require_seed(seed), DRAW_TAG + cut + count + b"".join(parts), "sha256").digest()


def words_of_drawing(key: bytes) -> Iterator[int]:
    """Yield the 32-bit words of a drawing without end, eight big-endian ones per block.

    Block n, from 0, is HMAC-SHA-256 (RFC 2104, FIPS 180-4) keyed with its key, over n in 8 big-endian bytes.
    """
    counter = 0
    while True:
        # Not hmac.digest: it releases the GIL, which costs more than the hash when other threads are running.
        yield from _WORDS.unpack(hmac.new(key, _NUMBER.pack(counter), "sha256").digest())
        counter += 1


def cards_left(decks: int, out: Sequence[Card]) -> list[Card]:
    """Return the unshuffled shoe of `baccarat.domain.rules.cards.unshuffled_shoe` without the cards that are `out`.

    Of equal cards, the first ones are out. Raises InvalidCardCount.
    """
    if decks < 1:
        raise InvalidCardCount(f"No shoe has {decks} decks.")
    missing, left = Counter(out), list[Card]()
    if not missing:
        return list(FULL_DECK * decks)
    for card in FULL_DECK * decks:
        if missing.get(card):
            missing[card] -= 1
        else:
            left.append(card)
    if missing.total():
        raise InvalidCardCount(f"More {' '.join(+missing)} are out than {decks} decks have.")
    return left


def shuffle(
    seed: bytes,
    *,
    cut: bytes,
    decks: int,
    first: int | None = None,
    links: Sequence[Link] = (),
    out: Sequence[Card] = (),
) -> tuple[Card, ...]:
    """Return a shoe's cards in dealing order, or only its `first` ones. `links` are those of the table's witnesses.

    A Fisher-Yates shuffle from the front: position i of n swaps with i + r, r uniform below n - i, on the n
    `cards_left` without those that are `out`. `seed` is 32 bytes. Raises MalformedSeed and InvalidCardCount.

    Source: Durstenfeld, "Algorithm 235: Random permutation", Communications of the ACM 7, 1964.
    """
    left = cards_left(decks, out)
    size = len(left)
    count = size if first is None else first
    if not 0 <= count <= size:
        raise InvalidCardCount(f"Cannot deal {count} cards of {size}.")
    moved: dict[int, int] = {}  # only positions whose card has changed, so that drawing a few cards takes a few steps
    dealt = []
    stream = words_of_drawing(draw_key(seed, cut=cut, links=links))
    for position in range(count):
        chosen = position + uniform_below(stream, size - position)
        dealt.append(left[moved.get(chosen, chosen)])
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
