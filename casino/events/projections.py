"""Projections as tables: rows derived from models, written in bulk, and compared with events."""

from collections import namedtuple
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial as given
from typing import Any, Final, Self

import msgspec
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.models import Field, ForeignKey, Model

from casino.events.codec import EventRegistry
from casino.events.netting import in_parts
from casino.events.records import RecordedEvent, SealedEvent
from casino.events.sql import Rows, execute, fetch
from casino.kernel.findings import Finding

Row = Any
"""A named tuple of a table's columns, the key first; columns with JSON are text, or None for NULL."""
CHUNK: Final = 500
encode: Final = msgspec.json.Encoder(order="sorted").encode
"""Encodes a stored state with sorted names."""
_EVENTS: Final = """
    SELECT id, stream, version, type, schema, data::text FROM events_event
     WHERE stream = ANY (%s::text[]) ORDER BY stream, version
"""


@dataclass(frozen=True, slots=True)
class ProjectionTable:
    """A table, its columns with their PostgreSQL types, the key first, and the type of its rows.

    `row(**values)` raises TypeError unless the values name each column once.
    """

    table: str
    columns: tuple[tuple[str, str], ...]
    row: Callable[..., Row]

    @classmethod
    def of(cls, model: type[Model]) -> Self:
        """Derive the table from its model, whose first field is the key."""
        options = model._meta  # noqa: SLF001  (documented by Django)
        types = {field.attname: _own_type(field) for field in options.concrete_fields}
        columns = tuple((name, str(DatabaseWrapper.data_types[kind])) for name, kind in types.items())
        return cls(options.db_table, columns, namedtuple(model.__name__, types))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.columns)

    @property
    def upsert_sql(self) -> str:
        """Return the statement that inserts or replaces many rows, sent as one JSON array of objects."""
        names = ", ".join(self.names)
        key = self.names[0]
        updates = ", ".join(f"{name} = EXCLUDED.{name}" for name in self.names[1:])
        return (
            f"INSERT INTO {self.table} ({names}) "  # noqa: S608  (names are constants)
            f"SELECT {names} FROM json_populate_recordset(NULL::{self.table}, %s::json) ORDER BY {key} "
            f"ON CONFLICT ({key}) DO UPDATE SET {updates}"
        )

    def as_json(self, rows: Iterable[Row]) -> str:
        """Return rows as the parameter of `upsert_sql`; one text is cheaper to send than an array for each column."""
        return encode([self._named(row) for row in rows]).decode()

    def upsert(self, rows: Sequence[Row]) -> None:
        """Insert or replace rows in one statement."""
        if rows:
            execute(self.upsert_sql, [self.as_json(rows)])

    def compare(
        self, rows: Iterable[Row], *, ignored: Collection[Any] = (), partial: bool = False
    ) -> Iterator[Finding]:
        """Yield how the stored rows differ from these; stored rows with an `ignored` key may be extra.

        If these are only `partial`, any stored row may be extra.
        """
        expected = {row[0]: row for row in rows}
        key_name, names = self.names[0], ", ".join(self.names)
        stored_keys = () if partial else fetch(f"SELECT {key_name} FROM {self.table}")  # noqa: S608
        for key in sorted(row[0] for row in stored_keys):
            if key not in expected and key not in ignored:
                yield Finding("row is extra", f"{self.table} {key}", "none", "a row")
        keys = sorted(expected)
        query = f"SELECT {names} FROM {self.table} WHERE {key_name} = ANY (%s::{self.columns[0][1]}[])"  # noqa: S608
        for start in range(0, len(keys), CHUNK):
            compare = given(self._compare, query, expected)
            yield from in_parts(keys[start : start + CHUNK], compare, lambda key: f"{self.table} {key}")

    def _compare(self, query: str, expected: Mapping[Any, Row], keys: Sequence[Any]) -> Iterator[Finding]:
        stored = {row[0]: row for row in fetch(query, [list(keys)])}
        for key in keys:
            yield from self._differences(expected[key], stored.get(key))

    def _named(self, row: Row) -> dict[str, Any]:
        return {
            name: msgspec.Raw(value.encode()) if kind == "jsonb" and value is not None else value
            for (name, kind), value in zip(self.columns, row, strict=True)
        }

    def _differences(self, expected: Row, stored: Row | None) -> Iterator[Finding]:
        if stored is None:
            yield Finding("row is missing", f"{self.table} {expected[0]}", "a row", "none")
            return
        for (name, kind), value, actual in zip(self.columns, expected, stored, strict=True):
            is_json = kind == "jsonb" and value is not None
            if actual != (msgspec.json.decode(value) if is_json else value):
                yield Finding("row differs", f"{self.table} {expected[0]} {name}", str(value), str(actual))


def _own_type(field: "Field[Any, Any]") -> str:
    """Return the name of a field's type; that of a reference is its target's."""
    return (field.target_field if isinstance(field, ForeignKey) else field).get_internal_type()


def stream_histories(
    registry: EventRegistry, events: Iterable[SealedEvent | RecordedEvent], *first_types: str
) -> list[list[Any]]:
    """Return all decoded events of every stream that has one of these events, if its first has one of these types."""
    streams = {event.stream for event in events if event.type in registry}
    histories: dict[str, list[Any]] = {}
    for _, stream, version, kind, schema, data in _read(list(streams)) if streams else ():
        if version == 1 and kind in first_types:
            histories[stream] = []
        if stream in histories:
            histories[stream].append(registry.decode(kind, schema, data))
    return list(histories.values())


def read_histories(registry: EventRegistry, streams: Sequence[str]) -> dict[str, list[Any]]:
    """Return the decoded events of streams, in order; streams without events are left out."""
    histories: dict[str, list[Any]] = {}
    for _, stream, _, kind, schema, data in _read(streams):
        histories.setdefault(stream, []).append(registry.decode(kind, schema, data))
    return histories


def _read(streams: Sequence[str]) -> Rows:
    return fetch(_EVENTS, [streams])
