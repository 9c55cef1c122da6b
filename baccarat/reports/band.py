"""The theoretical and the actual return, with the band that contains the result of 99 % of honest games. Pure.

Seats of one round share its coup, by which its spots depend on each other, so the variance of what rounds return
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

from baccarat.domain.rules.odds import SpotOdds, coups_alike, expected_return, gain_of, odds_sheet
from baccarat.domain.rules.table_rules import TableRules

Z_99_PERCENT: Final = Fraction("2.5758293035489004")
"""Half a percent of a normal distribution lies beyond it on each side."""
MIN_EXPECTED_RESULTS: Final = 20
"""Minimum expected wins, and losses, for the normal approximation."""

Pair = tuple[str, str]


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


def theoretical_return(rules: TableRules, spot: str) -> Fraction:
    """Return the theoretical return of a spot: exact, commission at its exact rate."""
    return odds_sheet(rules).spot(spot).exact.rtp


@lru_cache(maxsize=4096)
def expected_return_of_stake(rules: TableRules, spot: str, stake: int) -> Fraction:
    """Return the expected return of a stake in minor units, with commission rounded as it is charged."""
    return expected_return(rules, {spot: stake})


def variance(rules: TableRules, squares: Mapping[Pair, int]) -> Fraction:
    """Return the variance of the rounds' returns, in squared minor units."""
    covariance = covariances(rules)
    return sum((covariance[pair] * amount for pair, amount in squares.items()), Fraction(0))


@lru_cache(maxsize=256)
def covariances(rules: TableRules) -> dict[Pair, Fraction]:
    """Return the covariance of the gain per unit on each pair of spots, from the counts of all draws."""
    kinds = coups_alike(rules)
    gains = {spot.name: [(chance, gain_of(spot, spot.line(coup))) for coup, chance in kinds] for spot in rules.spots}
    means = {name: sum((chance * gain for chance, gain in each), Fraction(0)) for name, each in gains.items()}
    return {
        (one, other): sum(
            (chance * gain * gains[other][kind][1] for kind, (chance, gain) in enumerate(each)), Fraction(0)
        )
        - means[one] * means[other]
        for one, each in gains.items()
        for other in gains
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


def expected_rarest_results(rules: TableRules, staked: Mapping[str, int], squares: Mapping[Pair, int]) -> Fraction:
    """Return the expected count of these spots' rarest loss or paying line, in rounds with equal stakes.

    Unequal stakes count as fewer rounds: (sum of stakes)^2 / (sum of squares).
    """
    odds = odds_sheet(rules)
    return min(
        (
            Fraction(amount**2, squares[spot, spot]) * _rarest(odds.spot(spot))
            for spot, amount in staked.items()
            if amount
        ),
        default=Fraction(0),
    )


def _rarest(odds: SpotOdds) -> Fraction:
    return min(odds.lose, *(each.chance for each in odds.lines if each.line.pays is not None))


def root(value: Fraction) -> Fraction:
    """Return the square root to about thirty digits."""
    with localcontext() as context:
        context.prec = 40
        return Fraction((Decimal(value.numerator) / Decimal(value.denominator)).sqrt())
