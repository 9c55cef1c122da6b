"""Wagers settle and commission rounds as in the sources' worked examples, to the last minor unit."""

from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.payouts import (
    InvalidStake,
    SpotResult,
    StakeResult,
    charge_commission,
    is_finer_than_minor_unit,
    settle,
)
from baccarat.domain.rules.presets import PRESETS, rules_for
from baccarat.domain.rules.table_rules import Commission, CommissionTiming, Ratio, TableRules
from baccarat.domain.rules.wagers import Stakes
from tests.support.spots import COUPS, SPOTS, spots_of

PLAYER, BANKER, TIE = SPOTS

TABLES = st.sampled_from([rules_for(name, currency="EUR") for name in PRESETS])
STAKES = st.dictionaries(st.sampled_from(SPOTS), st.integers(1, 10**9), min_size=1)


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
        ("big_table", BANKER, 100_00, Outcome.BANKER, 195_00),
        ("mini", BANKER, 10_00, Outcome.PLAYER, 0),
        ("mini", PLAYER, 10_00, Outcome.BANKER, 0),
        ("mini", TIE, 10_00, Outcome.BANKER, 0),
    ],
)
def test_a_stake_comes_back_as_the_sources_say(
    name: str, spot: str, stake: int, outcome: Outcome, returned: int
) -> None:
    assert settle(rules_for(name, currency="EUR"), {spot: stake}, COUPS[outcome]).returned == returned


def test_deferred_commission_is_owed_and_not_returned() -> None:
    settled = settle(rules_for("big_table", currency="EUR"), {BANKER: 100_00}, COUPS[Outcome.BANKER])
    assert (settled.returned, settled.commission, settled.deferred) == (195_00, 5_00, True)


def test_several_spots_settle_each_on_its_own_in_the_order_of_the_layout() -> None:
    settled = settle(
        rules_for("overview", currency="EUR"), {TIE: 5_00, BANKER: 6_00, PLAYER: 7_00}, COUPS[Outcome.BANKER]
    )
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
    settled = settle(rules, stakes, COUPS[outcome])
    for one in settled.results:
        gross = one.stake * ((rules.preset == "classic" and 9) or 8) if one.spot == TIE else one.stake
        if one.result is StakeResult.WIN:
            paid = one.returned - one.stake
            assert paid + one.commission == one.won == gross
            assert 0 <= one.commission <= one.won
        if one.result is StakeResult.PUSH:
            assert (one.returned, one.won, one.commission) == (one.stake, 0, 0)
        if one.result is StakeResult.LOSE:
            assert (one.returned, one.won, one.commission) == (0, 0, 0)


@given(rules=TABLES, stakes=STAKES, outcome=st.sampled_from(Outcome))
def test_totals_are_the_sums_of_the_spots(rules: TableRules, stakes: Stakes, outcome: Outcome) -> None:
    settled = settle(rules, stakes, COUPS[outcome])
    assert {one.spot: one.stake for one in settled.results} == stakes
    assert settled.staked == sum(stakes.values())
    assert settled.won == sum(one.won for one in settled.results)
    assert settled.commission == sum(one.commission for one in settled.results)
    assert settled.returned == sum(one.returned for one in settled.results)


@given(rules=TABLES, stakes=STAKES, outcome=st.sampled_from(Outcome))
def test_commission_falls_on_banker_wins_alone(rules: TableRules, stakes: Stakes, outcome: Outcome) -> None:
    settled = settle(rules, stakes, COUPS[outcome])
    charged = {one.spot for one in settled.results if one.commission}
    expected = {BANKER} if BANKER in stakes and outcome is Outcome.BANKER and rules.preset != "atlantic_city" else set()
    assert charged <= expected
    assert (charged == expected) or stakes[BANKER] < 10


@given(rules=TABLES, outcome=st.sampled_from(Outcome), stake=st.integers(1, 10**9))
def test_exactly_one_spot_wins_and_the_others_lose_or_push(rules: TableRules, outcome: Outcome, stake: int) -> None:
    settled = settle(rules, dict.fromkeys(SPOTS, stake), COUPS[outcome])
    won = [one.spot for one in settled.results if one.result is StakeResult.WIN]
    pushed = [one.spot for one in settled.results if one.result is StakeResult.PUSH]
    assert won == [outcome.value]
    assert pushed == ([PLAYER, BANKER] if outcome is Outcome.TIE else [])


@pytest.mark.parametrize(("stake", "win"), [(100, 95), (50, 48), (30, 29), (10, 10), (1, 1)])
def test_odds_that_do_not_divide_evenly_round_half_up(stake: int, win: int) -> None:
    rules = rules_for("atlantic_city", currency="EUR", spots=spots_of("atlantic_city", banker=Ratio(19, 20)))
    assert settle(rules, {BANKER: stake}, COUPS[Outcome.BANKER]).won == win


def test_commission_is_worked_out_on_the_win_and_not_on_the_stake() -> None:
    rules = rules_for(
        "mini",
        currency="EUR",
        spots=spots_of("mini", banker=Ratio(1, 2)),
    )
    settled = settle(rules, {BANKER: 20_00}, COUPS[Outcome.BANKER])
    assert (settled.won, settled.commission, settled.returned) == (10_00, 50, 29_50)


@pytest.mark.parametrize("stakes", [{"dragon": 5}, {BANKER: 5, "dragon": 5}, {BANKER: 0}, {PLAYER: -5}])
def test_a_stake_off_the_layout_or_without_money_is_refused(stakes: Stakes) -> None:
    with pytest.raises(InvalidStake):
        settle(rules_for("mini", currency="EUR"), stakes, COUPS[Outcome.BANKER])


def test_no_stakes_settle_to_nothing() -> None:
    settled = settle(rules_for("mini", currency="EUR"), {}, COUPS[Outcome.TIE])
    assert (settled.results, settled.staked, settled.returned) == ((), 0, 0)


NOW = CommissionTiming.SETTLEMENT
FIVE = Ratio(5, 100)
TO_A_QUARTER = Commission(FIVE, Ratio(1, 4), NOW)
TO_A_CHIP = Commission(FIVE, Ratio(1, 1), NOW)
EXACT = Commission(FIVE, None, NOW)

RATES = st.builds(Ratio, st.integers(1, 100), st.just(100))
UNITS = st.builds(Ratio, st.just(1), st.integers(1, 20))


@pytest.mark.parametrize(
    ("win", "owed"), [(10_00, 50), (6_00, 50), (5_00, 25), (1_00, 25), (11_00, 75), (300_00, 15_00)]
)
def test_overview_rounds_up_to_a_quarter_of_the_lowest_chip(win: int, owed: int) -> None:
    assert charge_commission(TO_A_QUARTER, won=win, lowest_chip=100) == owed


@pytest.mark.parametrize(("win", "owed"), [(10_00, 50), (6_00, 30), (5_00, 25), (1_00, 5), (300_00, 15_00)])
def test_mini_charges_exactly_five_percent(win: int, owed: int) -> None:
    assert charge_commission(EXACT, won=win, lowest_chip=100) == owed


@pytest.mark.parametrize(("win", "owed"), [(10_00, 1_00), (20_00, 1_00), (21_00, 2_00), (1_00, 1_00)])
def test_rounding_to_the_lowest_chip_is_as_valid(win: int, owed: int) -> None:
    assert charge_commission(TO_A_CHIP, won=win, lowest_chip=100) == owed


@pytest.mark.parametrize(("win", "owed"), [(9, 0), (10, 1), (29, 1), (30, 2), (0, 0)])
def test_exact_commission_finer_than_the_minor_unit_goes_half_up(win: int, owed: int) -> None:
    assert charge_commission(EXACT, won=win, lowest_chip=1) == owed


@pytest.mark.parametrize(("win", "owed"), [(5, 1), (6, 1), (20, 1), (21, 2), (25, 2), (26, 2), (40, 2), (41, 3)])
def test_a_unit_finer_than_the_minor_unit_ends_in_whole_minor_units_rounded_up(win: int, owed: int) -> None:
    assert charge_commission(TO_A_QUARTER, won=win, lowest_chip=1) == owed


def test_a_unit_that_is_no_whole_number_of_minor_units_is_rounded_up_after_the_unit() -> None:
    # A quarter of 5 is 1.25: 1.10 goes up to 1.25 and then to 2; 1.30 goes up to 2.50 and then to 3.
    assert charge_commission(TO_A_QUARTER, won=22, lowest_chip=5) == 2
    assert charge_commission(TO_A_QUARTER, won=26, lowest_chip=5) == 3


def test_commission_never_takes_more_than_the_win() -> None:
    assert charge_commission(TO_A_CHIP, won=50, lowest_chip=100) == 50


@given(rate=RATES, unit=UNITS, win=st.integers(0, 10**9), chip=st.integers(1, 10_000))
def test_rounding_up_is_never_below_exact_and_less_than_a_unit_above(
    rate: Ratio, unit: Ratio, win: int, chip: int
) -> None:
    owed = charge_commission(Commission(rate, unit, NOW), won=win, lowest_chip=chip)
    exact = Fraction(win * rate.numerator, rate.denominator)
    step = Fraction(unit.numerator * chip, unit.denominator)
    assert exact <= owed <= win
    assert owed == min(win, ceil(ceil(exact / step) * step))
    assert owed < exact + step + (0 if step.denominator == 1 else 1)


@given(rate=RATES, win=st.integers(0, 10**9))
def test_exact_commission_is_within_half_a_minor_unit_and_ties_go_up(rate: Ratio, win: int) -> None:
    owed = charge_commission(Commission(rate, None, NOW), won=win, lowest_chip=100)
    exact = Fraction(win * rate.numerator, rate.denominator)
    assert owed == floor(exact + Fraction(1, 2))


@pytest.mark.parametrize(
    ("name", "currency", "chips", "finer"),
    [
        ("mini", "EUR", (100, 500), False),
        ("mini", "EUR", (20, 100), False),
        ("mini", "EUR", (10, 100), True),
        ("mini", "JPY", (1, 5), True),
        ("mini", "JPY", (20, 50), True),
        ("overview", "JPY", (1, 5), False),
        ("atlantic_city", "JPY", (1, 5), False),
    ],
)
def test_a_table_knows_whether_its_chips_can_win_a_finer_commission(
    name: str, currency: str, chips: tuple[int, ...], finer: bool
) -> None:
    rules = rules_for(name, currency=currency, chips=chips, minimum=chips[0], maximum=chips[-1])
    assert is_finer_than_minor_unit(rules) is finer
