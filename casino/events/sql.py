"""SQL access of the event store: single statements, and streams of rows that another connection reads ahead.

Each thread keeps one psycopg cursor between statements, because creating one costs as much as a small statement.
Django's own cursor is used while something observes it: an execute_wrapper, `DEBUG`, a test that counts queries.
"""

import contextlib
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any, Final, cast

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.postgresql.base import DatabaseWrapper
from psycopg import ClientCursor, Connection, generators
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus, Format
from psycopg.types.datetime import DateBinaryLoader, TimestamptzBinaryLoader

Rows = Sequence[tuple[Any, ...]]
Parameters = Sequence[Any] | Mapping[str, Any]
RowStream = Callable[[str, Sequence[Any], int], Iterator[Rows]]
"""Runs a statement and yields its rows in batches of at most so many."""
Cursor = psycopg.Cursor[tuple[Any, ...]]

LEADER_LIMIT: Final = "set_config('idle_in_transaction_session_timeout', '4s', true)"
"""An expression for the statement that takes a leader's lock: one that freezes loses its transaction, and so the lock,
soon enough for another to take over within five seconds, and can't commit when it wakes up."""

_BEGIN: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_FIRST_ROWS_FAST: Final = (
    # The first rows are wanted at once, so a plan that reads a whole table before it returns any is the wrong one.
    "SET LOCAL enable_hashjoin = off",
    "SET LOCAL enable_mergejoin = off",
    "SET LOCAL enable_sort = off",
    "SET LOCAL jit = off",
    "SET LOCAL max_parallel_workers_per_gather = 0",
)


class _ThreadCursor(threading.local):
    """The cursor that this thread used last."""

    cursor: Cursor | None = None


_thread: Final = _ThreadCursor()


def fetch(sql: str, parameters: Parameters = ()) -> list[tuple[Any, ...]]:
    """Run one statement and return its rows, in binary format: times and bytes then cost nothing to parse."""
    connection = _connection()
    if connection.execute_wrappers or connection.queries_logged:
        with connection.cursor() as cursor:
            cursor.cursor.format = Format.BINARY
            cursor.execute(sql, parameters)
            rows: list[tuple[Any, ...]] = cursor.fetchall()
            return rows
    return _run(connection, sql, parameters).fetchall()


def execute(sql: str, parameters: Parameters = ()) -> int:
    """Run one statement that returns no rows, and return the number of rows affected."""
    connection = _connection()
    if connection.execute_wrappers or connection.queries_logged:
        with connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            return int(cursor.rowcount)
    return _run(connection, sql, parameters).rowcount


def database_now() -> datetime:
    """Return the database's time, the only clock used for decisions and for the order of ids."""
    now: datetime = fetch("SELECT clock_timestamp()")[0][0]
    return now


class _AnyTime(TimestamptzBinaryLoader):
    """Reads a time outside Python's range, such as `infinity`, as the start of Python's first or last day."""

    def load(self, data: Any) -> datetime:
        try:
            return super().load(data)
        except psycopg.DataError:
            return datetime.combine(date.min if data[0] & 0x80 else date.max, time.min, UTC)


class _AnyDay(DateBinaryLoader):
    """Does the same for dates."""

    def load(self, data: Any) -> date:
        try:
            return super().load(data)
        except psycopg.DataError:
            return date.min if data[0] & 0x80 else date.max


@contextlib.contextmanager
def accept_any_timestamp() -> Generator[None]:
    """Let `fetch` read any stored time on this thread's connection, even one outside Python's range; for audits."""
    connection = _connection()
    connection.ensure_connection()
    adapters = connection.connection.adapters
    types = {name: adapters.types[name].oid for name in ("timestamptz", "date")}
    loaders = {oid: adapters.get_loader(oid, Format.BINARY) for oid in types.values()}
    _thread.cursor = None  # a cursor copies its connection's loaders
    adapters.register_loader(types["timestamptz"], _AnyTime)
    adapters.register_loader(types["date"], _AnyDay)
    try:
        yield
    finally:
        _thread.cursor = None
        for oid, loader in loaders.items():
            adapters.register_loader(oid, loader)


def _connection() -> DatabaseWrapper:
    return cast("DatabaseWrapper", connections[DEFAULT_DB_ALIAS])


def _run(connection: DatabaseWrapper, sql: str, parameters: Parameters) -> Cursor:
    """Execute on the thread's cursor with the checks and the error translation of Django's cursor."""
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    connection.validate_no_broken_transaction()
    cursor = _thread.cursor
    if cursor is None or cursor.connection is not connection.connection:
        cursor = _thread.cursor = connection.connection.cursor(binary=True)
    try:
        return cursor.execute(sql, parameters)
    except psycopg.Error:
        with connection.wrap_database_errors:
            raise


@contextlib.contextmanager
def open_prefetch_stream(*, snapshot: str) -> Generator[RowStream]:
    """Open a connection that sees an exported snapshot and prepares the next rows while the caller works.

    One statement at a time: take all rows of one before the next. Iterating raises psycopg.Error.
    """
    connection = connections.create_connection(DEFAULT_DB_ALIAS)
    try:
        with connection.cursor() as cursor:
            cursor.execute(_BEGIN)
            cursor.execute(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
            for setting in _FIRST_ROWS_FAST:
                cursor.execute(setting)
        raw: Connection[Any] = connection.connection

        def stream(sql: str, parameters: Sequence[Any], size: int) -> Iterator[Rows]:
            return _stream(raw, sql, parameters, size)

        yield stream
    finally:
        connection.close()


def _stream(raw: Connection[Any], sql: str, parameters: Sequence[Any], size: int) -> Iterator[Rows]:
    statement = ClientCursor(raw).mogrify(sql, parameters)
    raw.pgconn.send_query_params(statement.encode(), None, result_format=Format.BINARY)
    raw.pgconn.set_chunked_rows_mode(size)
    raw.wait(generators.send(raw.pgconn))
    return _read_results(raw)


def _read_results(raw: Connection[Any]) -> Iterator[Rows]:
    reader = Transformer(raw)
    while (result := raw.wait(generators.fetch(raw.pgconn))) is not None:
        if result.status not in {ExecStatus.TUPLES_CHUNK, ExecStatus.TUPLES_OK}:
            raise error_from_result(result)
        if result.ntuples:
            reader.set_pgresult(result)
            yield reader.load_rows(0, result.ntuples, tuple)
