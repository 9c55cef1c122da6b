"""The use case of watching the chance: test what came out, and record it where that is out of band."""

from django.db import transaction

from baccarat.domain.rng_tests.suite import Judged, judge, passes
from baccarat.queries import rng_sample
from baccarat.queries.rng_sample import History
from casino.significant import recorder

ACTOR = "system:rng-report"


def watch(
    *, shoes: int = rng_sample.MOST_SHOES, rounds: int = rng_sample.MOST_ROUNDS
) -> tuple[History, tuple[Judged, ...]]:
    """Test the newest so many shoes and rounds, and return them with the verdicts.

    A failure is a significant event, once for each newest round that was looked at.
    """
    history = rng_sample.history(shoes=shoes, rounds=rounds)
    judged = judge(history.sample)
    if not passes(judged):
        with transaction.atomic():
            _record(history, judged)
    return history, judged


def _record(history: History, judged: tuple[Judged, ...]) -> None:
    failed = [each for each in judged if not each.passed]
    recorder.record(
        kind=recorder.Kind.RNG_OUT_OF_BAND,
        operator=None,
        subject="rng",
        actor=ACTOR,
        reason="; ".join(f"{each.verdict.name}: {each.verdict.measured}" for each in failed),
        after={
            "shoes": len(history.sample.shoes),
            "rounds": len(history.sample.outcomes),
            "failed": {each.verdict.name: each.adjusted for each in failed},
        },
        once=f"rng:{history.newest}",
    )
