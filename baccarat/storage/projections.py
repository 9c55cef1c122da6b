"""Pure mapping from states to read-model rows, used when a command is written and by every rebuild."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from baccarat.domain.rounds.events import RoundOpened
from baccarat.domain.rounds.state import Phase, RoundSeat, RoundState
from baccarat.domain.tables import events as te
from baccarat.domain.tables.kill_switch_events import StopImposed, SwitchEvent, switch_id
from baccarat.domain.tables.state import TableState
from baccarat.storage.rows import RoundRow, SittingRow, SwitchRow, TableRow, WagerRow
from casino.events.projections import encode
from casino.kernel.money import MoneyType

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
    return round_.require_opened().deadline_at if round_.is_running() and round_.suspension_reason is None else None


def is_ready(round_: RoundState) -> bool:
    """Return whether a worker may deal now: every seat has acted and none has cards."""
    waits = round_.suspension_reason is not None or has_cards_out(round_)
    return round_.is_running() and not waits and round_.all_have_acted()


def has_cards_out(round_: RoundState) -> bool:
    """Return whether a seat has the Player's cards and has not handed them back."""
    ceremony = round_.ceremony
    return round_.phase is Phase.CLOSED and ceremony is not None and ceremony.handed_back is None


def _closes_at(table: TableState) -> datetime | None:
    """Return when a worker may close a table that has a pending closure and no running round."""
    return table.pending_closure.since if table.pending_closure is not None and not table.closed else None


def table_row(table: TableState, version: int, round_: RoundState) -> TableRow:
    """Map a table with its current round to a row; an ended round counts as none."""
    facts = table.require_opened()
    in_hand = round_ if table.round is not None else None
    return TableRow(
        id=facts.table,
        operator_id=facts.operator,
        name=facts.name,
        preset=facts.rules.preset,
        rules=table.rules.label,
        currency=facts.rules.currency,
        money_types=",".join(facts.money_types),
        seats=table.rules.seats,
        seats_taken=len(table.seats),
        round_id=table.round,
        rounds=table.rounds,
        due_at=_closes_at(table) if in_hand is None else due_at(in_hand),
        suspension_reason=None if in_hand is None else in_hand.suspension_reason,
        opened_at=facts.opened_at,
        version=version,
        state=encode(table).decode(),
    )


def round_row(round_: RoundState, version: int, table: TableState) -> RoundRow:
    """Map a round of a table to a row."""
    facts = round_.require_opened()
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
        wagers=len(round_.confirmed_seats()),
        suspension_reason=round_.suspension_reason,
        void_requested=round_.void_request is not None,
        version=version,
        state=encode(round_).decode(),
    )


def wager_rows(round_: RoundState, table: TableState, *, since: RoundState) -> list[WagerRow]:
    """Map a round's confirmed wagers to rows, except seats unchanged from `since`."""
    facts = round_.require_opened()
    same = {id(seat) for seat in since.seats} if round_.voided is since.voided else set()
    return [_wager_row(seat, facts, round_, table) for seat in round_.confirmed_seats() if id(seat) not in same]


def _wager_row(seat: RoundSeat, facts: RoundOpened, round_: RoundState, table: TableState) -> WagerRow:
    stakes, settled = seat.stakes or {}, seat.settlement
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
        money_type=seat.money_type,
        currency=table.rules.currency,
        stakes=encode(stakes).decode(),
        staked=sum(stakes.values()),
        won=None if settled is None else settled.won,
        commission=None if settled is None else settled.commission,
        returned=None if settled is None else settled.returned,
        confirmed_at=seat.confirmed_at,
        settled_at=None if settled is None else round_.ended_at,
        voided_at=None if round_.voided is None else round_.voided.voided_at,
    )


def sitting_rows(events: Iterable[object], table: TableState) -> list[SittingRow]:
    """Map events to seat rows of a table in this state: the last change for each player."""
    rows: dict[UUID, SittingRow] = {}
    for event in events:
        seat = table.seat_of(event.player) if isinstance(event, te.SeatChanged) else None
        row = sitting_row(event, table.require_opened(), money_type=None if seat is None else seat.money_type)
        if row is not None:
            rows[row.player_id] = row
    return list(rows.values())


def sitting_row(event: object, facts: te.TableOpened, *, money_type: MoneyType | None) -> SittingRow | None:
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
    return SittingRow(f"{facts.table}/{player}", facts.table, facts.operator, player, seat, money.value, at)


def switch_row(event: SwitchEvent, version: int) -> SwitchRow:
    """Map the last event of a switch, with the version of its stream, to a row."""
    return SwitchRow(
        id=switch_id(event.scope, event.subject),
        scope=event.scope.value,
        subject=event.subject,
        operator_id=event.operator,
        stopped=isinstance(event, StopImposed),
        reason=event.reason,
        message=event.player_message if isinstance(event, StopImposed) else "",
        by=event.by,
        at=event.at,
        version=version,
    )
