"""All tests together, judged at 99 %: fair chance fails the suite once in a hundred times, whatever the tests share.

Which tests: GLI-19, Interactive Gaming Systems, 3.0, section 3.2.2. Together: Holm, "A simple sequentially rejective
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
    """A verdict with its p-value adjusted for all that were made, None where there was none, and whether it stands."""

    result: RngTestResult
    adjusted_p_value: float | None
    passed: bool


def run_tests(sample: Sample) -> tuple[AdjustedTestResult, ...]:
    """Make every test and adjust for their number; one that the sample is too small for passes unmade."""
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
    """Tell whether the suite as a whole is passed."""
    return all(each.passed for each in judged)
