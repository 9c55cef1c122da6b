"""Cards and the points of a hand. A card is two characters, a rank and a suit: "9h" is the nine of hearts."""

from collections.abc import Sequence
from typing import Final, NewType

Card = NewType("Card", str)

_NAMES_AND_POINTS: Final = {
    "A": ("ace", 1),
    "2": ("two", 2),
    "3": ("three", 3),
    "4": ("four", 4),
    "5": ("five", 5),
    "6": ("six", 6),
    "7": ("seven", 7),
    "8": ("eight", 8),
    "9": ("nine", 9),
    "T": ("ten", 0),
    "J": ("jack", 0),
    "Q": ("queen", 0),
    "K": ("king", 0),
}
RANKS: Final = "".join(_NAMES_AND_POINTS)
SUITS: Final = "cdhs"
FULL_DECK: Final[tuple[Card, ...]] = tuple(Card(rank + suit) for suit in SUITS for rank in RANKS)
"""One deck in its fixed order: clubs, diamonds, hearts, spades, each from ace to king."""

_SUIT_NAMES: Final = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}


class UnknownCard(ValueError):
    """The text is not a card of a deck."""


class _Points(dict[str, int]):
    """A look-up whose error names the unknown card."""

    def __missing__(self, card: str) -> int:
        raise UnknownCard(f"{card!r} is not a card: expected a rank of {RANKS} and a suit of {SUITS}, such as '9h'.")


POINTS: Final = _Points({card: _NAMES_AND_POINTS[card[0]][1] for card in FULL_DECK})
"""Points of every card: ace 1, two to nine at face value, ten and court cards 0 (rules, section 2)."""


def points(card: Card) -> int:
    """Return a card's points, 0 to 9. Raises UnknownCard."""
    return POINTS[card]


def card_name(card: Card) -> str:
    """Return a card's name in words: "nine of hearts". Raises UnknownCard."""
    parse(card)
    return f"{_NAMES_AND_POINTS[card[0]][0]} of {_SUIT_NAMES[card[1]]}"


def parse(text: str) -> Card:
    """Read a card from its two characters. Raises UnknownCard, a ValueError."""
    points(Card(text))
    return Card(text)


def unshuffled_shoe(decks: int) -> tuple[Card, ...]:
    """Return an unshuffled shoe of 52 cards a deck: card i is card i % 52 of the full deck."""
    return FULL_DECK * decks


def hand_total(cards: Sequence[Card]) -> int:
    """Return a hand's points: the sum of its cards modulo 10. Raises UnknownCard."""
    return sum(POINTS[card] for card in cards) % 10
