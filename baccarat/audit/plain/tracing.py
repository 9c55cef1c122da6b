"""A round of the usual course as the general steps would have left it."""

from typing import Any

import msgspec

from baccarat.audit import cutting
from baccarat.audit.plain import forms as f
from baccarat.audit.plain.rounds import PlainRound
from baccarat.audit.traces import RoundSeatTrace, RoundTrace
from baccarat.domain.rounds import ceremony_events as ce
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds.ceremony_state import evolve
from baccarat.domain.rounds.cut_events import CutGiven
from baccarat.domain.rounds.state import Phase, SeatStatus
from baccarat.storage.event_registry import CATALOGUE


def traced(plain: PlainRound) -> RoundTrace:
    """Read the round's events again and return its trace; the table has followed them already."""
    opened, *events = map(_event, plain.events)
    table = plain.table
    parts = {seat.seat: RoundSeatTrace(seat.seat, seat.player, seat.book) for seat in opened.seats}
    round_ = RoundTrace(opened, table, table.collector, parts, version=plain.version)
    round_.deal = plain.dealt
    for event in events:
        _seat(round_, event) if hasattr(event, "seat") else _all(round_, event)
    return round_


def _event(form: f.Form) -> Any:
    return CATALOGUE.decode(type(form).__name__, 1, msgspec.json.encode(form))


def _seat(round_: RoundTrace, event: Any) -> None:
    part = round_.seats[event.seat]
    match event:
        case e.ChipsPlaced():
            part.placements.append({event.spot: event.amount})
        case e.PlacementUndone():
            del part.placements[-1]
        case e.ChipsCleared():
            part.placements.clear()
        case CutGiven():
            cutting.put_contribution(round_.contributions, event)
        case ce.CardsHandedOut() | ce.CardsLooked() | ce.CardsHandedBack():
            round_.ceremony = evolve(round_.ceremony, event)
        case e.WagerRepeated():
            part.placements.append(event.stakes)
        case e.WagerConfirmed():
            part.placements.clear()
            part.status, part.confirmed_at = SeatStatus.CONFIRMED, event.confirmed_at
            part.stakes, part.raised = event.stakes, event.raised
        case e.SeatPassed() | e.SeatTimedOut():
            part.placements.clear()
            part.status = SeatStatus.PASSED if isinstance(event, e.SeatPassed) else SeatStatus.TIMED_OUT


def _all(round_: RoundTrace, event: Any) -> None:
    match event:
        case e.BettingClosed():
            round_.phase, round_.closed_at, round_.cut = Phase.CLOSED, event.closed_at, event.cut
        case ce.HandTurned():
            round_.turned_hands = (*round_.turned_hands, event)
        case e.CardsDealt():
            round_.phase, round_.position, round_.cards = Phase.DEALT, event.position, event.cards
        case e.RoundSettled():
            round_.phase, round_.ended_at, round_.seed = Phase.SETTLED, event.settled_at, event.seed
            round_.outcome, round_.natural = event.outcome, event.natural
            round_.player_total, round_.banker_total = event.player_total, event.banker_total
            for wager in event.wagers:
                round_.seats[wager.seat].settlement = wager
