"""The Caller's ceremony: who gets the Player's cards, for how long; it changes no result (rules, section 3)."""

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

import pytest

from baccarat.domain.rounds import betting, dealing, voiding
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds import refusals as r
from baccarat.domain.rounds.events import RoundVoided, VoidReason
from baccarat.domain.rounds.state import Phase, fold_round
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.table_rules import TableRules
from tests.support.examples import (
    ANN,
    BEN,
    BIG,
    CALLED,
    CAT,
    DEADLINE,
    JUST_BEFORE,
    OPENED,
    PLAYER_WINS,
    B,
    P,
    RoundDecision,
    RoundSpec,
    T,
    closed,
    confirmed,
    deal,
    opened,
)
from tests.support.spec import Spec

LATER = OPENED + timedelta(seconds=1)
LOOKED_UNTIL = OPENED + timedelta(seconds=10)
HANDED_OUT = e.CardsHandedOut(seat=1, handed_out_at=OPENED, until=LOOKED_UNTIL)
BETS = (confirmed(1, ANN, {P: 5000, T: 2500}), confirmed(2, BEN, {B: 90_000, P: 2500}))
CLOSED = closed(*BETS, passed=(3,))
TURNED = (
    e.HandTurned(side=e.Side.PLAYER, cards=(Card("4c"), Card("5h"))),
    e.HandTurned(side=e.Side.BANKER, cards=(Card("2d"), Card("5s"))),
)


def look(player: UUID = ANN, at: datetime = LATER, rules: TableRules = CALLED) -> RoundDecision:
    return partial(dealing.look_at_cards, player=player, rules=rules, at=at)


def hand_back(player: UUID = ANN, at: datetime = LATER) -> RoundDecision:
    return partial(dealing.hand_back_cards, player=player, at=at)


def step(at: datetime = OPENED) -> RoundDecision:
    return deal(PLAYER_WINS, rules=CALLED, at=at, seed=None)


def in_betting(*wagers: e.WagerConfirmed) -> RoundSpec:
    return Spec(fold_round).given(opened(ANN, BEN, CAT, rules=CALLED), *wagers)


def handed_out(*more: e.RoundEvent) -> RoundSpec:
    """Return a round in which Ann has the cards, Ben has bet as well, and Cat has passed."""
    bets = (opened(ANN, BEN, CAT, rules=CALLED), *BETS, e.SeatPassed(seat=3))
    return Spec(fold_round).given(*bets, CLOSED, HANDED_OUT, *more)


def test_the_cards_go_to_the_highest_player_wager_and_nothing_is_dealt_yet() -> None:
    spec = Spec(fold_round).given(opened(ANN, BEN, CAT, rules=CALLED), *BETS, e.SeatPassed(seat=3))
    after = spec.when(step()).then(CLOSED, HANDED_OUT)
    assert (after.state().phase, after.state().cards) == (Phase.CLOSED, ())


@pytest.mark.parametrize(
    ("wagers", "seat"),
    [
        ([(2, BEN, 5000, 0), (1, ANN, 5000, 0), (3, CAT, 2500, -1)], 2),
        ([(3, CAT, 5000, 1), (1, ANN, 5000, 0), (2, BEN, 5000, -1)], 3),
        ([(1, ANN, 2500, 0), (2, BEN, 2500, 1), (3, CAT, 10_000, 2)], 3),
    ],
    ids=["the first of equals", "the first in the closing, whenever it was asked for", "the highest, however late"],
)
def test_of_equal_wagers_the_first_in_the_closing_counts(wagers: list[tuple[int, UUID, int, int]], seat: int) -> None:
    bets = [
        confirmed(number, player, {P: stake}, at=OPENED + timedelta(microseconds=micro))
        for number, player, stake, micro in wagers
    ]
    assert in_betting(*bets).when(step(LATER)).events()[-1] == e.CardsHandedOut(
        seat=seat, handed_out_at=LATER, until=LATER + timedelta(seconds=10)
    )


def test_with_no_player_wager_the_caller_turns_both_hands_at_once() -> None:
    bets = confirmed(1, ANN, {B: 5000}), confirmed(2, BEN, {T: 2500})
    betting_closed, *hands, dealt, settled = in_betting(*bets).given(e.SeatPassed(seat=3)).when(step()).events()
    assert (betting_closed, tuple(hands)) == (closed(*bets, passed=(3,)), TURNED)
    assert isinstance(dealt, e.CardsDealt)
    assert isinstance(settled, e.RoundSettled)


def test_a_table_without_a_caller_or_without_time_limits_knows_no_ceremony() -> None:
    for rules in (BIG, replace(CALLED, look_seconds=None, hand_back_seconds=None)):
        spec = Spec(fold_round).given(opened(ANN, rules=rules), confirmed(1, ANN, {P: 5000}))
        kinds = [type(event) for event in spec.when(deal(PLAYER_WINS, rules=rules)).events()]
        assert kinds == [e.BettingClosed, e.CardsDealt, e.RoundSettled]


def test_a_look_is_recorded_once_without_a_card_and_sets_the_time_to_hand_back() -> None:
    looked = e.CardsLookedAt(seat=1, looked_at=LATER, until=LATER + timedelta(seconds=10))
    after = handed_out().when(look()).then(looked)
    assert list(after.when(look(at=LATER + timedelta(seconds=5))).events()) == []
    ceremony = after.state().ceremony
    assert ceremony is not None
    assert (ceremony.looked_at, ceremony.until) == (LATER, LATER + timedelta(seconds=10))


def test_handed_back_the_hands_are_turned_player_first_and_settled() -> None:
    after = (
        handed_out().when(hand_back()).then(e.CardsHandedBack(seat=1, by=e.HandedBackBy.PLAYER, handed_back_at=LATER))
    )
    events = after.when(step(LATER)).events()
    assert tuple(events[:2]) == TURNED
    assert [type(event) for event in events[2:]] == [e.CardsDealt, e.RoundSettled]


def test_it_changes_no_result() -> None:
    bets = (confirmed(1, ANN, {P: 5000, T: 2500}), confirmed(2, BEN, {B: 90_000}), e.SeatPassed(seat=3))
    plain = Spec(fold_round).given(opened(ANN, BEN, CAT, rules=BIG), *bets)
    at_once = plain.when(deal(PLAYER_WINS, rules=BIG, seed=None, at=LATER)).events()[-2:]
    called = in_betting(*bets).given(CLOSED, HANDED_OUT)
    back = called.when(hand_back()).events()
    assert list(called.given(*back).when(step(LATER)).events()[-2:]) == list(at_once)


def test_an_absent_player_holds_nothing_up() -> None:
    spec = handed_out()
    spec.when(step(LOOKED_UNTIL - timedelta(microseconds=1))).refused(r.RoundIsNotDue)
    events = spec.when(step(LOOKED_UNTIL)).events()
    assert events[0] == e.CardsHandedBack(seat=1, by=e.HandedBackBy.TIME, handed_back_at=LOOKED_UNTIL)
    assert isinstance(events[-1], e.RoundSettled)
    assert spec.given(*events).state().phase is Phase.SETTLED


def test_one_who_looked_has_time_to_hand_back_and_no_longer() -> None:
    looked = e.CardsLookedAt(seat=1, looked_at=LATER, until=LATER + timedelta(seconds=10))
    spec = handed_out(looked)
    spec.when(step(LOOKED_UNTIL)).refused(r.RoundIsNotDue)
    spec.when(look(at=looked.until)).refused(r.CardsAreHandedBack)
    spec.when(hand_back(at=looked.until)).refused(r.CardsAreHandedBack)
    assert isinstance(spec.when(step(looked.until)).events()[-1], e.RoundSettled)


@pytest.mark.parametrize("command", [look, hand_back])
def test_nobody_else_and_at_no_other_time(command: type) -> None:
    handed_out().when(command(BEN)).refused(r.NotYourCards, seat=1)
    handed_out().when(command(CAT)).refused(r.NotYourCards)
    handed_out().when(command(UUID(int=99))).refused(r.NotYourCards)
    in_betting(confirmed(1, ANN, {P: 5000})).when(command(ANN)).refused(r.NoCeremony)
    Spec(fold_round).when(command(ANN)).refused(r.NoCeremony)
    back = e.CardsHandedBack(seat=1, by=e.HandedBackBy.PLAYER, handed_back_at=LATER)
    handed_out(back).when(command(ANN)).refused(r.CardsAreHandedBack)
    settled = handed_out(back).when(step(LATER)).events()
    handed_out(back, *settled).when(command(ANN)).refused(r.NoCeremony)


def test_no_bet_is_taken_and_no_wager_leaves_while_the_cards_are_out() -> None:
    spec = handed_out()
    spec.when(betting.pass_turn, player=CAT, at=JUST_BEFORE).refused(r.BettingIsClosed)
    spec.when(betting.leave_round, player=ANN).refused(r.WagerInPlay)
    assert list(spec.when(betting.leave_round, player=CAT).events()) == []


def test_a_round_set_aside_with_its_cards_out_waits_for_a_person() -> None:
    aside = e.RoundSuspended(reason="SeedUnavailable", suspended_at=LATER)
    spec = handed_out(aside)
    spec.when(step(DEADLINE)).refused(r.RoundIsNotDue)
    spec.when(look()).refused(r.CardsAreHandedBack)
    resumed = spec.given(e.RoundResumed(by="staff:1", resumed_at=LATER))
    assert isinstance(resumed.when(step(LOOKED_UNTIL)).events()[-1], e.RoundSettled)


def void(*, approved_by: str | None = None) -> RoundDecision:
    return partial(
        voiding.void_round,
        by="staff:1",
        reason=VoidReason.OTHER,
        note="x",
        seed=None,
        at=LATER,
        burn=6,
        approved_by=approved_by,
    )


def test_a_void_burns_cards_only_if_the_player_has_seen_two_of_them_and_then_needs_two_persons() -> None:
    (event,) = handed_out().when(void()).events()
    assert isinstance(event, RoundVoided)
    assert (event.burned_count, event.was_settled, event.approved_by, len(event.seats)) == (0, False, None, 2)
    looked = handed_out(e.CardsLookedAt(seat=1, looked_at=LATER, until=LATER + timedelta(seconds=10)))
    looked.when(void()).refused(r.VoidNeedsSecondPerson)
    (event,) = looked.when(void(approved_by="staff:2")).events()
    assert isinstance(event, RoundVoided)
    assert (event.burned_count, event.was_settled, event.approved_by, len(event.seats)) == (6, False, "staff:2", 2)
