"""A hand counts modulo ten, and is a natural with 8 or 9 in two cards."""

import pytest

from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.hands import is_natural, total


def hand(text: str) -> list[Card]:
    return [Card(card) for card in text.split()]


@pytest.mark.parametrize(
    ("cards", "worth"), [("9c 7d", 6), ("5c 5d 5h", 5), ("Tc 9d", 9), ("8c 6d", 4), ("3c 7d", 0), ("7c 6d", 3)]
)
def test_the_examples_of_the_sources_add_up(cards: str, worth: int) -> None:
    assert total(hand(cards)) == worth


@pytest.mark.parametrize(
    ("cards", "natural"), [("Tc 9d", True), ("4c 4d", True), ("3c 4d", False), ("2c 2d 5h", False), ("9c Tc Kd", False)]
)
def test_only_two_cards_make_a_natural(cards: str, natural: bool) -> None:
    assert is_natural(hand(cards)) is natural
