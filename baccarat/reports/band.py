"""The theoretical and the actual return, with the band that contains the result of 99 % of honest games. Pure.

Seats of one round share its outcome, and spots of one round exclude each other, so the variance of what rounds return
is computed from the stakes on each pair of spots in each round:

    V = sum over rounds, sum over spots s and t of  S_s * S_t * cov(X_s, X_t)

where S_s is the total staked on s in the round, and X_s the exact gain of a unit on s, from the counts of all draws
(domain.rules.odds). For one spot this is its variance times the sum of the squared stakes. By the central limit
theorem the actual return lies within z * sqrt(V) of the expected one, with z = 2.5758293 for 99 % on both sides
(NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.1; GLI-19 2.9.2 and A.6.1 ask for it). The expected
return is that of the actual stakes, with commission rounded as the table rounds it. Rounds of one long shoe depend
slightly on each other, which is ignored; and one of a hundred honest results is outside the band.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Final

from baccarat.domain.rules.odds import expected_return, odds_sheet, outcome_chances
from baccarat.domain.rules.payouts import RESULTS, StakeResult
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.rules.wagers import Spot

Z_99_PERCENT: Final = Fraction("2.5758293035489004")
"""Half a percent of a normal distribution lies beyond it on each side."""
MIN_EXPECTED_RESULTS: Final = 20
"""Minimum expected wins, and losses, for the normal approximation."""

Pair = tuple[Spot, Spot]


class ReturnVerdict(StrEnum):
    """Whether an actual return is inside its band."""

    INSIDE = "inside"
    ABOVE = "above"
    BELOW = "below"
    TOO_FEW = "too few rounds"


@dataclass(frozen=True, slots=True)
class ReturnTotals:
    """Stakes and returns net of commission, in minor units. `squares` are sums over rounds of S_s * S_t."""

    handle: int
    returned: int
    expected: Fraction
    squares: Mapping[Pair, int]


@dataclass(frozen=True, slots=True)
class ReturnBand:
    """Returns per unit staked: expected, actual, and the bounds; None if nothing was staked."""

    expected: Fraction
    actual: Fraction
    low: Fraction
    high: Fraction
    verdict: ReturnVerdict


def theoretical_return(rules: TableRules, spot: Spot) -> Fraction:
    """Return the theoretical return of a spot: exact, commission at its exact rate."""
    return odds_sheet(rules).spot(spot).exact.rtp


@lru_cache(maxsize=4096)
def expected_return_of_stake(rules: TableRules, spot: Spot, stake: int) -> Fraction:
    """Return the expected return of a stake in minor units, with commission rounded as it is charged."""
    return expected_return(rules, {spot: stake})


def variance(rules: TableRules, squares: Mapping[Pair, int]) -> Fraction:
    """Return the variance of the rounds' returns, in squared minor units."""
    covariance = covariances(rules)
    return sum((covariance[pair] * amount for pair, amount in squares.items()), Fraction(0))


@lru_cache(maxsize=256)
def covariances(rules: TableRules) -> dict[Pair, Fraction]:
    """Return the covariance of the gain per unit on each pair of spots, from the counts of all draws."""
    chances = outcome_chances(rules.decks)
    gains = {outcome: {spot: _gain(rules, spot, dict(RESULTS[outcome])[spot]) for spot in Spot} for outcome in chances}
    means = {spot: sum(chance * gains[outcome][spot] for outcome, chance in chances.items()) for spot in Spot}
    return {
        (one, other): sum(
            (chance * gains[outcome][one] * gains[outcome][other] for outcome, chance in chances.items()), Fraction(0)
        )
        - means[one] * means[other]
        for one in Spot
        for other in Spot
    }


def return_band(played: ReturnTotals, spread: Fraction, *, rarest_results: Fraction) -> ReturnBand | None:
    """Return the band of an actual return. `spread` is the variance, `rarest_results` the expected count of the rarest
    result.

    Returns None if nothing was staked.
    """
    if not played.handle:
        return None
    expected, actual = played.expected / played.handle, Fraction(played.returned, played.handle)
    reach = Z_99_PERCENT * root(spread) / played.handle
    low, high = expected - reach, expected + reach
    if rarest_results < MIN_EXPECTED_RESULTS:
        verdict = ReturnVerdict.TOO_FEW
    elif actual > high:
        verdict = ReturnVerdict.ABOVE
    else:
        verdict = ReturnVerdict.BELOW if actual < low else ReturnVerdict.INSIDE
    return ReturnBand(expected, actual, low, high, verdict)


def expected_rarest_results(rules: TableRules, staked: Mapping[Spot, int], squares: Mapping[Pair, int]) -> Fraction:
    """Return the expected count of the rarest win or loss of these spots, in rounds with equal stakes.

    Unequal stakes count as fewer rounds: (sum of stakes)^2 / (sum of squares).
    """
    odds = odds_sheet(rules)
    return min(
        (
            Fraction(amount**2, squares[spot, spot]) * min(odds.spot(spot).win, odds.spot(spot).lose)
            for spot, amount in staked.items()
            if amount
        ),
        default=Fraction(0),
    )


def root(value: Fraction) -> Fraction:
    """Return the square root to about thirty digits."""
    with localcontext() as context:
        context.prec = 40
        return Fraction((Decimal(value.numerator) / Decimal(value.denominator)).sqrt())


def _gain(rules: TableRules, spot: Spot, result: StakeResult) -> Fraction:
    if result is StakeResult.PUSH:
        return Fraction(0)
    if result is StakeResult.LOSE:
        return Fraction(-1)
    odds = odds_sheet(rules).spot(spot)
    # The exact return is 1 + win * gain - lose, which gives the gain of a win after commission.
    return (odds.exact.rtp - 1 + odds.lose) / odds.win
