"""Tail probabilities of the chi-square and the normal distribution."""

import math
from typing import Final

_ENOUGH: Final = 1e-15
_MOST_TERMS: Final = 100_000
_TINY: Final = 1e-300


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
    return 1 - scale * _series(a, x) if x < a + 1 else scale * _fraction(a, x)


def normal_tails(deviation: float) -> float:
    """Return the two-sided probability that a standard normal value lies further from zero."""
    return math.erfc(abs(deviation) / math.sqrt(2))


def _series(a: float, x: float) -> float:
    term = total = 1 / a
    for number in range(1, _MOST_TERMS):
        term *= x / (a + number)
        total += term
        if term < total * _ENOUGH:
            break
    return total


def _fraction(a: float, x: float) -> float:
    """Evaluate the continued fraction by Lentz's method (Numerical Recipes, third edition, 5.2)."""
    b = x + 1 - a
    c, d = 1 / _TINY, 1 / b
    value = d
    for number in range(1, _MOST_TERMS):
        step = -number * (number - a)
        b += 2
        d = 1 / _not_zero(step * d + b)
        c = _not_zero(b + step / c)
        value *= d * c
        if abs(d * c - 1) < _ENOUGH:
            break
    return value


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
