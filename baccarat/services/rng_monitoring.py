"""The use case of watching the chance: test what came out, and record it where that is out of band."""

from django.db import transaction

from baccarat import sampling
from baccarat.randomness.suite import Judged, judge, passes
from baccarat.sampling import History
from casino.significant import log

ACTOR = "system:rng-report"


def watch(
    *, shoes: int = sampling.MOST_SHOES, rounds: int = sampling.MOST_ROUNDS
) -> tuple[History, tuple[Judged, ...]]:
    """This will test the newest so many shoes and rounds, and return them with the verdicts.

    A failure is a significant event, once for each newest round that was looked at.
    """
    history = sampling.history(shoes=shoes, rounds=rounds)
    judged = judge(history.sample)
    if not passes(judged):
        with transaction.atomic():
            _record(history, judged)
    return history, judged


def _record(history: History, judged: tuple[Judged, ...]) -> None:
    failed = [each for each in judged if not each.passed]
    log.record(
        kind=log.Kind.RNG_OUT_OF_BAND,
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
