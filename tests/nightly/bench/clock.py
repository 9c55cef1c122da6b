"""A database whose clock is set by hand: what our services write there has the times that it is set to.

Services read no clock but the database's. While it is set by hand, functions named as PostgreSQL's come first on the
search path, and the defaults of columns name them.
"""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime
from typing import Final, LiteralString

from casino.events.sql import fetch
from tests.nightly.bench.databases import Connection, Database

_INSTALL: Final[LiteralString] = """
    CREATE SCHEMA bench_clock;
    GRANT USAGE ON SCHEMA bench_clock TO PUBLIC;
    CREATE FUNCTION bench_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql STABLE
        RETURN current_setting('bench.clock')::timestamptz;
    CREATE FUNCTION bench_clock.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE
        RETURN current_setting('bench.clock')::timestamptz;
    CREATE FUNCTION bench_clock.now() RETURNS timestamptz LANGUAGE sql STABLE
        RETURN current_setting('bench.clock')::timestamptz;
"""
_WITH_A_CLOCK: Final[LiteralString] = """
    SELECT table_name, column_name, substring(column_default FROM '(clock_timestamp|statement_timestamp)')
      FROM information_schema.columns
     WHERE table_schema = 'public' AND column_default ~ '(clock|statement)_timestamp'
"""


@contextmanager
def set_by_hand(database: Database) -> Generator[None]:
    """Let `set_to` set the clock of connections that are opened within the block, all of which end before it."""
    with database.owner() as owner:
        owner.execute(_INSTALL)
        _redirect(owner, "bench_clock")
        owner.execute(f'ALTER DATABASE "{database.name}" SET search_path = bench_clock, pg_catalog, public')
    try:
        yield
    finally:
        with database.owner() as owner:
            owner.execute(f'ALTER DATABASE "{database.name}" RESET search_path')
            _redirect(owner, "pg_catalog")
            owner.execute("DROP SCHEMA bench_clock CASCADE")


def set_to(moment: datetime) -> None:
    """Set the clock of this connection."""
    fetch("SELECT set_config('bench.clock', %s, false)", [moment.isoformat()])


def real_time() -> datetime:
    """Return the time of the server's own clock."""
    now: datetime = fetch("SELECT pg_catalog.clock_timestamp()")[0][0]
    return now


def _redirect(owner: Connection, schema: str) -> None:
    """Let the defaults of columns read the clock of a schema."""
    for table, column, function in owner.execute(_WITH_A_CLOCK).fetchall():
        owner.execute(f"ALTER TABLE {table} ALTER {column} SET DEFAULT {schema}.{function}()")
