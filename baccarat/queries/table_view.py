"""A table as it is drawn for one viewer: plain JSON-ready values, money as decimal strings."""

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from baccarat.domain.rounds.state import RoundState
from baccarat.domain.tables.kill_switch_events import Scope
from baccarat.domain.tables.state import Seat, TableState
from baccarat.queries.low_balance import notice_picture
from baccarat.queries.round_view import contributions_picture, named, round_picture, stakes_picture
from casino.kernel.money import text
from wallet.payments.funding_options import Means

CLOSES: Final = "This table closes for good. What is confirmed is settled, then chips go back to the accounts."


def table_picture(
    table: TableState,
    round_: RoundState,
    *,
    viewer: UUID | None,
    now: datetime,
    game_balance: int | None = None,
    means: Means | None = None,
) -> dict[str, Any]:
    """Draw the table as it stands, its seats, the shoe and the round in hand for `viewer`.

    `viewer` None is the operator. `game_balance` is the viewer's, in minor units, None for one without a seat;
    `means` are for the notice where that is too small. To players, players appear by seat only; `you` marks the own.
    """
    facts, currency = table.facts(), table.rules.currency
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
            "cards_out": table.shoe.out,
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
            "contributions": contributions_picture(table.next_shoe.given),
        },
        "round": None if round_.opened is None else round_picture(round_, viewer=viewer, currency=currency),
        "you": None if yours is None else _you(yours, table, round_, game_balance or 0, means or Means(0)),
        "stopped": _stopped(table),
        "server_time": now,
    }


def _stopped(table: TableState) -> dict[str, Any] | None:
    """Why nothing new starts at the table, in words for players; None while it plays."""
    held, closing = table.stopped(), table.closing
    if held is None and closing is not None:
        return {"scope": Scope.TABLE, "says": CLOSES, "since": closing.since}
    return None if held is None else {"scope": held.scope, "says": held.says, "since": held.since}


def _seat(seat: Seat, viewer: UUID | None, currency: str) -> dict[str, Any]:
    return {
        "seat": seat.seat,
        "player": named(seat.player, viewer),
        "you": seat.player == viewer,
        "book": seat.book,
        "commission_owed": text(seat.owed, currency),
    }


def _you(seat: Seat, table: TableState, round_: RoundState, balance: int, means: Means) -> dict[str, Any]:
    currency, part = table.rules.currency, round_.seat_of(seat.player)
    return {
        "seat": seat.seat,
        "book": seat.book,
        "game_balance": {"amount": text(balance, currency), "currency": currency},
        "under_minimum": balance < table.rules.minimum,
        "notice": notice_picture(seat=seat, rules=table.rules, round_=round_, balance=balance, means=means),
        "commission_owed": {"amount": text(seat.owed, currency), "currency": currency},
        "in_round": part is not None and round_.is_running(),
        "standing": None if part is None else part.standing,
        "last_wager": None if seat.last_wager is None else stakes_picture(seat.last_wager, currency),
    }
