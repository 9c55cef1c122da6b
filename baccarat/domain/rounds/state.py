"""State of a round, and how each event changes it. Applying an event never refuses."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from baccarat.domain.rounds import ceremony_events as ce
from baccarat.domain.rounds import cut
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds.ceremony_state import Ceremony
from baccarat.domain.rounds.ceremony_state import evolve as after
from baccarat.domain.rounds.cut import SeatContributions
from baccarat.domain.rounds.cut_events import CutContributed
from baccarat.domain.rounds.void_events import RoundVoidDeclined, RoundVoided, RoundVoidRequested, SeatVoided
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.wagers import Spot
from casino.kernel.money import MoneyType


class Phase(StrEnum):
    """Phase of a round. SETTLED, LAPSED and VOIDED are final."""

    UNOPENED = "unopened"
    BETTING = "betting"
    CLOSED = "closed"
    DEALT = "dealt"
    SETTLED = "settled"
    LAPSED = "lapsed"
    VOIDED = "voided"


class SeatStatus(StrEnum):
    """What a seat has done in this round."""

    DECIDING = "deciding"
    CONFIRMED = "confirmed"
    PASSED = "passed"
    TIMED_OUT = "timed_out"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class RoundSeat:
    """One seat in the round: unconfirmed `placements`, or confirmed `stakes`, and its result."""

    seat: int
    player: UUID
    money_type: MoneyType
    status: SeatStatus = SeatStatus.DECIDING
    placements: tuple[dict[Spot, int], ...] = ()
    stakes: dict[Spot, int] | None = None
    raised: dict[Spot, int] | None = None
    confirmed_at: datetime | None = None
    settlement: e.SeatSettled | None = None

    def placed_stakes(self) -> dict[Spot, int]:
        """Return the unconfirmed chips per spot, in minor units."""
        total: dict[Spot, int] = {}
        for placement in self.placements:
            for spot, amount in placement.items():
                total[spot] = total.get(spot, 0) + amount
        return total


@dataclass(frozen=True, slots=True)
class RoundState:
    """All state needed to decide about a round and to display it.

    `contributions` are those to the round's own shoe. `cut` is fixed when betting closes, in hex, "" without any.
    """

    phase: Phase = Phase.UNOPENED
    opened: e.RoundOpened | None = None
    seats: tuple[RoundSeat, ...] = ()
    closed_at: datetime | None = None
    position: int | None = None
    cards: tuple[Card, ...] = ()
    outcome: Outcome | None = None
    player_total: int | None = None
    banker_total: int | None = None
    natural: bool | None = None
    ended_at: datetime | None = None
    seed: str | None = None
    lapse_reason: str | None = None
    suspension_reason: str | None = None
    void_request: RoundVoidRequested | None = None
    voided: RoundVoided | None = None
    ceremony: Ceremony | None = None
    contributions: SeatContributions = ()
    cut: str | None = None

    def require_opened(self) -> e.RoundOpened:
        """Return the opening event, which every opened round has."""
        if self.opened is None:
            raise LookupError("the round was never opened")
        return self.opened

    def seat_of(self, player: UUID) -> RoundSeat | None:
        """Return the player's seat in this round, None for a player waiting for the next one."""
        return next((seat for seat in self.seats if seat.player == player), None)

    def void_of(self, seat: int) -> SeatVoided | None:
        """Return how the seat's wager was undone, None if it was not."""
        return None if self.voided is None else next((each for each in self.voided.seats if each.seat == seat), None)

    def all_have_acted(self) -> bool:
        """Return whether no seat is still to act."""
        return not any(seat.status is SeatStatus.DECIDING for seat in self.seats)

    def is_empty(self) -> bool:
        """Return whether every seat has acted and none has a wager."""
        return self.all_have_acted() and not self.confirmed_seats()

    def confirmed_seats(self) -> tuple[RoundSeat, ...]:
        return tuple(seat for seat in self.seats if seat.status is SeatStatus.CONFIRMED)

    def is_running(self) -> bool:
        """Return whether the round has begun and not ended."""
        return self.phase in {Phase.BETTING, Phase.CLOSED, Phase.DEALT}


INITIAL: Final = RoundState()


def evolve(state: RoundState, event: e.RoundEvent) -> RoundState:
    """Apply one event. Raises KeyError for a type that is not a round event."""
    return _APPLY[type(event)](state, event)


def _seat(state: RoundState, number: int, **changes: Any) -> RoundState:
    return replace(
        state, seats=tuple(replace(seat, **changes) if seat.seat == number else seat for seat in state.seats)
    )


def _placements(state: RoundState, number: int) -> tuple[dict[Spot, int], ...]:
    return next(seat.placements for seat in state.seats if seat.seat == number)


def _opened(state: RoundState, event: e.RoundOpened) -> RoundState:
    seats = tuple(RoundSeat(seat=seat.seat, player=seat.player, money_type=seat.money_type) for seat in event.seats)
    return replace(state, phase=Phase.BETTING, opened=event, seats=seats)


def _placed(state: RoundState, event: e.ChipsPlaced) -> RoundState:
    placed = (*_placements(state, event.seat), {event.spot: event.amount})
    return _seat(state, event.seat, placements=placed)


def _undone(state: RoundState, event: e.PlacementUndone) -> RoundState:
    return _seat(state, event.seat, placements=_placements(state, event.seat)[:-1])


def _cleared(state: RoundState, event: e.ChipsCleared) -> RoundState:
    return _seat(state, event.seat, placements=())


def _repeated(state: RoundState, event: e.StakesRebet) -> RoundState:
    return _seat(state, event.seat, placements=(*_placements(state, event.seat), event.stakes))


def _confirmed(state: RoundState, event: e.WagerConfirmed) -> RoundState:
    return _seat(
        state,
        event.seat,
        status=SeatStatus.CONFIRMED,
        placements=(),
        stakes=event.stakes,
        raised=event.raised,
        confirmed_at=event.confirmed_at,
    )


def _passed(state: RoundState, event: e.SeatPassed) -> RoundState:
    return _seat(state, event.seat, status=SeatStatus.PASSED, placements=())


def _timed_out(state: RoundState, event: e.SeatTimedOut) -> RoundState:
    return _seat(state, event.seat, status=SeatStatus.TIMED_OUT, placements=())


def _withdrawn(state: RoundState, event: e.SeatLeftRound) -> RoundState:
    return _seat(state, event.seat, status=SeatStatus.LEFT, placements=())


def _closed(state: RoundState, event: e.BettingClosed) -> RoundState:
    return replace(state, phase=Phase.CLOSED, closed_at=event.closed_at, cut=event.cut)


def _cut_given(state: RoundState, event: CutContributed) -> RoundState:
    contributions = cut.replace_contribution(
        state.contributions, seat=event.seat, player=event.player, contribution=event.contribution
    )
    return replace(state, contributions=contributions)


def _ceremony(state: RoundState, event: ce.CeremonyEvent) -> RoundState:
    return replace(state, ceremony=after(state.ceremony, event))


def _dealt(state: RoundState, event: e.CardsDealt) -> RoundState:
    return replace(state, phase=Phase.DEALT, position=event.position, cards=event.cards)


def _settled(state: RoundState, event: e.RoundSettled) -> RoundState:
    results = {wager.seat: wager for wager in event.wagers}
    seats = tuple(
        replace(seat, settlement=results[seat.seat]) if seat.seat in results else seat for seat in state.seats
    )
    return replace(
        state,
        phase=Phase.SETTLED,
        seats=seats,
        outcome=event.outcome,
        player_total=event.player_total,
        banker_total=event.banker_total,
        natural=event.natural,
        ended_at=event.settled_at,
        seed=event.seed,
    )


def _lapsed(state: RoundState, event: e.RoundLapsed) -> RoundState:
    return replace(
        state,
        phase=Phase.LAPSED,
        lapse_reason=event.reason,
        ended_at=event.lapsed_at,
        seed=event.seed,
        suspension_reason=None,
    )


def _set_aside(state: RoundState, event: e.RoundSuspended) -> RoundState:
    return replace(state, suspension_reason=event.reason)


def _resumed(state: RoundState, event: e.RoundResumed) -> RoundState:
    return replace(state, suspension_reason=None)


def _void_requested(state: RoundState, event: RoundVoidRequested) -> RoundState:
    return replace(state, void_request=event)


def _void_declined(state: RoundState, event: RoundVoidDeclined) -> RoundState:
    return replace(state, void_request=None)


def _voided(state: RoundState, event: RoundVoided) -> RoundState:
    return replace(
        state,
        phase=Phase.VOIDED,
        suspension_reason=None,
        void_request=None,
        voided=event,
        ended_at=event.voided_at if state.ended_at is None else state.ended_at,
        seed=state.seed if event.seed is None else event.seed,
    )


_APPLY: Final[dict[type, Callable[[RoundState, Any], RoundState]]] = {
    e.RoundOpened: _opened,
    e.ChipsPlaced: _placed,
    e.PlacementUndone: _undone,
    e.ChipsCleared: _cleared,
    e.StakesRebet: _repeated,
    e.WagerConfirmed: _confirmed,
    e.SeatPassed: _passed,
    e.SeatTimedOut: _timed_out,
    e.SeatLeftRound: _withdrawn,
    CutContributed: _cut_given,
    e.BettingClosed: _closed,
    ce.CardsHandedOut: _ceremony,
    ce.CardsLookedAt: _ceremony,
    ce.CardsHandedBack: _ceremony,
    ce.HandTurned: _ceremony,
    e.CardsDealt: _dealt,
    e.RoundSettled: _settled,
    e.RoundLapsed: _lapsed,
    e.RoundSuspended: _set_aside,
    e.RoundResumed: _resumed,
    RoundVoidRequested: _void_requested,
    RoundVoidDeclined: _void_declined,
    RoundVoided: _voided,
}
