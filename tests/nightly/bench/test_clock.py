"""A database's clock that is set by hand, and the server's own afterwards."""

from datetime import UTC, datetime

import psycopg

from tests.nightly.bench import clock, databases

MOMENT = datetime(2020, 2, 29, 12, tzinfo=UTC)
READ = "SELECT clock_timestamp(), statement_timestamp(), now()"


def test_what_is_written_has_the_time_that_is_set_and_afterwards_the_servers(services):
    server = databases.Server(services.addresses.url, services.addresses.owner_url, {})
    with server.empty("clock") as made:
        with made.owner() as owner:
            owner.execute("CREATE TABLE note (at timestamptz DEFAULT clock_timestamp())")
        with clock.set_by_hand(made), made.owner() as connection:
            connection.execute("SELECT set_config('bench.clock', %s, false)", [MOMENT.isoformat()])
            assert connection.execute(READ).fetchone() == (MOMENT,) * 3
            assert written(connection) == MOMENT
        with made.owner() as connection:
            assert written(connection) == connection.execute("SELECT max(at) FROM note").fetchone()[0] > MOMENT
            assert min(connection.execute(READ).fetchone()) > MOMENT


def written(connection: psycopg.Connection) -> datetime:
    return connection.execute("INSERT INTO note DEFAULT VALUES RETURNING at").fetchone()[0]
