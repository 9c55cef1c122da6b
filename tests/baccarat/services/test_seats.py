"""Sitting down, moving, buying in again and leaving, on a real database."""

from collections.abc import Callable

import pytest

from baccarat.domain.rounds.refusals import NotYourTurn, WagerInPlay
from baccarat.domain.rounds.state import Phase, SeatStatus
from baccarat.domain.tables.refusals import BuyInUnderMinimum, MoneyTypeNotOffered, SeatIsTaken, UnknownSeat
from baccarat.storage import shoe_seeds
from casino.kernel.money import MoneyType
from tests.support.examples import B, P, T
from tests.support.house import BUY_IN, FUNDS, House, deal_all, until
from wallet.ledger.accounts import AccountKind
from wallet.ledger.refusals import InsufficientFunds


def test_sitting_down_moves_money_to_the_table_and_leaving_moves_it_back(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table, buy_in=2500)

    assert (house.account(ann), house.game(ann)) == (FUNDS - 2500, 2500)
    assert ann.leave()["you"] is None
    assert (house.account(ann), house.game(ann)) == (FUNDS, 0)
    assert house.state(table).seats == ()
    house.agree(table)


def test_sitting_down_without_money_is_allowed_and_leaves_no_entry(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table, buy_in=0)

    picture = ann.new_game()

    assert picture["you"]["under_minimum"] is True
    assert picture["you"]["low_balance"]["shortfall"]["amount"] == "5.00"
    assert picture["you"]["low_balance"]["funding_options"][0]["amount"] == {"amount": "100000.00", "currency": "EUR"}
    ann.leave()
    house.agree(table)


def test_a_buy_in_under_the_minimum_is_refused_with_the_minimum(house: House) -> None:
    table = house.table("mini")
    ann = house.guest(table)

    with pytest.raises(BuyInUnderMinimum) as refused:
        ann.sit(1, buy_in=499)

    assert refused.value.facts == {"minimum": 500, "currency": "EUR"}
    assert house.state(table).seats == ()
    ann.sit(1, buy_in=500)
    assert house.game(ann) == 500


def test_a_buy_in_beyond_the_account_is_refused(house: House) -> None:
    table = house.table("mini")
    poor = house.guest(table, house.player(real=1000))

    with pytest.raises(InsufficientFunds):
        poor.sit(1, buy_in=1001)
    with pytest.raises(InsufficientFunds):
        poor.sit(1, buy_in=500, money_type=MoneyType.PLAY)

    assert house.state(table).seats == ()


def test_seats_and_books_are_the_tables(house: House) -> None:
    table = house.table("classic", money_types=(MoneyType.PLAY,))

    with pytest.raises(MoneyTypeNotOffered):
        house.seated(table, 1)
    with pytest.raises(UnknownSeat):
        house.seated(table, 2, money_type=MoneyType.PLAY)
    house.seated(table, 1, money_type=MoneyType.PLAY)
    with pytest.raises(SeatIsTaken):
        house.seated(table, 1, money_type=MoneyType.PLAY)


def test_sitting_down_at_an_idle_table_with_turns_opens_its_round(house: House) -> None:
    table = house.table("atlantic_city")
    ann = house.seated(table, 3)

    round_ = house.in_hand(table)

    assert round_.phase is Phase.BETTING
    assert round_.require_opened().deadline_at is not None
    assert [(seat.seat, seat.player) for seat in round_.seats] == [(3, ann.player)]


def test_one_who_sits_down_while_a_round_runs_is_in_the_next(house: House) -> None:
    table = house.table("atlantic_city")
    ann = house.seated(table, 1)
    ben = house.seated(table, 2)
    with pytest.raises(NotYourTurn):
        ben.place(P, 500)

    ann.deal({P: 500})
    deal_all()

    assert [seat.player for seat in house.in_hand(table).seats] == [ann.player, ben.player]
    ben.place(P, 500)
    house.agree(table)


def test_a_player_changes_seat_between_rounds(house: House) -> None:
    table = house.table("atlantic_city")
    ann, ben = house.company(table, 2)
    with pytest.raises(SeatIsTaken):
        ann.move(2)

    ann.move(5)

    assert [(seat.seat, seat.player) for seat in house.state(table).seats] == [(2, ben.player), (5, ann.player)]
    assert house.in_hand(table).seats[0].status is SeatStatus.LEFT
    with pytest.raises(NotYourTurn):
        ann.place(P, 500)
    ben.pass_turn()
    deal_all()
    ann.deal({P: 500})
    assert house.in_hand(table).seats[1].status is SeatStatus.CONFIRMED
    house.agree(table)


def test_with_a_wager_in_play_nobody_moves_rebuys_or_leaves(house: House) -> None:
    table = house.table("atlantic_city")
    ann, ben = house.company(table, 2)
    ann.deal({P: 500})

    moves: list[Callable[[], object]] = [lambda: ann.move(4), lambda: ann.rebuy(500), ann.leave]
    for move in moves:
        with pytest.raises(WagerInPlay) as refusal:
            move()
        assert refusal.value.facts["deadline_at"] == house.in_hand(table).require_opened().deadline_at
    ben.pass_turn()
    deal_all()
    ann.rebuy(500)
    ann.leave()
    house.agree(table)


def test_rebuy_adds_to_the_game_balance_from_the_account_of_that_money_type(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table, money_type=MoneyType.PLAY, buy_in=1000)

    assert ann.rebuy(700)["you"]["game_balance"]["amount"] == "17.00"

    assert (house.account(ann), house.account(ann, MoneyType.PLAY)) == (FUNDS, FUNDS - 1700)
    assert house.game(ann, MoneyType.PLAY) == 1700
    with pytest.raises(InsufficientFunds):
        ann.rebuy(FUNDS)
    house.agree(table)


def test_leaving_with_unconfirmed_chips_takes_them_along_and_the_round_lapses_untouched(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    ann.place(P, 1000)
    ann.place(T, 500)
    round_ = house.in_hand(table).require_opened().round

    ann.leave()

    assert house.account(ann) == FUNDS
    assert (house.round(round_).phase, house.round(round_).cards) == (Phase.LAPSED, ())
    assert house.names(house.round(round_))[-2:] == ["SeatLeftRound", "RoundLapsed"]
    assert deal_all() == 0
    house.agree(table)


def test_leaving_a_round_that_others_are_in_leaves_it_to_them(house: House) -> None:
    table = house.table("atlantic_city")
    ann, ben = house.company(table, 2)
    ann.place(P, 1000)
    ben.deal({B: 1000})
    round_ = house.in_hand(table).require_opened().round

    ann.leave()
    deal_all()

    assert [wager.player for wager in house.round(round_).confirmed_seats()] == [ben.player]
    assert house.round(round_).phase is Phase.SETTLED
    assert house.account(ann) == FUNDS
    house.agree(table)


def test_one_who_leaves_and_comes_back_during_a_round_waits_for_the_next(house: House) -> None:
    table = house.table("atlantic_city")
    ann, ben = house.company(table, 2)

    ann.leave()
    ann.sit(1)

    with pytest.raises(NotYourTurn):
        ann.deal({P: 500})
    ann.leave()
    ben.pass_turn()
    deal_all()
    assert [seat.player for seat in house.in_hand(table).seats] == [ben.player]
    house.agree(table)


def test_the_last_to_leave_ends_the_round_and_opens_none(house: House) -> None:
    table = house.table("atlantic_city")
    ann, ben = house.company(table, 2)

    ann.leave()
    ben.leave()

    state = house.state(table)
    assert (state.seats, state.round) == ((), None)
    assert state.last_round is None
    house.agree(table)


@pytest.mark.parametrize("wake", ["new_game", "place", "move"])
def test_an_idle_table_opens_again_when_somebody_wants_to_play(house: House, wake: str) -> None:
    table = house.table("atlantic_city", turn_seconds=1)
    ann = house.seated(table)
    until(lambda: house.state(table).round is None)
    rounds = house.state(table).rounds
    assert deal_all() == 0

    ways: dict[str, Callable[[], object]] = {
        "new_game": ann.new_game,
        "place": lambda: ann.place(P, 500),
        "move": lambda: ann.move(2),
    }
    ways[wake]()

    assert house.in_hand(table).require_opened().number == rounds + 1
    assert house.game(ann) == BUY_IN
    house.agree(table)


def test_a_lost_seed_keeps_nobody_at_the_table(house: House, caplog: pytest.LogCaptureFixture) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    ann.place(P, 500)
    round_ = house.in_hand(table).require_opened()
    shoe_seeds.delete([round_.shoe])

    ann.leave()
    deal_all()

    assert house.account(ann) == FUNDS
    assert house.round(round_.round).suspension_reason == f"SeedUnavailable: shoe {round_.shoe} has no readable seed"
    assert "ALERT" in caplog.text
    ben = house.guest(table)
    ben.sit(1)
    ben.leave()
    assert house.holds(table, AccountKind.STAKES) == 0
    house.agree(table)
