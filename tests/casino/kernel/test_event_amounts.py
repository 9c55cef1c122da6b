"""Amounts in data become decimals of the currency beside or around them, and nothing else does."""

from typing import Any

import pytest

from casino.kernel.event_amounts import format_amounts


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ({"currency": "JPY", "amount": 500, "count": 500}, {"currency": "JPY", "amount": "500", "count": 500}),
        ({"currency": "KWD", "stakes": {"tie": 1}}, {"currency": "KWD", "stakes": {"tie": "0.001"}}),
        (
            {"currency": "EUR", "our_amount": 1, "their_amount": 1, "their_currency": "KWD"},
            {"currency": "EUR", "our_amount": "0.01", "their_amount": "0.001", "their_currency": "KWD"},
        ),
        ({"play_money_caps": {"EUR": 1, "JPY": 1}}, {"play_money_caps": {"EUR": "0.01", "JPY": "1"}}),
        (
            {"currency": "EUR", "limits": {"minimum": 100, "stake_day": 5_000, "loss_day": None}},
            {"currency": "EUR", "limits": {"minimum": "1.00", "stake_day": "50.00", "loss_day": None}},
        ),
        (
            {"limits": [{"limit_type": "time", "limit": 60, "currency": ""}, {"limit": 60, "currency": "EUR"}]},
            {"limits": [{"limit_type": "time", "limit": 60, "currency": ""}, {"limit": "0.60", "currency": "EUR"}]},
        ),
        (
            {"rules": {"currency": "EUR", "commission": {"rate": {"numerator": 5, "denominator": 100}}, "chips": [1]}},
            {
                "rules": {
                    "currency": "EUR",
                    "commission": {"rate": {"numerator": 5, "denominator": 100}},
                    "chips": ["0.01"],
                }
            },
        ),
        ({"amount": 500}, {"amount": 500}),
    ],
)
def test_an_amount_is_of_the_currency_beside_or_around_it(data: dict[str, Any], shown: dict[str, Any]) -> None:
    assert format_amounts(data) == shown
