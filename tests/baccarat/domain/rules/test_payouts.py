"""Wagers settle as the sources' worked examples say, to the last minor unit."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.payouts import InvalidStake, SpotResult, StakeResult, odds_for, settle
from baccarat.domain.rules.presets import PRESETS, Commission, CommissionTiming, Ratio, TableRules, rules_for
from baccarat.domain.rules.wagers import Spot, Stakes

PLAYER, BANKER, TIE = Spot

TABLES = st.sampled_from([rules_for(name, currency="EUR") for name in PRESETS])
STAKES = st.dictionaries(st.sampled_from(Spot), st.integers(1, 10**9), min_size=1)


@pytest.mark.parametrize(
    ("name", "spot", "stake", "outcome", "returned"),
    [
        ("mini", BANKER, 10_00, Outcome.BANKER, 19_50),
        ("mini", TIE, 10_00, Outcome.TIE, 90_00),
        ("mini", PLAYER, 10_00, Outcome.PLAYER, 20_00),
        ("overview", BANKER, 10_00, Outcome.BANKER, 19_50),
        ("overview", BANKER, 6_00, Outcome.BANKER, 11_50),
        ("overview", BANKER, 5_00, Outcome.BANKER, 9_75),
        ("overview", BANKER, 1_00, Outcome.BANKER, 1_75),
        ("classic", TIE, 10_00, Outcome.TIE, 100_00),
        ("classic", BANKER, 6_00, Outcome.BANKER, 11_70),
        ("atlantic_city", BANKER, 10_00, Outcome.BANKER, 20_00),
        ("atlantic_city", TIE, 10_00, Outcome.TIE, 90_00),
        ("big_table", BANKER, 100_00, Outcome.BANKER, 200_00),
        ("mini", BANKER, 10_00, Outcome.PLAYER, 0),
        ("mini", PLAYER, 10_00, Outcome.BANKER, 0),
        ("mini", TIE, 10_00, Outcome.BANKER, 0),
    ],
)
def test_a_stake_comes_back_as_the_sources_say(
    name: str, spot: Spot, stake: int, outcome: Outcome, returned: int
) -> None:
    assert settle(rules_for(name, currency="EUR"), {spot: stake}, outcome).returned == returned


def test_deferred_commission_is_owed_and_not_taken() -> None:
    settled = settle(rules_for("big_table", currency="EUR"), {BANKER: 100_00}, Outcome.BANKER)
    assert (settled.returned, settled.commission, settled.deferred) == (200_00, 5_00, True)


def test_several_spots_settle_each_on_its_own_in_the_order_of_the_layout() -> None:
    settled = settle(rules_for("overview", currency="EUR"), {TIE: 5_00, BANKER: 6_00, PLAYER: 7_00}, Outcome.BANKER)
    assert settled.results == (
        SpotResult(PLAYER, 7_00, StakeResult.LOSE, 0, 0, 0),
        SpotResult(BANKER, 6_00, StakeResult.WIN, 6_00, 50, 11_50),
        SpotResult(TIE, 5_00, StakeResult.LOSE, 0, 0, 0),
    )
    assert (settled.staked, settled.won, settled.commission, settled.returned) == (18_00, 6_00, 50, 11_50)


@given(rules=TABLES, stakes=STAKES, outcome=st.sampled_from(Outcome))
def test_what_is_paid_and_the_commission_make_the_gross_win(
    rules: TableRules, stakes: Stakes, outcome: Outcome
) -> None:
    settled = settle(rules, stakes, outcome)
    for one in settled.results:
        gross = Fraction(one.stake * odds_for(rules, one.spot).numerator, odds_for(rules, one.spot).denominator)
        if one.result is StakeResult.WIN:
            paid = one.returned - one.stake - (one.commission if settled.deferred else 0)
            assert paid + one.commission == one.win == gross
            assert 0 <= one.commission <= one.win
        if one.result is StakeResult.PUSH:
            assert (one.returned, one.win, one.commission) == (one.stake, 0, 0)
        if one.result is StakeResult.LOSE:
            assert (one.returned, one.win, one.commission) == (0, 0, 0)


@given(rules=TABLES, stakes=STAKES, outcome=st.sampled_from(Outcome))
def test_totals_are_the_sums_of_the_spots(rules: TableRules, stakes: Stakes, outcome: Outcome) -> None:
    settled = settle(rules, stakes, outcome)
    assert {one.spot: one.stake for one in settled.results} == stakes
    assert settled.staked == sum(stakes.values())
    assert settled.won == sum(one.win for one in settled.results)
    assert settled.commission == sum(one.commission for one in settled.results)
    assert settled.returned == sum(one.returned for one in settled.results)


@given(rules=TABLES, stakes=STAKES, outcome=st.sampled_from(Outcome))
def test_commission_falls_on_banker_wins_alone(rules: TableRules, stakes: Stakes, outcome: Outcome) -> None:
    settled = settle(rules, stakes, outcome)
    charged = {one.spot for one in settled.results if one.commission}
    expected = {BANKER} if BANKER in stakes and outcome is Outcome.BANKER and rules.commission else set()
    assert charged <= expected
    assert (charged == expected) or stakes[BANKER] < 10


@given(rules=TABLES, outcome=st.sampled_from(Outcome), stake=st.integers(1, 10**9))
def test_exactly_one_spot_wins_and_the_others_lose_or_push(rules: TableRules, outcome: Outcome, stake: int) -> None:
    settled = settle(rules, dict.fromkeys(Spot, stake), outcome)
    won = [one.spot.value for one in settled.results if one.result is StakeResult.WIN]
    pushed = [one.spot for one in settled.results if one.result is StakeResult.PUSH]
    assert won == [outcome.value]
    assert pushed == ([PLAYER, BANKER] if outcome is Outcome.TIE else [])


@pytest.mark.parametrize(("stake", "win"), [(100, 95), (50, 48), (30, 29), (10, 10), (1, 1)])
def test_odds_that_do_not_divide_evenly_round_half_up(stake: int, win: int) -> None:
    rules = rules_for("atlantic_city", currency="EUR", banker_pays=Ratio(19, 20))
    assert settle(rules, {BANKER: stake}, Outcome.BANKER).won == win


def test_commission_is_worked_out_on_the_win_and_not_on_the_stake() -> None:
    rules = rules_for(
        "mini",
        currency="EUR",
        banker_pays=Ratio(1, 2),
        commission=Commission(Ratio(5, 100), None, CommissionTiming.SETTLEMENT),
    )
    settled = settle(rules, {BANKER: 20_00}, Outcome.BANKER)
    assert (settled.won, settled.commission, settled.returned) == (10_00, 50, 29_50)


def test_stakes_as_read_from_json_settle_the_same() -> None:
    rules = rules_for("mini", currency="EUR")
    read: dict[Spot, int] = {"banker": 10_00}  # type: ignore[dict-item]
    assert settle(rules, read, Outcome.BANKER) == settle(rules, {BANKER: 10_00}, Outcome.BANKER)


@pytest.mark.parametrize("stakes", [{"dragon": 5}, {BANKER: 5, "dragon": 5}, {BANKER: 0}, {PLAYER: -5}])
def test_a_stake_off_the_layout_or_without_money_is_refused(stakes: Stakes) -> None:
    with pytest.raises(InvalidStake):
        settle(rules_for("mini", currency="EUR"), stakes, Outcome.BANKER)


def test_no_stakes_settle_to_nothing() -> None:
    settled = settle(rules_for("mini", currency="EUR"), {}, Outcome.TIE)
    assert (settled.results, settled.staked, settled.returned) == ((), 0, 0)
