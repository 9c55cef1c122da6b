"""Samples and results of the RNG tests, tail probabilities, and the adjustment for many tests at once."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import Outcome

MIN_EXPECTED_COUNT: Final = 5
SIGNIFICANCE: Final = 0.01
"""A fair generator fails the suite one time in a hundred, however dependent the tests."""

_PRECISION: Final = 1e-15
_MAX_TERMS: Final = 100_000
_TINY: Final = 1e-300


@dataclass(frozen=True, slots=True)
class Sample:
    """Complete shoes in card order, and outcomes with the number of decks of their shoes."""

    shoes: Sequence[Sequence[Card]]
    outcomes: Sequence[tuple[int, Outcome]]


@dataclass(frozen=True, slots=True)
class RngTestResult:
    """The statistic of one test and its p-value.

    `p_value` is None if the sample is too small: each cell of the test needs an expected count of 5.
    """

    name: str
    statistic: str
    p_value: float | None


def decks_of(shoe: Sequence[Card]) -> int:
    return len(shoe) // 52


def by_decks(shoes: Sequence[Sequence[Card]]) -> Counter[int]:
    return Counter(decks_of(shoe) for shoe in shoes)


class InvalidChiSquare(ValueError):
    """A chi-square has at least one degree of freedom and a value of at least zero."""


def chi_square_tail(value: float, degrees: int) -> float:
    """Return the probability that a chi-square with this many degrees of freedom exceeds `value`.

    It is Q(degrees / 2, value / 2), the regularised upper incomplete gamma function: by its series below a + 1, by its
    continued fraction above (NIST Digital Library of Mathematical Functions, 8.7.1 and 8.9.2). Raises InvalidChiSquare.
    """
    if degrees < 1 or value < 0:
        raise InvalidChiSquare(f"chi-square {value} of {degrees} degrees of freedom")
    a, x = degrees / 2, value / 2
    if x == 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    return 1 - scale * _series(a, x) if x < a + 1 else scale * _continued_fraction(a, x)


def normal_tails(deviation: float) -> float:
    """Return the two-sided probability that a standard normal value lies further from zero."""
    return math.erfc(abs(deviation) / math.sqrt(2))


def _series(a: float, x: float) -> float:
    term = total = 1 / a
    for number in range(1, _MAX_TERMS):
        term *= x / (a + number)
        total += term
        if term < total * _PRECISION:
            break
    return total


def _continued_fraction(a: float, x: float) -> float:
    """Evaluate the continued fraction by Lentz's method (Numerical Recipes, third edition, 5.2)."""
    b = x + 1 - a
    c, d = 1 / _TINY, 1 / b
    value = d
    for number in range(1, _MAX_TERMS):
        step = -number * (number - a)
        b += 2
        d = 1 / _not_zero(step * d + b)
        c = _not_zero(b + step / c)
        value *= d * c
        if abs(d * c - 1) < _PRECISION:
            break
    return value


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


@dataclass(frozen=True, slots=True)
class AdjustedTestResult:
    """A test result, its p-value adjusted for the number of tests (None if not run), and whether it passes."""

    result: RngTestResult
    adjusted_p_value: float | None
    passed: bool


def holm(results: Sequence[RngTestResult]) -> tuple[AdjustedTestResult, ...]:
    """Adjust p-values for their number by a step-down method.

    Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.
    """
    p_values = sorted((result.p_value, index) for index, result in enumerate(results) if result.p_value is not None)
    adjusted: dict[int, float] = {}
    highest = 0.0
    for rank, (p, index) in enumerate(p_values):
        highest = max(highest, min(1.0, p * (len(p_values) - rank)))
        adjusted[index] = highest
    return tuple(
        AdjustedTestResult(result, adjusted.get(index), adjusted.get(index, 1.0) >= SIGNIFICANCE)
        for index, result in enumerate(results)
    )


def passes(results: Sequence[AdjustedTestResult]) -> bool:
    """Return whether every test of the suite passed."""
    return all(result.passed for result in results)
