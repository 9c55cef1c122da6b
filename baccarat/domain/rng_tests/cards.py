"""Tests of card orders: positions, neighbours, colours, repetitions. Each is exact for a uniform permutation."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from baccarat.domain.rng_tests.gamma import chi_square_tail, normal_tails
from baccarat.domain.rng_tests.sample import MIN_EXPECTED_COUNT, RngTestResult, Sample, by_decks, decks_of
from baccarat.domain.rules.cards import FULL_DECK, POINTS, Card

PARTS: Final = 13
"""Equal parts of a shoe, each with four positions per deck."""
RED: Final = frozenset("dh")


def position_uniformity(sample: Sample) -> RngTestResult:
    """Test whether every card is equally likely in every part of a shoe: chi-square over 52 cards by 13 parts.

    Within a shoe cards are drawn without replacement, so Pearson's sum is n / (n - 1) times a chi-square of 51 x 12
    degrees of freedom, where n is the number of cards in a shoe (the covariance of a random permutation with given
    margins).
    """
    value, degrees = 0.0, 0
    for decks, shoes in by_decks(sample.shoes).items():
        expected = shoes * decks / PARTS
        if expected < MIN_EXPECTED_COUNT:
            continue
        counted = _by_part([shoe for shoe in sample.shoes if decks_of(shoe) == decks], decks)
        squares = sum((counted[card, part] - expected) ** 2 for card in FULL_DECK for part in range(PARTS))
        value += squares / expected * (52 * decks - 1) / (52 * decks)
        degrees += 51 * (PARTS - 1)
    return _chi_square("cards by part of the shoe", value, degrees)


def _by_part(shoes: Sequence[Sequence[Card]], decks: int) -> Counter[tuple[Card, int]]:
    counted: Counter[tuple[Card, int]] = Counter()
    for part in range(PARTS):
        here = slice(part * 4 * decks, (part + 1) * 4 * decks)
        counts = Counter(card for shoe in shoes for card in shoe[here])
        counted.update({(card, part): count for card, count in counts.items()})
    return counted


def first_cards(sample: Sample) -> RngTestResult:
    """Test whether every card is equally likely to be the first: chi-square over 52 cards, 51 degrees."""
    expected = len(sample.shoes) / 52
    if expected < MIN_EXPECTED_COUNT:
        return RngTestResult("first cards", "too few shoes", None)
    counted = Counter(shoe[0] for shoe in sample.shoes)
    squares = sum((counted[card] - expected) ** 2 for card in FULL_DECK)
    return _chi_square("first cards", squares / expected, 51)


def serial_correlation(sample: Sample) -> RngTestResult:
    """Test whether a card's points predict the next card's: the circular serial correlation.

    Mean and variance over all permutations: Wald and Wolfowitz, "An exact test for randomness in the non-parametric
    case based on serial correlation", Annals of Mathematical Statistics 14, 1943.
    """
    deviation, variance = 0.0, 0.0
    for shoe in sample.shoes:
        values = [POINTS[card] for card in shoe]
        mean, spread = _serial(decks_of(shoe))
        deviation += sum(a * b for a, b in pairwise(values)) + values[-1] * values[0] - mean
        variance += spread
    return _normal("serial correlation of points", deviation, variance)


def _serial(decks: int) -> tuple[float, float]:
    n = 52 * decks
    s1, s2, s3, s4 = (decks * sum(POINTS[card] ** power for card in FULL_DECK) for power in (1, 2, 3, 4))
    mean = (s1**2 - s2) / (n - 1)
    fours = s1**4 - 4 * s1**2 * s2 + 4 * s1 * s3 + s2**2 - 2 * s4
    return mean, (s2**2 - s4) / (n - 1) + fours / ((n - 1) * (n - 2)) - mean**2


def colour_runs(sample: Sample) -> RngTestResult:
    """Test the number of runs of red and black.

    Mean and variance: Wald and Wolfowitz, "On a test whether two samples are from the same population", Annals of
    Mathematical Statistics 11, 1940.
    """
    deviation, variance = 0.0, 0.0
    for shoe in sample.shoes:
        half, n = len(shoe) // 2, len(shoe)
        runs = 1 + sum((a[1] in RED) is not (b[1] in RED) for a, b in pairwise(shoe))
        twice = 2 * half * half
        deviation += runs - 1 - twice / n
        variance += twice * (twice - n) / (n * n * (n - 1))
    return _normal("runs of a colour", deviation, variance)


def adjacent_duplicates(sample: Sample) -> RngTestResult:
    """Test how often a card is followed by the same card of another deck: decks - 1 times a shoe on average.

    The variance sums over pairs of positions: overlapping pairs need three equal cards, the others two equal cards
    each.
    """
    deviation, variance = 0.0, 0.0
    for shoe in sample.shoes:
        mean, spread = _twins(decks_of(shoe))
        deviation += sum(a == b for a, b in pairwise(shoe)) - mean
        variance += spread
    return _normal("twins in a row", deviation, variance)


def _twins(decks: int) -> tuple[float, float]:
    n, d = 52 * decks, decks
    one = (d - 1) / (n - 1)
    overlap = (d - 1) * (d - 2) / ((n - 1) * (n - 2))
    apart = one * ((d - 2) * (d - 3) + (n - d) * (d - 1)) / ((n - 2) * (n - 3))
    pairs = n - 1
    overlapping, disjoint = 2 * (pairs - 1), pairs * (pairs - 1) - 2 * (pairs - 1)
    return pairs * one, pairs * one + overlapping * overlap + disjoint * apart - (pairs * one) ** 2


def repeated_shoes(sample: Sample) -> RngTestResult:
    """Test whether shoes repeat: pairs that begin with the same six cards, a Poisson count with a tiny mean."""
    pairs = sum(count * (count - 1) // 2 for count in Counter(tuple(shoe[:6]) for shoe in sample.shoes).values())
    likely = len(sample.shoes) * (len(sample.shoes) - 1) / 2 / 52**6
    return RngTestResult("repeated shoes", f"{pairs} pairs alike", 1.0 if pairs == 0 else -math.expm1(-likely))


def _chi_square(name: str, value: float, degrees: int) -> RngTestResult:
    if degrees == 0:
        return RngTestResult(name, "too few shoes", None)
    return RngTestResult(name, f"chi-square {value:.1f}, {degrees} degrees", two_sided(chi_square_tail(value, degrees)))


def _normal(name: str, deviation: float, variance: float) -> RngTestResult:
    if variance <= 0:
        return RngTestResult(name, "too few shoes", None)
    z = deviation / math.sqrt(variance)
    return RngTestResult(name, f"{z:+.2f} standard deviations", normal_tails(z))


def two_sided(tail: float) -> float:
    """Return a two-sided p-value of a chi-square: a result that is too even is not random either."""
    return min(1.0, 2 * min(tail, 1 - tail))


TESTS: Final = (position_uniformity, first_cards, serial_correlation, colour_runs, adjacent_duplicates, repeated_shoes)
