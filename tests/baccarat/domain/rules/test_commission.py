"""Commission is exact arithmetic, rounded once, as the sources' examples have it."""

from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.domain.rules.commission import charge, is_finer_than_minor_unit
from baccarat.domain.rules.presets import Commission, CommissionTiming, Ratio, rules_for

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
    assert charge(TO_A_QUARTER, win=win, lowest_chip=100) == owed


@pytest.mark.parametrize(("win", "owed"), [(10_00, 50), (6_00, 30), (5_00, 25), (1_00, 5), (300_00, 15_00)])
def test_mini_charges_exactly_five_percent(win: int, owed: int) -> None:
    assert charge(EXACT, win=win, lowest_chip=100) == owed


@pytest.mark.parametrize(("win", "owed"), [(10_00, 1_00), (20_00, 1_00), (21_00, 2_00), (1_00, 1_00)])
def test_rounding_to_the_lowest_chip_is_as_valid(win: int, owed: int) -> None:
    assert charge(TO_A_CHIP, win=win, lowest_chip=100) == owed


@pytest.mark.parametrize(("win", "owed"), [(9, 0), (10, 1), (29, 1), (30, 2), (0, 0)])
def test_exact_commission_finer_than_the_minor_unit_goes_half_up(win: int, owed: int) -> None:
    assert charge(EXACT, win=win, lowest_chip=1) == owed


@pytest.mark.parametrize(("win", "owed"), [(5, 1), (6, 1), (20, 1), (21, 2), (25, 2), (26, 2), (40, 2), (41, 3)])
def test_a_unit_finer_than_the_minor_unit_ends_in_whole_minor_units_rounded_up(win: int, owed: int) -> None:
    assert charge(TO_A_QUARTER, win=win, lowest_chip=1) == owed


def test_a_unit_that_is_no_whole_number_of_minor_units_is_rounded_up_after_the_unit() -> None:
    # A quarter of 5 is 1.25: 1.10 goes up to 1.25 and then to 2; 1.30 goes up to 2.50 and then to 3.
    assert charge(TO_A_QUARTER, win=22, lowest_chip=5) == 2
    assert charge(TO_A_QUARTER, win=26, lowest_chip=5) == 3


def test_commission_never_takes_more_than_the_win() -> None:
    assert charge(TO_A_CHIP, win=50, lowest_chip=100) == 50


@given(rate=RATES, unit=UNITS, win=st.integers(0, 10**9), chip=st.integers(1, 10_000))
def test_rounding_up_is_never_below_exact_and_less_than_a_unit_above(
    rate: Ratio, unit: Ratio, win: int, chip: int
) -> None:
    owed = charge(Commission(rate, unit, NOW), win=win, lowest_chip=chip)
    exact = Fraction(win * rate.numerator, rate.denominator)
    step = Fraction(unit.numerator * chip, unit.denominator)
    assert exact <= owed <= win
    assert owed == min(win, ceil(ceil(exact / step) * step))
    assert owed < exact + step + (0 if step.denominator == 1 else 1)


@given(rate=RATES, win=st.integers(0, 10**9))
def test_exact_commission_is_within_half_a_minor_unit_and_ties_go_up(rate: Ratio, win: int) -> None:
    owed = charge(Commission(rate, None, NOW), win=win, lowest_chip=100)
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
