"""Points of a hand."""

from collections.abc import Sequence

from baccarat.domain.rules.cards import POINTS, Card


def total(cards: Sequence[Card]) -> int:
    """Return a hand's points: the sum of its cards modulo 10. Raises UnknownCard."""
    return sum(POINTS[card] for card in cards) % 10


def is_natural(cards: Sequence[Card]) -> bool:
    """Return whether a hand is a natural: 8 or 9 in its first two cards. Raises UnknownCard."""
    return len(cards) == 2 and total(cards) >= 8
