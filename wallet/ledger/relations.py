"""Projections as tables: how rows are written, read back, compared, and made again while writers wait."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from django.db import transaction

from casino.events.sql import execute, fetch
from casino.kernel.findings import Finding
from wallet.ledger.event_registry import CATALOGUE

Row = tuple[Any, ...]
CHUNK: Final = 500
_encode: Final = msgspec.json.Encoder().encode
_STREAMS: Final = """
    SELECT stream FROM events_event
     WHERE type = %s AND version = 1 AND stream > %s ORDER BY stream LIMIT %s
"""
_EVENTS: Final = """
    SELECT stream, type, schema, data::text FROM events_event
     WHERE stream = ANY (%s::text[]) ORDER BY stream, version
"""


@dataclass(frozen=True, slots=True)
class ProjectionTable:
    """A table and its columns with their types, `id` first."""

    table: str
    column_types: tuple[tuple[str, str], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.column_types)

    @property
    def upsert_sql(self) -> str:
        """Write the statement that adds rows, given as one JSON text, or brings them up to date."""
        names = ", ".join(self.columns)
        types = ", ".join(f"{name} {kind}" for name, kind in self.column_types)
        changes = ", ".join(f"{name} = EXCLUDED.{name}" for name in self.columns[1:])
        return (
            f"INSERT INTO {self.table} ({names}) "  # noqa: S608  (names are constants)
            f"SELECT {names} FROM jsonb_to_recordset(%s::jsonb) AS given ({types}) ORDER BY id "
            f"ON CONFLICT (id) DO UPDATE SET {changes}"
        )


@dataclass(frozen=True, slots=True)
class RebuildResult:
    """How many rows each projection has now; `changed` names those that came out otherwise, where compared."""

    rows: dict[str, int]
    changed: tuple[str, ...]


def upsert_rows(relation: ProjectionTable, rows: Sequence[Row]) -> None:
    """Add rows or bring them up to date, in one statement."""
    if rows:
        given = [dict(zip(relation.columns, row, strict=True)) for row in rows]
        execute(relation.upsert_sql, [_encode(given).decode()])


def stream_histories(first: str) -> Iterator[list[list[Any]]]:
    """Read the events of every stream that begins with an event of this type, some streams at a time."""
    last = ""
    while streams := [row[0] for row in fetch(_STREAMS, [first, last, CHUNK])]:
        last = streams[-1]
        found: dict[str, list[Any]] = {stream: [] for stream in streams}
        for stream, kind, schema, data in fetch(_EVENTS, [streams]):
            found[stream].append(CATALOGUE.decode(kind, schema, data))
        yield list(found.values())


def rebuild(relations: Sequence[ProjectionTable], make: Callable[[], None], *, compare: bool = False) -> RebuildResult:
    """Empty these tables and have `make` fill them again, in one transaction that holds writers out."""
    with transaction.atomic():
        execute(f"LOCK TABLE {', '.join(relation.table for relation in relations)} IN EXCLUSIVE MODE")
        before = {relation.table: _digests(relation) for relation in relations} if compare else {}
        for relation in relations:
            execute(f"DELETE FROM {relation.table}")  # noqa: S608  (names are constants)
        make()
        after = {relation.table: _digests(relation) for relation in relations}
    changed = tuple(
        f"{table} {key}"
        for table, was in before.items()
        for key in sorted(was.keys() | after[table].keys())
        if was.get(key) != after[table].get(key)
    )
    return RebuildResult({table: len(rows) for table, rows in after.items()}, changed)


def compare_rows(relation: ProjectionTable, rows: Iterable[Row]) -> Iterator[Finding]:
    """Compare the rows of a table with those that events have led to, and yield what differs or is extra."""
    wanted = {row[0]: row for row in rows}
    columns = ", ".join(relation.columns)
    for key in sorted(row[0] for row in fetch(f"SELECT id FROM {relation.table}")):  # noqa: S608
        if key not in wanted:
            yield Finding("row is extra", f"{relation.table} {key}", "none", "a row")
    keys = sorted(wanted)
    for start in range(0, len(keys), CHUNK):
        some = keys[start : start + CHUNK]
        stored = fetch(f"SELECT {columns} FROM {relation.table} WHERE id = ANY (%s::uuid[])", [some])  # noqa: S608
        found = {row[0]: row for row in stored}
        for key in some:
            yield from _differences(relation, wanted[key], found.get(key))


def _digests(relation: ProjectionTable) -> dict[str, str]:
    return dict(fetch(f"SELECT id::text, md5(kept::text) FROM {relation.table} AS kept"))  # noqa: S608


def _differences(relation: ProjectionTable, wanted: Row, found: Row | None) -> Iterator[Finding]:
    if found is None:
        yield Finding("row is missing", f"{relation.table} {wanted[0]}", "a row", "none")
        return
    for name, due, has in zip(relation.columns, wanted, found, strict=True):
        if due != has:
            yield Finding("row differs", f"{relation.table} {wanted[0]} {name}", str(due), str(has))
