"""From the close of betting to the settlement, including the Caller's ceremony at tables that have one. Pure."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from baccarat.domain.fairness.closing import Closing, SeatClosing, SeatEnd, close
from baccarat.domain.fairness.links import LinksReleased
from baccarat.domain.rounds import commands as c
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds import refusals as r
from baccarat.domain.rounds.signed_wager import leaf_of_wager
from baccarat.domain.rounds.state import Ceremony, Phase, RoundSeat, RoundState, SeatStatus
from baccarat.domain.rules.coups import Coup
from baccarat.domain.rules.deal import Deal, deal
from baccarat.domain.rules.payouts import settle
from baccarat.domain.rules.table_rules import TableRules
from casino.witness.statements import ClosingKind

Events = Sequence[e.RoundEvent]

NO_WAGERS: Final = "no_wagers"

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ENDS: Final[Mapping[SeatStatus, SeatClosing]] = {
    SeatStatus.CONFIRMED: SeatClosing.DEALT,
    SeatStatus.PASSED: SeatClosing.PASSED,
    SeatStatus.DECIDING: SeatClosing.TIMED_OUT,
    SeatStatus.TIMED_OUT: SeatClosing.TIMED_OUT,
}
"""How a seat's turn has ended as betting closes; a seat that left the round is not in its closing."""


def card_holder(state: RoundState) -> RoundSeat | None:
    """Return the seat that gets the Player's cards: the highest confirmed Player wager, the earliest of equals.

    The order is the closing's, by place: a wager that an operator's wallet pays is confirmed after it was asked for.
    None if nobody has bet on Player.
    """
    seats = [seat for seat in state.confirmed_seats() if (seat.stakes or {}).get("player")]
    return min(seats, key=_rank, default=None)


def _rank(seat: RoundSeat) -> tuple[int, int | None]:
    return -(seat.stakes or {})["player"], seat.place


def _deal(command: c.DealRound, state: RoundState) -> Events:
    """Close betting and deal, or hand the Player's cards out first; deal when they are back or their time is over.

    At a table with witnesses, cards come with a later command, once their links are given out.
    """
    if state.phase is Phase.CLOSED:
        return _deal_after_closing(command, state)
    if state.phase is not Phase.BETTING or (state.suspension_reason is not None and not state.is_empty()):
        raise r.RoundIsNotDue
    deadline = state.require_opened().deadline_at
    if not state.all_have_acted() and (deadline is None or command.now < deadline):
        raise r.RoundIsNotDue
    timed_out = [e.SeatTimedOut(seat=seat.seat) for seat in state.seats if seat.status is SeatStatus.DECIDING]
    if not state.confirmed_seats():
        closing = close_round(command.closing, state, ClosingKind.LAPSED, command.rules, now=command.now)
        lapsed = e.RoundLapsed(reason=NO_WAGERS, lapsed_at=command.now, seed=command.seed, closing=closing)
        return (*timed_out, lapsed)
    closing = close_round(command.closing, state, ClosingKind.PLAYED, command.rules, now=command.now)
    closed: Events = (*timed_out, e.BettingClosed(closed_at=command.now, closing=closing))
    if state.require_opened().witnesses:
        return closed
    return (*closed, *_hand_out_or_deal(command, state))


def _hand_out_or_deal(command: c.DealRound, state: RoundState) -> Events:
    seconds, seat = command.rules.ceremony_seconds(), card_holder(state)
    if seconds is None or seat is None:
        return _deal_and_settle(command, state)
    until = command.now + timedelta(seconds=seconds.look)
    return (e.CardsHandedOut(seat=seat.seat, handed_out_at=command.now, until=until),)


def close_round(
    inputs: c.ClosingInputs, state: RoundState, kind: ClosingKind, rules: TableRules, *, now: datetime, cause: int = 0
) -> Closing:
    """Return the closing of a round: its wagers, and how each seat's turn ended.

    A void does not end the turn of a seat that is still to act.
    """
    opened, confirmed = state.require_opened(), sorted(state.confirmed_seats(), key=lambda seat: seat.place or 0)
    ends = {seat.seat: _ENDS.get(seat.status) for seat in state.seats}
    if kind is ClosingKind.VOID:
        ends |= {seat.seat: None for seat in state.seats if seat.status is SeatStatus.DECIDING}
    return close(
        blind=inputs.blind,
        terms=opened.terms,
        witnesses=opened.witnesses,
        kind=kind,
        cause=cause,
        leaves=[leaf_of_wager(opened, seat, rules) for seat in confirmed],
        seats=[SeatEnd(seat, end) for seat, end in ends.items() if end is not None],
        closed_at_us=(now - _EPOCH) // timedelta(microseconds=1),
        sealed_head=inputs.sealed_head,
        before=inputs.before,
        cosigned=inputs.cosigned,
    )


def _deal_after_closing(command: c.DealRound, state: RoundState) -> Events:
    ceremony = state.ceremony
    if state.suspension_reason is not None or state.awaits_links():
        raise r.RoundIsNotDue
    if ceremony is None:
        if not state.releases:
            raise r.RoundIsNotDue
        return _hand_out_or_deal(command, state)
    if ceremony.handed_back is not None:
        return _deal_and_settle(command, state)
    if command.now < ceremony.until:
        raise r.RoundIsNotDue
    handed_back = e.CardsHandedBack(seat=ceremony.seat, by=e.HandedBackBy.TIME, handed_back_at=command.now)
    return (handed_back, *_deal_and_settle(command, state))


def _receive_links(command: c.ReceiveLinks, state: RoundState) -> Events:
    """Take links once: witnesses give the same ones to whoever repeats the request."""
    opened = state.require_opened()
    if state.closing is None or state.releases or not opened.witnesses:
        return ()
    return (LinksReleased(opened.round, command.releases),)


def _look(command: c.LookAtCards, state: RoundState) -> Events:
    """Record the first look, which sets the deadline for handing back; looking again changes nothing."""
    ceremony = _require_cards(command.player, command.now, state)
    if ceremony.looked_at is not None:
        return ()
    seconds = command.rules.ceremony_seconds()
    until = ceremony.until if seconds is None else command.now + timedelta(seconds=seconds.hand_back)
    return (e.CardsLookedAt(seat=ceremony.seat, looked_at=command.now, until=until),)


def _hand_back(command: c.HandBackCards, state: RoundState) -> Events:
    ceremony = _require_cards(command.player, command.now, state)
    return (e.CardsHandedBack(seat=ceremony.seat, by=e.HandedBackBy.PLAYER, handed_back_at=command.now),)


def _require_cards(player: UUID, now: datetime, state: RoundState) -> Ceremony:
    """Return the ceremony if the player has the cards at `now`. Raises NoCeremony, NotYourCards, CardsAreHandedBack."""
    ceremony = state.ceremony
    if ceremony is None or state.phase is not Phase.CLOSED:
        raise r.NoCeremony
    seat = state.seat_of(player)
    if seat is None or seat.seat != ceremony.seat:
        raise r.NotYourCards(seat=ceremony.seat)
    if ceremony.handed_back is not None or now >= ceremony.until or state.suspension_reason is not None:
        raise r.CardsAreHandedBack
    return ceremony


def _deal_and_settle(command: c.DealRound, state: RoundState) -> Events:
    hands = deal(command.cards)
    coup = Coup.of(hands)
    show = command.rules.show_milliseconds.length(
        cards=len(hands.cards), natural=hands.natural, ceremony=state.ceremony is not None
    )
    return (
        *_turn_hands(command, hands),
        e.CardsDealt(shoe_position=command.shoe_position, cards=hands.cards, next_terms=command.next_terms),
        e.RoundSettled(
            outcome=hands.outcome,
            player_total=hands.player_total,
            banker_total=hands.banker_total,
            natural=hands.natural,
            wagers=tuple(_settle_seat(seat, command, coup) for seat in state.confirmed_seats()),
            settled_at=command.now,
            betting_opens_at=max(command.now + show, state.require_opened().opened_at + command.rules.minimum_cycle),
            seed=command.seed,
        ),
    )


def _turn_hands(command: c.DealRound, hands: Deal) -> Events:
    """Turn over the Player's hand, then the Banker's, at a table with a ceremony."""
    if command.rules.ceremony_seconds() is None:
        return ()
    return (
        e.HandTurned(side=e.Side.PLAYER, cards=hands.player[:2]),
        e.HandTurned(side=e.Side.BANKER, cards=hands.banker[:2]),
    )


def _settle_seat(seat: RoundSeat, command: c.DealRound, coup: Coup) -> e.SeatSettled:
    result = settle(command.rules, seat.stakes or {}, coup)
    return e.SeatSettled(
        wager=seat.require_wager(),
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
    c.ReceiveLinks: _receive_links,
    c.LookAtCards: _look,
    c.HandBackCards: _hand_back,
}
