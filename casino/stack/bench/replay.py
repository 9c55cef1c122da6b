"""Events replayed and verified by the audit's own engine, its process held to one core (PostgreSQL has the others).

Every link of the chain is recomputed and every round judged by the rules again. The whole audit, which also compares
ledger and read models with the events, is given as a detail, as are the rates by the wall clock, in which others on the
machine and PostgreSQL have a part. There is no peer: the target is a rate.
"""

from typing import Any

from casino.stack.bench.measure import Measured
from casino.stack.bench.plan import Plan
from casino.stack.bench.settle import seated
from casino.stack.bench.worker import Worker
from casino.stack.trouble import Trouble

TARGET = 50_000.0


def measure(plan: Plan) -> list[Measured]:
    """This will play rounds, then audit them again and again. Raises Trouble when the audit finds anything."""
    with seated(plan, wagers=False) as (database, places):
        with Worker("house", environment=database.environment, log=plan.log) as house:
            house.ask("play", places=places, rounds=plan.size.replayed_rounds)
        with database.owner() as connection:
            connection.execute("VACUUM ANALYZE")
        with Worker("house", environment=database.environment, log=plan.log) as house:
            _rate(house.ask("replay", log_only=True))  # warm on the way in
            found = [house.ask("replay", log_only=True) for _ in range(plan.size.repeats)]
            whole = house.ask("replay", log_only=False)
    return [
        Measured(
            name="replay",
            unit="events/s",
            ours=tuple(_rate(one) for one in found),
            target=TARGET,
            target_is_rate=True,
            details={
                "events": found[0]["events"],
                "by the wall clock, events/s": max(_rate(one, by="wall") for one in found),
                "whole audit, events/s": _rate(whole),
                "whole audit by the wall clock, events/s": _rate(whole, by="wall"),
            },
            notes=("one core's time of the auditing process: chain and rules of every event; the target is a rate",),
        )
    ]


def _rate(audit: dict[str, Any], *, by: str = "seconds") -> float:
    if audit["findings"]:
        raise Trouble(f"The audit of what was just played found: {'; '.join(audit['findings'])}.")
    return float(audit["events"]) / float(audit[by])
