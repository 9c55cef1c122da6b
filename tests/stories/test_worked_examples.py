"""The worked examples of the published rules, through the whole path: chips, cards, settlement, ledger.

The numbers in the names are those of the sources (see the presets). Which hand wins is chosen by choosing the seed.
"""

import pytest

from baccarat.domain.rounds.refusals import OneSpotOnly
from baccarat.domain.rules.deal import Outcome
from tests.support import chance
from tests.support.examples import B, P, T
from tests.support.house import BUY_IN, At, House, deal_all
from wallet.ledger.accounts import AccountKind


def play(
    house: House, monkeypatch: pytest.MonkeyPatch, preset: str, outcome: Outcome, stakes: dict[str, int]
) -> tuple[At, int]:
    """Play one round with this end; return the player and the amount returned to the game balance."""
    chance.fix(monkeypatch, outcome)
    table = house.table(preset)
    ann = house.seated(table)
    for spot, amount in stakes.items():
        ann.place(spot, amount)
    ann.deal()
    before = house.game(ann)
    assert deal_all() >= 1
    assert house.last(table).outcome is outcome
    house.agree(table)
    return ann, house.game(ann) - before


def holds(house: House, ann: At, kind: AccountKind) -> int:
    return house.holds(ann.guest.table, kind)


def test_002_a_stake_of_ten_on_banker_returns_nineteen_fifty(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, returned = play(house, monkeypatch, "mini", Outcome.BANKER, {B: 1000})

    assert returned == 1950
    assert house.game(ann) == BUY_IN + 950
    assert holds(house, ann, AccountKind.COMMISSION) == 50
    assert holds(house, ann, AccountKind.BANK) == -1000


def test_002_a_stake_of_ten_on_tie_returns_ninety(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, returned = play(house, monkeypatch, "mini", Outcome.TIE, {T: 1000})

    assert returned == 9000
    assert holds(house, ann, AccountKind.BANK) == -8000
    assert holds(house, ann, AccountKind.COMMISSION) == 0


@pytest.mark.parametrize(("stake", "commission"), [(500, 25), (600, 50), (1000, 50), (1100, 75), (30_000, 1500)])
def test_001_commission_is_rounded_up_to_a_quarter_of_the_lowest_chip(
    house: House, monkeypatch: pytest.MonkeyPatch, stake: int, commission: int
) -> None:
    ann, returned = play(house, monkeypatch, "overview", Outcome.BANKER, {B: stake})

    assert returned == 2 * stake - commission
    assert holds(house, ann, AccountKind.COMMISSION) == commission


def test_003_a_tie_pays_nine_to_one_and_only_one_spot_is_taken(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, returned = play(house, monkeypatch, "classic", Outcome.TIE, {T: 1000})

    assert returned == 10_000
    ann.place(T, 500)
    with pytest.raises(OneSpotOnly):
        ann.place(B, 500)


def test_000_a_stake_of_three_is_raised_to_five_and_a_banker_win_pays_even_money(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, returned = play(house, monkeypatch, "atlantic_city", Outcome.BANKER, {B: 300})

    (seat,) = house.last(ann.guest.table).seats
    assert (seat.stakes, seat.raised) == ({B: 500}, {B: 200})
    assert returned == 1000
    assert house.game(ann) == BUY_IN + 500
    assert holds(house, ann, AccountKind.COMMISSION) == 0


def test_004_commission_is_marked_in_the_rack_and_paid_when_the_player_leaves(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = house.table("big_table")
    ann = house.seated(table)
    rounds = 0
    while not house.rack(ann):
        ann.deal({B: 10_000})
        deal_all()
        rounds += 1
        assert rounds < 80

    assert house.rack(ann) == 500
    assert house.state(table).seats[0].owed == 500
    assert house.holds(table, AccountKind.COMMISSION) == 0
    picture = ann.place(B, 2500)
    assert picture["you"]["commission_set_aside"] == {"amount": "5.00", "currency": "EUR"}
    assert picture["seats"][0]["commission_set_aside"] == "5.00"

    ann.leave()

    assert house.rack(ann) == 0
    assert house.holds(table, AccountKind.COMMISSION) == 500
    house.agree(table)


@pytest.mark.parametrize("preset", ["mini", "overview", "big_table", "atlantic_city"])
def test_on_a_tie_player_and_banker_get_exactly_their_stakes_back(
    house: House, monkeypatch: pytest.MonkeyPatch, preset: str
) -> None:
    chance.fix(monkeypatch, Outcome.TIE)
    table = house.table(preset, burn=False)
    ann = house.seated(table)
    ann.place(P, 2500)
    ann.place(B, 5000)
    ann.deal()
    deal_all()

    assert house.last(table).outcome is Outcome.TIE
    assert house.game(ann) == BUY_IN
    assert house.holds(table, AccountKind.BANK) == house.holds(table, AccountKind.COMMISSION) == 0
    house.agree(table)
