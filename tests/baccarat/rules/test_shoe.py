"""A shoe burns by its first card and ends by its cut card."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.fairness.shuffle import order
from baccarat.rules.cards import Card, UnknownCard
from baccarat.rules.deal import deal
from baccarat.rules.shoe import burned, is_cut_out


@pytest.mark.parametrize(
    ("rank", "count"), [*zip("A23456789", range(1, 10), strict=True), ("T", 10), ("J", 10), ("Q", 10), ("K", 10)]
)
def test_as_many_cards_burn_as_the_turned_card_has_points_and_ten_for_none(rank: str, count: int) -> None:
    assert burned(Card(rank + "h")) == count


def test_what_is_no_card_burns_nothing() -> None:
    with pytest.raises(UnknownCard):
        burned(Card("1h"))


@pytest.mark.parametrize(("drawn", "out"), [(0, False), (401, False), (402, False), (403, True), (416, True)])
def test_the_cut_card_is_out_once_a_card_behind_it_is(drawn: int, out: bool) -> None:
    assert is_cut_out(drawn=drawn, decks=8, cards_from_end=14) is out


@given(seed=st.binary(min_size=32, max_size=32), cut=st.integers(12, 14))
def test_a_shoe_never_runs_out_before_the_round_after_the_cut_card(seed: bytes, cut: int) -> None:
    cards = order(seed, cut=b"", decks=1)
    drawn = 1 + burned(cards[0])
    while not is_cut_out(drawn=drawn, decks=1, cards_from_end=cut):
        drawn += len(deal(cards[drawn : drawn + 6]).cards)
    drawn += len(deal(cards[drawn : drawn + 6]).cards)
    assert drawn <= 52
