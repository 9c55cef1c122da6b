"""Rows of the read models as they are stored: their shapes, their columns, and the statements that save them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec
from django.db import connection

encode: Final = msgspec.json.Encoder(order="sorted").encode
"""Writes a state or a part of one as it is stored: names in order."""


class TableRow(NamedTuple):
    """A row of baccarat_table, in the order of its columns."""

    id: UUID
    operator_id: UUID
    name: str
    preset: str
    rules: str
    currency: str
    money_types: str
    seats: int
    seats_taken: int
    round_id: UUID | None
    rounds: int
    due_at: datetime | None
    suspension_reason: str | None
    opened_at: datetime
    version: int
    state: str


class RoundRow(NamedTuple):
    """A row of baccarat_round, in the order of its columns."""

    id: UUID
    table_id: UUID
    operator_id: UUID
    number: int
    rules: str
    currency: str
    phase: str
    opened_at: datetime
    deadline_at: datetime | None
    ended_at: datetime | None
    cards: str
    outcome: str | None
    player_total: int | None
    banker_total: int | None
    wagers: int
    suspension_reason: str | None
    void_requested: bool
    version: int
    state: str


class SittingRow(NamedTuple):
    """A row of baccarat_sitting, in the order of its columns."""

    id: str
    table_id: UUID
    operator_id: UUID
    player_id: UUID
    seat: int | None
    money_type: str
    at: datetime


class SwitchRow(NamedTuple):
    """A row of baccarat_switch, in the order of its columns."""

    id: str
    scope: str
    subject: str
    operator_id: UUID | None
    stopped: bool
    reason: str
    message: str
    by: str
    at: datetime
    version: int


class WagerRow(NamedTuple):
    """A row of baccarat_wager, in the order of its columns."""

    id: str
    round_id: UUID
    table_id: UUID
    operator_id: UUID
    player_id: UUID
    seat: int
    preset: str
    money_type: str
    currency: str
    stakes: str
    staked: int
    won: int | None
    commission: int | None
    returned: int | None
    confirmed_at: datetime
    settled_at: datetime | None
    voided_at: datetime | None


@dataclass(frozen=True, slots=True)
class ReadModelTable:
    """A read-model table: its name, its columns with their PostgreSQL types, the key first."""

    table: str
    columns: tuple[tuple[str, str], ...]

    def upsert(self) -> str:
        """Return the statement that inserts or replaces many rows, given as one JSON array of objects."""
        names = ", ".join(name for name, _ in self.columns)
        typed = ", ".join(f"{name} {kind}" for name, kind in self.columns)
        key = self.columns[0][0]
        updates = ", ".join(f"{name} = EXCLUDED.{name}" for name, _ in self.columns[1:])
        return (
            f"INSERT INTO {self.table} ({names}) "  # noqa: S608  (names are constants)
            f"SELECT {names} FROM jsonb_to_recordset(%s::jsonb) AS given ({typed}) "
            f"ON CONFLICT ({key}) DO UPDATE SET {updates}"
        )

    def as_json(self, rows: Iterable[tuple[Any, ...]]) -> str:
        """Write rows as `upsert` takes them; one text is cheaper to send than an array for each column."""
        return encode([self._named(row) for row in rows]).decode()

    def _named(self, row: tuple[Any, ...]) -> dict[str, Any]:
        return {
            name: msgspec.Raw(value.encode()) if kind == "jsonb" else value
            for (name, kind), value in zip(self.columns, row, strict=True)
        }


TABLES: Final = ReadModelTable(
    "baccarat_table",
    (
        ("id", "uuid"), ("operator_id", "uuid"), ("name", "text"), ("preset", "text"), ("rules", "text"),
        ("currency", "text"), ("money_types", "text"), ("seats", "int"), ("seats_taken", "int"), ("round_id", "uuid"),
        ("rounds", "int"), ("due_at", "timestamptz"), ("suspension_reason", "text"), ("opened_at", "timestamptz"),
        ("version", "int"), ("state", "jsonb"),
    ),
)  # fmt: skip
ROUNDS: Final = ReadModelTable(
    "baccarat_round",
    (
        ("id", "uuid"), ("table_id", "uuid"), ("operator_id", "uuid"), ("number", "int"), ("rules", "text"),
        ("currency", "text"), ("phase", "text"), ("opened_at", "timestamptz"), ("deadline_at", "timestamptz"),
        ("ended_at", "timestamptz"), ("cards", "text"), ("outcome", "text"), ("player_total", "int"),
        ("banker_total", "int"), ("wagers", "int"), ("suspension_reason", "text"), ("void_requested", "boolean"),
        ("version", "int"), ("state", "jsonb"),
    ),
)  # fmt: skip
WAGERS: Final = ReadModelTable(
    "baccarat_wager",
    (
        ("id", "text"), ("round_id", "uuid"), ("table_id", "uuid"), ("operator_id", "uuid"), ("player_id", "uuid"),
        ("seat", "int"), ("preset", "text"), ("money_type", "text"), ("currency", "text"), ("stakes", "jsonb"),
        ("staked", "bigint"), ("won", "bigint"), ("commission", "bigint"), ("returned", "bigint"),
        ("confirmed_at", "timestamptz"), ("settled_at", "timestamptz"), ("voided_at", "timestamptz"),
    ),
)  # fmt: skip
SITTINGS: Final = ReadModelTable(
    "baccarat_sitting",
    (
        ("id", "text"), ("table_id", "uuid"), ("operator_id", "uuid"), ("player_id", "uuid"), ("seat", "int"),
        ("money_type", "text"), ("at", "timestamptz"),
    ),
)  # fmt: skip
SWITCHES: Final = ReadModelTable(
    "baccarat_switch",
    (
        ("id", "text"), ("scope", "text"), ("subject", "text"), ("operator_id", "uuid"), ("stopped", "boolean"),
        ("reason", "text"), ("message", "text"), ("by", "text"), ("at", "timestamptz"), ("version", "int"),
    ),
)  # fmt: skip
RELATIONS: Final = (TABLES, ROUNDS, WAGERS, SITTINGS, SWITCHES)

_SAVE: Final = (
    f"WITH tables AS ({TABLES.upsert()}), rounds AS ({ROUNDS.upsert()}), wagers AS ({WAGERS.upsert()}) SELECT"
)


def save(tables: Sequence[TableRow], rounds: Sequence[RoundRow], wagers: Sequence[WagerRow]) -> None:
    """Insert or replace rows of all three read models in one statement."""
    if not (tables or rounds or wagers):
        return
    given = [TABLES.as_json(tables), ROUNDS.as_json(rounds), WAGERS.as_json(wagers)]
    with connection.cursor() as cursor:
        cursor.execute(_SAVE, given)


_SAVE_SITTINGS: Final = SITTINGS.upsert()


def save_sittings(rows: Sequence[SittingRow]) -> None:
    """Insert or replace rows of who sits where; most commands move nobody, and then it asks nothing."""
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(_SAVE_SITTINGS, [SITTINGS.as_json(rows)])


_SAVE_SWITCHES: Final = SWITCHES.upsert()


def save_switches(rows: Sequence[SwitchRow]) -> None:
    """Insert or replace rows of switches; nothing for none."""
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(_SAVE_SWITCHES, [SWITCHES.as_json(rows)])
