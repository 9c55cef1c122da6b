"""Digests of ranges of rows of append-only tables, computed by PostgreSQL. Other apps register their tables."""

import time
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from casino.events.sql import fetch

_tables: Final[dict[str, str]] = {
    "events_rowdigest": "number",
    "significant_significantevent": "number",
    "significant_note": "id",
}
COVERED_TABLES: Final[Mapping[str, str]] = MappingProxyType(_tables)
"""Append-only tables, each with the column that numbers its rows in the order of insertion."""
MAX_RANGE: Final = 50_000
"""The most numbers in one range."""

_COLUMNS: Final = """
SELECT table_name::text, column_name::text, udt_name::text FROM information_schema.columns
WHERE table_schema = current_schema() AND table_name = ANY (%s::text[]) ORDER BY table_name, ordinal_position
"""
_LAST: Final = "SELECT '{table}', max({key}) FROM {table}"
# A writer that has drawn a number holds this lock until its row is visible to all, or rolled back.
_WRITERS: Final = """
SELECT relation::regclass::text, virtualtransaction FROM pg_locks
WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND pid <> pg_backend_pid()
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND relation = ANY (%s::text[]::regclass[])
"""
_PATIENCE: Final = 0.5
"""Seconds that settled numbers wait for the writers of the moment; most are gone much sooner."""
_DIGESTS: Final = """
SELECT span.ordinal, count(stored.{key}), encode(sha256(convert_to(coalesce(
    string_agg(jsonb_build_array({columns})::text, E'\\n' ORDER BY stored.{key})
        FILTER (WHERE stored.{key} IS NOT NULL), ''), 'UTF8')), 'hex')
FROM unnest(%s::bigint[], %s::bigint[]) WITH ORDINALITY AS span (after, upto, ordinal)
LEFT JOIN {table} AS stored ON stored.{key} > span.after AND stored.{key} <= span.upto
GROUP BY span.ordinal ORDER BY span.ordinal
"""


class TableRange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rows of a table with numbers above `after` and up to `upto`: which columns, how many rows, their digest."""

    table: str
    after: int
    upto: int
    columns: tuple[str, ...]
    rows: int
    digest: str

    def __str__(self) -> str:
        return f"{self.table} {self.after + 1} to {self.upto}"


def register(tables: Mapping[str, str]) -> None:
    """Add another app's append-only tables with their numbering columns; call it in AppConfig.ready()."""
    _tables.update(tables)


def column_types() -> dict[str, dict[str, str]]:
    """Return the columns of each table, in order, with their types."""
    tables: dict[str, dict[str, str]] = {}
    for table, name, kind in fetch(_COLUMNS, [list(COVERED_TABLES)]):
        tables.setdefault(table, {})[name] = kind
    return tables


def settled_numbers() -> dict[str, int]:
    """Return the last number of each table up to which no other transaction is writing.

    No row will appear at or below it any more. Writers of the moment are waited for shortly, later ones not: a table
    with many writers is settled, too. Call it at an isolation level at which each statement sees what was committed
    before it.
    """
    statement = " UNION ALL ".join(_LAST.format(table=table, key=key) for table, key in COVERED_TABLES.items())
    last_numbers = {table: int(number or 0) for table, number in fetch(statement)}
    writers, until = _writers(), time.monotonic() + _PATIENCE
    while writers and time.monotonic() < until:
        time.sleep(_PATIENCE / 20)
        writers &= _writers()
    written = {table for table, _ in writers}
    return {table: number for table, number in last_numbers.items() if table not in written}


def _writers() -> set[tuple[str, str]]:
    """Return the transactions that may be writing to the tables, each with its table."""
    return {(table, transaction) for table, transaction in fetch(_WRITERS, [list(COVERED_TABLES)])}


def digests(table: str, types: Mapping[str, str], spans: Iterable[tuple[int, int]]) -> list[tuple[int, str]]:
    """Return the number of rows and the digest of their columns for each span of numbers (above, up to) of a table.

    `types` are the columns' types by name. A bytea column, which may be large, is included as its SHA-256.
    """
    after, upto = zip(*spans, strict=True)
    columns = ", ".join(_as_text(name, kind) for name, kind in types.items())
    statement = _DIGESTS.format(table=table, key=COVERED_TABLES[table], columns=columns)
    return [(rows, digest) for _, rows, digest in fetch(statement, [list(after), list(upto)])]


def _as_text(name: str, kind: str) -> str:
    return f"encode(sha256(stored.\"{name}\"), 'hex')" if kind == "bytea" else f'stored."{name}"'


def digest_range(table: str, types: Mapping[str, str], *, after: int, upto: int) -> TableRange:
    """Digest the rows of a table with numbers above `after` and up to `upto`."""
    ((rows, digest),) = digests(table, types, [(after, upto)])
    return TableRange(table=table, after=after, upto=upto, columns=tuple(types), rows=rows, digest=digest)


def group_by_columns(ranges: Iterable[TableRange]) -> dict[tuple[str, tuple[str, ...]], list[TableRange]]:
    """Group ranges by table and columns: one statement digests each group."""
    groups: dict[tuple[str, tuple[str, ...]], list[TableRange]] = {}
    for each in ranges:
        groups.setdefault((each.table, each.columns), []).append(each)
    return groups
