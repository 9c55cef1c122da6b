"""The one way the event store asks PostgreSQL: a statement on Django's connection, its rows fetched in binary."""

from collections.abc import Sequence
from typing import Any

from django.db import connection
from psycopg.pq import Format


def fetch(sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """This will run one statement and return its rows; binary, as times and bytes then cost nothing to read."""
    with connection.cursor() as cursor:
        cursor.cursor.format = Format.BINARY
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def execute(sql: str, parameters: Sequence[Any] = ()) -> int:
    """This will run one statement that returns no rows, and say how many it touched."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return int(cursor.rowcount)
