"""From the close of betting to the settlement, including the Caller's ceremony at tables that have one. Pure."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from baccarat.domain.rounds import ceremony_events as ce
from baccarat.domain.rounds import commands as c
from baccarat.domain.rounds import cut as cutting
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds import refusals as r
from baccarat.domain.rounds.ceremony_state import Ceremony
from baccarat.domain.rounds.state import Phase, RoundSeat, RoundState, SeatStatus
from baccarat.domain.rules.deal import Deal, Outcome, deal
from baccarat.domain.rules.payouts import settle
from baccarat.domain.rules.wagers import Spot

Events = Sequence[e.RoundEvent]

NO_WAGERS: Final = "no_wagers"


def card_holder(state: RoundState) -> RoundSeat | None:
    """Return the seat that gets the Player's cards: the highest confirmed Player wager, the earliest of equals.

    None if nobody has bet on Player. Ties at the same instant are broken by seat number.
    """
    bets = [seat for seat in state.confirmed_seats() if (seat.stakes or {}).get(Spot.PLAYER)]
    return min(bets, key=_rank, default=None)


def _rank(seat: RoundSeat) -> tuple[int, datetime | None, int]:
    return -(seat.stakes or {})[Spot.PLAYER], seat.confirmed_at, seat.seat


def _deal(command: c.DealRound, state: RoundState) -> Events:
    """Advance the round one step: close betting, or take back cards that are out."""
    if state.phase is Phase.CLOSED:
        return _end_ceremony(command, state)
    if state.phase is not Phase.BETTING or (state.suspension_reason is not None and not state.is_empty()):
        raise r.RoundIsNotDue
    deadline = state.require_opened().deadline_at
    if not state.all_have_acted() and (deadline is None or command.now < deadline):
        raise r.RoundIsNotDue
    late = [e.SeatTimedOut(seat=seat.seat) for seat in state.seats if seat.status is SeatStatus.DECIDING]
    if not state.confirmed_seats():
        return (*late, e.RoundLapsed(reason=NO_WAGERS, lapsed_at=command.now, seed=command.seed))
    closed: Events = (*late, _closed(command, state))
    limit, seat = command.rules.ceremony_seconds(), card_holder(state)
    if limit is None or seat is None:
        return (*closed, *_cards_and_payouts(command, state))
    until = command.now + timedelta(seconds=limit.look)
    return (*closed, ce.CardsHandedOut(seat=seat.seat, handed_out_at=command.now, until=until))


def _closed(command: c.DealRound, state: RoundState) -> e.BettingClosed:
    """Close betting. This fixes the cut of the round's own shoe; a long shoe's was fixed when it started."""
    contributions = cutting.as_contributions(state.contributions)
    cut = cutting.cut_in_hex(state.require_opened().shoe, contributions)
    return e.BettingClosed(closed_at=command.now, contributions=contributions, cut=cut)


def _end_ceremony(command: c.DealRound, state: RoundState) -> Events:
    ceremony = state.ceremony
    if ceremony is None or state.suspension_reason is not None:
        raise r.RoundIsNotDue
    if ceremony.handed_back is not None:
        return _cards_and_payouts(command, state)
    if command.now < ceremony.until:
        raise r.RoundIsNotDue
    taken = ce.CardsHandedBack(seat=ceremony.seat, by=ce.HandedBackBy.TIME, handed_back_at=command.now)
    return (taken, *_cards_and_payouts(command, state))


def _look(command: c.LookAtCards, state: RoundState) -> Events:
    """Record the first look, which sets the deadline for handing back; looking again changes nothing."""
    ceremony = _held(command.player, command.now, state)
    if ceremony.looked_at is not None:
        return ()
    limit = command.rules.ceremony_seconds()
    until = ceremony.until if limit is None else command.now + timedelta(seconds=limit.hand_back)
    return (ce.CardsLookedAt(seat=ceremony.seat, looked_at=command.now, until=until),)


def _hand_back(command: c.HandBackCards, state: RoundState) -> Events:
    ceremony = _held(command.player, command.now, state)
    return (ce.CardsHandedBack(seat=ceremony.seat, by=ce.HandedBackBy.PLAYER, handed_back_at=command.now),)


def _held(player: UUID, now: datetime, state: RoundState) -> Ceremony:
    """Return the ceremony if the player has the cards now, by the server's clock."""
    ceremony = state.ceremony
    if ceremony is None or state.phase is not Phase.CLOSED:
        raise r.NoCeremony
    seat = state.seat_of(player)
    if seat is None or seat.seat != ceremony.seat:
        raise r.NotYourCards(seat=ceremony.seat)
    if ceremony.handed_back is not None or now >= ceremony.until or state.suspension_reason is not None:
        raise r.CardsAreHandedBack
    return ceremony


def _cards_and_payouts(command: c.DealRound, state: RoundState) -> Events:
    hands = deal(command.cards)
    return (
        *_turned(command, hands),
        e.CardsDealt(position=command.position, cards=hands.cards),
        e.RoundSettled(
            outcome=hands.outcome,
            player_total=hands.player_total,
            banker_total=hands.banker_total,
            natural=hands.natural,
            wagers=tuple(_settle_seat(seat, command, hands.outcome) for seat in state.confirmed_seats()),
            settled_at=command.now,
            seed=command.seed,
        ),
    )


def _turned(command: c.DealRound, hands: Deal) -> Events:
    """Turn over the Player's hand, then the Banker's, at a table with a ceremony."""
    if command.rules.ceremony_seconds() is None:
        return ()
    return (
        ce.HandTurned(side=ce.Side.PLAYER, cards=hands.player[:2]),
        ce.HandTurned(side=ce.Side.BANKER, cards=hands.banker[:2]),
    )


def _settle_seat(seat: RoundSeat, command: c.DealRound, outcome: Outcome) -> e.SeatSettled:
    result = settle(command.rules, seat.stakes or {}, outcome)
    return e.SeatSettled(
        seat=seat.seat,
        player=seat.player,
        money_type=seat.money_type,
        results=result.results,
        staked=result.staked,
        won=result.won,
        commission=result.commission,
        deferred=result.deferred,
        returned=result.returned,
    )


DECIDE: Final[Mapping[type, Callable[[Any, RoundState], Events]]] = {
    c.DealRound: _deal,
    c.LookAtCards: _look,
    c.HandBackCards: _hand_back,
}
