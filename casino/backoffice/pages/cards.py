"""Cards as pictures: what a template needs to draw them, and the short form that fits a list."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from baccarat.domain.rules.cards import card_name, parse

_SIGNS: Final = {"c": "♣\ufe0e", "d": "♦\ufe0e", "h": "♥\ufe0e", "s": "♠\ufe0e"}
"""Each followed by the selector that asks for text: a heart is a glyph in the line's colour, not a picture."""

_RED: Final = frozenset("dh")


@dataclass(frozen=True, slots=True)
class CardPicture:
    """One dealt card: `rank` as printed on it, `suit` as one letter, its name in words, and how it lies."""

    rank: str
    suit: str
    name: str
    red: bool
    sideways: bool


def picture(card: str, *, sideways: bool = False) -> CardPicture:
    """Describe a card for drawing; a third card lies sideways. Raises UnknownCard."""
    parsed = parse(card)
    rank, suit = parsed[0], parsed[1]
    return CardPicture("10" if rank == "T" else rank, suit, card_name(parsed), suit in _RED, sideways)


def pictures(cards: Iterable[str]) -> list[CardPicture]:
    """Describe a hand for drawing, in the order dealt. Raises UnknownCard."""
    return [picture(card, sideways=place == 2) for place, card in enumerate(cards)]


def in_line(cards: Iterable[str]) -> SafeString:
    """Print cards as ranks with their suits, red ones in red. Raises UnknownCard."""
    shown = [picture(card) for card in cards]
    marks = [("c-red" if card.red else "c-black", card.name, f"{card.rank}{_SIGNS[card.suit]}") for card in shown]
    return format_html(
        '<span class="c-cards">{}</span>', format_html_join(" ", '<span class="{}" title="{}">{}</span>', marks)
    )
