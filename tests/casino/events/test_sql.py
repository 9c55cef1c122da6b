"""Asking without Django's cursor is asking all the same: watched, translated, on the connection of the hour."""

import psycopg
import pytest
from django.db import DataError, connection, transaction
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext

from casino.events.sql import accept_any_timestamp, execute, fetch

EVERYTHING = "SELECT 1::bigint, 'a%%b'::text || %s::text, now(), '{1,2}'::int[], '\\x00ff'::bytea, NULL::text"


def test_rows_are_the_same_whether_or_not_somebody_listens(database):
    with transaction.atomic():
        alone = fetch(EVERYTHING, ["ä"])
        with CaptureQueriesContext(connection) as queries:
            watched = fetch(EVERYTHING, ["ä"])
    assert len(queries) == 1
    assert watched == alone
    assert alone[0][1] == "a%bä"


def test_what_listens_to_the_connection_hears_every_statement(database):
    heard = []

    def listen(run, sql, parameters, many, context):
        heard.append(sql)
        return run(sql, parameters, many, context)

    with connection.execute_wrapper(listen):
        fetch("SELECT 1")
        execute("DELETE FROM events_subscription")
    fetch("SELECT 2")
    assert heard == ["SELECT 1", "DELETE FROM events_subscription"]


def test_a_new_connection_is_asked_after_the_old_one_was_closed(database):
    asked = "SELECT pg_backend_pid()"
    before = fetch(asked)
    assert fetch(asked) == before
    connection.close()
    assert fetch(asked) != before


def test_a_statement_counts_the_rows_it_touched(database):
    assert execute("INSERT INTO events_subscription (name, position) VALUES ('a', 1), ('b', %s)", [2]) == 2
    assert execute("DELETE FROM events_subscription WHERE position > %s", [1]) == 1
    assert fetch("SELECT name FROM events_subscription") == [("a",)]


def test_errors_are_djangos_with_the_servers_own_as_their_cause(database):
    with pytest.raises(DataError) as caught:
        fetch("SELECT 1 / %s::integer", [0])
    assert caught.value.__cause__.sqlstate == "22012"


def test_nothing_runs_in_a_transaction_that_must_be_rolled_back(database):
    with transaction.atomic():
        transaction.set_rollback(True)
        with pytest.raises(TransactionManagementError):
            fetch("SELECT 1")


def test_rolled_back_statements_are_forgotten_and_prepared_anew(database):
    for _ in range(10):
        with transaction.atomic():
            fetch("SELECT count(*) FROM events_subscription WHERE position = %s", [1])
            transaction.set_rollback(True)
    assert fetch("SELECT count(*) FROM events_subscription WHERE position = %s", [1]) == [(0,)]


def test_every_thread_asks_on_its_own_connection(database, in_threads):
    asked = "SELECT pg_backend_pid()"
    found = in_threads(3, lambda _: (fetch(asked), fetch(asked)))
    assert all(first == second for first, second in found)
    assert len({first[0] for first, _ in found}) == 3


FAR = "SELECT '-infinity'::timestamptz, '20000-01-01 00:00Z'::timestamptz, '0044-03-15 BC'::date, 'infinity'::date"


def test_an_audit_reads_times_that_python_has_not_and_nobody_else_does(db):
    now = fetch("SELECT now(), current_date")
    with accept_any_timestamp():
        assert [str(each)[:10] for each in fetch(FAR)[0]] == ["0001-01-01", "9999-12-31", "0001-01-01", "9999-12-31"]
        assert fetch("SELECT now(), current_date") == now
    with pytest.raises(psycopg.DataError):
        fetch(FAR)
