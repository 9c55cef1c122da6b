"""The one way the event store asks PostgreSQL: a statement on Django's connection, its rows fetched in binary.

Each thread keeps a cursor of psycopg's between statements, because making one costs as much as a small statement.
Django's own cursor takes over while somebody listens to it: an execute_wrapper, `DEBUG`, a test that counts queries.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.postgresql.base import DatabaseWrapper
from psycopg.pq import Format

Rows = Sequence[tuple[Any, ...]]
Parameters = Sequence[Any] | Mapping[str, Any]
Stream = Callable[[str, Sequence[Any], int], Iterator[Rows]]
"""Asks a statement and yields its rows in lots of at most so many."""
Cursor = psycopg.Cursor[tuple[Any, ...]]


class _Kept(threading.local):
    """The cursor that this thread asked by last."""

    cursor: Cursor | None = None


_kept: Final = _Kept()


def fetch(sql: str, parameters: Parameters = ()) -> list[tuple[Any, ...]]:
    """This will run one statement and return its rows; binary, as times and bytes then cost nothing to read."""
    own = _connection()
    if own.execute_wrappers or own.queries_logged:
        with own.cursor() as watched:
            watched.cursor.format = Format.BINARY
            watched.execute(sql, parameters)
            rows: list[tuple[Any, ...]] = watched.fetchall()
            return rows
    return _run(own, sql, parameters).fetchall()


def execute(sql: str, parameters: Parameters = ()) -> int:
    """This will run one statement that returns no rows, and say how many it touched."""
    own = _connection()
    if own.execute_wrappers or own.queries_logged:
        with own.cursor() as watched:
            watched.execute(sql, parameters)
            return int(watched.rowcount)
    return _run(own, sql, parameters).rowcount


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
