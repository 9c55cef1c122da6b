"""The exact counts of coups: made of what the rules deal, and in agreement with the published figures of side bets."""

import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from math import perm
from pathlib import Path

import pytest

from baccarat.domain.rules import coups
from baccarat.domain.rules.cards import FULL_DECK, unshuffled_shoe
from baccarat.domain.rules.coups import Coup, Pair, count_coups, counts_of
from baccarat.domain.rules.deal import Outcome, deal
from tests.support.depth import deep

PLAYER, BANKER, TIE = Outcome

Pays = Callable[[Coup], int | Fraction]
"""What a stake of 1 gains by a coup: 0 where it is returned, -1 where it is lost."""


def dragon_bonus(side: Outcome) -> Pays:
    by_margin = {9: 30, 8: 10, 7: 6, 6: 4, 5: 2, 4: 1}

    def pays(coup: Coup) -> int:
        own, other = coup.player_natural, coup.banker_natural
        if side is BANKER:
            own, other = other, own
        if coup.winner is TIE:
            return 0 if own and other else -1
        if coup.winner is not side:
            return -1
        return 1 if own else by_margin.get(coup.margin, -1)

    return pays


def commission_free(special: Fraction | int, cards: tuple[int, ...], points: int) -> Pays:
    def pays(coup: Coup) -> int | Fraction:
        if coup.winner is not BANKER:
            return 0 if coup.winner is TIE else -1
        return special if coup.banker_points == points and coup.banker_cards in cards else 1

    return pays


def won_by(winner: Outcome, points: int, odds: int, cards: tuple[int, ...] = (2, 3)) -> Pays:
    def pays(coup: Coup) -> int:
        own = (coup.player_points, coup.player_cards) if winner is PLAYER else (coup.banker_points, coup.banker_cards)
        return odds if coup.winner is winner and own[0] == points and own[1] in cards else -1

    return pays


PUBLISHED: dict[str, tuple[Pays, str, str]] = {
    "player": (lambda coup: {PLAYER: 1, TIE: 0, BANKER: -1}[coup.winner], "1.235081", "1.237415"),
    "banker": (lambda coup: {PLAYER: -1, TIE: 0, BANKER: Fraction(95, 100)}[coup.winner], "1.057906", "1.055849"),
    "tie": (lambda coup: 8 if coup.winner is TIE else -1, "14.359629", "14.438160"),
    "banker, 6 pays 1:2": (commission_free(Fraction(1, 2), (2, 3), 6), "1.458104", "1.454808"),
    "super 6": (won_by(BANKER, 6, 12), "29.977169", "30.002214"),
    "ez banker": (commission_free(0, (3,), 7), "1.018301", "1.016093"),
    "dragon 7": (won_by(BANKER, 7, 40, (3,)), "7.611334", "7.606190"),
    "panda 8": (won_by(PLAYER, 8, 25, (3,)), "10.187632", "10.207383"),
    "player pair": (lambda coup: 11 if coup.player_pair else -1, "10.361446", "11.254019"),
    "banker pair": (lambda coup: 11 if coup.banker_pair else -1, "10.361446", "11.254019"),
    "either pair": (lambda coup: 5 if coup.player_pair or coup.banker_pair else -1, "13.709877", "14.536481"),
    "perfect pair": (
        lambda coup: (-1, 25, 200)[(coup.player_pair is Pair.PERFECT) + (coup.banker_pair is Pair.PERFECT)],
        "8.047044",
        "12.542509",
    ),
    "big": (lambda coup: Fraction(54, 100) if coup.cards > 4 else -1, "4.345748", "4.354458"),
    "small": (lambda coup: Fraction(3, 2) if coup.cards == 4 else -1, "5.282877", "5.268737"),
    "dragon bonus, player": (dragon_bonus(PLAYER), "2.651675", "2.667513"),
    "dragon bonus, banker": (dragon_bonus(BANKER), "9.373074", "9.388930"),
}
"""House edges in per cent of 8 and of 6 decks (Wizard of Odds, "Baccarat" and "Baccarat side bets")."""


@pytest.mark.parametrize("spot", PUBLISHED)
def test_figures_of_spots_are_the_published_ones(spot: str) -> None:
    pays, *published = PUBLISHED[spot]
    for decks, edge in zip((8, 6), published, strict=True):
        gain = sum((ways * pays(coup) for coup, ways in counts_of(decks).items()), Fraction(0))
        assert f"{float(-100 * gain / perm(52 * decks, 6)):.6f}" == edge


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
