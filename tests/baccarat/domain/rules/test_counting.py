"""Many rounds at once come to what the same rounds come to one by one."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.domain.rules import counting
from baccarat.domain.rules.cards import FULL_DECK, Card, unshuffled_shoe
from baccarat.domain.rules.deal import Outcome, deal

OF_POINTS = tuple(next(card for card in FULL_DECK if card[0] == rank) for rank in "TA23456789")


def one_by_one(shoe: list[Card], until: int) -> dict[Outcome, int]:
    counts: Counter[Outcome] = Counter()
    position = 0
    while position < until and position + counting.MAX_CARDS_PER_ROUND <= len(shoe):
        dealt = deal(shoe[position : position + counting.MAX_CARDS_PER_ROUND])
        counts[dealt.outcome] += 1
        position += len(dealt.cards)
    return {outcome: counts[outcome] for outcome in counting.OUTCOMES}


def test_every_six_points_come_to_the_outcome_and_the_cards_of_a_deal() -> None:
    results = counting._results()

    assert len(results) == 10**6
    for number in range(0, 10**6, 7):
        dealt = deal([OF_POINTS[int(digit)] for digit in f"{number:06d}"])
        expected = 3 * (len(dealt.cards) - 4) + counting.OUTCOMES.index(dealt.outcome)
        assert results[number] == expected, number


@given(seed=st.integers(0, 2**32), decks=st.integers(1, 8), until=st.integers(0, 500))
def test_a_shoe_played_out_counts_what_its_rounds_count_one_by_one(seed: int, decks: int, until: int) -> None:
    shoe = list(unshuffled_shoe(decks))
    Random(seed).shuffle(shoe)

    assert counting.play_out(shoe, until=until) == one_by_one(shoe, until)
    assert counting.play_out(shoe) == one_by_one(shoe, len(shoe))


@pytest.mark.parametrize("length", [0, 5])
def test_a_shoe_too_short_for_a_round_has_none(length: int) -> None:
    assert sum(counting.play_out(unshuffled_shoe(1)[:length]).values()) == 0
