"""Exact odds of each spot, from the counts of all draws, and the odds sheet in plain values and sentences."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from baccarat.domain.rules.counting import OutcomeCounts, count_outcomes
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.payouts import RESULTS, StakeResult, is_finer_than_minor_unit, odds_for, settle
from baccarat.domain.rules.table_rules import Commission, CommissionTiming, Ratio, TableRules
from baccarat.domain.rules.wagers import Spot, Stakes, is_makeable
from casino.kernel import money

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
    chances = outcome_chances(rules.decks)
    return sum((chance * _net_return(rules, stakes, outcome) for outcome, chance in chances.items()), Fraction(0))


def outcome_chances(decks: int) -> dict[Outcome, Fraction]:
    """Return the exact probability of each outcome, dealt from full decks."""
    counts = count_outcomes(decks)
    return {
        Outcome.PLAYER: Fraction(counts.player, counts.total),
        Outcome.BANKER: Fraction(counts.banker, counts.total),
        Outcome.TIE: Fraction(counts.tie, counts.total),
    }


def _net_return(rules: TableRules, stakes: Stakes, outcome: Outcome) -> int:
    return settle(rules, stakes, outcome).returned


def _spot_odds(rules: TableRules, spot: Spot) -> SpotOdds:
    chances = _result_chances(rules.decks, spot)
    return SpotOdds(
        spot=spot,
        pays=odds_for(rules, spot),
        win=chances[StakeResult.WIN],
        lose=chances[StakeResult.LOSE],
        push=chances[StakeResult.PUSH],
        exact=_figures(chances, gain=_exact_gain(rules, spot)),
        at_minimum=figures_at(rules, spot, rules.minimum),
    )


def figures_at(rules: TableRules, spot: Spot, stake: int) -> SpotFigures:
    """Return the figures of a stake in minor units, settled and rounded as the table does."""
    return _figures(_result_chances(rules.decks, spot), gain=_settled_gain(rules, spot, stake))


def _result_chances(decks: int, spot: Spot) -> dict[StakeResult, Fraction]:
    chances = dict.fromkeys(StakeResult, Fraction(0))
    for outcome, chance in outcome_chances(decks).items():
        chances[dict(RESULTS[outcome])[spot]] += chance
    return chances


def _figures(chances: dict[StakeResult, Fraction], *, gain: Fraction) -> SpotFigures:
    """Return the figures of a unit stake that gains `gain` or loses 1; the variance is E[X^2] - E[X]^2."""
    win, lose = chances[StakeResult.WIN], chances[StakeResult.LOSE]
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
    outcome = next(outcome for outcome, results in RESULTS.items() if dict(results)[spot] is StakeResult.WIN)
    return Fraction(_net_return(rules, {spot: stake}, outcome) - stake, stake)


def _has_player_edge(rules: TableRules, spot: Spot) -> bool:
    chances = _result_chances(rules.decks, spot)
    edge = _figures(chances, gain=_exact_gain(rules, spot)).edge
    if edge <= 0:
        return True
    # Rounding changes a win and its commission by at most half a minor unit each, so it cannot outweigh an edge
    # beyond this stake.
    highest = min(rules.maximum, int(chances[StakeResult.WIN] / edge))
    if highest - rules.minimum > MAX_STAKES_TRIED * rules.chips[0]:
        return True
    return any(
        is_makeable(stake, rules) and figures_at(rules, spot, stake).edge <= 0
        for stake in range(rules.minimum, highest + 1)
    )


DECIMAL_PLACES: Final = 9


def format_decimal(value: Fraction, *, places: int = DECIMAL_PLACES) -> str:
    """Format a fraction as a decimal string, rounded half up in magnitude to `places`, at least one."""
    scaled = (abs(value.numerator) * 10**places * 2 + value.denominator) // (2 * value.denominator)
    whole, rest = divmod(scaled, 10**places)
    return f"{'-' if value < 0 and scaled else ''}{whole}.{rest:0{places}d}"


def format_fraction(value: Fraction) -> str:
    """Format a fraction in lowest terms as "n/d"."""
    return f"{value.numerator}/{value.denominator}"


def describe_commission(rules: TableRules) -> str:
    """Describe in one sentence the commission that a table charges on Banker wins."""
    commission = rules.commission
    if commission is None:
        return "No commission is charged."
    percent = Fraction(100 * commission.rate.numerator, commission.rate.denominator)
    return (
        f"{float(percent):g}% of a Banker win, {_describe_rounding(commission, rules)}, {_describe_timing(commission)}."
    )


def notes(sheet: OddsSheet) -> tuple[str, ...]:
    """Return notes on these odds for players and operators, one or two sentences each."""
    rules = sheet.rules
    minimum = f"{money.format_amount(rules.minimum, rules.currency)} {rules.currency}"
    lines = [
        "Player and Banker stakes are returned on a tie; figures are per unit staked.",
        f"At the minimum, a stake of {minimum} is settled and rounded as this table does.",
    ]
    if is_finer_than_minor_unit(rules):
        lines.append("Commission finer than the currency's minor unit is rounded half up to the minor unit.")
    for spot in sheet.player_edge:
        odds = sheet.spot(spot)
        edge, at_minimum = (format_decimal(100 * figures.edge, places=6) for figures in (odds.exact, odds.at_minimum))
        lines.append(
            f"The player has the edge on {spot.capitalize()}: the house edge is {edge}% "
            f"({at_minimum}% at the minimum). "
            "Such a table opens for real money only when its operator accepts that expressly."
        )
    return tuple(lines)


def odds_document(sheet: OddsSheet) -> dict[str, object]:
    """Return the sheet as JSON-ready values: fractions as "n/d" and as decimal strings, money as text."""
    rules, counts = sheet.rules, sheet.counts
    return {
        "preset": rules.preset,
        "version": rules.version,
        "currency": rules.currency,
        "decks": rules.decks,
        "minimum": money.format_amount(rules.minimum, rules.currency),
        "counts": {"banker": counts.banker, "player": counts.player, "tie": counts.tie, "all": counts.total},
        "commission": describe_commission(rules),
        "spots": [_present_spot(odds) for odds in sheet.spots],
        "player_edge": [str(spot) for spot in sheet.player_edge],
        "notes": list(notes(sheet)),
    }


def _present_spot(odds: SpotOdds) -> dict[str, object]:
    return {
        "spot": str(odds.spot),
        "pays": str(odds.pays),
        "win": _present(odds.win),
        "lose": _present(odds.lose),
        "push": _present(odds.push),
        "exact": _present_figures(odds.exact),
        "at_minimum": _present_figures(odds.at_minimum),
    }


def _present_figures(figures: SpotFigures) -> dict[str, object]:
    return {"return": _present(figures.rtp), "edge": _present(figures.edge), "variance": _present(figures.variance)}


def _present(value: Fraction) -> dict[str, str]:
    return {"fraction": format_fraction(value), "decimal": format_decimal(value)}


def _describe_rounding(commission: Commission, rules: TableRules) -> str:
    unit = commission.rounding
    if unit is None:
        return "exact"
    share = "" if unit.numerator == unit.denominator else f"{unit.numerator}/{unit.denominator} of "
    return (
        f"rounded up to {share}the lowest chip ({money.format_amount(rules.chips[0], rules.currency)} {rules.currency})"
    )


def _describe_timing(commission: Commission) -> str:
    if commission.timing is CommissionTiming.DEFERRED:
        return "set aside until the shoe ends or the player leaves"
    return "taken from the payout"
