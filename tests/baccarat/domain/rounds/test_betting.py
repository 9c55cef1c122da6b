"""What a player may do in a turn, and every reason why not."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from uuid import UUID

import pytest

from baccarat.domain.rounds import betting
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds import refusals as r
from baccarat.domain.rounds.state import fold_round
from baccarat.domain.rules.spots import read_spots
from baccarat.domain.rules.table_rules import SpotsPerRound, TableRules
from baccarat.domain.rules.wagers import AmountNotInChips
from tests.support.examples import (
    AC,
    ANN,
    BEN,
    BIG,
    CAT,
    CLASSIC,
    DEADLINE,
    JUST_BEFORE,
    MINI,
    OPENED,
    OVERVIEW,
    RICH,
    B,
    P,
    RoundDecision,
    RoundSpec,
    T,
    closed,
    confirm,
    confirmed,
    deal,
    opened,
    place,
    placed,
    rebet,
)
from tests.support.spec import Spec
from wallet.ledger.refusals import InsufficientFunds
from wallet.responsible_gaming.allowance import Allowance

A_TURN: dict[str, Callable[[datetime, UUID], RoundDecision]] = {
    "place": lambda at, by: place(P, 500, at=at, by=by),
    "undo": lambda at, by: partial(betting.undo_placement, player=by, at=at),
    "clear": lambda at, by: partial(betting.clear_chips, player=by, at=at),
    "rebet": lambda at, by: rebet({P: 500}, at=at, by=by),
    "double": lambda at, by: partial(betting.double_stakes, player=by, allowance=Allowance(RICH), rules=AC, at=at),
    "deal": lambda at, by: confirm(at=at, by=by),
    "pass": lambda at, by: partial(betting.pass_turn, player=by, at=at),
}
every_command = pytest.mark.parametrize("command", A_TURN.values(), ids=A_TURN)


def ann_and_ben(*more: e.RoundEvent) -> RoundSpec:
    return Spec(fold_round).given(opened(ANN, BEN), *more)


def test_a_round_opens_once() -> None:
    event = opened(ANN)

    Spec(fold_round).when(betting.open_round, event).then(event).when(betting.open_round, event).refused(r.RoundIsOpen)


@every_command
def test_nobody_acts_before_a_round_is_open(command: Callable[[datetime, UUID], RoundDecision]) -> None:
    Spec(fold_round).when(command(OPENED, ANN)).refused(r.NoOpenRound)


@every_command
def test_betting_closes_exactly_at_the_deadline(command: Callable[[datetime, UUID], RoundDecision]) -> None:
    ann_and_ben(placed(P, 500)).when(command(DEADLINE, ANN)).refused(r.BettingIsClosed, deadline_at=DEADLINE)


def test_a_moment_before_the_deadline_is_in_time() -> None:
    ann_and_ben().when(place(P, 500, at=JUST_BEFORE)).then(placed(P, 500)).when(confirm(at=JUST_BEFORE)).then(
        confirmed(1, ANN, {P: 500}, at=JUST_BEFORE)
    )


@every_command
def test_a_table_without_a_turn_never_closes_by_the_clock(command: Callable[[datetime, UUID], RoundDecision]) -> None:
    a_year_on = OPENED.replace(year=2027)
    spec = Spec(fold_round).given(opened(ANN, rules=MINI))
    if command is A_TURN["rebet"]:
        spec.when(command(a_year_on, ANN)).then(e.StakesRebet(seat=1, stakes={P: 500}))
        return

    assert spec.given(placed(P, 500)).when(command(a_year_on, ANN)).events()


@every_command
def test_one_who_sat_down_while_the_round_ran_waits(command: Callable[[datetime, UUID], RoundDecision]) -> None:
    ann_and_ben().when(command(OPENED, CAT)).refused(r.NotYourTurn)


@every_command
@pytest.mark.parametrize("over", [e.SeatPassed(seat=1), e.SeatLeftRound(seat=1)], ids=["passed", "left or moved"])
def test_a_seat_that_is_out_has_no_turn(command: Callable[[datetime, UUID], RoundDecision], over: e.RoundEvent) -> None:
    ann_and_ben(placed(P, 500), over).when(command(OPENED, ANN)).refused(r.NotYourTurn)


@every_command
def test_a_confirmed_wager_is_final(command: Callable[[datetime, UUID], RoundDecision]) -> None:
    ann_and_ben(placed(P, 500), confirmed(1, ANN, {P: 500})).when(command(OPENED, ANN)).refused(r.AlreadyConfirmed)


@every_command
@pytest.mark.parametrize("standing", ["timed out", "settled", "lapsed", "set aside", "closed"])
def test_nobody_acts_when_betting_is_over(command: Callable[[datetime, UUID], RoundDecision], standing: str) -> None:
    late, ended = e.SeatTimedOut(seat=2), closed(at=DEADLINE)
    ways: dict[str, tuple[e.RoundEvent, ...]] = {
        "closed": (ended,),
        "timed out": (late, ended),
        "settled": tuple(Spec(fold_round).given(opened(ANN), confirmed(1, ANN, {P: 500})).when(deal()).events()),
        "lapsed": (e.RoundLapsed(reason="no_wagers", lapsed_at=DEADLINE, seed=None, closing=None),),
        "set aside": (e.RoundSuspended(reason="SeedUnavailable", suspended_at=OPENED),),
    }

    ann_and_ben(*ways[standing]).when(command(OPENED, BEN)).refused(r.BettingIsClosed)


@pytest.mark.parametrize("amount", [0, -500, 1, 50, 150, 99])
def test_a_stake_is_what_the_chips_can_make_up(amount: int) -> None:
    ann_and_ben().when(place(P, amount)).refused(
        AmountNotInChips, chips=["1.00", "5.00", "25.00", "100.00", "500.00"], currency="EUR"
    )


def test_the_lowest_chip_decides_what_is_makeable() -> None:
    spec = Spec(fold_round).given(opened(ANN, rules=BIG))

    spec.when(place(P, 3000, rules=BIG)).refused(AmountNotInChips)
    spec.when(place(P, 7500, rules=BIG)).then(placed(P, 7500))


@pytest.mark.parametrize("amount", [100, 300])
def test_chips_under_the_minimum_may_lie_on_the_table_until_they_are_confirmed(amount: int) -> None:
    ann_and_ben().when(place(T, amount)).then(placed(T, amount))


def test_the_maximum_is_allowed_and_one_chip_more_is_not() -> None:
    ann_and_ben().when(place(B, 30_000)).then(placed(B, 30_000))
    ann_and_ben().when(place(B, 30_100)).refused(r.OverMaximum, maximum="300.00", currency="EUR", spots=[B])


def test_placements_on_one_spot_add_up_to_the_maximum_at_most() -> None:
    twice = ann_and_ben(placed(B, 20_000), placed(B, 5_000))

    twice.when(place(B, 5_000)).then(placed(B, 5_000))
    twice.when(place(B, 5_100)).refused(r.OverMaximum, spots=[B])


def test_the_maximum_holds_for_each_spot_alone() -> None:
    ann_and_ben(placed(B, 30_000)).when(place(P, 30_000)).then(placed(P, 30_000))


@pytest.mark.parametrize("rules", [AC, OVERVIEW, MINI, BIG], ids=lambda rules: rules.preset)
def test_any_combination_of_spots_where_the_preset_says_so(rules: TableRules) -> None:
    Spec(fold_round).given(opened(ANN, rules=rules), placed(P, 5000), placed(B, 5000)).when(
        place(T, 5000, rules=rules)
    ).then(placed(T, 5000))


def test_classic_takes_one_spot_in_a_round() -> None:
    spec = Spec(fold_round).given(opened(ANN, rules=CLASSIC), placed(P, 500))

    spec.when(place(B, 500, rules=CLASSIC)).refused(r.OneSpotOnly)
    spec.when(place(P, 500, rules=CLASSIC)).then(placed(P, 500))
    spec.given(e.ChipsCleared(seat=1)).when(place(B, 500, rules=CLASSIC)).then(placed(B, 500))


def test_chips_on_the_table_need_the_balance_for_all_of_them() -> None:
    spec = ann_and_ben(placed(P, 1000), placed(T, 500))

    spec.when(place(P, 500, available=2000)).then(placed(P, 500))
    refusal = spec.when(place(P, 500, available=1999)).refused(
        InsufficientFunds, balance="19.99", needed="20.00", account="game"
    )
    assert refusal.account.player == ANN


def test_undo_takes_back_the_last_placement_and_only_that() -> None:
    undo = partial(betting.undo_placement, player=ANN, at=OPENED)

    spec = ann_and_ben(placed(P, 500), placed(B, 1000)).when(undo).then(e.PlacementUndone(seat=1))
    assert fold_round((opened(ANN, BEN), placed(P, 500), placed(B, 1000), e.PlacementUndone(seat=1))).seats[
        0
    ].placed_stakes() == {P: 500}
    spec.when(undo).then(e.PlacementUndone(seat=1)).when(undo).refused(r.NoChipsPlaced)


def test_undo_takes_back_a_whole_rebet() -> None:
    repeated = e.StakesRebet(seat=1, stakes={P: 500, T: 500})

    state = fold_round((opened(ANN), repeated, e.PlacementUndone(seat=1)))

    assert state.seats[0].placed_stakes() == {}


def test_clear_takes_all_chips_back_and_says_nothing_when_there_are_none() -> None:
    clear = partial(betting.clear_chips, player=ANN, at=OPENED)

    ann_and_ben(placed(P, 500), placed(B, 500)).when(clear).then(e.ChipsCleared(seat=1)).when(clear).then()


def test_rebet_places_the_last_wager_again() -> None:
    ann_and_ben().when(rebet({P: 1000, T: 500})).then(e.StakesRebet(seat=1, stakes={P: 1000, T: 500})).when(
        confirm()
    ).then(confirmed(1, ANN, {P: 1000, T: 500}))


def test_rebet_needs_an_earlier_wager_and_a_cleared_table() -> None:
    ann_and_ben().when(rebet({})).refused(r.NothingToRepeat)
    ann_and_ben(placed(P, 500)).when(rebet({P: 500})).refused(r.ChipsAlreadyPlaced)


def test_double_places_every_stake_once_more_or_none_and_one_undo_takes_all_of_it_back() -> None:
    double = partial(betting.double_stakes, player=ANN, allowance=Allowance(RICH), rules=AC, at=OPENED)
    lying = (placed(P, 500), placed(T, 1000))

    doubled = ann_and_ben(*lying).when(double).then(e.StakesRebet(seat=1, stakes={P: 500, T: 1000}))
    undo = partial(betting.undo_placement, player=ANN, at=OPENED)
    doubled.when(undo).then(e.PlacementUndone(seat=1)).when(confirm()).then(confirmed(1, ANN, {P: 500, T: 1000}))
    ann_and_ben().when(double).refused(r.NoChipsPlaced)
    ann_and_ben(*lying).when(double, allowance=Allowance(2999)).refused(InsufficientFunds)
    ann_and_ben(*lying).when(double, rules=replace(AC, maximum=1999)).refused(r.OverMaximum, spots=[T])


def test_rebet_is_held_to_the_balance_and_the_limits_of_now() -> None:
    tighter = replace(AC, maximum=2000)

    ann_and_ben().when(rebet({P: 1000, T: 500}, available=1499)).refused(InsufficientFunds)
    ann_and_ben().when(rebet({P: 2500}, rules=tighter)).refused(r.OverMaximum, spots=[P])


def test_deal_confirms_what_lies_on_the_table_and_needs_something_there() -> None:
    ann_and_ben().when(confirm()).refused(r.NoChipsPlaced)
    ann_and_ben(placed(T, 500), placed(P, 1000), placed(T, 700)).when(confirm()).then(
        confirmed(1, ANN, {P: 1000, T: 1200})
    )


def test_stakes_given_with_the_deal_are_one_event_and_replace_the_chips_on_the_table() -> None:
    ann_and_ben().when(confirm({T: 500, P: 1000})).then(confirmed(1, ANN, {P: 1000, T: 500}))
    ann_and_ben(placed(B, 700)).when(confirm({P: 300})).then(
        e.ChipsCleared(seat=1), confirmed(1, ANN, {P: 500}, raised={P: 200})
    )


def test_stakes_given_with_the_deal_are_held_to_the_rules_of_chips() -> None:
    ann_and_ben().when(confirm({P: 1})).refused(AmountNotInChips)
    ann_and_ben().when(confirm({P: 0, T: 500})).refused(AmountNotInChips)
    ann_and_ben().when(confirm({P: AC.maximum + 100})).refused(r.OverMaximum, spots=[P])
    ann_and_ben().when(confirm({P: 1000}, available=999)).refused(InsufficientFunds)
    one_spot = replace(AC, spots_per_round=SpotsPerRound.ONE)
    ann_and_ben().when(confirm({P: 1000, T: 500}, rules=one_spot)).refused(r.OneSpotOnly)


@pytest.mark.parametrize("rules", [OVERVIEW, MINI, CLASSIC], ids=lambda rules: rules.preset)
def test_a_stake_under_the_minimum_is_rejected_where_the_preset_rejects(rules: TableRules) -> None:
    Spec(fold_round).given(opened(ANN, rules=rules), placed(T, 400)).when(confirm(rules=rules)).refused(
        r.UnderMinimum, minimum="5.00", currency="EUR", spots=[T]
    )


def test_the_rejection_names_every_spot_under_the_minimum_and_no_other() -> None:
    Spec(fold_round).given(opened(ANN, rules=MINI), placed(T, 400), placed(P, 100), placed(B, 500)).when(
        confirm(rules=MINI)
    ).refused(r.UnderMinimum, spots=[P, T])


def test_raising_to_the_minimum_is_shown_and_touches_only_what_is_under_it() -> None:
    ann_and_ben(placed(P, 300), placed(B, 500), placed(T, 100)).when(confirm()).then(
        confirmed(1, ANN, {P: 500, B: 500, T: 500}, raised={P: 200, T: 400})
    )


def test_raising_needs_the_balance_for_the_raised_stake() -> None:
    spec = ann_and_ben(placed(P, 300))

    spec.when(confirm(available=500)).then(confirmed(1, ANN, {P: 500}, raised={P: 200}))
    spec.when(confirm(available=499)).refused(InsufficientFunds, balance="4.99", needed="5.00")


def test_confirming_needs_the_balance_even_if_it_was_there_when_the_chips_were_placed() -> None:
    ann_and_ben(placed(P, 1000)).when(confirm(available=999)).refused(InsufficientFunds)


def test_passing_gives_back_unconfirmed_chips() -> None:
    ann_and_ben(placed(P, 1000)).when(betting.pass_turn, player=ANN, at=OPENED).then(e.SeatPassed(seat=1))

    assert fold_round((opened(ANN), placed(P, 1000), e.SeatPassed(seat=1))).seats[0].placed_stakes() == {}


def test_one_seat_says_nothing_about_another() -> None:
    state = fold_round((opened(ANN, BEN), placed(P, 1000), placed("banker", 500, seat=2), e.SeatPassed(seat=1)))

    assert [seat.placed_stakes() for seat in state.seats] == [{}, {B: 500}]
    assert not state.all_have_acted()


SIDES = replace(
    AC,
    spots=(
        *AC.spots,
        *read_spots(
            [
                {
                    "name": "lucky_nine",
                    "kind": "side",
                    "lines": [{"when": {"winner": "player", "player_cards": 3, "player_points": 9}, "pays": "20:1"}],
                    "minimum": "100",
                    "maximum": "2500",
                    "needs": ["player", "banker"],
                }
            ],
            int,
        ),
    ),
)
"""Atlantic City, where stakes are raised to the minimum of 5.00, with a side bet of 1.00 to 25.00."""


@pytest.mark.parametrize("command", [place, rebet, confirm])
def test_a_spot_that_the_layout_lacks_is_named_with_those_that_it_has(command: Callable[..., RoundDecision]) -> None:
    asked = place("dragon", 500) if command is place else command({"dragon": 500, P: 500})
    ann_and_ben().when(asked).refused(r.UnknownSpot, unknown=["dragon"], spots=[P, B, T])


def test_a_side_bet_is_taken_beside_a_spot_that_it_needs_and_never_alone() -> None:
    needs = {"spot": "lucky_nine", "needs": [P, B]}
    ann_and_ben().when(place("lucky_nine", 100, rules=SIDES)).refused(r.SpotNeedsAnother, **needs)
    ann_and_ben().when(confirm({T: 500, "lucky_nine": 100}, rules=SIDES)).refused(r.SpotNeedsAnother, **needs)
    ann_and_ben().when(rebet({"lucky_nine": 100}, rules=SIDES)).refused(r.SpotNeedsAnother, **needs)
    beside = {B: 500, "lucky_nine": 100}
    ann_and_ben(placed(B, 500)).when(place("lucky_nine", 100, rules=SIDES)).then(placed("lucky_nine", 100))
    ann_and_ben().when(confirm(beside, rules=SIDES)).then(confirmed(1, ANN, beside))


def test_undoing_takes_the_side_bet_away_before_the_spot_that_it_needs() -> None:
    undone = ann_and_ben(placed(B, 500), placed("lucky_nine", 100)).when(betting.undo_placement, player=ANN, at=OPENED)
    undone.then(e.PlacementUndone(seat=1)).when(confirm(rules=SIDES)).then(confirmed(1, ANN, {B: 500}))


def test_a_spot_has_limits_of_its_own_and_only_main_spots_are_raised() -> None:
    over = {"maximum": "25.00", "currency": "EUR", "spots": ["lucky_nine"]}
    ann_and_ben(placed(B, 500)).when(place("lucky_nine", 2600, rules=SIDES)).refused(r.OverMaximum, **over)
    raised = confirmed(1, ANN, {B: 500, "lucky_nine": 100}, raised={B: 400})
    ann_and_ben().when(confirm({B: 100, "lucky_nine": 100}, rules=SIDES)).then(raised)
    dearer = replace(SIDES, spots=(*SIDES.spots[:3], replace(SIDES.spots[3], minimum=200)))
    under = {"minimum": "2.00", "currency": "EUR", "spots": ["lucky_nine"]}
    ann_and_ben().when(confirm({B: 100, "lucky_nine": 100}, rules=dearer)).refused(r.UnderMinimum, **under)
