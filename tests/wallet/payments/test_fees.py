from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.payments.fees import DepositTerms, Quote, parse_percent, percent, quote, require_valid_terms
from wallet.payments.refusals import AmountOutOfRange, FeeExceedsAmount, InvalidDepositMethod

CARD = DepositTerms("EUR", 1000, 200_000, 25, 15_000)


def test_a_fee_is_the_fixed_part_and_a_share_of_the_amount() -> None:
    assert quote(CARD, 5000) == Quote(5000, 100, 4900)


def test_a_fee_is_rounded_up_to_a_whole_minor_unit() -> None:
    assert quote(CARD, 1001).fee == 25 + 16


@pytest.mark.parametrize("amount", [999, 200_001])
def test_an_amount_that_the_method_does_not_take_is_refused_with_both_ends(amount: int) -> None:
    with pytest.raises(AmountOutOfRange) as refused:
        quote(CARD, amount)
    assert (refused.value.facts["minimum"], refused.value.facts["maximum"]) == (1000, 200_000)


def test_a_fee_that_would_take_everything_is_refused() -> None:
    with pytest.raises(FeeExceedsAmount):
        quote(DepositTerms("EUR", 1, 100, 50, 0), 50)


@given(amount=st.integers(1, 10**14), fixed=st.integers(0, 10**6), ppm=st.integers(0, 999_999))
def test_a_fee_is_never_short_by_anything_nor_long_by_a_whole_unit(amount: int, fixed: int, ppm: int) -> None:
    exact = fixed + Fraction(amount * ppm, 10**6)
    try:
        offered = quote(DepositTerms("EUR", 1, 10**14, fixed, ppm), amount)
    except FeeExceedsAmount:
        assert exact > amount - 1
        return
    assert 0 <= offered.fee - exact < 1
    assert offered.fee + offered.net_amount == amount


@given(ppm=st.integers(0, 999_999))
def test_a_percentage_is_read_as_it_is_printed(ppm: int) -> None:
    assert parse_percent(percent(ppm)) == ppm


@pytest.mark.parametrize("text", ["100", "-1", "1.23456", "1,5", "", "٣", "1e1", "01"])
def test_what_is_no_percentage_is_refused(text: str) -> None:
    with pytest.raises(InvalidDepositMethod):
        parse_percent(text)


@pytest.mark.parametrize(
    "terms",
    [
        DepositTerms("EUR", 0, 10, 0, 0),
        DepositTerms("EUR", 11, 10, 0, 0),
        DepositTerms("EUR", 1, 10**15, 0, 0),
        DepositTerms("EUR", 1, 10, -1, 0),
        DepositTerms("EUR", 1, 10, 0, 10**6),
    ],
)
def test_terms_that_cannot_be_are_refused(terms: DepositTerms) -> None:
    with pytest.raises(InvalidDepositMethod):
        require_valid_terms(terms)
