"""Events replayed and verified by the audit's own engine, its process held to one core (PostgreSQL has the others).

Two histories: many usual rounds of one preset, and all five presets as people play them (`mixed`). Of each, two rates:
`replay` recomputes every link of the chain and judges every round by the rules again; `audit` is all of `manage.py
audit`, which also compares ledger and read models with the events. They are rates of the auditing process's own time;
those by the wall clock, in which others on the machine and PostgreSQL have a part, are given as details. There is no
peer: the target is a rate, held against the best of many repetitions; their median is given as a detail.
"""

from collections.abc import Callable
from statistics import median
from typing import Any

from casino.devstack.errors import DevstackError
from tests.nightly.bench.databases import Database
from tests.nightly.bench.measure import Measured
from tests.nightly.bench.plan import Plan
from tests.nightly.bench.worker import Worker

TARGET = 20_000.0
SEED = 7
NOTES = {
    "replay": "one core's time of the auditing process: chain and rules of every event; the target is a rate",
    "audit": "the same of the whole audit: chain, rules, ledger and read models",
}
Play = Callable[[Plan, Database], None]


def measure(plan: Plan) -> list[Measured]:
    """Play both histories and audit each again and again. Raises DevstackError when an audit finds anything."""
    histories: list[tuple[str, Play]] = [("", _usual), (", mixed", _mixed)]
    return [each for suffix, play in histories for each in _measured(plan, suffix, play)]


def _usual(plan: Plan, database: Database) -> None:
    with Worker("house", environment=database.environment, log=plan.log) as house:
        places = house.run("seat", tables=plan.size.replayed_tables)
        house.run("play", places=places, rounds=plan.size.replayed_rounds)


def _mixed(plan: Plan, database: Database) -> None:
    size = plan.size
    with Worker("mixed", environment=database.environment, log=plan.log) as players:
        players.run("play", lots=size.mixed_lots, rounds=size.mixed_rounds, naps=size.naps, seed=SEED)


def _measured(plan: Plan, suffix: str, play: Play) -> list[Measured]:
    with plan.migrated("replay") as database:
        play(plan, database)
        with database.owner() as connection:
            connection.execute("VACUUM ANALYZE")
        with Worker("house", environment=database.environment, log=plan.log) as house:
            _rate(house.run("replay", log_only=False))  # warm on the way in
            return [
                _summary(
                    f"{name}{suffix}",
                    NOTES[name],
                    [house.run("replay", log_only=log_only) for _ in range(2 * plan.size.repeats)],
                )
                for name, log_only in (("replay", True), ("audit", False))
            ]


def _summary(name: str, note: str, audits: list[dict[str, Any]]) -> Measured:
    rates = tuple(_rate(audit) for audit in audits)
    return Measured(
        name=name,
        unit="events/s",
        ours=rates,
        target=TARGET,
        target_is_rate=True,
        details={
            "events": audits[0]["events"],
            "rounds": audits[0]["rounds"],
            "the median, events/s": median(rates),
            "by the wall clock, events/s": max(_rate(audit, by="wall") for audit in audits),
        },
        notes=(note,),
    )


def _rate(audit: dict[str, Any], *, by: str = "seconds") -> float:
    if audit["findings"]:
        raise DevstackError(f"The audit of what was just played found: {'; '.join(audit['findings'])}.")
    return float(audit["events"]) / float(audit[by])
