"""The order of a shoe, from a seed and a cut: anyone who is given both can recompute it."""

from typing import Final

from baccarat.fairness.stream import words
from baccarat.rules.cards import FULL_DECK, Card

WORDS: Final = 1 << 32


class NoSuchCount(ValueError):
    """A shoe holds at least one deck, and from it at most all of its cards can be asked for."""


def order(seed: bytes, *, cut: bytes, decks: int, first: int | None = None) -> tuple[Card, ...]:
    """This will return the shoe's cards in the order they are dealt, or only the `first` so many of that order.

    A Fisher-Yates shuffle from the front: position i of n swaps with i + r, r uniform below n - i. A word is refused
    and the next one taken when it lies in the last, incomplete run of n - i values, so no card is favoured. `seed`
    is 32 bytes, `decks` 1 or more. Raises MalformedSeed and NoSuchCount.

    Source: Durstenfeld, "Algorithm 235: Random permutation", Communications of the ACM 7, 1964.
    """
    size = 52 * decks
    count = size if first is None else first
    if decks < 1 or not 0 <= count <= size:
        raise NoSuchCount(f"Cannot deal {count} cards from {decks} decks.")
    moved: dict[int, int] = {}  # only positions whose card has changed, so a few cards cost a few steps
    dealt = []
    stream = words(seed, cut=cut)
    for place in range(count):
        left = size - place
        word = next(stream)
        while word >= WORDS - WORDS % left:
            word = next(stream)
        chosen = place + word % left
        dealt.append(FULL_DECK[moved.get(chosen, chosen) % 52])
        moved[chosen] = moved.get(place, place)
    return tuple(dealt)
