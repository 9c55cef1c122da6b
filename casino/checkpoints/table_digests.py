"""Digests of append-only tables beside the event store, computed by PostgreSQL. Apps above this one register theirs."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from casino.checkpoints.manifest import TableRange
from casino.events.sql import fetch

_tables: Final[dict[str, str]] = {
    "significant_significantevent": "number",
    "significant_note": "id",
    "significant_threshold": "id",
}
COVERED_TABLES: Final[Mapping[str, str]] = MappingProxyType(_tables)
"""Append-only tables, each with the column that numbers its rows in the order of writing."""
MAX_RANGE: Final = 50_000
"""Numbers in one lot at most."""

_COLUMNS: Final = """
SELECT table_name::text, column_name::text, udt_name::text FROM information_schema.columns
WHERE table_schema = current_schema() AND table_name = ANY (%s::text[]) ORDER BY table_name, ordinal_position
"""
_LAST: Final = "SELECT '{table}', max({key}) FROM {table}"
# Who has drawn a number holds this lock until its row is there for all to see, or never will be.
_WRITTEN: Final = """
SELECT DISTINCT relation::regclass::text FROM pg_locks
WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND pid <> pg_backend_pid()
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND relation = ANY (%s::text[]::regclass[])
"""
_DIGESTS: Final = """
SELECT lot.place, count(kept.{key}), encode(sha256(convert_to(coalesce(
    string_agg(jsonb_build_array({columns})::text, E'\\n' ORDER BY kept.{key}) FILTER (WHERE kept.{key} IS NOT NULL),
    ''), 'UTF8')), 'hex')
FROM unnest(%s::bigint[], %s::bigint[]) WITH ORDINALITY AS lot (after, upto, place)
LEFT JOIN {table} AS kept ON kept.{key} > lot.after AND kept.{key} <= lot.upto
GROUP BY lot.place ORDER BY lot.place
"""


def register(tables: Mapping[str, str]) -> None:
    """Add another app's append-only tables with their numbering columns; call it in AppConfig.ready()."""
    _tables.update(tables)


def columns() -> dict[str, dict[str, str]]:
    """Tell which columns each of the tables has, in order, and of which types."""
    found: dict[str, dict[str, str]] = {}
    for table, name, kind in fetch(_COLUMNS, [list(COVERED_TABLES)]):
        found.setdefault(table, {})[name] = kind
    return found


def settled_numbers() -> dict[str, int]:
    """Return the last number of each table that nobody is writing to: below it no row will appear any more.

    Call it where each statement sees what has committed before it.
    """
    statement = " UNION ALL ".join(_LAST.format(table=table, key=key) for table, key in COVERED_TABLES.items())
    found = {table: int(number or 0) for table, number in fetch(statement)}
    busy = {table for (table,) in fetch(_WRITTEN, [list(COVERED_TABLES)])}
    return {table: number for table, number in found.items() if table not in busy}


def digests(table: str, kinds: Mapping[str, str], spans: Iterable[tuple[int, int]]) -> list[tuple[int, str]]:
    """Count the rows within each span of numbers of a table, and digest the texts of these columns.

    `kinds` are their types by name, as `columns` tells them. Bytes, which may be many, stand for themselves by digest.
    """
    after, upto = zip(*spans, strict=True)
    wanted = ", ".join(_text(name, kind) for name, kind in kinds.items())
    statement = _DIGESTS.format(table=table, key=COVERED_TABLES[table], columns=wanted)
    return [(rows, digest) for _, rows, digest in fetch(statement, [list(after), list(upto)])]


def _text(name: str, kind: str) -> str:
    return f"encode(sha256(kept.\"{name}\"), 'hex')" if kind == "bytea" else f'kept."{name}"'


def digest_range(table: str, kinds: Mapping[str, str], *, after: int, upto: int) -> TableRange:
    """Take stock of one lot of a table."""
    ((rows, digest),) = digests(table, kinds, [(after, upto)])
    return TableRange(table=table, after=after, upto=upto, columns=tuple(kinds), rows=rows, digest=digest)


def group_by_columns(lots: Iterable[TableRange]) -> dict[tuple[str, tuple[str, ...]], list[TableRange]]:
    """Gather lots that one statement can look at: those of the same table and columns."""
    found: dict[tuple[str, tuple[str, ...]], list[TableRange]] = {}
    for each in lots:
        found.setdefault((each.table, each.columns), []).append(each)
    return found
