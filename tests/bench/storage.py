"""Bytes that a settled single-wager round leaves behind, with indexes, and the WAL that it costs.

Each wager is one `POST /api/v1/tables/{id}/deal` with a key of its own, handled in the process that also deals and
seals: the same rows as over a socket, the stored response included. Tables are warm before: what grows is counted.
"""

from collections.abc import Iterable
from typing import Final

from psycopg import sql

from tests.bench.databases import Connection
from tests.bench.measure import Measured
from tests.bench.plan import Plan
from tests.bench.settle import seated
from tests.bench.worker import Worker

BYTES_TARGET: Final = 6_500
WAL_TARGET: Final = 30_000
HEADINGS: Final = ("relation", "heap", "indexes", "HOT updates")
_SIZES: Final = """
    SELECT relname, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
"""
_UPDATES: Final = "SELECT relname, n_tup_hot_upd::float8 / n_tup_upd FROM pg_stat_user_tables WHERE n_tup_upd > 0"


def measure(plan: Plan) -> Iterable[Measured]:
    """Measure disk and WAL. Raises DevstackError."""
    with seated(plan, wagers=False, tables=plan.size.stored_tables) as (database, places):
        with database.owner() as owner:  # no time is measured
            owner.execute(
                sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(sql.Identifier(database.name))
            )
        with Worker("house", environment=database.environment, log=plan.log) as house:
            house.run("request", places=places, rounds=2 * len(places))
            with database.owner() as owner:
                before, lsn = _sizes(owner), _position(owner)
                rounds = house.run("request", places=places, rounds=plan.size.stored_rounds)
                written = _written(owner, lsn)
        with database.owner() as owner:  # the house has left, and with it reported its updates
            grown = {
                name: tuple(now - then for now, then in zip(sizes, before[name], strict=True))
                for name, sizes in _sizes(owner).items()
            }
            hot = dict(owner.execute(_UPDATES).fetchall())
    most = sorted(grown.items(), key=lambda item: -sum(item[1]))
    yield Measured(
        name="storage",
        unit="bytes/round",
        ours=(sum(map(sum, grown.values())) / rounds,),
        target=BYTES_TARGET,
        target_is_most=True,
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
        name="storage, WAL",
        unit="bytes/round",
        ours=(written / rounds,),
        target=WAL_TARGET,
        target_is_most=True,
        notes=("with full_page_writes; checkpoints as they come",),
    )


def _sizes(owner: Connection) -> dict[str, tuple[int, int]]:
    """Return the bytes of each relation: of its heap, with what is out of line, and of its indexes."""
    return {name: (heap, indexes) for name, heap, indexes in owner.execute(_SIZES).fetchall()}


def _position(owner: Connection) -> str:
    return str(owner.execute("SELECT pg_current_wal_insert_lsn()").fetchall()[0][0])


def _written(owner: Connection, since: str) -> int:
    return int(owner.execute("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), %s)", [since]).fetchall()[0][0])
