"""Exact returns of each spot, from the counts of all draws."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from baccarat.domain.rules.chips import is_makeable
from baccarat.domain.rules.counting import OutcomeCounts, count_outcomes
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.payouts import RESULTS, StakeResult, odds_for, settle
from baccarat.domain.rules.table_rules import Ratio, TableRules
from baccarat.domain.rules.wagers import Spot, Stakes

__all__ = [
    "OddsSheet",
    "OutcomeCounts",
    "SpotFigures",
    "SpotOdds",
    "count_outcomes",
    "expected_return",
    "odds_sheet",
    "player_edge_spots",
]

MAX_STAKES_TRIED: Final = 20_000
"""If a house edge is so small that rounding matters beyond this many stakes, it counts as a player edge."""


@dataclass(frozen=True, slots=True)
class SpotFigures:
    """Figures per unit staked: expected return (RTP, stake included), house edge 1 - RTP, variance of the gain."""

    rtp: Fraction
    edge: Fraction
    variance: Fraction


@dataclass(frozen=True, slots=True)
class SpotOdds:
    """One spot: its odds before commission, the probabilities of its results, and its figures.

    `exact` charges commission at its exact rate; `at_minimum` is a stake of the table's minimum, settled and rounded as
    the table does.
    """

    spot: Spot
    pays: Ratio
    win: Fraction
    lose: Fraction
    push: Fraction
    exact: SpotFigures
    at_minimum: SpotFigures


@dataclass(frozen=True, slots=True)
class OddsSheet:
    """The odds of one table's rules. `player_edge` lists the spots without a house edge."""

    rules: TableRules
    counts: OutcomeCounts
    spots: tuple[SpotOdds, ...]
    player_edge: tuple[Spot, ...]

    def spot(self, spot: Spot) -> SpotOdds:
        return next(odds for odds in self.spots if odds.spot is spot)


@lru_cache(maxsize=256)
def odds_sheet(rules: TableRules) -> OddsSheet:
    """Return every spot's odds as exact fractions."""
    spots = tuple(_spot_odds(rules, spot) for spot in Spot)
    return OddsSheet(rules=rules, counts=count_outcomes(rules.decks), spots=spots, player_edge=player_edge_spots(rules))


@lru_cache(maxsize=256)
def player_edge_spots(rules: TableRules) -> tuple[Spot, ...]:
    """Return the spots without a house edge, at exact rates or by rounding a permitted stake."""
    return tuple(spot for spot in Spot if _has_player_edge(rules, spot))


def expected_return(rules: TableRules, stakes: Stakes) -> Fraction:
    """Return a wager's expected return in minor units: stakes and wins less all commission.

    Deferred commission counts as paid. Raises InvalidStake.
    """
    chances = _chances(rules.decks)
    return sum((chance * _net(rules, stakes, outcome) for outcome, chance in chances.items()), Fraction(0))


def _chances(decks: int) -> dict[Outcome, Fraction]:
    counts = count_outcomes(decks)
    return {
        Outcome.PLAYER: Fraction(counts.player, counts.total),
        Outcome.BANKER: Fraction(counts.banker, counts.total),
        Outcome.TIE: Fraction(counts.tie, counts.total),
    }


def _net(rules: TableRules, stakes: Stakes, outcome: Outcome) -> int:
    settled = settle(rules, stakes, outcome)
    return settled.returned - (settled.commission if settled.deferred else 0)


def _spot_odds(rules: TableRules, spot: Spot) -> SpotOdds:
    becomes = _becomes(rules.decks, spot)
    return SpotOdds(
        spot=spot,
        pays=odds_for(rules, spot),
        win=becomes[StakeResult.WIN],
        lose=becomes[StakeResult.LOSE],
        push=becomes[StakeResult.PUSH],
        exact=_figures(becomes, gain=_exact_gain(rules, spot)),
        at_minimum=_figures(becomes, gain=_settled_gain(rules, spot, rules.minimum)),
    )


def _becomes(decks: int, spot: Spot) -> dict[StakeResult, Fraction]:
    chances = _chances(decks)
    becomes = dict.fromkeys(StakeResult, Fraction(0))
    for outcome, results in RESULTS.items():
        becomes[dict(results)[spot]] += chances[outcome]
    return becomes


def _figures(becomes: dict[StakeResult, Fraction], *, gain: Fraction) -> SpotFigures:
    """A unit stake gains `gain` when it wins and -1 when it loses; variance is E[X^2] - E[X]^2."""
    win, lose = becomes[StakeResult.WIN], becomes[StakeResult.LOSE]
    mean = win * gain - lose
    return SpotFigures(rtp=1 + mean, edge=-mean, variance=win * gain**2 + lose - mean**2)


def _exact_gain(rules: TableRules, spot: Spot) -> Fraction:
    ratio = odds_for(rules, spot)
    gain = Fraction(ratio.numerator, ratio.denominator)
    if spot is not Spot.BANKER or rules.commission is None:
        return gain
    rate = rules.commission.rate
    return gain * (1 - Fraction(rate.numerator, rate.denominator))


def _settled_gain(rules: TableRules, spot: Spot, stake: int) -> Fraction:
    won = next(outcome for outcome, results in RESULTS.items() if dict(results)[spot] is StakeResult.WIN)
    return Fraction(_net(rules, {spot: stake}, won) - stake, stake)


def _has_player_edge(rules: TableRules, spot: Spot) -> bool:
    becomes = _becomes(rules.decks, spot)
    edge = _figures(becomes, gain=_exact_gain(rules, spot)).edge
    if edge <= 0:
        return True
    # Rounding changes a win and its commission by at most half a minor unit each, so it cannot outweigh an edge
    # beyond this stake.
    last = min(rules.maximum, int(becomes[StakeResult.WIN] / edge))
    if last - rules.minimum > MAX_STAKES_TRIED * rules.chips[0]:
        return True
    return any(_is_players(rules, spot, becomes, stake) for stake in range(rules.minimum, last + 1))


def _is_players(rules: TableRules, spot: Spot, becomes: dict[StakeResult, Fraction], stake: int) -> bool:
    if not is_makeable(stake, rules):
        return False
    return _figures(becomes, gain=_settled_gain(rules, spot, stake)).edge <= 0
