"""Formats the amounts in data as decimal strings: which fields are amounts is known by their names. Pure."""

from collections.abc import Mapping
from typing import Any, Final

from casino.kernel.money import format_amount, is_known

AMOUNTS: Final = frozenset(
    {
        "amount", "amounts", "auto_approve_up_to", "balance", "balance_after", "balance_before", "balance_now",
        "buy_in", "cap", "chips", "commission", "commission_collected", "debt_created", "deposited", "fee", "fee_fixed",
        "forgiven", "from_account", "from_game", "from_rack", "handle", "kyc_above", "limit", "limits", "maximum",
        "minimum", "our_amount", "owed", "play_money_caps", "pushed", "raised", "returned", "rule_amount",
        "second_approval_above", "stake", "staked", "stakes", "taken", "their_amount", "to_account", "to_game",
        "withdrawn", "won",
    }
)  # fmt: skip
"""Fields that hold minor units."""
_CURRENCIES: Final = {"their_amount": "their_currency"}


def format_amounts(data: Mapping[str, Any], currency: str = "") -> dict[str, Any]:
    """Format the amounts in data, minor units of the currency beside or around them, as decimal strings.

    Limits of time have no currency, and stay minutes.
    """
    currency = data.get("currency", currency)
    return {
        name: _format(value, data.get(_CURRENCIES.get(name, "currency")) or currency)
        if name in AMOUNTS
        else _format_nested(value, currency)
        for name, value in data.items()
    }


def _format(value: Any, currency: str) -> Any:
    """Format an amount, a list of them, or stakes by spot, or caps by currency; search any other value of that name."""
    if isinstance(value, list | tuple) and all(map(_is_amount, value)):
        return [_format_one(item, currency) for item in value]
    if isinstance(value, dict) and all(map(_is_amount, value.values())):
        return {name: _format_one(item, name if is_known(name) else currency) for name, item in value.items()}
    return _format_one(value, currency) if _is_amount(value) else _format_nested(value, currency)


def _is_amount(value: Any) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool))


def _format_one(value: int | None, currency: str) -> int | str | None:
    return format_amount(value, currency) if value is not None and currency else value


def _format_nested(value: Any, currency: str) -> Any:
    if isinstance(value, list | tuple):
        return [_format_nested(item, currency) for item in value]
    return format_amounts(value, currency) if isinstance(value, dict) else value
