"""Use case of monitoring the generator: run the tests, and record failures as significant events."""

from django.db import transaction

from baccarat.domain.rng_tests.suite import AdjustedTestResult, passes, run_tests
from baccarat.queries import rng_sample
from baccarat.queries.rng_sample import DealingHistory
from casino.significant import recorder

ACTOR = "system:rng_report"


def run_rng_tests(
    *, shoes: int = rng_sample.MAX_SHOES, rounds: int = rng_sample.MAX_ROUNDS
) -> tuple[DealingHistory, tuple[AdjustedTestResult, ...]]:
    """Test the newest shoes and rounds, and return the sample with the results.

    A failure is a significant event, recorded once for each newest round of a sample.
    """
    history = rng_sample.load_history(shoes=shoes, rounds=rounds)
    judged = run_tests(history.sample)
    if not passes(judged):
        with transaction.atomic():
            _record(history, judged)
    return history, judged


def _record(history: DealingHistory, judged: tuple[AdjustedTestResult, ...]) -> None:
    failed = [each for each in judged if not each.passed]
    recorder.record(
        kind=recorder.SignificantEventKind.RNG_OUT_OF_BAND,
        operator=None,
        subject="rng",
        actor=ACTOR,
        reason="; ".join(f"{each.result.name}: {each.result.statistic}" for each in failed),
        after={
            "shoes": len(history.sample.shoes),
            "rounds": len(history.sample.outcomes),
            "failed": {each.result.name: each.adjusted_p_value for each in failed},
        },
        dedup_key=f"rng:{history.newest}",
    )
