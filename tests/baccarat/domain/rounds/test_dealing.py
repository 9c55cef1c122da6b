"""When a round is dealt, what follows, and how it ends otherwise."""

from dataclasses import replace
from functools import partial

import pytest

from baccarat.domain.rounds import betting, voiding
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds import refusals as r
from baccarat.domain.rounds.dealing import NO_WAGERS
from baccarat.domain.rounds.state import Phase, fold_round
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import NotEnoughCards, Outcome
from baccarat.domain.rules.payouts import SpotResult, StakeResult
from casino.kernel.money import MoneyType
from casino.witness.statements import ClosingKind
from tests.support.examples import (
    A_TIE,
    ANN,
    BANKER_WINS,
    BEN,
    BIG,
    CAT,
    DEADLINE,
    JUST_BEFORE,
    MINI,
    OPENED,
    B,
    P,
    RoundSpec,
    T,
    closed,
    closing,
    confirmed,
    deal,
    opened,
    placed,
)
from tests.support.spec import Spec

ANN_BET = confirmed(1, ANN, {P: 1000})
ASIDE = e.RoundSuspended(reason="SeedUnavailable", suspended_at=OPENED)


def settled(spec: RoundSpec) -> e.RoundSettled:
    last = spec.events()[-1]
    assert isinstance(last, e.RoundSettled)
    return last


def test_a_round_waits_for_every_seat_that_may_still_act() -> None:
    Spec(fold_round).given(opened(ANN, BEN), ANN_BET).when(deal(at=JUST_BEFORE)).refused(r.RoundIsNotDue)


def test_a_table_without_a_turn_waits_for_its_player_for_ever() -> None:
    Spec(fold_round).given(opened(ANN, rules=MINI), placed(P, 1000)).when(deal(rules=MINI, at=DEADLINE)).refused(
        r.RoundIsNotDue
    )


def test_a_round_is_dealt_as_soon_as_all_have_acted() -> None:
    spec = Spec(fold_round).given(opened(ANN, BEN, CAT), ANN_BET, e.SeatPassed(seat=2), e.SeatLeftRound(seat=3))

    spec.when(deal()).then(
        closed(ANN_BET, passed=(2,)),
        e.CardsDealt(shoe_position=0, cards=tuple(map(Card, ("4c", "2d", "5h", "5s"))), next_terms=None),
        e.RoundSettled(
            outcome=Outcome.PLAYER,
            player_total=9,
            banker_total=7,
            natural=True,
            wagers=(
                e.SeatSettled(
                    wager=ANN_BET.wager,
                    seat=1,
                    player=ANN,
                    money_type=MoneyType.REAL,
                    results=(SpotResult(P, 1000, StakeResult.WIN, 1000, 0, 2000),),
                    staked=1000,
                    won=1000,
                    commission=0,
                    deferred=False,
                    returned=2000,
                ),
            ),
            settled_at=OPENED,
            betting_opens_at=OPENED,
            seed="5e" * 32,
        ),
    )


def test_at_the_deadline_the_silent_are_left_out_and_the_others_dealt() -> None:
    spec = Spec(fold_round).given(opened(ANN, BEN, CAT), ANN_BET, placed(B, 500, seat=2)).when(deal(at=DEADLINE))

    events = spec.events()

    assert events[:3] == (
        e.SeatTimedOut(seat=2),
        e.SeatTimedOut(seat=3),
        closed(ANN_BET, timed_out=(2, 3), at=DEADLINE),
    )
    assert [wager.player for wager in settled(spec).wagers] == [ANN]
    assert fold_round((opened(ANN, BEN, CAT), ANN_BET, placed(B, 500, seat=2), *events)).seats[1].placed_stakes() == {}


@pytest.mark.parametrize(
    "before", [(), (e.SeatPassed(seat=1),), (e.SeatLeftRound(seat=1),)], ids=["silent", "passed", "withdrawn"]
)
def test_a_round_without_a_wager_lapses_and_no_card_is_dealt(before: tuple[e.RoundEvent, ...]) -> None:
    late = () if before else (e.SeatTimedOut(seat=1),)
    passed = (1,) if e.SeatPassed(seat=1) in before else ()
    pinned = closing(ClosingKind.LAPSED, passed=passed, timed_out=(1,) if late else (), at=DEADLINE)

    Spec(fold_round).given(opened(ANN), *before).when(deal(at=DEADLINE)).then(
        *late, e.RoundLapsed(reason=NO_WAGERS, lapsed_at=DEADLINE, seed="5e" * 32, closing=pinned)
    )


def test_a_round_ends_once() -> None:
    ended = Spec(fold_round).given(opened(ANN), ANN_BET)
    ended = ended.given(*ended.when(deal()).events())

    assert ended.state().phase is Phase.SETTLED
    ended.when(deal()).refused(r.RoundIsNotDue)
    Spec(fold_round).when(deal()).refused(r.RoundIsNotDue)
    lapsed = e.RoundLapsed(reason=NO_WAGERS, lapsed_at=OPENED, seed=None, closing=None)
    Spec(fold_round).given(opened(ANN), lapsed).when(deal(at=DEADLINE)).refused(r.RoundIsNotDue)


def test_each_wager_is_settled_in_its_own_money_type() -> None:
    both = e.RoundOpened(
        **{field: getattr(opened(), field) for field in e.RoundOpened.__dataclass_fields__ if field != "seats"},
        seats=(e.SeatInRound(1, ANN, MoneyType.REAL), e.SeatInRound(2, BEN, MoneyType.PLAY)),
    )
    played = replace(confirmed(2, BEN, {T: 500}), money_type=MoneyType.PLAY)

    wagers = settled(Spec(fold_round).given(both, ANN_BET, played).when(deal(A_TIE))).wagers

    assert [(wager.money_type, wager.returned) for wager in wagers] == [(MoneyType.REAL, 1000), (MoneyType.PLAY, 4500)]


def test_deferred_commission_is_named_and_not_yet_taken() -> None:
    wager = confirmed(1, ANN, {B: 10_000})

    (result,) = settled(
        Spec(fold_round).given(opened(ANN, rules=BIG), wager).when(deal(BANKER_WINS, rules=BIG, seed=None))
    ).wagers

    assert (result.won, result.commission, result.deferred, result.returned) == (10_000, 500, True, 19_500)


def test_the_cards_place_in_the_shoe_is_kept() -> None:
    events = Spec(fold_round).given(opened(ANN), ANN_BET).when(deal(shoe_position=97)).events()

    assert next(event for event in events if isinstance(event, e.CardsDealt)).shoe_position == 97


def test_too_few_cards_are_a_fault_and_no_result() -> None:
    with pytest.raises(NotEnoughCards):
        Spec(fold_round).given(opened(ANN), ANN_BET).when(deal(A_TIE[:3])).events()


def test_withdrawing_gives_chips_back_but_never_a_confirmed_wager() -> None:
    leave = partial(betting.leave_round, player=ANN)

    Spec(fold_round).given(opened(ANN), placed(P, 500)).when(leave).then(e.SeatLeftRound(seat=1)).when(leave).then()
    Spec(fold_round).given(opened(ANN), ANN_BET).when(leave).refused(r.WagerInPlay, deadline_at=DEADLINE)


@pytest.mark.parametrize("already", [e.SeatPassed(seat=1), e.SeatTimedOut(seat=1)], ids=["passed", "timed out"])
def test_withdrawing_from_a_round_one_is_not_in_says_nothing(already: e.RoundEvent) -> None:
    leave = partial(betting.leave_round, player=ANN)

    Spec(fold_round).when(leave).then()
    Spec(fold_round).given(opened(ANN, BEN), already).when(leave).then()
    Spec(fold_round).given(opened(BEN)).when(leave).then()
    Spec(fold_round).given(opened(ANN), e.RoundLapsed(reason="", lapsed_at=OPENED, seed=None, closing=None)).when(
        leave
    ).then()


def test_a_round_set_aside_is_neither_dealt_nor_bet_on_until_a_person_resumes_it() -> None:
    aside = (
        Spec(fold_round)
        .given(opened(ANN), ANN_BET)
        .when(voiding.suspend_round, reason="SeedUnavailable", at=OPENED)
        .then(ASIDE)
    )

    aside.when(voiding.suspend_round, reason="again", at=OPENED).then()
    aside.when(deal(at=DEADLINE)).refused(r.RoundIsNotDue)
    resumed = aside.when(voiding.resume_round, by="staff", at=OPENED).then(
        e.RoundResumed(by="staff", resumed_at=OPENED)
    )
    assert len(resumed.when(deal(at=DEADLINE)).events()) == 3
    resumed.when(voiding.resume_round, by="staff", at=OPENED).refused(r.RoundNotSuspended)


def test_a_round_set_aside_in_which_nobody_has_a_wager_may_lapse() -> None:
    Spec(fold_round).given(opened(ANN), ASIDE).when(deal(at=DEADLINE)).refused(r.RoundIsNotDue)
    events = Spec(fold_round).given(opened(ANN), e.SeatPassed(seat=1), ASIDE).when(deal(at=DEADLINE)).events()

    assert [type(event) for event in events] == [e.RoundLapsed]


def test_only_a_running_round_is_set_aside() -> None:
    aside = partial(voiding.suspend_round, reason="SeedUnavailable", at=OPENED)

    Spec(fold_round).when(aside).then()
    Spec(fold_round).given(opened(ANN), e.RoundLapsed(reason="", lapsed_at=OPENED, seed=None, closing=None)).when(
        aside
    ).then()
