"""Opening a table, sitting down, moving, buying in again and leaving; and every reason why not."""

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from baccarat.domain.rounds import events as re
from baccarat.domain.rounds.state import fold_round
from baccarat.domain.rules.odds import player_edge_spots
from baccarat.domain.rules.presets import rules_for
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables import decisions
from baccarat.domain.tables import events as e
from baccarat.domain.tables import refusals as r
from baccarat.domain.tables.evolve import fold_table
from casino.kernel.money import AmountNotPositive, MoneyType
from tests.support.examples import (
    AC,
    ANN,
    BANKER_WINS,
    BEN,
    BIG,
    CAT,
    MINI,
    OPENED,
    B,
    P,
    TableDecision,
    confirmed,
    deal,
    open_table,
    opened,
    placed,
    seat_taken,
    sit,
    table_opened,
)
from tests.support.spec import Spec
from wallet.ledger.refusals import InsufficientFunds
from wallet.responsible_gaming.allowance import Allowance

take = partial(sit, buy_in=1000, available=1000)


def test_a_table_opens_with_frozen_rules() -> None:
    Spec(fold_table).when(open_table(MINI)).then(
        replace(table_opened(MINI), money_types=(MoneyType.REAL,), edge_accepted=())
    )


def test_a_players_edge_for_real_money_needs_the_operators_word() -> None:
    assert player_edge_spots(AC) == (B,)
    Spec(fold_table).when(open_table(AC, edge_accepted=False)).refused(r.PlayerEdgeNotAccepted, spots=[B])
    Spec(fold_table).when(open_table(AC, money_types=(MoneyType.PLAY, MoneyType.REAL), edge_accepted=False)).refused(
        r.PlayerEdgeNotAccepted
    )
    Spec(fold_table).when(open_table(AC)).then(
        replace(table_opened(AC), money_types=(MoneyType.REAL,), edge_accepted=(B,))
    )


def test_a_players_edge_in_play_money_needs_nobodys_word() -> None:
    Spec(fold_table).when(open_table(AC, money_types=(MoneyType.PLAY,), edge_accepted=False)).then(
        replace(table_opened(AC), money_types=(MoneyType.PLAY,), edge_accepted=())
    )


def test_play_money_is_refused_where_the_rules_offer_none() -> None:
    serious = rules_for("mini", currency="EUR", play_money=False)

    Spec(fold_table).when(open_table(serious, money_types=(MoneyType.REAL, MoneyType.PLAY))).refused(
        r.PlayMoneyNotOffered
    )
    assert Spec(fold_table).when(open_table(serious)).events()


def test_a_player_takes_a_free_seat_with_money_from_the_account() -> None:
    Spec(fold_table).given(table_opened()).when(take(5)).then(seat_taken(5, ANN, buy_in=1000))


@pytest.mark.parametrize("seat", [0, -1, 6])
def test_a_seat_the_table_does_not_have_is_unknown(seat: int) -> None:
    Spec(fold_table).given(table_opened()).when(take(seat)).refused(r.UnknownSeat, seats=5)
    Spec(fold_table).given(table_opened(), seat_taken(1, ANN)).when(
        decisions.change_seat, player=ANN, seat=seat, at=OPENED
    ).refused(r.UnknownSeat)


@pytest.mark.parametrize(("rules", "seats"), [(AC, 5), (MINI, 1), (BIG, 14)], ids=["atlantic_city", "mini", "big"])
def test_a_preset_has_so_many_seats(rules: TableRules, seats: int) -> None:
    spec = Spec(fold_table).given(table_opened(rules))

    assert spec.when(take(seats, buy_in=rules.minimum, available=rules.minimum)).events()
    spec.when(take(seats + 1)).refused(r.UnknownSeat)


def test_a_taken_seat_is_taken_and_one_seat_is_enough() -> None:
    spec = Spec(fold_table).given(table_opened(), seat_taken(2, ANN))

    spec.when(take(2, BEN)).refused(r.SeatIsTaken, seat=2)
    spec.when(take(3, ANN)).refused(r.AlreadySeated)
    spec.when(take(2, ANN)).refused(r.AlreadySeated)


def test_a_book_the_table_does_not_take_is_refused() -> None:
    spec = Spec(fold_table).given(table_opened(money_types=(MoneyType.REAL,)))

    spec.when(take(1, money_type=MoneyType.PLAY)).refused(r.MoneyTypeNotOffered, money_types=[MoneyType.REAL])


def test_the_buy_in_needs_the_account_balance() -> None:
    spec = Spec(fold_table).given(table_opened())

    refusal = spec.when(take(1, buy_in=1001)).refused(InsufficientFunds, balance="10.00", needed="10.01")
    assert (refusal.account.kind, refusal.account.table) == ("account", None)
    spec.when(take(1, buy_in=0, available=0)).then(seat_taken(1, ANN))


def test_a_buy_in_is_never_less_than_nothing() -> None:
    Spec(fold_table).given(table_opened()).when(take(1, buy_in=-1)).refused(AmountNotPositive)


def test_a_player_changes_to_a_free_seat_and_keeps_what_is_theirs() -> None:
    spec = Spec(fold_table).given(table_opened(), seat_taken(1, ANN), seat_taken(3, BEN))
    moved = e.SeatChanged(player=ANN, from_seat=1, to_seat=5, changed_at=OPENED)

    state = spec.when(decisions.change_seat, player=ANN, seat=5, at=OPENED).then(moved).state()

    assert [(seat.seat, seat.player) for seat in state.seats] == [(3, BEN), (5, ANN)]


def test_changing_seat_needs_a_seat_and_a_free_one() -> None:
    spec = Spec(fold_table).given(table_opened(), seat_taken(1, ANN), seat_taken(3, BEN))

    spec.when(decisions.change_seat, player=ANN, seat=3, at=OPENED).refused(r.SeatIsTaken)
    spec.when(decisions.change_seat, player=CAT, seat=2, at=OPENED).refused(r.NotSeated)
    spec.when(decisions.change_seat, player=ANN, seat=1, at=OPENED).then()


def test_rebuy_moves_money_from_the_account_in_the_seats_money_type() -> None:
    spec = Spec(fold_table).given(table_opened(), seat_taken(1, ANN, money_type=MoneyType.PLAY))
    rebuy = partial(decisions.rebuy, player=ANN, amount=500, allowance=Allowance(500), at=OPENED)

    spec.when(rebuy).then(e.Rebought(seat=1, player=ANN, money_type=MoneyType.PLAY, amount=500, rebought_at=OPENED))
    refusal = spec.when(rebuy, allowance=Allowance(499)).refused(InsufficientFunds)
    assert refusal.account.money_type is MoneyType.PLAY
    spec.when(rebuy, player=BEN).refused(r.NotSeated)


@pytest.mark.parametrize("amount", [0, -500])
def test_a_rebuy_of_nothing_or_less_is_refused(amount: int) -> None:
    Spec(fold_table).given(table_opened(), seat_taken(1, ANN)).when(
        decisions.rebuy, player=ANN, amount=amount, allowance=Allowance(500), at=OPENED
    ).refused(AmountNotPositive)


def test_leaving_takes_the_game_balance_along_and_frees_the_seat() -> None:
    leave = partial(decisions.leave_seat, player=ANN, game_balance=700, at=OPENED)
    left = e.SeatLeft(
        seat=1, player=ANN, money_type=MoneyType.REAL, returned=700, commission_collected=0, left_at=OPENED
    )

    spec = Spec(fold_table).given(table_opened(), seat_taken(1, ANN)).when(leave).then(left)

    spec.when(leave).refused(r.NotSeated)
    assert spec.when(take(1, BEN)).events()


AWAY, GONE = timedelta(seconds=90), timedelta(minutes=20)


def free(*, silence: timedelta, game_balance: int = 700) -> TableDecision:
    return partial(
        decisions.free_seat,
        player=ANN,
        game_balance=game_balance,
        last_seen_at=OPENED - silence,
        away_after=AWAY,
        gone_after=GONE,
        at=OPENED,
    )


def freed(reason: e.SeatReleaseReason, *, missed: int, silence: timedelta, collected: int = 0) -> e.SeatReleased:
    return e.SeatReleased(
        seat=1,
        player=ANN,
        money_type=MoneyType.REAL,
        returned=700,
        commission_collected=collected,
        reason=reason,
        missed=missed,
        last_seen_at=OPENED - silence,
        released_at=OPENED,
    )


def missing(turns: int) -> list[re.SeatTimedOut]:
    return [re.SeatTimedOut(seat=1)] * turns


def test_the_seat_of_an_absent_player_is_kept_for_as_many_missed_turns_as_the_table_says() -> None:
    spec = Spec(fold_table).given(table_opened(), seat_taken(1, ANN), *missing(2))

    spec.when(free(silence=AWAY)).refused(r.SeatIsHeld)
    third = spec.given(*missing(1))
    third.when(free(silence=AWAY - timedelta(microseconds=1))).refused(r.SeatIsHeld)
    over = third.when(free(silence=AWAY)).then(freed(e.SeatReleaseReason.MISSED_ROUNDS, missed=3, silence=AWAY))
    assert over.state().seats == ()
    over.when(free(silence=AWAY)).refused(r.NotSeated)


@pytest.mark.parametrize(
    "word",
    [
        placed(P, 500),
        re.PlacementUndone(seat=1),
        re.ChipsCleared(seat=1),
        re.StakesRebet(seat=1, stakes={P: 500}),
        re.SeatPassed(seat=1),
        confirmed(1, ANN, {P: 500}),
    ],
    ids=lambda word: type(word).__name__,
)
def test_any_word_of_a_seat_starts_the_count_of_missed_turns_anew(word: object) -> None:
    spec = Spec(fold_table).given(table_opened(), seat_taken(1, ANN), seat_taken(2, BEN), *missing(3))

    spoken = spec.given(word)

    assert [seat.missed_turns for seat in spec.state().seats] == [3, 0]
    assert [seat.missed_turns for seat in spoken.state().seats] == [0, 0]
    spoken.when(free(silence=AWAY)).refused(r.SeatIsHeld)


def test_where_no_rounds_pass_a_seat_is_kept_by_time() -> None:
    spec = Spec(fold_table).given(table_opened(MINI), seat_taken(1, ANN), *missing(50))

    spec.when(free(silence=GONE - timedelta(microseconds=1))).refused(r.SeatIsHeld)
    spec.when(free(silence=GONE)).then(freed(e.SeatReleaseReason.DISCONNECTED, missed=50, silence=GONE))


def test_freeing_a_seat_collects_the_commission_in_the_rack() -> None:
    betting = Spec(fold_round).given(opened(ANN, rules=BIG), confirmed(1, ANN, {B: 10_000}))
    settled = betting.when(deal(BANKER_WINS, rules=BIG, seed=None)).events()[-1]
    spec = Spec(fold_table).given(table_opened(BIG), seat_taken(1, ANN), opened(ANN, rules=BIG), settled)

    spec.when(free(silence=GONE)).then(freed(e.SeatReleaseReason.DISCONNECTED, missed=0, silence=GONE, collected=500))


def test_leaving_collects_the_commission_in_the_rack() -> None:
    betting = Spec(fold_round).given(opened(ANN, rules=BIG), confirmed(1, ANN, {B: 10_000}))
    settled = betting.when(deal(BANKER_WINS, rules=BIG, seed=None)).events()[-1]
    spec = Spec(fold_table).given(table_opened(BIG), seat_taken(1, ANN), opened(ANN, rules=BIG), settled)

    spec.when(decisions.leave_seat, player=ANN, game_balance=9500, at=OPENED).then(
        e.SeatLeft(
            seat=1, player=ANN, money_type=MoneyType.REAL, returned=9500, commission_collected=500, left_at=OPENED
        )
    )
