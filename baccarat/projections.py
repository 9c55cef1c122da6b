"""From states to read-model rows: one pure mapping, used when a command is written and again by every rebuild."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec
from django.db import connection

from baccarat.rounds.events import RoundOpened
from baccarat.rounds.state import Phase, RoundSeat, RoundState
from baccarat.tables import events as te
from baccarat.tables.state import TableState
from baccarat.tables.switch_events import SwitchEvent, SwitchThrown, switch_id
from casino.kernel.money import Book

_encode: Final = msgspec.json.Encoder(order="sorted").encode
decode_table: Final = msgspec.json.Decoder(TableState).decode
decode_round: Final = msgspec.json.Decoder(RoundState).decode


class TableRow(NamedTuple):
    """A row of baccarat_table, in the order of its columns."""

    id: UUID
    operator_id: UUID
    name: str
    preset: str
    rules: str
    currency: str
    books: str
    seats: int
    seats_taken: int
    round_id: UUID | None
    rounds: int
    due_at: datetime | None
    set_aside: str | None
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
    set_aside: str | None
    void_asked: bool
    version: int
    state: str


class SittingRow(NamedTuple):
    """A row of baccarat_sitting, in the order of its columns."""

    id: str
    table_id: UUID
    operator_id: UUID
    player_id: UUID
    seat: int | None
    book: str
    at: datetime


class SwitchRow(NamedTuple):
    """A row of baccarat_switch, in the order of its columns."""

    id: str
    scope: str
    subject: str
    operator_id: UUID | None
    stopped: bool
    reason: str
    says: str
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
    book: str
    currency: str
    stakes: str
    staked: int
    won: int | None
    commission: int | None
    returned: int | None
    confirmed_at: datetime
    settled_at: datetime | None
    voided_at: datetime | None


def due_at(round_: RoundState) -> datetime | None:
    """This will tell from when a worker may deal: at once when all have acted, else at the deadline; None if never.

    While a seat has the Player's cards the deadline is its own.
    """
    if is_ready(round_):
        return round_.facts().opened_at
    if has_cards_out(round_) and round_.ceremony is not None and round_.set_aside is None:
        return round_.ceremony.until
    return round_.facts().deadline_at if round_.is_running() and round_.set_aside is None else None


def is_ready(round_: RoundState) -> bool:
    """This will tell whether every seat has acted and none has cards in hand, so that a worker may deal now."""
    waits = round_.set_aside is not None or has_cards_out(round_)
    return round_.is_running() and not waits and round_.all_have_acted()


def has_cards_out(round_: RoundState) -> bool:
    """This will tell whether a seat has the Player's cards and has not handed them back."""
    ceremony = round_.ceremony
    return round_.phase is Phase.CLOSED and ceremony is not None and ceremony.handed_back is None


def _closes_at(table: TableState) -> datetime | None:
    """From when a worker may close a table without a round in hand that is to be closed for good."""
    return table.closing.since if table.closing is not None and not table.closed else None


def table_row(table: TableState, version: int, round_: RoundState) -> TableRow:
    """This will map a table with its round in hand to a row; a round that is not in hand counts as none."""
    facts = table.facts()
    in_hand = round_ if table.round is not None else None
    return TableRow(
        id=facts.table,
        operator_id=facts.operator,
        name=facts.name,
        preset=facts.rules.preset,
        rules=table.rules.label,
        currency=facts.rules.currency,
        books=",".join(facts.books),
        seats=table.rules.seats,
        seats_taken=len(table.seats),
        round_id=table.round,
        rounds=table.rounds,
        due_at=_closes_at(table) if in_hand is None else due_at(in_hand),
        set_aside=None if in_hand is None else in_hand.set_aside,
        opened_at=facts.opened_at,
        version=version,
        state=_encode(table).decode(),
    )


def round_row(round_: RoundState, version: int, table: TableState) -> RoundRow:
    """This will map a round of a table to a row."""
    facts = round_.facts()
    return RoundRow(
        id=facts.round,
        table_id=facts.table,
        operator_id=facts.operator,
        number=facts.number,
        rules=facts.rules,
        currency=table.rules.currency,
        phase=round_.phase,
        opened_at=facts.opened_at,
        deadline_at=facts.deadline_at,
        ended_at=round_.ended_at,
        cards=" ".join(round_.cards),
        outcome=round_.outcome,
        player_total=round_.player_total,
        banker_total=round_.banker_total,
        wagers=len(round_.wagers()),
        set_aside=round_.set_aside,
        void_asked=round_.void_request is not None,
        version=version,
        state=_encode(round_).decode(),
    )


def wager_rows(round_: RoundState, table: TableState, *, since: RoundState) -> list[WagerRow]:
    """This will map a round's confirmed wagers to rows, but for the seats that are just as they were in `since`."""
    facts = round_.facts()
    same = {id(seat) for seat in since.seats} if round_.voided is since.voided else set()
    return [_wager_row(seat, facts, round_, table) for seat in round_.wagers() if id(seat) not in same]


def _wager_row(seat: RoundSeat, facts: RoundOpened, round_: RoundState, table: TableState) -> WagerRow:
    stakes, settled = seat.stakes or {}, seat.settled
    if seat.confirmed_at is None:
        raise LookupError("a confirmed wager has its time")
    return WagerRow(
        id=f"{facts.round}/{seat.seat}",
        round_id=facts.round,
        table_id=facts.table,
        operator_id=facts.operator,
        player_id=seat.player,
        seat=seat.seat,
        preset=table.rules.preset,
        book=seat.book,
        currency=table.rules.currency,
        stakes=_encode(stakes).decode(),
        staked=sum(stakes.values()),
        won=None if settled is None else settled.won,
        commission=None if settled is None else settled.commission,
        returned=None if settled is None else settled.returned,
        confirmed_at=seat.confirmed_at,
        settled_at=None if settled is None else round_.ended_at,
        voided_at=None if round_.voided is None else round_.voided.voided_at,
    )


def sitting_rows(events: Iterable[object], table: TableState) -> list[SittingRow]:
    """This will map what events did to the seats of a table, now in this state: for each player the last of it."""
    rows: dict[UUID, SittingRow] = {}
    for event in events:
        seat = table.seat_of(event.player) if isinstance(event, te.SeatChanged) else None
        row = sitting_row(event, table.facts(), book=None if seat is None else seat.book)
        if row is not None:
            rows[row.player_id] = row
    return list(rows.values())


def sitting_row(event: object, facts: te.TableOpened, *, book: Book | None) -> SittingRow | None:
    """This will map an event of a table to the row of its player; `book` is the player's, None for one who has left.

    Returns None for an event that moves nobody, and for a move before the player left in the same breath.
    """
    found: tuple[UUID, int | None, Book | None, datetime]
    match event:
        case te.SeatTaken():
            found = event.player, event.seat, event.book, event.taken_at
        case te.SeatChanged():
            found = event.player, event.to_seat, book, event.changed_at
        case te.SeatLeft():
            found = event.player, None, event.book, event.left_at
        case te.SeatFreed():
            found = event.player, None, event.book, event.freed_at
        case _:
            return None
    player, seat, money, at = found
    if money is None:
        return None
    return SittingRow(f"{facts.table}/{player}", facts.table, facts.operator, player, seat, money.value, at)


def switch_row(event: SwitchEvent, version: int) -> SwitchRow:
    """This will map the last event of a switch, at a version of its stream, to a row."""
    return SwitchRow(
        id=switch_id(event.scope, event.subject),
        scope=event.scope.value,
        subject=event.subject,
        operator_id=event.operator,
        stopped=isinstance(event, SwitchThrown),
        reason=event.reason,
        says=event.says if isinstance(event, SwitchThrown) else "",
        by=event.by,
        at=event.at,
        version=version,
    )


@dataclass(frozen=True, slots=True)
class Relation:
    """A read-model table: its name, its columns with their PostgreSQL types, the key first."""

    table: str
    columns: tuple[tuple[str, str], ...]

    def upsert(self) -> str:
        """This will return the statement that inserts or replaces many rows, given as one JSON array of objects."""
        names = ", ".join(name for name, _ in self.columns)
        typed = ", ".join(f"{name} {kind}" for name, kind in self.columns)
        key = self.columns[0][0]
        updates = ", ".join(f"{name} = EXCLUDED.{name}" for name, _ in self.columns[1:])
        return (
            f"INSERT INTO {self.table} ({names}) "  # noqa: S608  (names are constants)
            f"SELECT {names} FROM jsonb_to_recordset(%s::jsonb) AS given ({typed}) "
            f"ON CONFLICT ({key}) DO UPDATE SET {updates}"
        )

    def parameter(self, rows: Iterable[tuple[Any, ...]]) -> str:
        """This will write rows as `upsert` takes them; one text is cheaper to send than an array for each column."""
        return _encode([self._named(row) for row in rows]).decode()

    def _named(self, row: tuple[Any, ...]) -> dict[str, Any]:
        return {
            name: msgspec.Raw(value.encode()) if kind == "jsonb" else value
            for (name, kind), value in zip(self.columns, row, strict=True)
        }


TABLES: Final = Relation(
    "baccarat_table",
    (
        ("id", "uuid"), ("operator_id", "uuid"), ("name", "text"), ("preset", "text"), ("rules", "text"),
        ("currency", "text"), ("books", "text"), ("seats", "int"), ("seats_taken", "int"), ("round_id", "uuid"),
        ("rounds", "int"), ("due_at", "timestamptz"), ("set_aside", "text"), ("opened_at", "timestamptz"),
        ("version", "int"), ("state", "jsonb"),
    ),
)  # fmt: skip
ROUNDS: Final = Relation(
    "baccarat_round",
    (
        ("id", "uuid"), ("table_id", "uuid"), ("operator_id", "uuid"), ("number", "int"), ("rules", "text"),
        ("currency", "text"), ("phase", "text"), ("opened_at", "timestamptz"), ("deadline_at", "timestamptz"),
        ("ended_at", "timestamptz"), ("cards", "text"), ("outcome", "text"), ("player_total", "int"),
        ("banker_total", "int"), ("wagers", "int"), ("set_aside", "text"), ("void_asked", "boolean"),
        ("version", "int"), ("state", "jsonb"),
    ),
)  # fmt: skip
WAGERS: Final = Relation(
    "baccarat_wager",
    (
        ("id", "text"), ("round_id", "uuid"), ("table_id", "uuid"), ("operator_id", "uuid"), ("player_id", "uuid"),
        ("seat", "int"), ("preset", "text"), ("book", "text"), ("currency", "text"), ("stakes", "jsonb"),
        ("staked", "bigint"), ("won", "bigint"), ("commission", "bigint"), ("returned", "bigint"),
        ("confirmed_at", "timestamptz"), ("settled_at", "timestamptz"), ("voided_at", "timestamptz"),
    ),
)  # fmt: skip
SITTINGS: Final = Relation(
    "baccarat_sitting",
    (
        ("id", "text"), ("table_id", "uuid"), ("operator_id", "uuid"), ("player_id", "uuid"), ("seat", "int"),
        ("book", "text"), ("at", "timestamptz"),
    ),
)  # fmt: skip
SWITCHES: Final = Relation(
    "baccarat_switch",
    (
        ("id", "text"), ("scope", "text"), ("subject", "text"), ("operator_id", "uuid"), ("stopped", "boolean"),
        ("reason", "text"), ("says", "text"), ("by", "text"), ("at", "timestamptz"), ("version", "int"),
    ),
)  # fmt: skip
RELATIONS: Final = (TABLES, ROUNDS, WAGERS, SITTINGS, SWITCHES)

_SAVE: Final = (
    f"WITH tables AS ({TABLES.upsert()}), rounds AS ({ROUNDS.upsert()}), wagers AS ({WAGERS.upsert()}) SELECT"
)


def save(tables: Sequence[TableRow], rounds: Sequence[RoundRow], wagers: Sequence[WagerRow]) -> None:
    """This will insert or replace rows of all three read models in one statement."""
    if not (tables or rounds or wagers):
        return
    given = [TABLES.parameter(tables), ROUNDS.parameter(rounds), WAGERS.parameter(wagers)]
    with connection.cursor() as cursor:
        cursor.execute(_SAVE, given)


_SAVE_SITTINGS: Final = SITTINGS.upsert()


def save_sittings(rows: Sequence[SittingRow]) -> None:
    """This will insert or replace rows of who sits where; most commands move nobody, and then it asks nothing."""
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(_SAVE_SITTINGS, [SITTINGS.parameter(rows)])


_SAVE_SWITCHES: Final = SWITCHES.upsert()


def save_switches(rows: Sequence[SwitchRow]) -> None:
    """This will insert or replace rows of switches; nothing for none."""
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(_SAVE_SWITCHES, [SWITCHES.parameter(rows)])
