"""Checks the Caller's ceremony: which seat got the cards, for how long, and in which order hands were turned."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from baccarat.audit.betting import OUT_OF_PLACE
from baccarat.audit.traces import RoundSeatTrace, RoundTrace
from baccarat.domain.rounds import ceremony_events as e
from baccarat.domain.rounds.ceremony_state import Ceremony
from baccarat.domain.rounds.events import CardsDealt
from baccarat.domain.rounds.state import Phase
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.wagers import Spot

OTHER_SEAT: Final = "cards with the wrong seat"
OTHER_TIME: Final = "time for the cards differs"
NOT_TURNED: Final = "hands not turned as dealt"


def replay_cards_handed_out(round_: RoundTrace, event: e.CardsHandedOut) -> None:
    """Check that the cards go to the seat with the highest Player wager; ties go to the earliest."""
    limit = round_.table.rules.ceremony_seconds()
    if round_.phase is not Phase.CLOSED or round_.ceremony is not None or limit is None:
        round_.record_difference(OUT_OF_PLACE, "betting just closed at a table with a Caller", round_.phase)
    due = _holder(round_)
    if due != event.seat:
        round_.record_difference(OTHER_SEAT, due, event.seat)
    if limit is not None:
        _until(round_, event.handed_out_at + timedelta(seconds=limit.look), event.until)
    round_.ceremony = Ceremony(event.seat, event.until)


def _holder(round_: RoundTrace) -> int | None:
    bets = [part for part in round_.confirmed_seats() if _on_player(part)]
    highest = max((_on_player(part) for part in bets), default=0)
    equals = [(part.confirmed_at, part.seat) for part in bets if _on_player(part) == highest]
    return min(equals)[1] if equals else None


def _on_player(part: RoundSeatTrace) -> int:
    return (part.stakes or {}).get(Spot.PLAYER, 0)


def _until(round_: RoundTrace, due: datetime, found: datetime) -> None:
    if found != due:
        round_.record_difference(OTHER_TIME, due, found)


def replay_cards_looked_at(round_: RoundTrace, event: e.CardsLookedAt) -> None:
    """Check that the seat's first look at the cards is within its time."""
    held, limit = _held(round_, event.seat), round_.table.rules.ceremony_seconds()
    if held is None:
        return
    if held.looked_at is not None or event.looked_at >= held.until:
        round_.record_difference(OUT_OF_PLACE, f"one look before {held.until}", event.looked_at)
    if limit is not None:
        _until(round_, event.looked_at + timedelta(seconds=limit.hand_back), event.until)
    round_.ceremony = Ceremony(event.seat, event.until, event.looked_at)


def replay_cards_handed_back(round_: RoundTrace, event: e.CardsHandedBack) -> None:
    """Check the return of the cards: by the player before the deadline, by time-out not before it."""
    held = _held(round_, event.seat)
    if held is None:
        return
    if (event.handed_back_at >= held.until) is not (event.by is e.HandedBackBy.TIME):
        round_.record_difference(OTHER_TIME, f"by {event.by}, until {held.until}", event.handed_back_at)
    round_.ceremony = Ceremony(held.seat, held.until, held.looked_at, event.by)


def _held(round_: RoundTrace, seat: int) -> Ceremony | None:
    held = round_.ceremony
    if held is None or held.handed_back is not None or round_.phase is not Phase.CLOSED:
        round_.record_difference(OUT_OF_PLACE, "cards with a seat", round_.phase if held is None else held.handed_back)
        return None
    if held.seat != seat:
        round_.record_difference(OTHER_SEAT, held.seat, seat)
    return held


def replay_hand_turned(round_: RoundTrace, event: e.HandTurned) -> None:
    """Record a hand that is turned over; `check_hands_turned` checks it once all cards are dealt."""
    if round_.phase is not Phase.CLOSED or round_.table.rules.ceremony_seconds() is None:
        round_.record_difference(OUT_OF_PLACE, "betting closed at a table with a Caller", round_.phase)
    round_.turned_hands = (*round_.turned_hands, event)


def check_hands_turned(round_: RoundTrace, event: CardsDealt) -> None:
    """Check that the cards were handed out and returned where required, and how they were turned over."""
    if round_.table.rules.ceremony_seconds() is None:
        return
    held = round_.ceremony
    if held is None and _holder(round_) is not None:
        round_.record_difference(OTHER_SEAT, f"handed to seat {_holder(round_)}", "never handed out")
    if held is not None and held.handed_back is None:
        round_.record_difference(OUT_OF_PLACE, "cards handed back", f"with seat {held.seat}")
    hands = ((e.Side.PLAYER, event.cards[0:4:2]), (e.Side.BANKER, event.cards[1:4:2]))
    found = tuple((each.side, each.cards) for each in round_.turned_hands)
    if found != hands:
        round_.record_difference(NOT_TURNED, _in_words(hands), _in_words(found))


def _in_words(hands: Sequence[tuple[e.Side, Sequence[Card]]]) -> str:
    return "; ".join(f"{side.capitalize()} {' '.join(cards)}" for side, cards in hands)
