"""All tests together at the 99 % level: a fair generator fails the suite one time in a hundred, however dependent the
tests.

Tests: GLI-19, Interactive Gaming Systems, 3.0, section 3.2.2. Combination: Holm, "A simple sequentially rejective
multiple test procedure", Scandinavian Journal of Statistics 6, 1979.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from baccarat.domain.rng_tests import cards, outcomes
from baccarat.domain.rng_tests.sample import RngTestResult, Sample

SIGNIFICANCE: Final = 0.01


@dataclass(frozen=True, slots=True)
class AdjustedTestResult:
    """A test result, its p-value adjusted for the number of tests (None if not run), and whether it passes."""

    result: RngTestResult
    adjusted_p_value: float | None
    passed: bool


def run_tests(sample: Sample) -> tuple[AdjustedTestResult, ...]:
    """Run every test and adjust for their number. A test whose sample is too small passes without being run."""
    return holm([test(sample) for test in (*cards.TESTS, *outcomes.TESTS)])


def holm(verdicts: Sequence[RngTestResult]) -> tuple[AdjustedTestResult, ...]:
    """Adjust p-values by Holm's step-down method."""
    made = sorted((verdict.p_value, place) for place, verdict in enumerate(verdicts) if verdict.p_value is not None)
    adjusted: dict[int, float] = {}
    highest = 0.0
    for rank, (p, place) in enumerate(made):
        highest = max(highest, min(1.0, p * (len(made) - rank)))
        adjusted[place] = highest
    return tuple(
        AdjustedTestResult(verdict, adjusted.get(place), adjusted.get(place, 1.0) >= SIGNIFICANCE)
        for place, verdict in enumerate(verdicts)
    )


def passes(judged: Sequence[AdjustedTestResult]) -> bool:
    """Return whether every test of the suite passed."""
    return all(each.passed for each in judged)
