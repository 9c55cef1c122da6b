"""The Caller's ceremony in a usual round: the right seat had the cards in its time, and the hands were turned."""

from datetime import timedelta

from baccarat.audit.plain import forms as f
from baccarat.audit.plain.rounds import Held, PlainRound, moment
from baccarat.domain.rounds.ceremony_events import HandedBackBy, Side
from baccarat.domain.rounds.state import Phase
from baccarat.domain.rules.wagers import Spot

_CLOSED = Phase.CLOSED


def handed_out(round_: PlainRound, event: f.CardsHandedOut) -> bool:
    """Follow the cards to the seat with the highest Player wager, the earliest of equals."""
    limit = round_.seating.ceremony
    if limit is None or round_.phase is not _CLOSED or round_.ceremony is not None or _holder(round_) != event.seat:
        return False
    until = moment(event.until)
    if until != moment(event.handed_out_at) + timedelta(seconds=limit.look):
        return False
    round_.ceremony = Held(event.seat, event.until, until)
    return True


def _holder(round_: PlainRound) -> int | None:
    best = None
    for part in round_.parts.values():
        staked = 0 if part.wager is None else part.wager.stakes.get(Spot.PLAYER, 0)
        if staked:
            rank = -staked, part.confirmed_at, part.seat
            best = rank if best is None or rank < best else best
    return None if best is None else best[2]


def _held(round_: PlainRound, seat: int) -> Held | None:
    held = round_.ceremony
    waits = held is not None and held.back is None and held.seat == seat and round_.phase is _CLOSED
    return held if waits else None


def looked(round_: PlainRound, event: f.CardsLooked) -> bool:
    """Follow the seat's first look, in its time."""
    held, limit = _held(round_, event.seat), round_.seating.ceremony
    if held is None or limit is None or held.looked_at is not None:
        return False
    at, until = moment(event.looked_at), moment(event.until)
    if at >= held.until_at or until != at + timedelta(seconds=limit.hand_back):
        return False
    round_.ceremony = Held(event.seat, event.until, until, event.looked_at)
    return True


def handed_back(round_: PlainRound, event: f.CardsHandedBack) -> bool:
    """Follow the cards back: by the player before the time is over, by time not before."""
    held = _held(round_, event.seat)
    if held is None or (moment(event.handed_back_at) >= held.until_at) is not (event.by is HandedBackBy.TIME):
        return False
    round_.ceremony = held._replace(back=event.by)
    return True


def turned(round_: PlainRound, event: f.HandTurned) -> bool:
    """Follow a hand that is turned over; whether it was the right one is seen when all cards are dealt."""
    if round_.phase is not _CLOSED or round_.seating.ceremony is None:
        return False
    round_.turned = (*round_.turned, event)
    return True


def is_turned(round_: PlainRound, event: f.CardsDealt) -> bool:
    """Tell whether the cards came back where they had to go, and were turned over as they were dealt."""
    if round_.seating.ceremony is None:
        return True
    held = round_.ceremony
    if _holder(round_) is not None if held is None else held.back is None:
        return False
    found = [(each.side, each.cards) for each in round_.turned]
    return found == [(Side.PLAYER, event.cards[0:4:2]), (Side.BANKER, event.cards[1:4:2])]
