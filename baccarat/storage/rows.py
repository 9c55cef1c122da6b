"""Rows of the read models: their shapes, their columns, and the statements that save them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from django.db import connection

from baccarat.storage.models import Round, Sitting, Switch, Table, Wager
from casino.events.projections import ProjectionTable


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


TABLES: Final = ProjectionTable.of(Table)
ROUNDS: Final = ProjectionTable.of(Round)
WAGERS: Final = ProjectionTable.of(Wager)
SITTINGS: Final = ProjectionTable.of(Sitting)
SWITCHES: Final = ProjectionTable.of(Switch)
RELATIONS: Final = (TABLES, ROUNDS, WAGERS, SITTINGS, SWITCHES)

_SAVE: Final = (
    f"WITH tables AS ({TABLES.upsert_sql}), rounds AS ({ROUNDS.upsert_sql}), wagers AS ({WAGERS.upsert_sql}) SELECT"
)


def save(tables: Sequence[TableRow], rounds: Sequence[RoundRow], wagers: Sequence[WagerRow]) -> None:
    """Upsert rows of all three read models in one statement."""
    if not (tables or rounds or wagers):
        return
    parameters = [TABLES.as_json(tables), ROUNDS.as_json(rounds), WAGERS.as_json(wagers)]
    with connection.cursor() as cursor:
        cursor.execute(_SAVE, parameters)


_SAVE_SITTINGS: Final = SITTINGS.upsert_sql


def save_sittings(rows: Sequence[SittingRow]) -> None:
    """Upsert seat rows. Most commands have none, and then it runs no statement."""
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(_SAVE_SITTINGS, [SITTINGS.as_json(rows)])


_SAVE_SWITCHES: Final = SWITCHES.upsert_sql


def save_switches(rows: Sequence[SwitchRow]) -> None:
    """Upsert rows of switches; does nothing without rows."""
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(_SAVE_SWITCHES, [SWITCHES.as_json(rows)])
