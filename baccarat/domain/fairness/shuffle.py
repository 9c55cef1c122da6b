"""The order of a shoe, from a seed and a cut: anyone who is given both can recompute it."""

from collections.abc import Iterator
from typing import Final

from baccarat.domain.fairness.stream import uint32_stream
from baccarat.domain.rules.cards import FULL_DECK, Card

WORD_RANGE: Final = 1 << 32


class InvalidCardCount(ValueError):
    """A shoe holds at least one deck, and from it at most all of its cards can be asked for."""


def shuffle(seed: bytes, *, cut: bytes, decks: int, first: int | None = None) -> tuple[Card, ...]:
    """Return the shoe's cards in the order they are dealt, or only the `first` so many of that order.

    A Fisher-Yates shuffle from the front: position i of n swaps with i + r, r uniform below n - i, on the unshuffled
    shoe of `baccarat.domain.rules.cards.unshuffled_shoe`. `seed` is 32 bytes. Raises MalformedSeed and NoSuchCount.

    Source: Durstenfeld, "Algorithm 235: Random permutation", Communications of the ACM 7, 1964.
    """
    size = 52 * decks
    count = size if first is None else first
    if decks < 1 or not 0 <= count <= size:
        raise InvalidCardCount(f"Cannot deal {count} cards from {decks} decks.")
    moved: dict[int, int] = {}  # only positions whose card has changed, so a few cards cost a few steps
    dealt = []
    stream = uint32_stream(seed, cut=cut)
    for place in range(count):
        chosen = place + uniform_below(stream, size - place)
        dealt.append(FULL_DECK[moved.get(chosen, chosen) % 52])
        moved[chosen] = moved.get(place, place)
    return tuple(dealt)


def uniform_below(stream: Iterator[int], below: int) -> int:
    """Draw a number from 0 to `below` - 1 from 32-bit words, none more likely than another.

    A word in the last, incomplete run of `below` values is refused and the next one taken.
    """
    refused_from = WORD_RANGE - WORD_RANGE % below
    word = next(stream)
    while word >= refused_from:
        word = next(stream)
    return word % below
