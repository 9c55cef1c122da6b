"""Rounds dealt and settled by the workers' own code, against pgbench writing the same rows in hand-written SQL.

Both start from copies of one database in which every table has a confirmed wager. Ours is everything: shuffle, rules,
events, ledger, read models, commit. The peer writes what ours wrote (the round's three events, with their places in
the queue; an entry, its postings and balances; table, round and wager; a seed stored, another
forgotten), with the same indexes, triggers and constraints, from rows prepared beforehand: it computes nothing. One
client each; the peer commits every round, ours every batch. Afterwards both databases are compared, row counts and
contents.
"""

import contextlib
from collections.abc import Generator

from casino.devstack.errors import DevstackError
from tests.bench import settle_peer
from tests.bench.databases import Database
from tests.bench.measure import Measured
from tests.bench.plan import Plan
from tests.bench.worker import Worker

TARGET = 1.0
WARM_UP = 50
"""Rounds before the clock starts, on both sides; fewer when there are few tables."""


def measure(plan: Plan) -> list[Measured]:
    """Measure dealing and settling. Raises DevstackError, also when the two sides wrote different rows."""
    pgbench = settle_peer.program()
    ours: list[float] = []
    peer: list[float] = []
    with seated(plan, wagers=True) as (template, _):
        before = settle_peer.rows(template)
        for _ in range(plan.size.repeats):
            after = _one_pair(plan, template, pgbench, ours, peer)
    written = sum(after.values()) - sum(before.values())
    return [
        Measured(
            name="settle",
            unit="rounds/s",
            ours=tuple(ours),
            peer=tuple(peer),
            peer_name="pgbench, same rows in SQL" if pgbench else "no peer",
            target=TARGET,
            details={"rows added for each round, net": written / plan.size.tables},
            notes=("both sides wrote the same rows, compared afterwards; one client each",)
            if pgbench
            else ("there is no pgbench here",),
        )
    ]


def _one_pair(
    plan: Plan, template: Database, pgbench: str | None, ours: list[float], peer: list[float]
) -> dict[str, int]:
    warm_up = min(WARM_UP, plan.size.tables // 2)
    with plan.server.copy(template, "settle") as own, plan.server.copy(template, "twin") as twin:
        with Worker("house", environment=own.environment, log=plan.log) as house:
            house.run("deal", limit=warm_up)
            done = house.run("deal")
        ours.append(done["rounds"] / done["seconds"])
        if pgbench is not None:
            settle_peer.prepare(own, twin)
            settle_peer.run(pgbench, twin, rounds=warm_up)
            peer.append(settle_peer.run(pgbench, twin, rounds=plan.size.tables - warm_up))
            wrong = "; ".join(settle_peer.differences(own, twin))
            if wrong:
                raise DevstackError(f"The two sides of `settle` did not write the same: {wrong}.")
        return settle_peer.rows(own)


@contextlib.contextmanager
def seated(plan: Plan, *, wagers: bool, tables: int | None = None) -> Generator[tuple[Database, list[dict[str, str]]]]:
    """Make a database with a player seated at each table, `wagers` confirmed if wanted; nobody connected."""
    with plan.migrated("seated") as database:
        with Worker("house", environment=database.environment, log=plan.log) as house:
            places = house.run("seat", tables=tables or plan.size.tables)
            if wagers:
                house.run("wager", places=places)
        with database.owner() as connection:
            connection.execute("VACUUM ANALYZE")
        yield database, places
