"""Formats the amounts in an event's data as decimal strings: which fields are amounts is known by their names. Pure."""

from collections.abc import Mapping
from typing import Any, Final

from casino.kernel.money import format_amount

AMOUNTS: Final = frozenset(
    {
        "amount", "buy_in", "cap", "chips", "commission", "commission_collected", "fee", "forgiven", "from_account",
        "from_game", "from_rack", "limit", "maximum", "minimum", "our_amount", "owed", "paid", "raised", "returned",
        "stake", "staked", "stakes", "taken", "to_account", "to_game", "win", "won",
    }
)  # fmt: skip
"""Fields that hold minor units."""


def format_amounts(data: Mapping[str, Any], currency: str) -> dict[str, Any]:
    """Format the amounts in an event's data, minor units of this currency, as decimal strings."""
    return {
        name: _format(value, currency) if name in AMOUNTS else _format_nested(value, currency)
        for name, value in data.items()
    }


def _format(value: Any, currency: str) -> Any:
    """Format an amount, a list of them, or stakes by spot; search any other value of that name."""
    if isinstance(value, int) and not isinstance(value, bool):
        return format_amount(value, currency)
    if isinstance(value, list | tuple) and all(isinstance(item, int) for item in value):
        return [format_amount(item, currency) for item in value]
    if isinstance(value, dict) and all(isinstance(item, int) for item in value.values()):
        return {name: format_amount(item, currency) for name, item in value.items()}
    return _format_nested(value, currency)


def _format_nested(value: Any, currency: str) -> Any:
    if isinstance(value, list | tuple):
        return [_format_nested(item, currency) for item in value]
    return format_amounts(value, currency) if isinstance(value, dict) else value
