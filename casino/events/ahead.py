"""Statements sent before their rows are wanted: PostgreSQL works on the next while we work on the last one's rows.

One thread and one statement at a time. What the server has ready waits in the socket, so an answer should not be much
larger than that holds (some 200 kB): the rest is only made when we come to read it.
"""

import contextlib
from collections.abc import Callable, Generator, Sequence
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from psycopg import ClientCursor, Connection, generators
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus, Format

from casino.events.rows import Ask, Rows

_BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"


@contextlib.contextmanager
def ahead(*, snapshot: str) -> Generator[Ask]:
    """This will ask on a connection of its own that sees the exported snapshot of that name, closed at the end.

    What is asked is sent at once; its rows must be taken before the next is asked. Taking them raises psycopg.Error.
    """
    own = connections.create_connection(DEFAULT_DB_ALIAS)
    try:
        with own.cursor() as cursor:
            cursor.execute(_BEGIN)
            cursor.execute(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
        raw: Connection[Any] = own.connection

        def ask(sql: str, parameters: Sequence[Any]) -> Callable[[], Rows]:
            _send(raw, sql, parameters)
            return lambda: _rows(raw)

        yield ask
    finally:
        own.close()


def _send(raw: Connection[Any], sql: str, parameters: Sequence[Any]) -> None:
    statement = ClientCursor(raw).mogrify(sql, parameters)
    raw.pgconn.send_query_params(statement.encode(), None, result_format=Format.BINARY)
    raw.wait(generators.send(raw.pgconn))


def _rows(raw: Connection[Any]) -> Rows:
    (result,) = raw.wait(generators.fetch_many(raw.pgconn))
    if result.status != ExecStatus.TUPLES_OK:
        raise error_from_result(result)
    reader = Transformer(raw)
    reader.set_pgresult(result)
    return reader.load_rows(0, result.ntuples, tuple)
