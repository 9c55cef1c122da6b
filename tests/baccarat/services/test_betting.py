"""A player's moves on a real database: what each costs, what each answers, what each leaves behind."""

import pytest

from baccarat.domain.rounds import refusals as r
from baccarat.domain.rounds.state import Phase
from baccarat.domain.rules.presets import PRESETS, rules_for
from baccarat.domain.rules.wagers import AmountNotInChips
from baccarat.domain.tables.refusals import NotSeated, UnknownTable, WrongCurrency
from baccarat.services import betting, seats
from casino.kernel.money import MoneyType
from tests.support.examples import B, P, T
from tests.support.house import BUY_IN, House, deal_all
from wallet.ledger.accounts import AccountKind
from wallet.ledger.refusals import InsufficientFunds

SINGLE = [name for name in PRESETS if rules_for(name, currency="EUR").turn_seconds is None]


@pytest.mark.parametrize("preset", SINGLE)
def test_the_first_chip_opens_the_round_and_the_players_own_deal_starts_the_cards(house: House, preset: str) -> None:
    table = house.table(preset)
    ann = house.seated(table)
    assert house.in_hand(table).opened is None

    picture = ann.place(B, 1000)
    assert (picture["round"]["phase"], picture["round"]["deadline_at"]) == ("betting", None)
    assert deal_all() == 0
    ann.deal()
    assert house.holds(table, AccountKind.STAKES) == 1000
    assert deal_all() == 1

    (seat,) = house.last(table).seats
    assert seat.settlement is not None
    assert house.game(ann) == BUY_IN - 1000 + seat.settlement.returned
    assert house.holds(table, AccountKind.STAKES) == 0
    assert house.in_hand(table).opened is None
    house.agree(table)


def test_new_game_opens_a_round_and_asked_again_clears_the_chips(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)

    first = ann.new_game()["round"]["id"]
    ann.place(P, 1000)
    cleared = ann.new_game()["round"]

    assert (cleared["id"], cleared["seats"][0]["placed"]) == (first, [])
    ann.deal({P: 500})
    with pytest.raises(r.AlreadyConfirmed):
        ann.new_game()


def test_new_game_at_a_table_with_turns_waits_for_the_round_of_all(house: House) -> None:
    table = house.table("atlantic_city")
    ann = house.seated(table)

    with pytest.raises(r.RoundIsOpen):
        ann.new_game()


def test_rebet_and_deal_is_one_call_and_needs_an_earlier_wager(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    with pytest.raises(r.NothingToRepeat):
        ann.rebet_and_deal()
    assert house.in_hand(table).opened is None

    ann.new_game()
    ann.deal({P: 500, T: 700})
    deal_all()
    ann.rebet_and_deal()
    deal_all()

    assert house.state(table).rounds == 2
    assert house.last(table).seats[0].stakes == {P: 500, T: 700}
    assert house.names(house.last(table))[:3] == ["RoundOpened", "StakesRebet", "WagerConfirmed"]
    house.agree(table)


def test_deal_with_stakes_replaces_what_lay_on_the_table(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)

    ann.place(T, 5000)
    ann.deal({P: 500, B: 1000})

    assert house.in_hand(table).seats[0].stakes == {P: 500, B: 1000}
    assert house.game(ann) == BUY_IN - 1500


def test_a_refused_first_chip_opens_no_round(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)

    with pytest.raises(r.OverMaximum):
        ann.place(P, 30_100)

    assert house.state(table).rounds == 0
    assert [name for _, _, event in house.events(table) if (name := type(event).__name__) == "RoundOpened"] == []


def test_a_refused_confirmation_leaves_everything_as_it_was(house: House) -> None:
    table = house.table("classic")
    ann = house.seated(table)
    ann.place(T, 1000)
    before = house.events(table)

    for stakes, refusal in (
        ({P: 500, B: 500}, r.OneSpotOnly),
        ({P: 400}, r.UnderMinimum),
        ({P: 0}, AmountNotInChips),
    ):
        with pytest.raises(refusal):
            ann.deal(stakes)

    assert house.events(table) == before
    assert house.in_hand(table).seats[0].placed_stakes() == {T: 1000}
    house.agree(table)


def test_chips_on_the_table_are_not_at_risk(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)

    picture = ann.place(P, 30_000)
    assert picture["you"]["game_balance"] == {"amount": "10000.00", "currency": "EUR"}
    ann.undo()
    ann.place(P, 500)
    ann.place(B, 500)
    assert ann.clear()["round"]["seats"][0]["placed"] == []

    assert house.game(ann) == BUY_IN
    house.agree(table)


def test_the_answer_to_a_confirmation_shows_the_balance_after_it_and_the_raise(house: House) -> None:
    table = house.table("atlantic_city")
    ann = house.seated(table)

    picture = ann.deal({P: 300, B: 1000})

    assert picture["you"]["game_balance"]["amount"] == "9985.00"
    assert picture["round"]["seats"][0]["stakes"] == [
        {"spot": "player", "amount": "5.00"}, {"spot": "banker", "amount": "10.00"},
    ]  # fmt: skip
    assert picture["round"]["seats"][0]["raised"] == [{"spot": "player", "amount": "2.00"}]
    assert house.game(ann) == BUY_IN - 1500


def test_a_raise_that_the_game_balance_does_not_cover_is_refused(house: House) -> None:
    table = house.table("atlantic_city")
    ann = house.seated(table, buy_in=0)
    ann.rebuy(499)

    with pytest.raises(InsufficientFunds):
        ann.deal({P: 400})

    assert house.game(ann) == 499
    ann.rebuy(1)
    ann.deal({P: 400})
    assert house.game(ann) == 0


def test_money_of_the_account_does_not_cover_a_wager(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table, buy_in=500)

    with pytest.raises(InsufficientFunds):
        ann.place(P, 600)


def test_a_stranger_has_no_turn_no_table_of_another_operator_and_no_other_currency(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    elsewhere = House()
    moves = ("new_game", "undo", "clear", "pass_turn", "rebet", "rebet_and_deal", "deal", "leave")

    for move in moves:
        with pytest.raises(NotSeated):
            getattr(house.guest(table), move)()
        with pytest.raises(UnknownTable):
            getattr(elsewhere.guest(table), move)()
    with pytest.raises(UnknownTable):
        elsewhere.guest(table).sit(1)
    with pytest.raises(WrongCurrency):
        betting.place(actor=ann.guest, spot=P, amount=500, currency="USD")
    with pytest.raises(WrongCurrency):
        seats.rebuy(actor=ann.guest, amount=500, currency="USD")


@pytest.mark.parametrize("move", ["undo", "clear", "pass_turn", "deal"])
def test_these_moves_need_an_open_round(house: House, move: str) -> None:
    ann = house.seated(house.table("mini"))

    with pytest.raises(r.NoOpenRound):
        getattr(ann, move)()


def test_passing_a_round_of_ones_own_ends_it_without_a_card(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    ann.place(P, 1000)
    round_ = house.in_hand(table).require_opened().round

    ann.pass_turn()
    deal_all()

    lapsed = house.round(round_)
    assert (lapsed.phase, lapsed.cards) == (Phase.LAPSED, ())
    assert house.game(ann) == BUY_IN
    house.agree(table)


def test_two_books_at_one_table_never_mix(house: House) -> None:
    table = house.table("atlantic_city")
    ann = house.seated(table, 1)
    ben = house.seated(table, 2, money_type=MoneyType.PLAY)
    ann.pass_turn()
    deal_all()

    ann.deal({P: 1000})
    ben.deal({P: 2500})
    assert house.holds(table, AccountKind.STAKES) == 1000
    assert house.holds(table, AccountKind.STAKES, MoneyType.PLAY) == 2500
    deal_all()

    real, play = (house.handle(table, money_type) for money_type in (MoneyType.REAL, MoneyType.PLAY))
    assert (real[0], play[0]) == (1000, 2500)
    assert house.holds(table, AccountKind.BANK) == real[0] - real[1]
    assert house.holds(table, AccountKind.BANK, MoneyType.PLAY) == play[0] - play[1]
    assert house.game(ann, MoneyType.PLAY) == house.game(ben, MoneyType.REAL) == 0
    assert house.game(ann) == BUY_IN - real[0] + real[1]
    assert house.game(ben, MoneyType.PLAY) == BUY_IN - play[0] + play[1]
    house.agree(table)
