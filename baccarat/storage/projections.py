"""Rows of the read models: a pure mapping from states and events, used by every command and every rebuild."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from baccarat.domain.rounds.events import RoundOpened, SeatSettled
from baccarat.domain.rounds.state import Phase, RoundSeat, RoundState
from baccarat.domain.rules.payouts import StakeResult
from baccarat.domain.tables import events as te
from baccarat.domain.tables.kill_switch import StopEvent, StopImposed, StopLifted, stop_id
from baccarat.domain.tables.state import OpenClosing, TableState
from baccarat.storage.models import DueTable, KillSwitch, Round, RoundFlag, Sitting, Table, Wager
from casino.events.projections import ProjectionTable, Row, encode
from casino.events.sql import execute
from casino.kernel.money import MoneyType
from casino.witness.statements import ClosingKind

TABLES: Final = ProjectionTable.of(Table)
DUE_TABLES: Final = ProjectionTable.of(DueTable)
ROUNDS: Final = ProjectionTable.of(Round)
WAGERS: Final = ProjectionTable.of(Wager)
SITTINGS: Final = ProjectionTable.of(Sitting)
KILL_SWITCHES: Final = ProjectionTable.of(KillSwitch)
PROJECTION_TABLES: Final = (TABLES, DUE_TABLES, ROUNDS, WAGERS, SITTINGS, KILL_SWITCHES)

_SAVE: Final = (
    f"WITH tables AS ({TABLES.upsert_sql}), due_tables AS ({DUE_TABLES.upsert_sql}), rounds AS ({ROUNDS.upsert_sql}), "
    f"wagers AS ({WAGERS.upsert_sql}) SELECT"
)
RELEASE_AHEAD: Final = timedelta(seconds=1)
"""How long after a closing only the worker that closed asks the witnesses for its links."""
decode_table: Final = msgspec.json.Decoder(TableState).decode
decode_round: Final = msgspec.json.Decoder(RoundState).decode


def due_at(round_: RoundState) -> datetime | None:
    """Return when a worker may deal: at once if all have acted, otherwise at the deadline; None if never.

    While a seat has the Player's cards, the ceremony's deadline applies.
    """
    if is_ready(round_):
        return round_.require_opened().opened_at
    if has_cards_out(round_) and round_.ceremony is not None and round_.suspension_reason is None:
        return round_.ceremony.until
    if not round_.is_running() or round_.suspension_reason is not None or round_.awaits_links():
        return None
    return round_.require_opened().deadline_at


def is_ready(round_: RoundState) -> bool:
    """Return whether a worker may deal now: every seat has acted, none has cards, and no link is waited for."""
    is_held_up = round_.suspension_reason is not None or has_cards_out(round_) or round_.awaits_links()
    return round_.is_running() and not is_held_up and round_.all_have_acted()


def has_cards_out(round_: RoundState) -> bool:
    """Return whether a seat has the Player's cards and has not handed them back."""
    ceremony = round_.ceremony
    return round_.phase is Phase.CLOSED and ceremony is not None and ceremony.handed_back is None


def _due_without_round(table: TableState) -> datetime | None:
    """Return when a worker may close a table that has a pending closure, or end its show."""
    if table.pending_closure is not None:
        return None if table.closed else table.pending_closure.since
    if table.rules.turn_seconds is None or table.betting_opens_at is None:
        return None
    return table.turn_opens_at() or table.betting_opens_at


def due_row(table: TableState, round_: RoundState) -> Row:
    """Map a table with its current round to the row of when a worker must act on it, and how."""
    return DUE_TABLES.row(
        table_id=table.require_opened().table,
        round_id=table.round,
        closes=table.round is None and table.pending_closure is not None,
        due_at=_due_without_round(table) if table.round is None else due_at(round_),
        links_due_at=next((_links_due_at(each) for each in table.open_closings if not each.is_late), None),
    )


def _links_due_at(oldest: OpenClosing) -> datetime:
    """Return when any worker asks for links: at once for a long shoe, whose cut may be closed by other processes."""
    return oldest.closed_at if oldest.kind is ClosingKind.SHOE else oldest.closed_at + RELEASE_AHEAD


def table_row(table: TableState, version: int, round_: RoundState, round_version: int) -> Row:
    """Map a table with its current round to a row; an ended round counts as none."""
    facts = table.require_opened()
    current = round_ if table.round is not None else None
    return TABLES.row(
        id=facts.table,
        operator_id=facts.operator,
        name=facts.name,
        preset=table.rules.preset,
        rules=table.recorded_rules.digest,
        currency=table.rules.currency,
        money_types=",".join(facts.money_types),
        seats=table.rules.seats,
        seats_taken=len(table.seats),
        round_id=table.round,
        rounds=table.rounds,
        suspension_reason=None if current is None else current.suspension_reason,
        in_lobby=facts.listed and not table.closed and table.pending_closure is None,
        brands=",".join(map(str, facts.brands)),
        opened_at=facts.opened_at,
        version=version,
        state=encode(table).decode(),
        round_version=None if current is None else round_version,
        round_state=None if current is None else encode(current).decode(),
    )


def round_row(round_: RoundState, table: TableState) -> Row:
    """Map a round of a table to a row."""
    facts = round_.require_opened()
    return ROUNDS.row(
        id=facts.round,
        table_id=facts.table,
        operator_id=facts.operator,
        number=facts.number,
        rules=facts.rules,
        rules_label=facts.rules_label,
        currency=table.rules.currency,
        phase=round_.phase,
        opened_at=facts.opened_at,
        deadline_at=facts.deadline_at,
        ended_at=round_.ended_at,
        cards=" ".join(round_.cards),
        outcome=round_.outcome,
        player_total=round_.player_total,
        banker_total=round_.banker_total,
        wagers=len(round_.confirmed_seats()),
        suspension_reason=round_.suspension_reason,
        flag=round_flag(round_),
        forced=bool(round_.forced),
    )


def round_flag(round_: RoundState) -> RoundFlag | None:
    """Return what sets a round apart, None for a running or settled one."""
    if round_.phase in {Phase.LAPSED, Phase.VOIDED}:
        return RoundFlag(round_.phase.value)
    return None if round_.suspension_reason is None else RoundFlag.SUSPENDED


def wager_rows(round_: RoundState, table: TableState, *, since: RoundState) -> list[Row]:
    """Map a round's confirmed wagers to rows, except seats unchanged from `since`."""
    facts = round_.require_opened()
    same = {id(seat) for seat in since.seats} if round_.voided is since.voided else set()
    return [_wager_row(seat, facts, round_, table) for seat in round_.confirmed_seats() if id(seat) not in same]


def _wager_row(seat: RoundSeat, facts: RoundOpened, round_: RoundState, table: TableState) -> Row:
    stakes, settled = seat.stakes or {}, seat.settlement
    if seat.confirmed_at is None:
        raise LookupError("a confirmed wager has its time")
    return WAGERS.row(
        id=seat.require_wager(),
        round_id=facts.round,
        table_id=facts.table,
        operator_id=facts.operator,
        player_id=seat.player,
        seat=seat.seat,
        preset=table.rules.preset,
        money_type=seat.money_type,
        currency=table.rules.currency,
        stakes=encode(stakes).decode(),
        staked=sum(stakes.values()),
        won=None if settled is None else settled.won,
        pushed=None if settled is None else _pushed(settled),
        commission=None if settled is None else settled.commission,
        returned=None if settled is None else settled.returned,
        confirmed_at=seat.confirmed_at,
        settled_at=None if settled is None else round_.ended_at,
        voided_at=None if round_.voided is None else round_.voided.voided_at,
    )


def _pushed(settled: SeatSettled) -> int:
    return sum(each.stake for each in settled.results if each.result is StakeResult.PUSH)


def sitting_rows(events: Iterable[object], table: TableState) -> list[Row]:
    """Map events to seat rows of a table in this state: the last change for each player."""
    rows: dict[UUID, Row] = {}
    for event in events:
        seat = table.seat_of(event.player) if isinstance(event, te.SeatChanged) else None
        row = sitting_row(event, table.require_opened(), money_type=None if seat is None else seat.money_type)
        if row is not None:
            rows[row.player_id] = row
    return list(rows.values())


def sitting_row(event: object, facts: te.TableOpened, *, money_type: MoneyType | None) -> Row | None:
    """Map an event of a table to its player's row; `money_type` is the player's, None for one who has left.

    Returns None for an event that moves nobody, and for a move right before leaving in the same batch.
    """
    change: tuple[UUID, int | None, MoneyType | None, datetime]
    match event:
        case te.SeatTaken():
            change = event.player, event.seat, event.money_type, event.taken_at
        case te.SeatChanged():
            change = event.player, event.to_seat, money_type, event.changed_at
        case te.SeatLeft():
            change = event.player, None, event.money_type, event.left_at
        case te.SeatReleased():
            change = event.player, None, event.money_type, event.released_at
        case _:
            return None
    player, seat, money, at = change
    if money is None:
        return None
    return SITTINGS.row(f"{facts.table}/{player}", facts.table, facts.operator, player, seat, money.value, at)


def kill_switch_row(event: StopEvent, version: int) -> Row:
    """Map the last event of a switch, with the version of its stream, to a row."""
    return KILL_SWITCHES.row(
        id=stop_id(event.scope, event.subject),
        scope=event.scope.value,
        subject=event.subject,
        operator_id=event.operator,
        active=isinstance(event, StopImposed),
        reason=event.reason,
        message=event.player_message if isinstance(event, StopImposed) else "",
        rank=event.rank.value,
        regulator_order=event.regulator_order,
        deposits=isinstance(event, StopImposed) and event.deposits,
        by=event.by,
        agreed_by=", ".join(event.agreed_by) if isinstance(event, StopLifted) else "",
        at=event.at,
        version=version,
    )


def save(tables: Sequence[Row], due_tables: Sequence[Row], rounds: Sequence[Row], wagers: Sequence[Row]) -> None:
    """Upsert rows of all four tables in one statement."""
    if tables or due_tables or rounds or wagers:
        rows = ((TABLES, tables), (DUE_TABLES, due_tables), (ROUNDS, rounds), (WAGERS, wagers))
        execute(_SAVE, [table.as_json(each) for table, each in rows])
