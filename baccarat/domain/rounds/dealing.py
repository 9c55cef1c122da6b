"""From the close of betting to the settlement, including the Caller's ceremony at tables that have one. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final
from uuid import UUID

from baccarat.domain.fairness.closing import Closing, SeatClosing, SeatEnd, close
from baccarat.domain.fairness.links import LinksReleased, LogHead, SignedRelease
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds import refusals as r
from baccarat.domain.rounds.signed_wager import leaf_of_wager
from baccarat.domain.rounds.state import Ceremony, Phase, RoundSeat, RoundState, SeatStatus
from baccarat.domain.rules.cards import Card
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


@dataclass(frozen=True, slots=True)
class ClosingInputs:
    """What a closing digest holds beside its round: 32 random bytes, the digests of the log's last sealed event and of
    the table's closing before, in hex, and the log as witnesses have cosigned it.
    """

    blind: bytes = field(repr=False)
    sealed_head: str
    before: str
    cosigned: LogHead | None = None


def card_holder(state: RoundState) -> RoundSeat | None:
    """Return the seat that gets the Player's cards: the highest confirmed Player wager, the earliest of equals.

    The order is the closing's, by place: a wager that an operator's wallet pays is confirmed after it was asked for.
    None if nobody has bet on Player.
    """
    seats = [seat for seat in state.confirmed_seats() if (seat.stakes or {}).get("player")]
    return min(seats, key=_rank, default=None)


def _rank(seat: RoundSeat) -> tuple[int, int | None]:
    return -(seat.stakes or {})["player"], seat.place


def deal_round(
    state: RoundState,
    *,
    cards: Sequence[Card],
    shoe_position: int,
    seed: str | None,
    rules: TableRules,
    at: datetime,
    closing: ClosingInputs,
    next_terms: e.NextTerms | None = None,
) -> Events:
    """Close betting and deal, or hand the Player's cards out first; deal when they are back or their time is over.

    At a table with witnesses, the first call only closes betting: cards are known once the links are given out.
    `cards` are the next of the shoe, from `shoe_position` on, and `seed` is the shoe's in hex if it is revealed with
    this round. `next_terms` are fixed once cards are dealt.
    """
    deal_now = partial(
        _deal_and_settle, state, cards, shoe_position, seed=seed, rules=rules, next_terms=next_terms, at=at
    )
    if state.phase is Phase.CLOSED:
        return _deal_after_closing(state, deal_now, rules, at)
    if state.phase is not Phase.BETTING or (state.suspension_reason is not None and not state.is_empty()):
        raise r.RoundIsNotDue
    deadline = state.require_opened().deadline_at
    if not state.all_have_acted() and (deadline is None or at < deadline):
        raise r.RoundIsNotDue
    timed_out = [e.SeatTimedOut(seat=seat.seat) for seat in state.seats if seat.status is SeatStatus.DECIDING]
    if not state.confirmed_seats():
        lapse = close_round(closing, state, ClosingKind.LAPSED, rules, at=at)
        return (*timed_out, e.RoundLapsed(reason=NO_WAGERS, lapsed_at=at, seed=seed, closing=lapse))
    played = close_round(closing, state, ClosingKind.PLAYED, rules, at=at)
    closed: Events = (*timed_out, e.BettingClosed(closed_at=at, closing=played))
    if state.require_opened().witnesses:
        return closed
    return (*closed, *_hand_out_or_deal(state, deal_now, rules, at))


def _hand_out_or_deal(state: RoundState, deal_now: Callable[[], Events], rules: TableRules, at: datetime) -> Events:
    seconds, seat = rules.ceremony_seconds(), card_holder(state)
    if seconds is None or seat is None:
        return deal_now()
    until = at + timedelta(seconds=seconds.look)
    return (e.CardsHandedOut(seat=seat.seat, handed_out_at=at, until=until),)


def close_round(
    inputs: ClosingInputs, state: RoundState, kind: ClosingKind, rules: TableRules, *, at: datetime, cause: int = 0
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
        closed_at_us=(at - _EPOCH) // timedelta(microseconds=1),
        sealed_head=inputs.sealed_head,
        before=inputs.before,
        cosigned=inputs.cosigned,
    )


def _deal_after_closing(state: RoundState, deal_now: Callable[[], Events], rules: TableRules, at: datetime) -> Events:
    ceremony = state.ceremony
    if state.suspension_reason is not None or state.awaits_links():
        raise r.RoundIsNotDue
    if ceremony is None:
        if not state.releases:
            raise r.RoundIsNotDue
        return _hand_out_or_deal(state, deal_now, rules, at)
    if ceremony.handed_back is not None:
        return deal_now()
    if at < ceremony.until:
        raise r.RoundIsNotDue
    handed_back = e.CardsHandedBack(seat=ceremony.seat, by=e.HandedBackBy.TIME, handed_back_at=at)
    return (handed_back, *deal_now())


def receive_links(state: RoundState, *, releases: tuple[SignedRelease, ...]) -> Events:
    """Take over what the witnesses gave out for the round's closing. The `releases` were verified.

    Once: witnesses give the same ones to whoever repeats the request.
    """
    opened = state.require_opened()
    if state.closing is None or state.releases or not opened.witnesses:
        return ()
    return (LinksReleased(opened.round, releases),)


def look_at_cards(state: RoundState, *, player: UUID, rules: TableRules, at: datetime) -> Events:
    """Look at the Player's cards, which lie face down at the player's seat.

    Record the first look, which sets the deadline for handing back; looking again changes nothing.
    """
    ceremony = _require_cards(state, player, at)
    if ceremony.looked_at is not None:
        return ()
    seconds = rules.ceremony_seconds()
    until = ceremony.until if seconds is None else at + timedelta(seconds=seconds.hand_back)
    return (e.CardsLookedAt(seat=ceremony.seat, looked_at=at, until=until),)


def hand_back_cards(state: RoundState, *, player: UUID, at: datetime) -> Events:
    ceremony = _require_cards(state, player, at)
    return (e.CardsHandedBack(seat=ceremony.seat, by=e.HandedBackBy.PLAYER, handed_back_at=at),)


def _require_cards(state: RoundState, player: UUID, at: datetime) -> Ceremony:
    """Return the ceremony if the player has the cards. Raises NoCeremony, NotYourCards, CardsAreHandedBack."""
    ceremony = state.ceremony
    if ceremony is None or state.phase is not Phase.CLOSED:
        raise r.NoCeremony
    seat = state.seat_of(player)
    if seat is None or seat.seat != ceremony.seat:
        raise r.NotYourCards(seat=ceremony.seat)
    if ceremony.handed_back is not None or at >= ceremony.until or state.suspension_reason is not None:
        raise r.CardsAreHandedBack
    return ceremony


def _deal_and_settle(
    state: RoundState,
    cards: Sequence[Card],
    shoe_position: int,
    *,
    seed: str | None,
    rules: TableRules,
    next_terms: e.NextTerms | None,
    at: datetime,
) -> Events:
    hands = deal(cards)
    coup = Coup.of(hands)
    show = rules.show_milliseconds.length(
        cards=len(hands.cards), natural=hands.natural, ceremony=state.ceremony is not None
    )
    return (
        *_turn_hands(rules, hands),
        e.CardsDealt(shoe_position=shoe_position, cards=hands.cards, next_terms=next_terms),
        e.RoundSettled(
            outcome=hands.outcome,
            player_total=hands.player_total,
            banker_total=hands.banker_total,
            natural=hands.natural,
            wagers=tuple(_settle_seat(seat, rules, coup) for seat in state.confirmed_seats()),
            settled_at=at,
            betting_opens_at=max(at + show, state.require_opened().opened_at + rules.minimum_cycle),
            seed=seed,
        ),
    )


def _turn_hands(rules: TableRules, hands: Deal) -> Events:
    """Turn over the Player's hand, then the Banker's, at a table with a ceremony."""
    if rules.ceremony_seconds() is None:
        return ()
    return (
        e.HandTurned(side=e.Side.PLAYER, cards=hands.player[:2]),
        e.HandTurned(side=e.Side.BANKER, cards=hands.banker[:2]),
    )


def _settle_seat(seat: RoundSeat, rules: TableRules, coup: Coup) -> e.SeatSettled:
    result = settle(rules, seat.stakes or {}, coup)
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
