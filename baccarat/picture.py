"""A table as it is drawn for one viewer: plain JSON-ready values, money as decimal strings."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from baccarat.fairness.cut import Contribution
from baccarat.rounds.cutting import Given
from baccarat.rounds.state import RoundSeat, RoundState
from baccarat.rounds.void_events import SeatVoided
from baccarat.rules.hands import total
from baccarat.rules.presets import TableRules
from baccarat.rules.wagers import Spot
from baccarat.shortage import notice_picture
from baccarat.tables.state import Seat, TableState
from baccarat.tables.switch_events import Scope
from casino.kernel.money import text
from wallet.payments.means import Means

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
    """This will draw the table as it stands, its seats, the shoe and the round in hand for `viewer`.

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


def rules_picture(rules: TableRules) -> dict[str, Any]:
    """This will draw a table's rules: amounts as decimal strings, odds as "8:1"."""
    commission = rules.commission
    return {
        "preset": rules.preset,
        "version": rules.version,
        "currency": rules.currency,
        "decks": rules.decks,
        "shuffle": rules.shuffle,
        "seats": rules.seats,
        "chips": [text(chip, rules.currency) for chip in rules.chips],
        "minimum": text(rules.minimum, rules.currency),
        "maximum": text(rules.maximum, rules.currency),
        "spots_per_round": rules.spots_per_round,
        "player_pays": str(rules.player_pays),
        "banker_pays": str(rules.banker_pays),
        "tie_pays": str(rules.tie_pays),
        "commission": None
        if commission is None
        else {
            "rate": f"{commission.rate.numerator}/{commission.rate.denominator}",
            "rounding": None
            if commission.rounding is None
            else f"{commission.rounding.numerator}/{commission.rounding.denominator} of the lowest chip, up",
            "timing": commission.timing,
        },
        "under_minimum": rules.under_minimum,
        "turn_seconds": rules.turn_seconds,
        "caller": rules.caller,
        "play_money": rules.play_money,
        "cut_cards_from_end": rules.cut_cards_from_end,
        "burn": rules.burn,
        "seat_kept_rounds": rules.seat_kept_rounds,
        "look_seconds": rules.look_seconds,
        "hand_back_seconds": rules.hand_back_seconds,
    }


def round_picture(round_: RoundState, *, viewer: UUID | None, currency: str) -> dict[str, Any]:
    """This will draw one round: phase, cards in deal order, hands, outcome, and each seat's chips, wager and result."""
    facts = round_.facts()
    player, banker = hands(round_.cards)
    return {
        "id": str(facts.round),
        "table": str(facts.table),
        "number": facts.number,
        "rules": facts.rules,
        "currency": currency,
        "phase": round_.phase,
        "opened_at": facts.opened_at,
        "deadline_at": facts.deadline_at,
        "ended_at": round_.ended_at,
        "commitment": facts.commitment,
        "shoe": str(facts.shoe),
        "contributions": contributions_picture(round_.given),
        "cut": round_.cut,
        "seed": round_.seed,
        "cards": list(round_.cards),
        "player_hand": {"cards": player, "total": round_.player_total},
        "banker_hand": {"cards": banker, "total": round_.banker_total},
        "natural": round_.natural,
        "outcome": round_.outcome,
        "set_aside": round_.set_aside is not None,
        "void": None
        if round_.voided is None
        else {"reason": round_.voided.reason, "voided_at": round_.voided.voided_at},
        "ceremony": _ceremony(round_, viewer),
        "seats": [
            _round_seat(seat, viewer, currency, _undone(round_.voided_of(seat.seat), viewer, currency))
            for seat in round_.seats
        ],
    }


def contributions_picture(given: Iterable[Given | Contribution]) -> list[dict[str, Any]]:
    """This will draw what seats have added to a cut; everyone at the table may see it."""
    return [{"seat": each.seat, "contribution": each.contribution} for each in given]


def hands(cards: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """This will split cards in deal order (P B P B, thirds) into the Player's and the Banker's hand."""
    player, banker = list(cards[0:4:2]), list(cards[1:4:2])
    thirds = list(cards[4:])
    if thirds and total(player) <= 5:  # type: ignore[arg-type]
        player.append(thirds.pop(0))
    return player, banker + thirds


def _ceremony(round_: RoundState, viewer: UUID | None) -> dict[str, Any] | None:
    """Who has the Player's cards and until when; the cards themselves are in no picture before they are turned."""
    ceremony = round_.ceremony
    if ceremony is None:
        return None
    return {
        "seat": ceremony.seat,
        "you": any(seat.seat == ceremony.seat and seat.player == viewer for seat in round_.seats),
        "until": ceremony.until,
        "looked": ceremony.looked_at is not None,
        "handed_back": ceremony.handed_back,
    }


def _named(player: UUID, viewer: UUID | None) -> str | None:
    """The operator is told who sits where; players know each other by seat."""
    return str(player) if viewer is None else None


def _seat(seat: Seat, viewer: UUID | None, currency: str) -> dict[str, Any]:
    return {
        "seat": seat.seat,
        "player": _named(seat.player, viewer),
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
        "last_wager": None if seat.last_wager is None else _stakes(seat.last_wager, currency),
    }


def _undone(undone: SeatVoided | None, viewer: UUID | None, currency: str) -> dict[str, str] | None:
    """How a wager was undone; where the money was taken from is between the player and the house."""
    if undone is None:
        return None
    public = {"stake_returned": undone.staked, "winnings_taken": undone.paid}
    private = {
        "to_game": undone.to_game,
        "to_account": undone.to_account,
        "from_game": undone.from_game,
        "from_account": undone.from_account,
        "owed": undone.owed,
        "forgiven": undone.forgiven,
    }
    shown = public | private if viewer in {None, undone.player} else public
    return {name: text(amount, currency) for name, amount in shown.items()}


def _round_seat(seat: RoundSeat, viewer: UUID | None, currency: str, undone: dict[str, str] | None) -> dict[str, Any]:
    settled = seat.settled
    return {
        "seat": seat.seat,
        "player": _named(seat.player, viewer),
        "you": seat.player == viewer,
        "book": seat.book,
        "standing": seat.standing,
        "placed": _stakes(seat.placed(), currency),
        "wager": None if seat.stakes is None else _stakes(seat.stakes, currency),
        "raised": None if not seat.raised else _stakes(seat.raised, currency),
        "confirmed_at": seat.confirmed_at,
        "result": None
        if settled is None
        else {
            "staked": text(settled.staked, currency),
            "won": text(settled.won, currency),
            "commission": text(settled.commission, currency),
            "commission_deferred": settled.deferred,
            "returned": text(settled.returned, currency),
            "spots": [
                {
                    "spot": result.spot,
                    "stake": text(result.stake, currency),
                    "result": result.result,
                    "win": text(result.win, currency),
                    "commission": text(result.commission, currency),
                    "returned": text(result.returned, currency),
                }
                for result in settled.results
            ],
        },
        "void": undone,
    }


def _stakes(stakes: dict[Any, int], currency: str) -> list[dict[str, str]]:
    # In the layout's order: a stored state comes back in the database's own.
    return [{"spot": spot, "amount": text(stakes[spot], currency)} for spot in Spot if spot in stakes]
