"""Bytes that a settled single-wager round leaves behind, with indexes, and the WAL that it costs.

Each wager is one `POST /api/v1/tables/{id}/deal` with a key of its own, handled in the process that also deals and
seals: the same rows as over a socket, the stored response included. Tables are warm before: what grows is counted.
Queues are rewritten before they are measured: their files hold what autovacuum has not come to yet, however many rounds
there were. With a witness, each round's link, its statement and its path are stored too, and the log is cosigned.
"""

import contextlib
from collections.abc import Iterator
from typing import Final

from psycopg import sql

from tests.nightly.bench.databases import Connection
from tests.nightly.bench.measure import Measured
from tests.nightly.bench.plan import Plan
from tests.nightly.bench.settle import seated
from tests.nightly.bench.witnessed import Witness, prepared
from tests.nightly.bench.worker import Worker

BYTES_TARGET: Final = 6_500
WAL_TARGET: Final = 30_000
QUEUES: Final = ("events_unsealed", "baccarat_shoesecret", "baccarat_duetable")
HEADINGS: Final = ("relation", "heap", "indexes", "HOT updates")
_SIZES: Final = """
    SELECT relname, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
"""
_UPDATES: Final = "SELECT relname, n_tup_hot_upd::float8 / n_tup_upd FROM pg_stat_user_tables WHERE n_tup_upd > 0"


def measure(plan: Plan) -> Iterator[Measured]:
    """Measure disk and WAL, without a witness and with one. Raises DevstackError."""
    yield from _measured(plan, "", None)
    with prepared(plan.log) as witness:
        yield from _measured(plan, ", witness", witness)


def _measured(plan: Plan, suffix: str, witness: Witness | None) -> Iterator[Measured]:
    kept = 0
    with (
        seated(plan, wagers=False, tables=plan.size.stored_tables, witness=witness) as (database, places),
        contextlib.ExitStack() as exits,
    ):
        environment = database.environment
        if witness is not None:
            environment = exits.enter_context(witness.running()).environment(database)
        with database.owner() as owner:  # no time is measured
            owner.execute(
                sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(sql.Identifier(database.name))
            )
        with Worker("house", environment=environment, log=plan.log) as house:
            if witness is not None:
                house.run("pin")
            house.run("request", places=places, rounds=2 * len(places))
            with database.owner() as owner:
                _rewrite_queues(owner)
                before, lsn = _sizes(owner), _position(owner)
                kept -= 0 if witness is None else witness.stored_bytes()
                rounds = house.run("request", places=places, rounds=plan.size.stored_rounds)
                written = _written(owner, lsn)
                kept += 0 if witness is None else witness.stored_bytes()
        with database.owner() as owner:  # the house has left, and with it reported its updates
            _rewrite_queues(owner)
            grown = {
                name: tuple(now - then for now, then in zip(sizes, before[name], strict=True))
                for name, sizes in _sizes(owner).items()
            }
            hot = dict(owner.execute(_UPDATES).fetchall())
    most = sorted(grown.items(), key=lambda item: -sum(item[1]))
    yield Measured(
        name=f"storage{suffix}",
        unit="bytes/round",
        ours=(sum(map(sum, grown.values())) / rounds,),
        target=BYTES_TARGET if witness is None else None,
        target_is_most=True,
        details={} if witness is None else {"bytes/round at the witness": round(kept / rounds)},
        table=(
            HEADINGS,
            *(
                (name, f"{heap / rounds:,.0f}", f"{indexes / rounds:,.0f}", f"{hot[name]:.0%}" if name in hot else "")
                for name, (heap, indexes) in most
                if heap + indexes > 0
            ),
        ),
        notes=(f"{rounds:,} rounds with one wager at {len(places)} tables, sealed; bytes by relation are of a round",),
    )
    yield Measured(
        name=f"storage{suffix}, WAL",
        unit="bytes/round",
        ours=(written / rounds,),
        target=WAL_TARGET if witness is None else None,
        target_is_most=True,
        notes=("with full_page_writes; checkpoints as they come",),
    )


def _rewrite_queues(owner: Connection) -> None:
    for queue in QUEUES:
        owner.execute(sql.SQL("VACUUM (FULL) {}").format(sql.Identifier(queue)))


def _sizes(owner: Connection) -> dict[str, tuple[int, int]]:
    """Return the bytes of each relation: of its heap, with what is out of line, and of its indexes."""
    return {name: (heap, indexes) for name, heap, indexes in owner.execute(_SIZES).fetchall()}


def _position(owner: Connection) -> str:
    return str(owner.execute("SELECT pg_current_wal_insert_lsn()").fetchall()[0][0])


def _written(owner: Connection, since: str) -> int:
    return int(owner.execute("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), %s)", [since]).fetchall()[0][0])
