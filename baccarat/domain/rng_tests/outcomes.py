"""Tests of outcomes: their frequencies against the exact odds, and their independence."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from baccarat.domain.rng_tests.cards import two_sided
from baccarat.domain.rng_tests.gamma import chi_square_tail, normal_tails
from baccarat.domain.rng_tests.sample import MIN_EXPECTED_COUNT, RngTestResult, Sample
from baccarat.domain.rules.cards import SUITS, points
from baccarat.domain.rules.counting import count_outcomes
from baccarat.domain.rules.deal import Outcome

TEN: Final = 4 / 13
"""Probability that a first card is a ten or court card."""


def outcome_frequencies(sample: Sample) -> RngTestResult:
    """Test how often Banker, Player and Tie occurred against their exact odds: chi-square, 2 degrees."""
    expected = expected_shares(sample)
    if min(expected.values()) < MIN_EXPECTED_COUNT:
        return RngTestResult("shares of outcomes", "too few rounds", None)
    counted = Counter(outcome for _, outcome in sample.outcomes)
    value = sum((counted[outcome] - due) ** 2 / due for outcome, due in expected.items())
    return RngTestResult(
        "shares of outcomes", f"chi-square {value:.2f}, 2 degrees", two_sided(chi_square_tail(value, 2))
    )


def expected_shares(sample: Sample) -> dict[Outcome, float]:
    """Return the expected share of each outcome, by the exact odds of each round's shoe."""
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
    value = sum((pairs[pair] - due) ** 2 / due for pair, due in expected.items())
    return RngTestResult(
        "outcomes in a row", f"chi-square {value:.2f}, 4 degrees", two_sided(chi_square_tail(value, 4))
    )


def outcome_runs(sample: Sample) -> RngTestResult:
    """Test the number of runs of Banker and Player, leaving out ties (Wald, Wolfowitz)."""
    outcomes = [outcome for _, outcome in sample.outcomes if outcome is not Outcome.TIE]
    counted = Counter(outcomes)
    n, twice = len(outcomes), 2 * counted[Outcome.BANKER] * counted[Outcome.PLAYER]
    if min(counted[Outcome.BANKER], counted[Outcome.PLAYER]) < MIN_EXPECTED_COUNT:
        return RngTestResult("runs of outcomes", "too few rounds", None)
    found_runs = 1 + sum(a is not b for a, b in pairwise(outcomes))
    z = (found_runs - 1 - twice / n) / math.sqrt(twice * (twice - n) / (n * n * (n - 1)))
    return RngTestResult("runs of outcomes", f"{z:+.2f} standard deviations", normal_tails(z))


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
    lengths = list(_collected([shoe[0][1] for shoe in sample.shoes]))
    chances = [_collects_within(length) - _collects_within(length - 1) for length in range(1, 200)]
    return _cells("all suits collected", [length - 1 for length in lengths], chances)


def _collected(suits: Sequence[str]) -> Iterator[int]:
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
    value = sum((counted_here - due) ** 2 / due for counted_here, due in cells)
    degrees = len(cells) - 1
    tail = two_sided(chi_square_tail(value, degrees))
    return RngTestResult(name, f"chi-square {value:.2f}, {degrees} degrees", tail)


TESTS: Final = (outcome_frequencies, outcome_independence, outcome_runs, gap_test, coupon_collector)
