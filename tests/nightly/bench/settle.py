"""Rounds dealt and settled by the workers' own code, against pgbench writing the same rows in hand-written SQL.

Both start from copies of one database in which every table has a confirmed wager. Ours is everything: shuffle, rules,
events, ledger, read models, commit. The peer writes what ours wrote (the round's three events, with their places in
the queue; an entry, its postings and balances; table, round and wager; a seed stored, another
forgotten), with the same indexes, triggers and constraints, from rows prepared beforehand: it computes nothing. One
client each; the peer commits every round, ours every batch. Afterwards both databases are compared, row counts and
contents.

The same is measured with a witness, a process on this machine: ours closes a batch, asks for its links and deals it, in
two transactions with a request between them; the peer writes the same rows in one.
"""

import contextlib
from collections.abc import Generator, Iterator
from typing import Final

from casino.devstack.errors import DevstackError
from tests.nightly.bench import settle_peer
from tests.nightly.bench.databases import Database
from tests.nightly.bench.measure import Measured
from tests.nightly.bench.plan import Plan
from tests.nightly.bench.witnessed import Witness, prepared
from tests.nightly.bench.worker import Worker

TARGET = 1.0
WARM_UP = 50
"""Rounds before the clock starts, on both sides; fewer when there are few tables."""
_DEALT_BY_LINKS: Final = """
SELECT count(*) FROM baccarat_table AS kept
  JOIN events_event AS released ON released.type = 'LinksReleased'
   AND released.stream = 'round-' || (SELECT id FROM baccarat_round WHERE table_id = kept.id AND phase = 'settled'
                                       ORDER BY id DESC LIMIT 1)
"""


def measure(plan: Plan) -> Iterator[Measured]:
    """Measure dealing and settling, without a witness and with one.

    Raises DevstackError, also when the two sides wrote different rows.
    """
    yield _measured(plan, "settle", None)
    with prepared(plan.log) as witness:
        yield _measured(plan, "settle, witness", witness)


def _measured(plan: Plan, name: str, witness: Witness | None) -> Measured:
    pgbench = settle_peer.program()
    ours: list[float] = []
    peer: list[float] = []
    with seated(plan, wagers=True, witness=witness) as (template, _):
        for _ in range(plan.size.repeats):
            rates, written = _one_pair(plan, template, pgbench, witness)
            ours.append(rates[0])
            peer.extend(rates[1:])
    return Measured(
        name=name,
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


def _one_pair(plan: Plan, template: Database, pgbench: str | None, witness: Witness | None) -> tuple[list[float], int]:
    """Settle on both sides; return our rate and the peer's, if there is one, and how many rows ours added, net."""
    warm_up = min(WARM_UP, plan.size.tables // 2)
    with plan.server.copy(template, "settle") as own, contextlib.ExitStack() as exits:
        environment = own.environment
        if witness is not None:
            running = exits.enter_context(witness.copy())
            running.warm_up()
            environment = running.environment(own)
            with Worker("house", environment=environment, log=plan.log) as house:
                house.run("pin")
        twin = exits.enter_context(plan.server.copy(own, "twin"))
        before = settle_peer.rows(twin)
        with Worker("house", environment=environment, log=plan.log) as house:
            house.run("deal", limit=warm_up)
            done = house.run("deal")
        rounds = plan.size.tables - warm_up
        rates = [rounds / done["seconds"]]
        if witness is not None:
            _require_links(own, plan.size.tables)
        if pgbench is not None:
            settle_peer.prepare(own, twin)
            settle_peer.run(pgbench, twin, rounds=warm_up)
            rates.append(settle_peer.run(pgbench, twin, rounds=rounds))
            wrong = "; ".join(settle_peer.differences(own, twin))
            if wrong:
                raise DevstackError(f"The two sides of `settle` did not write the same: {wrong}.")
        return rates, sum(settle_peer.rows(own).values()) - sum(before.values())


def _require_links(database: Database, tables: int) -> None:
    """Check that the last round of each table was dealt by a link. Raises DevstackError."""
    with database.owner() as connection:
        (dealt,) = connection.execute(_DEALT_BY_LINKS).fetchall()[0]
    if dealt != tables:
        raise DevstackError(f"{dealt} of {tables} rounds were dealt by links.")


@contextlib.contextmanager
def seated(
    plan: Plan, *, wagers: bool, tables: int | None = None, witness: Witness | None = None
) -> Generator[tuple[Database, list[dict[str, str]]]]:
    """Make a database with a player seated at each table, `wagers` confirmed if wanted; nobody connected.

    The rounds follow from the links of a `witness`, if there is one; it does not run any more.
    """
    with plan.migrated("seated") as database:
        with contextlib.ExitStack() as exits:
            environment = database.environment
            if witness is not None:
                environment = exits.enter_context(witness.running()).environment(database)
            house = exits.enter_context(Worker("house", environment=environment, log=plan.log))
            places = house.run("seat", tables=tables or plan.size.tables)
            if wagers:
                house.run("wager", places=places)
        with database.owner() as connection:
            connection.execute("VACUUM ANALYZE")
        yield database, places
