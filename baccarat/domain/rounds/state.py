"""State of a round, and how each event changes it. Applying an event never refuses."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import reduce
from typing import Any, Final
from uuid import UUID

from baccarat.domain.fairness.closing import Closing
from baccarat.domain.fairness.links import LinksReleased, SignedRelease
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds.cut import own_cut_in_hex
from baccarat.domain.rounds.forcing import CardsForced
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import Outcome
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
    """One seat in the round: unconfirmed `placements`, or the `wager` with its confirmed `stakes`, and its result.

    `place` is the wager's place in the order of confirmation, from 0.
    """

    seat: int
    player: UUID
    money_type: MoneyType
    status: SeatStatus = SeatStatus.DECIDING
    placements: tuple[dict[str, int], ...] = ()
    wager: UUID | None = None
    stakes: dict[str, int] | None = None
    raised: dict[str, int] | None = None
    confirmed_at: datetime | None = None
    place: int | None = None
    signature: e.WagerSignature | None = None
    settlement: e.SeatSettled | None = None
    debit: UUID | None = None

    def require_wager(self) -> UUID:
        """Return the id of the confirmed wager. Raises LookupError if there is none."""
        if self.wager is None:
            raise LookupError("the seat has no wager")
        return self.wager

    def placed_stakes(self) -> dict[str, int]:
        """Return the unconfirmed chips per spot, in minor units."""
        total: dict[str, int] = {}
        for placement in self.placements:
            for spot, amount in placement.items():
                total[spot] = total.get(spot, 0) + amount
        return total


@dataclass(frozen=True, slots=True)
class Ceremony:
    """A seat's turn with the Player's cards. `handed_back` is how the turn ended, None while it lasts."""

    seat: int
    until: datetime
    looked_at: datetime | None = None
    handed_back: e.HandedBackBy | None = None


@dataclass(frozen=True, slots=True)
class RoundState:
    """All state needed to decide about a round and to display it.

    `releases` are what its witnesses gave out. `forced` are cards that were chosen for it, and are dealt instead of the
    shoe's.
    """

    phase: Phase = Phase.UNOPENED
    opened: e.RoundOpened | None = None
    seats: tuple[RoundSeat, ...] = ()
    closed_at: datetime | None = None
    shoe_position: int | None = None
    cards: tuple[Card, ...] = ()
    outcome: Outcome | None = None
    player_total: int | None = None
    banker_total: int | None = None
    natural: bool | None = None
    ended_at: datetime | None = None
    seed: str | None = None
    lapse_reason: str | None = None
    suspension_reason: str | None = None
    voided: e.RoundVoided | None = None
    ceremony: Ceremony | None = None
    closing: Closing | None = None
    releases: tuple[SignedRelease, ...] = ()
    forced: tuple[Card, ...] = ()

    def require_opened(self) -> e.RoundOpened:
        """Return the opening event, which every opened round has."""
        if self.opened is None:
            raise LookupError("the round was never opened")
        return self.opened

    @property
    def cut(self) -> str | None:
        """The cut of the round's own shoe, in hex; "" for a round of a long shoe, and None there while one may bet."""
        opened = self.opened
        if opened is None or (self.closed_at is None and not opened.commitment):
            return None
        return own_cut_in_hex(opened)

    def seat_of(self, player: UUID) -> RoundSeat | None:
        """Return the player's seat in this round, None for a player waiting for the next one."""
        return next((seat for seat in self.seats if seat.player == player), None)

    def void_of(self, seat: int) -> e.SeatVoided | None:
        """Return how the seat's wager was undone, None if it was not."""
        return None if self.voided is None else next((void for void in self.voided.seats if void.seat == seat), None)

    def all_have_acted(self) -> bool:
        """Return whether no seat is still to act."""
        return not any(seat.status is SeatStatus.DECIDING for seat in self.seats)

    def is_empty(self) -> bool:
        """Return whether every seat has acted and none has a wager."""
        return self.all_have_acted() and not self.confirmed_seats()

    def confirmed_seats(self) -> tuple[RoundSeat, ...]:
        return tuple(seat for seat in self.seats if seat.status is SeatStatus.CONFIRMED)

    def awaits_links(self) -> bool:
        """Return whether betting is closed and cards wait for the witnesses' links."""
        return self.phase is Phase.CLOSED and bool(self.require_opened().witnesses) and not self.releases

    def is_running(self) -> bool:
        """Return whether the round has begun and not ended."""
        return self.phase in {Phase.BETTING, Phase.CLOSED, Phase.DEALT}


INITIAL: Final = RoundState()


def evolve(state: RoundState, event: e.RoundEvent) -> RoundState:
    """Apply one event. Raises KeyError for a type that is not a round event."""
    return _APPLY[type(event)](state, event)


def fold_round(events: Iterable[e.RoundEvent]) -> RoundState:
    """Rebuild the state of a round from its events."""
    return reduce(evolve, events, INITIAL)


def _change_seat(state: RoundState, number: int, **changes: Any) -> RoundState:
    return replace(
        state, seats=tuple(replace(seat, **changes) if seat.seat == number else seat for seat in state.seats)
    )


def _placements(state: RoundState, number: int) -> tuple[dict[str, int], ...]:
    return next(seat.placements for seat in state.seats if seat.seat == number)


def _round_opened(state: RoundState, event: e.RoundOpened) -> RoundState:
    seats = tuple(RoundSeat(seat=seat.seat, player=seat.player, money_type=seat.money_type) for seat in event.seats)
    return replace(state, phase=Phase.BETTING, opened=event, seats=seats)


def _chips_placed(state: RoundState, event: e.ChipsPlaced) -> RoundState:
    placed = (*_placements(state, event.seat), {event.spot: event.amount})
    return _change_seat(state, event.seat, placements=placed)


def _placement_undone(state: RoundState, event: e.PlacementUndone) -> RoundState:
    return _change_seat(state, event.seat, placements=_placements(state, event.seat)[:-1])


def _chips_cleared(state: RoundState, event: e.ChipsCleared) -> RoundState:
    return _change_seat(state, event.seat, placements=())


def _stakes_rebet(state: RoundState, event: e.StakesRebet) -> RoundState:
    return _change_seat(state, event.seat, placements=(*_placements(state, event.seat), event.stakes))


def _wager_confirmed(state: RoundState, event: e.WagerConfirmed) -> RoundState:
    return _change_seat(
        state,
        event.seat,
        status=SeatStatus.CONFIRMED,
        placements=(),
        wager=event.wager,
        stakes=event.stakes,
        raised=event.raised,
        confirmed_at=event.confirmed_at,
        place=len(state.confirmed_seats()),
        signature=event.signature,
        debit=event.debit,
    )


def _seat_passed(state: RoundState, event: e.SeatPassed) -> RoundState:
    return _change_seat(state, event.seat, status=SeatStatus.PASSED, placements=())


def _seat_timed_out(state: RoundState, event: e.SeatTimedOut) -> RoundState:
    return _change_seat(state, event.seat, status=SeatStatus.TIMED_OUT, placements=())


def _seat_left_round(state: RoundState, event: e.SeatLeftRound) -> RoundState:
    return _change_seat(state, event.seat, status=SeatStatus.LEFT, placements=())


def _betting_closed(state: RoundState, event: e.BettingClosed) -> RoundState:
    return replace(state, phase=Phase.CLOSED, closed_at=event.closed_at, closing=event.closing)


def _links_released(state: RoundState, event: LinksReleased) -> RoundState:
    return replace(state, releases=event.releases)


def _cards_forced(state: RoundState, event: CardsForced) -> RoundState:
    return replace(state, forced=event.cards)


def _cards_handed_out(state: RoundState, event: e.CardsHandedOut) -> RoundState:
    return replace(state, ceremony=Ceremony(seat=event.seat, until=event.until))


def _cards_looked_at(state: RoundState, event: e.CardsLookedAt) -> RoundState:
    return replace(state, ceremony=Ceremony(seat=event.seat, until=event.until, looked_at=event.looked_at))


def _cards_handed_back(state: RoundState, event: e.CardsHandedBack) -> RoundState:
    return state if state.ceremony is None else replace(state, ceremony=replace(state.ceremony, handed_back=event.by))


def _hand_turned(state: RoundState, event: e.HandTurned) -> RoundState:
    """Change nothing, because the deal follows at once."""
    return state


def _cards_dealt(state: RoundState, event: e.CardsDealt) -> RoundState:
    return replace(state, phase=Phase.DEALT, shoe_position=event.shoe_position, cards=event.cards)


def _round_settled(state: RoundState, event: e.RoundSettled) -> RoundState:
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


def _round_lapsed(state: RoundState, event: e.RoundLapsed) -> RoundState:
    return replace(
        state,
        phase=Phase.LAPSED,
        lapse_reason=event.reason,
        ended_at=event.lapsed_at,
        seed=event.seed,
        suspension_reason=None,
        closing=event.closing,
    )


def _round_suspended(state: RoundState, event: e.RoundSuspended) -> RoundState:
    return replace(state, suspension_reason=event.reason)


def _round_resumed(state: RoundState, event: e.RoundResumed) -> RoundState:
    return replace(state, suspension_reason=None)


def _round_voided(state: RoundState, event: e.RoundVoided) -> RoundState:
    return replace(
        state,
        phase=Phase.VOIDED,
        suspension_reason=None,
        voided=event,
        ended_at=event.voided_at if state.ended_at is None else state.ended_at,
        seed=state.seed if event.seed is None else event.seed,
        closing=state.closing if event.closing is None else event.closing,
    )


_APPLY: Final[dict[type, Callable[[RoundState, Any], RoundState]]] = {
    e.RoundOpened: _round_opened,
    e.ChipsPlaced: _chips_placed,
    e.PlacementUndone: _placement_undone,
    e.ChipsCleared: _chips_cleared,
    e.StakesRebet: _stakes_rebet,
    e.WagerConfirmed: _wager_confirmed,
    e.SeatPassed: _seat_passed,
    e.SeatTimedOut: _seat_timed_out,
    e.SeatLeftRound: _seat_left_round,
    CardsForced: _cards_forced,
    e.BettingClosed: _betting_closed,
    LinksReleased: _links_released,
    e.CardsHandedOut: _cards_handed_out,
    e.CardsLookedAt: _cards_looked_at,
    e.CardsHandedBack: _cards_handed_back,
    e.HandTurned: _hand_turned,
    e.CardsDealt: _cards_dealt,
    e.RoundSettled: _round_settled,
    e.RoundLapsed: _round_lapsed,
    e.RoundSuspended: _round_suspended,
    e.RoundResumed: _round_resumed,
    e.RoundVoided: _round_voided,
}
