"""PostgreSQL at work while we are: it makes the next rows of a long statement on a connection of its own.

One thread, and one statement at a time. What the server has ready waits in the socket; the rest is only made when we
come to read it.
"""

import contextlib
from collections.abc import Generator, Iterator, Sequence
from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS, connections
from psycopg import ClientCursor, Connection, generators
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus, Format

from casino.events.sql import Rows, RowStream

_BEGIN: Final = (
    "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    # The first rows are wanted at once, so whatever reads a whole table before it has any is the wrong plan.
    "SET LOCAL enable_hashjoin = off",
    "SET LOCAL enable_mergejoin = off",
    "SET LOCAL enable_sort = off",
    "SET LOCAL jit = off",
    "SET LOCAL max_parallel_workers_per_gather = 0",
)


@contextlib.contextmanager
def open_prefetch_stream(*, snapshot: str) -> Generator[RowStream]:
    """Stream on a connection of its own that sees the exported snapshot of that name, closed at the end.

    The rows of one statement must all be taken before the next. Taking them raises psycopg.Error.
    """
    own = connections.create_connection(DEFAULT_DB_ALIAS)
    try:
        with own.cursor() as cursor:
            cursor.execute(_BEGIN[0])
            cursor.execute(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
            for setting in _BEGIN[1:]:
                cursor.execute(setting)
        raw: Connection[Any] = own.connection

        def stream(sql: str, parameters: Sequence[Any], size: int) -> Iterator[Rows]:
            return _stream(raw, sql, parameters, size)

        yield stream
    finally:
        own.close()


def _stream(raw: Connection[Any], sql: str, parameters: Sequence[Any], size: int) -> Iterator[Rows]:
    statement = ClientCursor(raw).mogrify(sql, parameters)
    raw.pgconn.send_query_params(statement.encode(), None, result_format=Format.BINARY)
    raw.pgconn.set_chunked_rows_mode(size)
    raw.wait(generators.send(raw.pgconn))
    return _results(raw)


def _results(raw: Connection[Any]) -> Iterator[Rows]:
    reader = Transformer(raw)
    while (result := raw.wait(generators.fetch(raw.pgconn))) is not None:
        if result.status not in {ExecStatus.TUPLES_CHUNK, ExecStatus.TUPLES_OK}:
            raise error_from_result(result)
        if result.ntuples:
            reader.set_pgresult(result)
            yield reader.load_rows(0, result.ntuples, tuple)
