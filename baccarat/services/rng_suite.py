"""Statistical tests of card orders and outcomes. Each test of orders is exact for a uniform permutation.

Tests: GLI-19, Interactive Gaming Systems, 3.0, section 3.2.2.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from baccarat.domain.rules.cards import FULL_DECK, POINTS, SUITS, Card, points
from baccarat.domain.rules.counting import count_outcomes
from baccarat.domain.rules.deal import Outcome
from baccarat.services.rng_statistics import (
    MIN_EXPECTED_COUNT,
    AdjustedTestResult,
    RngTestResult,
    Sample,
    by_decks,
    chi_square_tail,
    decks_of,
    holm,
    normal_tails,
)

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
        positions = slice(part * 4 * decks, (part + 1) * 4 * decks)
        counts = Counter(card for shoe in shoes for card in shoe[positions])
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
    expected = len(sample.shoes) * (len(sample.shoes) - 1) / 2 / 52**6
    return RngTestResult("repeated shoes", f"{pairs} pairs alike", 1.0 if pairs == 0 else -math.expm1(-expected))


def _chi_square(name: str, value: float, degrees: int) -> RngTestResult:
    if degrees == 0:
        return RngTestResult(name, "too few shoes", None)
    return RngTestResult(
        name, f"chi-square {value:.2f}, {degrees} degrees", _two_sided(chi_square_tail(value, degrees))
    )


def _normal(name: str, deviation: float, variance: float) -> RngTestResult:
    if variance <= 0:
        return RngTestResult(name, "too few shoes", None)
    z = deviation / math.sqrt(variance)
    return RngTestResult(name, f"{z:+.2f} standard deviations", normal_tails(z))


def _two_sided(tail: float) -> float:
    """Return a two-sided p-value of a chi-square: a result that is too even is not random either."""
    return min(1.0, 2 * min(tail, 1 - tail))


TEN: Final = 4 / 13
"""Probability that a first card is a ten or court card."""


def outcome_frequencies(sample: Sample) -> RngTestResult:
    """Test how often Banker, Player and Tie occurred against their exact odds: chi-square, 2 degrees."""
    expected = expected_counts(sample)
    if min(expected.values()) < MIN_EXPECTED_COUNT:
        return RngTestResult("shares of outcomes", "too few rounds", None)
    counted = Counter(outcome for _, outcome in sample.outcomes)
    value = sum((counted[outcome] - count) ** 2 / count for outcome, count in expected.items())
    return _chi_square("shares of outcomes", value, 2)


def expected_counts(sample: Sample) -> dict[Outcome, float]:
    """Return the expected number of each outcome, by the exact odds of each round's shoe."""
    expected = dict.fromkeys(Outcome, 0.0)
    for decks, rounds in Counter(decks for decks, _ in sample.outcomes).items():
        exact = count_outcomes(decks)
        for outcome, ways in zip(
            (Outcome.BANKER, Outcome.PLAYER, Outcome.TIE), (exact.banker, exact.player, exact.tie), strict=True
        ):
            expected[outcome] += rounds * ways / exact.total
    return expected


def outcome_independence(sample: Sample) -> RngTestResult:
    """Test whether an outcome predicts the next one: chi-square of pairs, 4 degrees."""
    outcomes = [outcome for _, outcome in sample.outcomes]
    pairs, before, after = Counter(pairwise(outcomes)), Counter(outcomes[:-1]), Counter(outcomes[1:])
    expected = {
        (a, b): before[a] * after[b] / (len(outcomes) - 1) if len(outcomes) > 1 else 0.0
        for a in Outcome
        for b in Outcome
    }
    if min(expected.values()) < MIN_EXPECTED_COUNT:
        return RngTestResult("outcomes in a row", "too few rounds", None)
    value = sum((pairs[pair] - count) ** 2 / count for pair, count in expected.items())
    return _chi_square("outcomes in a row", value, 4)


def outcome_runs(sample: Sample) -> RngTestResult:
    """Test the number of runs of Banker and Player, leaving out ties (Wald, Wolfowitz)."""
    outcomes = [outcome for _, outcome in sample.outcomes if outcome is not Outcome.TIE]
    counted = Counter(outcomes)
    n, twice = len(outcomes), 2 * counted[Outcome.BANKER] * counted[Outcome.PLAYER]
    if min(counted[Outcome.BANKER], counted[Outcome.PLAYER]) < MIN_EXPECTED_COUNT:
        return RngTestResult("runs of outcomes", "too few rounds", None)
    runs = 1 + sum(a is not b for a, b in pairwise(outcomes))
    return _normal("runs of outcomes", runs - 1 - twice / n, twice * (twice - n) / (n * n * (n - 1)))


def gap_test(sample: Sample) -> RngTestResult:
    """Test how many shoes pass between two that begin with a ten or court card: geometric.

    Source: Knuth, The Art of Computer Programming 2, third edition, 3.3.2, test D.
    """
    marked = [number for number, shoe in enumerate(sample.shoes) if points(shoe[0]) == 0]
    lengths = [later - earlier - 1 for earlier, later in pairwise(marked)]
    chances = [TEN * (1 - TEN) ** length for length in range(200)]
    return _cells("gaps between tens", lengths, chances)


def coupon_collector(sample: Sample) -> RngTestResult:
    """Test how many shoes it takes until each of the four suits has come first: the coupon collector.

    The probability of exactly r draws is d! / d^r times the Stirling number of the second kind of r - 1 and d - 1
    (Knuth, 3.3.2, test E).
    """
    lengths = list(_collection_lengths([shoe[0][1] for shoe in sample.shoes]))
    chances = [_collects_within(length) - _collects_within(length - 1) for length in range(1, 200)]
    return _cells("all suits collected", [length - 1 for length in lengths], chances)


def _collection_lengths(suits: Sequence[str]) -> Iterator[int]:
    seen: set[str] = set()
    length = 0
    for suit in suits:
        length += 1
        seen.add(suit)
        if len(seen) == len(SUITS):
            yield length
            seen, length = set(), 0


def _collects_within(draws: int) -> float:
    """Return the probability that this many draws include every suit, by inclusion and exclusion."""
    d = len(SUITS)
    signs = (1.0, -1.0) * d
    return sum(signs[missing] * math.comb(d, missing) * ((d - missing) / d) ** draws for missing in range(d + 1))


def _cells(name: str, lengths: Sequence[int], chances: Sequence[float]) -> RngTestResult:
    """Test lengths 0, 1, … by chi-square, merging cells at either end that are too rare."""
    counted, n = Counter(lengths), len(lengths)
    cells: list[list[float]] = []
    observed = expected = 0.0
    for length, chance in enumerate(chances):
        observed, expected = observed + counted[length], expected + n * chance
        if expected >= MIN_EXPECTED_COUNT:
            cells.append([observed, expected])
            observed = expected = 0.0
    if len(cells) < 2:
        return RngTestResult(name, "too few shoes", None)
    cells[-1][0] = n - sum(cell[0] for cell in cells[:-1])
    cells[-1][1] = n - sum(cell[1] for cell in cells[:-1])
    value = sum((observed - expected) ** 2 / expected for observed, expected in cells)
    return _chi_square(name, value, len(cells) - 1)


TESTS: Final = (
    position_uniformity,
    first_cards,
    serial_correlation,
    colour_runs,
    adjacent_duplicates,
    repeated_shoes,
    outcome_frequencies,
    outcome_independence,
    outcome_runs,
    gap_test,
    coupon_collector,
)


def run_tests(sample: Sample) -> tuple[AdjustedTestResult, ...]:
    """Run every test and adjust for their number. A test whose sample is too small passes without being run."""
    return holm([test(sample) for test in TESTS])
