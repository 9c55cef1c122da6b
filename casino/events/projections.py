"""Projections as tables: rows derived from models, written in bulk, compared with events, and rebuilt from them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import msgspec
from django.db import transaction
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.models import Model

from casino.events.codec import EventRegistry
from casino.events.sql import execute, fetch
from casino.kernel.findings import Finding

Row = tuple[Any, ...]
"""Values in the order of a table's columns, the key first."""
CHUNK: Final = 500
encode: Final = msgspec.json.Encoder(order="sorted").encode
"""Writes a state as it is stored: names in order."""
_STREAMS: Final = """
    SELECT stream FROM events_event
     WHERE type = ANY (%s::text[]) AND version = 1 AND stream > %s ORDER BY stream LIMIT %s
"""
_EVENTS: Final = """
    SELECT stream, type, schema, data::text FROM events_event
     WHERE stream = ANY (%s::text[]) ORDER BY stream, version
"""


@dataclass(frozen=True, slots=True)
class ProjectionTable:
    """A table and its columns with their PostgreSQL types, the key first."""

    table: str
    columns: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, model: type[Model]) -> Self:
        """Derive the table from its model, whose first field is the key."""
        options = model._meta  # noqa: SLF001  (documented by Django)
        columns = ((field.attname, field.get_internal_type()) for field in options.concrete_fields)
        return cls(options.db_table, tuple((name, str(DatabaseWrapper.data_types[kind])) for name, kind in columns))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.columns)

    @property
    def upsert_sql(self) -> str:
        """Return the statement that inserts or replaces many rows, sent as one JSON array of objects."""
        names = ", ".join(self.names)
        typed = ", ".join(f"{name} {kind}" for name, kind in self.columns)
        key = self.names[0]
        updates = ", ".join(f"{name} = EXCLUDED.{name}" for name in self.names[1:])
        return (
            f"INSERT INTO {self.table} ({names}) "  # noqa: S608  (names are constants)
            f"SELECT {names} FROM jsonb_to_recordset(%s::jsonb) AS sent ({typed}) ORDER BY {key} "
            f"ON CONFLICT ({key}) DO UPDATE SET {updates}"
        )

    def row(self, **values: Any) -> Row:
        """Return a row of these values. Raises TypeError unless they name each column once."""
        if values.keys() != set(self.names):
            raise TypeError(f"{self.table}: {sorted(values.keys() ^ set(self.names))} missing or unknown.")
        return tuple(values[name] for name in self.names)

    def as_json(self, rows: Iterable[Row]) -> str:
        """Return rows as `upsert_sql` takes them; one text is cheaper to send than an array for each column."""
        return encode([self._named(row) for row in rows]).decode()

    def upsert(self, rows: Sequence[Row]) -> None:
        """Insert or replace rows in one statement."""
        if rows:
            execute(self.upsert_sql, [self.as_json(rows)])

    def compare(self, rows: Iterable[Row], *, ignored: Collection[Any] = ()) -> Iterator[Finding]:
        """Yield how the stored rows differ from these; stored rows with an `ignored` key may be extra."""
        expected = {row[0]: row for row in rows}
        key_name, names = self.names[0], ", ".join(self.names)
        for key in sorted(row[0] for row in fetch(f"SELECT {key_name} FROM {self.table}")):  # noqa: S608
            if key not in expected and key not in ignored:
                yield Finding("row is extra", f"{self.table} {key}", "none", "a row")
        keys = sorted(expected)
        query = f"SELECT {names} FROM {self.table} WHERE {key_name} = ANY (%s::{self.columns[0][1]}[])"  # noqa: S608
        for start in range(0, len(keys), CHUNK):
            chunk = keys[start : start + CHUNK]
            stored = {row[0]: row for row in fetch(query, [chunk])}
            for key in chunk:
                yield from self._differences(expected[key], stored.get(key))

    def _named(self, row: Row) -> dict[str, Any]:
        return {
            name: msgspec.Raw(value.encode()) if kind == "jsonb" else value
            for (name, kind), value in zip(self.columns, row, strict=True)
        }

    def _differences(self, expected: Row, stored: Row | None) -> Iterator[Finding]:
        if stored is None:
            yield Finding("row is missing", f"{self.table} {expected[0]}", "a row", "none")
            return
        for name, due, actual in zip(self.names, expected, stored, strict=True):
            if due != actual:
                yield Finding("row differs", f"{self.table} {expected[0]} {name}", str(due), str(actual))


@dataclass(frozen=True, slots=True)
class RebuildResult:
    """Number of rows in each rebuilt table, and the rows that came out differently, where these were compared."""

    rows: dict[str, int]
    changed: tuple[str, ...]


def stream_histories(registry: EventRegistry, *first_types: str) -> Iterator[list[list[Any]]]:
    """Yield the decoded events of every stream whose first event has one of these types, some streams at a time."""
    last = ""
    while streams := [row[0] for row in fetch(_STREAMS, [list(first_types), last, CHUNK])]:
        last = streams[-1]
        histories: dict[str, list[Any]] = {stream: [] for stream in streams}
        for stream, kind, schema, data in fetch(_EVENTS, [streams]):
            histories[stream].append(registry.decode(kind, schema, data))
        yield list(histories.values())


def rebuild(tables: Mapping[str, str], fill: Callable[[], None], *, compare: bool = False) -> RebuildResult:
    """Empty tables and have `fill` write them again, in one transaction that holds writers out.

    `tables` maps a table's name to the SQL expression that names one of its rows.
    """
    with transaction.atomic():
        execute(f"LOCK TABLE {', '.join(tables)} IN EXCLUSIVE MODE")
        if compare:
            _remember(tables)
        for table in tables:
            execute(f"DELETE FROM {table}")  # noqa: S608  (names are constants)
        fill()
        changed = tuple(_changed(tables)) if compare else ()
        counts = {table: int(fetch(f"SELECT count(*) FROM {table}")[0][0]) for table in tables}  # noqa: S608
    return RebuildResult(counts, changed)


def _remember(tables: Mapping[str, str]) -> None:
    for table, key in tables.items():
        execute(
            f"CREATE TEMPORARY TABLE before_{table} ON COMMIT DROP AS "  # noqa: S608  (names are constants)
            f"SELECT ({key})::text AS key, md5(kept::text) AS content FROM {table} AS kept"
        )


def _changed(tables: Mapping[str, str]) -> Iterator[str]:
    for table, key in tables.items():
        rows = fetch(
            f"SELECT coalesce(was.key, now.key) FROM before_{table} AS was "  # noqa: S608  (names are constants)
            f"FULL JOIN (SELECT ({key})::text AS key, md5(kept::text) AS content FROM {table} AS kept) AS now "
            "ON now.key = was.key WHERE was.content IS DISTINCT FROM now.content ORDER BY 1"
        )
        yield from (f"{table} {row[0]}" for row in rows)
