"""What is streamed ahead is as of the snapshot, in lots, while the first connection goes on with other things."""

import psycopg
import pytest

from casino.events.prefetch import open_prefetch_stream
from casino.events.sql import execute, fetch
from tests.casino.events.writing import write

STREAMS = "SELECT stream, version, recorded_at FROM events_event WHERE version <= %s ORDER BY id"


@pytest.fixture
def stream(database):
    """Streams by a snapshot that another connection holds open: five events had been written."""
    write("a", count=5)
    with database.owner() as holder:
        holder.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        ((name,),) = holder.execute("SELECT pg_export_snapshot()").fetchall()
        with open_prefetch_stream(snapshot=name) as found:
            yield found


def test_rows_come_in_lots_and_are_those_of_the_snapshot_though_more_was_written_meanwhile(stream):
    lots = stream(STREAMS, [5], 2)
    first = next(lots)
    write("b")
    assert len(fetch(STREAMS, [5])) == 6
    assert [*first, *(row for lot in lots for row in lot)] == fetch(STREAMS, [5])[:5]
    assert [len(lot) for lot in stream(STREAMS, [5], 2)] == [2, 2, 1]
    assert list(stream("SELECT 1 WHERE false", [], 2)) == []


def test_a_statement_that_fails_raises_when_its_rows_are_taken(stream):
    lots = stream("SELECT 1 / %s", [0], 2)
    assert execute("SELECT 1") == 1
    with pytest.raises(psycopg.errors.DivisionByZero):
        list(lots)
