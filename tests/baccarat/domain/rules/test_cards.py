"""Cards are worth what the rules say and are named in words; a hand counts modulo ten."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.domain.rules.cards import (
    FULL_DECK,
    Card,
    UnknownCard,
    card_name,
    hand_total,
    parse,
    points,
    unshuffled_shoe,
)


@pytest.mark.parametrize(
    ("rank", "worth"), [*zip("A23456789", range(1, 10), strict=True), ("T", 0), ("J", 0), ("Q", 0), ("K", 0)]
)
def test_a_rank_is_worth_its_points_in_every_suit(rank: str, worth: int) -> None:
    assert [points(Card(rank + suit)) for suit in "cdhs"] == [worth] * 4


def test_a_deck_has_52_different_cards_from_the_ace_of_clubs_to_the_king_of_spades() -> None:
    assert len(set(FULL_DECK)) == len(FULL_DECK) == 52
    assert (FULL_DECK[0], FULL_DECK[12], FULL_DECK[13], FULL_DECK[51]) == ("Ac", "Kc", "Ad", "Ks")


def test_a_shoe_repeats_the_deck() -> None:
    shoe = unshuffled_shoe(8)
    assert len(shoe) == 416
    assert all(shoe[place] == FULL_DECK[place % 52] for place in range(416))


def test_cards_are_named_in_words() -> None:
    assert [card_name(Card(card)) for card in ("9h", "Td", "Ac", "Ks")] == [
        "nine of hearts",
        "ten of diamonds",
        "ace of clubs",
        "king of spades",
    ]


@given(st.text(max_size=3).filter(lambda text: text not in FULL_DECK))
def test_anything_else_is_no_card(text: str) -> None:
    for use in (parse, points, card_name):
        with pytest.raises(UnknownCard, match="is not a card"):
            use(Card(text))


@given(st.sampled_from(FULL_DECK))
def test_every_card_reads_back_as_itself(card: Card) -> None:
    assert parse(str(card)) == card


def hand(text: str) -> list[Card]:
    return [Card(card) for card in text.split()]


@pytest.mark.parametrize(
    ("cards", "worth"), [("9c 7d", 6), ("5c 5d 5h", 5), ("Tc 9d", 9), ("8c 6d", 4), ("3c 7d", 0), ("7c 6d", 3)]
)
def test_the_examples_of_the_sources_add_up(cards: str, worth: int) -> None:
    assert hand_total(hand(cards)) == worth
