"""A table as it is drawn for one viewer: plain JSON-ready values, money as decimal strings."""

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from baccarat.domain.rounds.state import RoundState
from baccarat.domain.tables.kill_switch_events import StopScope
from baccarat.domain.tables.state import Seat, TableState
from baccarat.queries.low_balance import present_low_balance
from baccarat.queries.round_view import player_id_for, present_contributions, present_round, present_stakes
from casino.kernel.money import format_amount
from wallet.payments.funding_options import FundingOptions

CLOSURE_NOTICE: Final = "This table closes for good. What is confirmed is settled, then chips go back to the accounts."


def present_table(
    table: TableState,
    round_: RoundState,
    *,
    viewer: UUID | None,
    now: datetime,
    game_balance: int | None = None,
    funding_options: FundingOptions | None = None,
) -> dict[str, Any]:
    """Draw the table as it stands, its seats, the shoe and the round in hand for `viewer`.

    `viewer` None is the operator. `game_balance` is the viewer's, in minor units, None for one without a seat;
    `means` are for the notice where that is too small. To players, players appear by seat only; `you` marks the own.
    """
    facts, currency = table.require_opened(), table.rules.currency
    yours = None if viewer is None else table.seat_of(viewer)
    return {
        "id": str(facts.table),
        "name": facts.name,
        "currency": currency,
        "seats": [_seat(seat, viewer, currency) for seat in table.seats],
        "shoe": None
        if table.shoe is None
        else {
            "id": str(table.shoe.shoe),
            "number": table.shoe.number,
            "cards_used": table.shoe.cards_used,
            "commitment": table.shoe.commitment,
            "cut": table.shoe.cut,
            "root": table.shoe.root,
        },
        "next_shoe": None
        if table.next_shoe is None
        else {
            "id": str(table.next_shoe.shoe),
            "number": table.next_shoe.number,
            "commitment": table.next_shoe.commitment,
            "contributions": present_contributions(table.next_shoe.contributions),
        },
        "round": None if round_.opened is None else present_round(round_, viewer=viewer, currency=currency),
        "you": None
        if yours is None
        else _you(yours, table, round_, game_balance or 0, funding_options or FundingOptions(0)),
        "stopped": _stopped(table),
        "server_time": now,
    }


def _stopped(table: TableState) -> dict[str, Any] | None:
    """Why nothing new starts at the table, in words for players; None while it plays."""
    held, closing = table.widest_stop(), table.pending_closure
    if held is None and closing is not None:
        return {"scope": StopScope.TABLE, "says": CLOSURE_NOTICE, "since": closing.since}
    return None if held is None else {"scope": held.scope, "says": held.message, "since": held.since}


def _seat(seat: Seat, viewer: UUID | None, currency: str) -> dict[str, Any]:
    return {
        "seat": seat.seat,
        "player": player_id_for(seat.player, viewer),
        "you": seat.player == viewer,
        "money_type": seat.money_type,
        "commission_owed": format_amount(seat.owed, currency),
    }


def _you(seat: Seat, table: TableState, round_: RoundState, balance: int, means: FundingOptions) -> dict[str, Any]:
    currency, part = table.rules.currency, round_.seat_of(seat.player)
    return {
        "seat": seat.seat,
        "money_type": seat.money_type,
        "game_balance": {"amount": format_amount(balance, currency), "currency": currency},
        "under_minimum": balance < table.rules.minimum,
        "notice": present_low_balance(
            seat=seat, rules=table.rules, round_=round_, balance=balance, funding_options=means
        ),
        "commission_owed": {"amount": format_amount(seat.owed, currency), "currency": currency},
        "in_round": part is not None and round_.is_running(),
        "standing": None if part is None else part.status,
        "last_wager": None if seat.last_wager is None else present_stakes(seat.last_wager, currency),
    }
