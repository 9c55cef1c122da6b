"""The one way the event store asks PostgreSQL: a statement on Django's connection, its rows fetched in binary."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from django.db import connection
from psycopg.pq import Format

Rows = Sequence[tuple[Any, ...]]
Ask = Callable[[str, Sequence[Any]], Callable[[], Rows]]
"""Asks a statement, and returns what gives its rows: whether it is sent now or then is the asker's choice."""


def fetch(sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """This will run one statement and return its rows; binary, as times and bytes then cost nothing to read."""
    with connection.cursor() as cursor:
        cursor.cursor.format = Format.BINARY
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def later(sql: str, parameters: Sequence[Any] = ()) -> Callable[[], Rows]:
    """This will ask when the rows are wanted and not before; until then the connection is free for others."""
    return partial(fetch, sql, parameters)


def execute(sql: str, parameters: Sequence[Any] = ()) -> int:
    """This will run one statement that returns no rows, and say how many it touched."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return int(cursor.rowcount)
