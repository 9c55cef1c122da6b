"""Exact counts of outcomes over all ordered six-card draws from full decks."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from baccarat.domain.rules.tableau import banker_draws, player_draws


@dataclass(frozen=True, slots=True)
class OutcomeCounts:
    """Number of ordered six-card draws per outcome, and in total: n(n-1)...(n-5) for n cards."""

    banker: int
    player: int
    tie: int
    total: int


@lru_cache(maxsize=16)
def count_outcomes(decks: int) -> OutcomeCounts:
    """Count the outcomes of all ordered six-card draws from `decks` full decks, exactly.

    Only points matter, so hands are enumerated as unordered pairs of points, weighted by the number of ways to draw
    them; third cards are counted by the tableau. Raises ValueError below one deck.
    """
    if decks < 1:
        raise ValueError("There must be at least one deck.")
    left = [16 * decks] + [4 * decks] * 9
    player = banker = tie = 0
    for player_total, player_ways in _pairs(left):
        for banker_total, banker_ways in _pairs(left):
            ways = player_ways * banker_ways
            lost, won, tied = _thirds(left, player_total, banker_total)
            player += ways * lost
            banker += ways * won
            tie += ways * tied
    return OutcomeCounts(banker=banker, player=player, tie=tie, total=player + banker + tie)


def _pairs(left: list[int]) -> Iterator[tuple[int, int]]:
    """Yield each pair of points as (total, ordered ways to draw it), removing its cards from `left` meanwhile."""
    for first in range(10):
        for second in range(first, 10):
            ways = left[first] * (left[second] - 1) if first == second else 2 * left[first] * left[second]
            left[first] -= 1
            left[second] -= 1
            yield (first + second) % 10, ways
            left[first] += 1
            left[second] += 1


def _thirds(left: list[int], player_total: int, banker_total: int) -> tuple[int, int, int]:
    """Count the ordered draws of two more cards by result: (Player, Banker, tie)."""
    cards = sum(left)
    if player_total >= 8 or banker_total >= 8:
        return _all_to_the_higher(player_total, banker_total, cards * (cards - 1))
    if not player_draws(player_total):
        player, banker, tie = _banker_third(left, player_total, banker_total, None)
        return player * (cards - 1), banker * (cards - 1), tie * (cards - 1)
    player = banker = tie = 0
    for third in range(10):
        ways = left[third]
        left[third] -= 1
        lost, won, tied = _banker_third(left, (player_total + third) % 10, banker_total, third)
        left[third] += 1
        player += ways * lost
        banker += ways * won
        tie += ways * tied
    return player, banker, tie


def _banker_third(left: list[int], player_total: int, banker_total: int, third: int | None) -> tuple[int, int, int]:
    """Count the draws of one more card, which the Banker may or may not take, by result: (Player, Banker, tie)."""
    cards = sum(left)
    if not banker_draws(banker_total, third):
        return _all_to_the_higher(player_total, banker_total, cards)
    tie = left[(player_total - banker_total) % 10]
    banker = sum([left[(total - banker_total) % 10] for total in range(player_total + 1, 10)])
    return cards - tie - banker, banker, tie


def _all_to_the_higher(player_total: int, banker_total: int, ways: int) -> tuple[int, int, int]:
    if player_total == banker_total:
        return 0, 0, ways
    return (ways, 0, 0) if player_total > banker_total else (0, ways, 0)
