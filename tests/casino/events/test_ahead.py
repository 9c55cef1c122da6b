"""What is asked ahead is answered as of the snapshot, while the first connection goes on with other things."""

import psycopg
import pytest

from casino.events.ahead import ahead
from casino.events.rows import execute, fetch
from tests.casino.events.writing import write

STREAMS = "SELECT stream, version, recorded_at FROM events_event WHERE version <= %s ORDER BY id"


@pytest.fixture
def ask(database):
    """Asks ahead, by a snapshot that another connection holds open: one event had been written."""
    write("a")
    with database.owner() as holder:
        holder.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        ((name,),) = holder.execute("SELECT pg_export_snapshot()").fetchall()
        with ahead(snapshot=name) as found:
            yield found


def test_rows_are_those_of_the_snapshot_though_more_was_written_and_asked_meanwhile(ask):
    answer = ask(STREAMS, [5])
    write("b")
    assert [stream for stream, _, _ in fetch(STREAMS, [5])] == ["a", "b"]
    assert list(answer()) == fetch(STREAMS, [5])[:1]
    assert list(ask("SELECT 1 WHERE false", [])()) == []


def test_a_statement_that_fails_raises_when_its_rows_are_taken(ask):
    answer = ask("SELECT 1 / %s", [0])
    assert execute("SELECT 1") == 1
    with pytest.raises(psycopg.errors.DivisionByZero):
        answer()
