"""What a round costs with a million events in the store, over what it costs with none.

Two copies of one database with seated players: into one of them, real sealed events are copied under new streams until
there are a million. The same process plays rounds from bet to settlement in both, in turns. What counts is the
processors' time, its own and PostgreSQL's for it: what else a machine does at the moment changes that least.
"""

from collections.abc import Iterable
from typing import Final

from tests.nightly.bench.databases import Connection
from tests.nightly.bench.measure import Measured, in_turns
from tests.nightly.bench.plan import Plan
from tests.nightly.bench.settle import seated
from tests.nightly.bench.worker import Worker

TARGET: Final = 0.91
"""A cost of at most 1.1 times."""
_COPY_EVENTS: Final = """
    INSERT INTO events_event (stream, version, type, schema, data, metadata)
    SELECT 'copy-' || copy || '-' || stream, version, type, schema, data, metadata
      FROM generate_series(1, %s) AS copy CROSS JOIN (SELECT * FROM events_event ORDER BY id LIMIT %s) AS kept
"""
# The copies are not part of the chain that an audit would check; readers of positions and indexes see no difference.
_COPY_SEALS: Final = """
    INSERT INTO events_seal (position, event_id, digest)
    SELECT head.position + row_number() OVER (ORDER BY event.id), event.id, sha256(event.id::text::bytea)
      FROM events_event event, (SELECT max(position) AS position FROM events_seal) head
     WHERE event.id NOT IN (SELECT event_id FROM events_seal)
"""


def measure(plan: Plan) -> Iterable[Measured]:
    """Measure rounds with an old log and without. Raises DevstackError."""
    size = plan.size
    with seated(plan, wagers=False, tables=size.stored_tables) as (template, places):
        with Worker("house", environment=template.environment, log=plan.log) as house:
            house.run("play", places=places, rounds=len(places))
        with plan.server.copy(template, "old") as old, plan.server.copy(template, "young") as young:
            with old.owner() as owner:
                events = _seed(owner, size.old_events)
            with (
                Worker("house", environment=old.environment, log=plan.log) as own,
                Worker("house", environment=young.environment, log=plan.log) as other,
            ):
                for house in (own, other):
                    house.run("play", places=places, rounds=len(places))
                rates = in_turns(
                    lambda: _rate(own, places, size.grown_rounds),
                    lambda: _rate(other, places, size.grown_rounds),
                    repeats=size.repeats,
                )
    yield Measured(
        name="growth",
        unit="rounds/s of processors",
        ours=rates[0],
        peer=rates[1],
        peer_name="the same with an empty log",
        target=TARGET,
        notes=(f"{events:,} events in the store",),
    )


def _rate(house: Worker, places: list[dict[str, str]], rounds: int) -> float:
    """Play so many rounds and return how many in a second of processors' time."""
    done = house.run("timed_play", places=places, rounds=rounds)
    return float(done["rounds"]) / float(done["seconds"])


def _seed(owner: Connection, events: int) -> int:
    """Copy events until there are so many, and return how many there are."""
    (present,) = owner.execute("SELECT count(*) FROM events_event").fetchall()[0]
    owner.execute(_COPY_EVENTS, [max(1, events // present), present])
    owner.execute(_COPY_SEALS)
    owner.execute("VACUUM ANALYZE events_event, events_seal")
    return int(owner.execute("SELECT count(*) FROM events_event").fetchall()[0][0])
