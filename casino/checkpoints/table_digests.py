"""Which tables beside the log are held by inventories, and the questions that PostgreSQL answers about their rows."""

from collections.abc import Iterable, Mapping
from typing import Final

from casino.checkpoints.manifest import TableRange
from casino.events.sql import fetch

COVERED_TABLES: Final[Mapping[str, str]] = {
    "significant_significantevent": "number",
    "significant_note": "id",
    "significant_threshold": "id",
    "compliance_measurement": "id",
    "compliance_approval": "id",
    "compliance_decision": "number",
    "compliance_erasure": "number",
    "reports_case": "number",
    "reports_caseaction": "id",
    "reports_report": "number",
    "staff_signin": "id",
    "staff_accesslogentry": "id",
    "wallet_deposit_method": "id",
    "baccarat_voidpolicy": "id",
}
"""Tables whose rows are only added, each with the column that numbers them in the order in which they are written."""
MAX_RANGE: Final = 50_000
"""Numbers in one lot at most."""

_COLUMNS: Final = """
SELECT table_name::text, column_name::text, udt_name::text FROM information_schema.columns
WHERE table_schema = current_schema() AND table_name = ANY (%s::text[]) ORDER BY table_name, ordinal_position
"""
_LAST: Final = " UNION ALL ".join(
    f"SELECT '{table}', max({key}) FROM {table}"  # noqa: S608  (constants)
    for table, key in COVERED_TABLES.items()
)
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
    found = {table: int(number or 0) for table, number in fetch(_LAST)}
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
