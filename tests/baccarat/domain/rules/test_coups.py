"""The exact counts of coups are those of what the rules deal."""

import random
from collections import Counter
from itertools import permutations
from math import perm
from pathlib import Path

import pytest

from baccarat.domain.rules import coups
from baccarat.domain.rules.cards import FULL_DECK, unshuffled_shoe
from baccarat.domain.rules.coups import FACTS, Coup, count_coups, counts_of
from baccarat.domain.rules.deal import deal
from tests.support.depth import deep


@pytest.mark.parametrize("decks", deep([8], list(range(1, 9))))
def test_the_file_has_what_is_counted(decks: int) -> None:
    assert counts_of(decks) == count_coups(decks)


def test_the_file_is_as_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coups, "count_coups", lambda decks: Counter(counts_of(decks)))  # counted above
    coups.write_counts(tmp_path / "coups.csv")
    assert (tmp_path / "coups.csv").read_bytes() == coups.COUNTS.read_bytes()


@pytest.mark.parametrize("decks", range(1, 9))
def test_every_ordered_draw_is_counted_once(decks: int) -> None:
    assert sum(counts_of(decks).values()) == perm(52 * decks, 6)


def test_all_draws_of_a_small_deck_are_counted_as_they_are_dealt(monkeypatch: pytest.MonkeyPatch) -> None:
    ranks = {0: 3, 1: 1, 9: 1}  # three that count nothing, the ace and the nine
    monkeypatch.setattr(coups, "_RANKS", tuple(ranks.get(points, 0) for points in range(10)))
    deck = [card for card in FULL_DECK if card[0] in "A9TJQ" and card[1] in "cd"]
    dealt = Counter(Coup.of(deal(cards)) for cards in permutations(deck, 6))
    assert sum(dealt.values()) == perm(10, 6)
    monkeypatch.setattr(coups, "_SUITS", 2)
    assert {coup: ways for coup, ways in count_coups(1).items() if ways} == dealt


@pytest.mark.parametrize("decks", [1, 8])
def test_dealt_coups_are_counted_coups(decks: int) -> None:
    shoe, chance = list(unshuffled_shoe(decks)), random.Random(decks)
    for _ in range(300):
        chance.shuffle(shoe)
        dealt = deal(shoe)
        coup = Coup.of(dealt)
        assert coup in counts_of(decks)
        assert coup.winner is dealt.outcome
        assert (coup.player_natural or coup.banker_natural) == dealt.natural


def test_each_value_of_each_fact_occurs_and_no_other() -> None:
    for name, fact in FACTS.items():
        assert {fact.of(coup) for coup in counts_of(8)} == set(fact.values), name


def test_all_draws_of_eight_decks_are_counted() -> None:
    assert sum(counts_of(8).values()) == 4_998_398_275_503_360
