"""What happens to people at tables, told as they would tell it."""

import pytest

from baccarat.domain.rounds.refusals import NotYourTurn
from baccarat.domain.rounds.state import Phase, SeatStatus
from baccarat.domain.rules.deal import Outcome
from casino.kernel.money import MoneyType
from tests.support import chance
from tests.support.examples import B, P, T
from tests.support.house import BUY_IN, FUNDS, House, deal_all
from wallet.ledger.accounts import AccountKind
from wallet.ledger.refusals import InsufficientFunds


def test_a_player_drops_mid_round_and_the_wager_is_settled(house: House) -> None:
    table = house.table("atlantic_city")
    ann, ben = house.company(table, 2)
    ann.deal({P: 5000})
    round_ = house.in_hand(table).require_opened().round
    ben.deal({B: 5000})  # Ann's connection is gone; nothing more is heard of her

    deal_all()

    (settled, _) = house.round(round_).seats
    assert settled.settlement is not None
    assert house.round(round_).phase is Phase.SETTLED
    assert house.game(ann) == BUY_IN - 5000 + settled.settlement.returned
    (waiting, _) = house.in_hand(table).seats
    assert waiting.status is SeatStatus.DECIDING
    house.agree(table)


def test_three_sit_down_one_bets_one_passes_and_one_came_late(house: House) -> None:
    table = house.table("atlantic_city")
    ann, ben = house.company(table, 2)
    cat = house.seated(table, 3)

    ann.deal({P: 1000, T: 500})
    ben.place(B, 30_000)
    ben.pass_turn()
    with pytest.raises(NotYourTurn):
        cat.place(P, 500)
    assert deal_all() == 1

    assert [wager.player for wager in house.last(table).confirmed_seats()] == [ann.player]
    assert house.game(ben) == house.game(cat) == BUY_IN
    assert [seat.player for seat in house.in_hand(table).seats] == [ann.player, ben.player, cat.player]
    house.agree(table)


def test_a_player_loses_all_rebuys_and_plays_on(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    table = house.table("mini")
    chance.fix(monkeypatch, Outcome.BANKER)
    ann = house.seated(table, buy_in=1000)
    ann.place(P, 1000)
    ann.deal()
    deal_all()
    assert house.game(ann) == 0

    with pytest.raises(InsufficientFunds):
        ann.rebet_and_deal()
    ann.rebuy(3000)
    picture = ann.rebet_and_deal()
    deal_all()

    assert picture["you"]["game_balance"]["amount"] == "20.00"
    assert house.game(ann) == 2000
    ann.leave()
    assert house.account(ann) == FUNDS - 2000
    assert house.holds(table, AccountKind.BANK) == 2000
    house.agree(table)


def test_play_money_and_real_money_follow_the_same_rules_and_payouts(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    wins = {}
    for money_type in MoneyType:
        table = house.table("classic")
        chance.fix(monkeypatch, Outcome.BANKER)
        ann = house.seated(table, money_type=money_type)
        ann.place(B, 1000)
        ann.deal()
        deal_all()
        wins[money_type] = house.game(ann, money_type) - BUY_IN
        house.agree(table)

    assert wins == {MoneyType.REAL: 950, MoneyType.PLAY: 950}


def test_a_table_that_the_operator_made_its_own(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    table = house.table("mini", chips=(200, 500), minimum=700, maximum=2400)
    chance.fix(monkeypatch, Outcome.BANKER)
    ann = house.seated(table)

    ann.place(B, 700)
    ann.deal()
    deal_all()

    assert house.game(ann) == BUY_IN + 700 - 35
    house.agree(table)
