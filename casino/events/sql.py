"""The one way the event store asks PostgreSQL: a statement on Django's connection, its rows fetched in binary.

Each thread keeps a cursor of psycopg's between statements, because making one costs as much as a small statement.
Django's own cursor takes over while somebody listens to it: an execute_wrapper, `DEBUG`, a test that counts queries.
"""

import contextlib
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any, Final, cast

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.postgresql.base import DatabaseWrapper
from psycopg.pq import Format
from psycopg.types.datetime import DateBinaryLoader, TimestamptzBinaryLoader

Rows = Sequence[tuple[Any, ...]]
Parameters = Sequence[Any] | Mapping[str, Any]
RowStream = Callable[[str, Sequence[Any], int], Iterator[Rows]]
"""Asks a statement and yields its rows in lots of at most so many."""
Cursor = psycopg.Cursor[tuple[Any, ...]]


class _Kept(threading.local):
    """The cursor that this thread asked by last."""

    cursor: Cursor | None = None


_kept: Final = _Kept()


def fetch(sql: str, parameters: Parameters = ()) -> list[tuple[Any, ...]]:
    """Run one statement and return its rows; binary, as times and bytes then cost nothing to read."""
    own = _connection()
    if own.execute_wrappers or own.queries_logged:
        with own.cursor() as watched:
            watched.cursor.format = Format.BINARY
            watched.execute(sql, parameters)
            rows: list[tuple[Any, ...]] = watched.fetchall()
            return rows
    return _run(own, sql, parameters).fetchall()


def execute(sql: str, parameters: Parameters = ()) -> int:
    """Run one statement that returns no rows, and say how many it touched."""
    own = _connection()
    if own.execute_wrappers or own.queries_logged:
        with own.cursor() as watched:
            watched.execute(sql, parameters)
            return int(watched.rowcount)
    return _run(own, sql, parameters).rowcount


class _AnyTime(TimestamptzBinaryLoader):
    """Reads a time that Python has not, such as `infinity`, as the start of the first or the last day that it has."""

    def load(self, data: Any) -> datetime:
        try:
            return super().load(data)
        except psycopg.DataError:
            return datetime.combine(date.min if data[0] & 0x80 else date.max, time.min, UTC)


class _AnyDay(DateBinaryLoader):
    """The same of dates."""

    def load(self, data: Any) -> date:
        try:
            return super().load(data)
        except psycopg.DataError:
            return date.min if data[0] & 0x80 else date.max


@contextlib.contextmanager
def accept_any_timestamp() -> Generator[None]:
    """Let `fetch` read whatever times a row may hold, on this thread's connection: an audit must read all."""
    own = _connection()
    own.ensure_connection()
    adapters = own.connection.adapters
    types = {name: adapters.types[name].oid for name in ("timestamptz", "date")}
    usual = {oid: adapters.get_loader(oid, Format.BINARY) for oid in types.values()}
    _kept.cursor = None  # it has loaders of its own
    adapters.register_loader(types["timestamptz"], _AnyTime)
    adapters.register_loader(types["date"], _AnyDay)
    try:
        yield
    finally:
        _kept.cursor = None
        for oid, loader in usual.items():
            adapters.register_loader(oid, loader)


def _connection() -> DatabaseWrapper:
    return cast("DatabaseWrapper", connections[DEFAULT_DB_ALIAS])


def _run(own: DatabaseWrapper, sql: str, parameters: Parameters) -> Cursor:
    """What Django's cursor does around a statement, without making one: refuse in a broken transaction, translate."""
    own.ensure_connection()
    own.validate_no_broken_transaction()
    cursor = _kept.cursor
    if cursor is None or cursor.connection is not own.connection:
        cursor = _kept.cursor = own.connection.cursor(binary=True)
    try:
        return cursor.execute(sql, parameters)
    except psycopg.Error:
        with own.wrap_database_errors:
            raise
