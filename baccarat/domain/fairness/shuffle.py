"""The order of a shoe, computed from a seed and a cut. Anyone who has both can recompute it."""

from collections.abc import Iterator
from typing import Final

from baccarat.domain.fairness.stream import uint32_stream
from baccarat.domain.rules.cards import FULL_DECK, Card

WORD_RANGE: Final = 1 << 32


class InvalidCardCount(ValueError):
    """A shoe has at least one deck, and at most all of its cards can be requested."""


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
    for place in range(count):
        chosen = place + uniform_below(stream, size - place)
        dealt.append(FULL_DECK[moved.get(chosen, chosen) % 52])
        moved[chosen] = moved.get(place, place)
    return tuple(dealt)


def uniform_below(stream: Iterator[int], below: int) -> int:
    """Draw a uniform number from 0 to `below` - 1 from 32-bit words.

    Rejection sampling: words in the last, incomplete run of `below` values are skipped.
    """
    refused_from = WORD_RANGE - WORD_RANGE % below
    word = next(stream)
    while word >= refused_from:
        word = next(stream)
    return word % below
