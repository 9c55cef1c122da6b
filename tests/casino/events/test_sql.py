"""SQL access without Django's cursor keeps its behaviour: observed, errors translated, on the current connection."""

import psycopg
import pytest
from django.db import DataError, connection, transaction
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext

from casino.events.sql import accept_any_timestamp, execute, fetch, open_prefetch_stream
from tests.casino.events.writing import write

ALL_TYPES = "SELECT 1::bigint, 'a%%b'::text || %s::text, now(), '{1,2}'::int[], '\\x00ff'::bytea, NULL::text"


def test_rows_are_the_same_with_and_without_an_observer(database):
    with transaction.atomic():
        direct = fetch(ALL_TYPES, ["ä"])
        with CaptureQueriesContext(connection) as queries:
            watched = fetch(ALL_TYPES, ["ä"])
    assert len(queries) == 1
    assert watched == direct
    assert direct[0][1] == "a%bä"


def test_an_execute_wrapper_sees_every_statement(database):
    seen = []

    def observe(run, sql, parameters, many, context):
        seen.append(sql)
        return run(sql, parameters, many, context)

    with connection.execute_wrapper(observe):
        fetch("SELECT 1")
        execute("DELETE FROM events_subscription")
    fetch("SELECT 2")
    assert seen == ["SELECT 1", "DELETE FROM events_subscription"]


def test_a_new_connection_is_used_after_the_old_one_was_closed(database):
    query = "SELECT pg_backend_pid()"
    before = fetch(query)
    assert fetch(query) == before
    connection.close()
    assert fetch(query) != before


def test_a_statement_returns_the_number_of_affected_rows(database):
    assert execute("INSERT INTO events_subscription (name, position) VALUES ('a', 1), ('b', %s)", [2]) == 2
    assert execute("DELETE FROM events_subscription WHERE position > %s", [1]) == 1
    assert fetch("SELECT name FROM events_subscription") == [("a",)]


def test_errors_are_djangos_with_psycopgs_as_their_cause(database):
    with pytest.raises(DataError) as caught:
        fetch("SELECT 1 / %s::integer", [0])
    assert caught.value.__cause__.sqlstate == "22012"


def test_nothing_runs_in_a_transaction_that_must_be_rolled_back(database):
    with transaction.atomic():
        transaction.set_rollback(True)
        with pytest.raises(TransactionManagementError):
            fetch("SELECT 1")


def test_statements_of_rolled_back_transactions_are_prepared_again(database):
    for _ in range(10):
        with transaction.atomic():
            fetch("SELECT count(*) FROM events_subscription WHERE position = %s", [1])
            transaction.set_rollback(True)
    assert fetch("SELECT count(*) FROM events_subscription WHERE position = %s", [1]) == [(0,)]


def test_every_thread_uses_its_own_connection(database, in_threads):
    query = "SELECT pg_backend_pid()"
    pairs = in_threads(3, lambda _: (fetch(query), fetch(query)))
    assert all(first == second for first, second in pairs)
    assert len({first[0] for first, _ in pairs}) == 3


OUT_OF_RANGE = (
    "SELECT '-infinity'::timestamptz, '20000-01-01 00:00Z'::timestamptz, '0044-03-15 BC'::date, 'infinity'::date"
)


def test_only_an_audit_reads_times_outside_pythons_range(db):
    now = fetch("SELECT now(), current_date")
    with accept_any_timestamp():
        assert [str(each)[:10] for each in fetch(OUT_OF_RANGE)[0]] == [
            "0001-01-01",
            "9999-12-31",
            "0001-01-01",
            "9999-12-31",
        ]
        assert fetch("SELECT now(), current_date") == now
    with pytest.raises(psycopg.DataError):
        fetch(OUT_OF_RANGE)


ROWS = "SELECT stream, version, recorded_at FROM events_event WHERE version <= %s ORDER BY id"


@pytest.fixture
def stream(database):
    """Stream on a snapshot of five events that another connection holds open."""
    write("a", count=5)
    with database.owner() as owner:
        owner.execute("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        ((name,),) = owner.execute("SELECT pg_export_snapshot()").fetchall()
        with open_prefetch_stream(snapshot=name) as opened:
            yield opened


def test_prefetched_rows_come_in_batches_and_see_only_the_snapshot(stream):
    batches = stream(ROWS, [5], 2)
    first = next(batches)
    write("b")
    assert len(fetch(ROWS, [5])) == 6
    assert [*first, *(row for batch in batches for row in batch)] == fetch(ROWS, [5])[:5]
    assert [len(batch) for batch in stream(ROWS, [5], 2)] == [2, 2, 1]
    assert list(stream("SELECT 1 WHERE false", [], 2)) == []


def test_a_failing_prefetched_statement_raises_when_its_rows_are_read(stream):
    batches = stream("SELECT 1 / %s", [0], 2)
    assert execute("SELECT 1") == 1
    with pytest.raises(psycopg.errors.DivisionByZero):
        list(batches)
