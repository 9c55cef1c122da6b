import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.payouts import settle
from baccarat.domain.rules.presets import PRESETS, rules_for
from casino.kernel import money
from casino.kernel.money import AmountMalformed, AmountTooLarge, UnknownCurrency
from tests.support.spots import COUPS, SPOTS

DECIMALS = {"JPY": 0, "EUR": 2, "KWD": 3, "USDT": 6, "BTC": 8}


@pytest.fixture(autouse=True)
def declared():
    """Declare two currencies beside those of ISO 4217."""
    money.declare(money.parse_declarations(["BTC:8:0.0001", "USDT:6"]))
    yield
    money.declare(settings.CURRENCIES)


@pytest.mark.parametrize(("currency", "decimals"), DECIMALS.items())
def test_amounts_survive_text_at_every_number_of_decimals(currency: str, decimals: int) -> None:
    @given(minor=st.integers(1 - money.MAX_AMOUNT, money.MAX_AMOUNT - 1))
    def check(minor: int) -> None:
        text = money.format_amount(minor, currency)
        assert money.parse(text, currency) == minor
        assert len(text.partition(".")[2]) == decimals

    check()
    with pytest.raises(AmountMalformed):
        money.parse("0." + "0" * decimals + "1", currency)
    with pytest.raises(AmountTooLarge):
        money.parse(money.format_amount(money.MAX_AMOUNT, currency), currency)


@pytest.mark.parametrize("currency", ["JPY", "KWD", "BTC"])
@pytest.mark.parametrize("preset", PRESETS)
def test_every_win_and_commission_is_a_whole_number_of_minor_units(preset: str, currency: str) -> None:
    rules = rules_for(preset, currency=currency)
    lowest = rules.chips[0]

    @given(chips=st.integers(1, 10_000), spot=st.sampled_from(SPOTS), outcome=st.sampled_from(Outcome))
    def check(chips: int, spot: str, outcome: Outcome) -> None:
        stake = chips * lowest
        result = settle(rules, {spot: stake}, COUPS[outcome])
        assert type(result.returned) is int
        lost = stake if result.results[0].result == "lose" else 0
        assert result.returned == stake - lost + result.won - result.commission
        assert 0 <= result.commission <= result.won
        commission = next(each.commission for each in rules.spots if each.name == spot)
        if result.won and commission is not None:
            exact = result.won * commission.rate.numerator / commission.rate.denominator
            unit = 1 if commission.rounding is None else lowest
            assert abs(result.commission - exact) <= unit

    check()


def test_a_declared_currency_says_what_rules_of_tables_call_one() -> None:
    assert (money.unit("BTC"), money.unit("USDT"), money.unit("JPY"), money.unit("KWD")) == (10_000, 10**6, 1, 1000)
    assert rules_for("mini", currency="BTC").minimum == 5 * 10_000


@pytest.mark.parametrize(
    "text", ["EUR:2", "BTC", "BTC:9", "btc:8", "B:8", "ABCDEFGHIJK:8", "BTC:8:0", "BTC:2:0.001", "BTC:8,BTC:8", ":8"]
)
def test_a_malformed_declaration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"currency|ISO 4217|unit|declared"):
        money.parse_declarations(text.split(","))


def test_other_currencies_are_unknown() -> None:
    for code in ("DOGE", "", "eur", "EURO"):
        with pytest.raises(UnknownCurrency):
            money.exponent(code)
