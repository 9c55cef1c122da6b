"""The bodies of the operations about a player's own limit."""

from typing import Any

from rest_framework import serializers

from casino.api.fields import AmountField, CurrencyField, MoneySerializer, StrictSerializer, present_money
from casino.operators.fields import PinField
from wallet.responsible_gaming.table_limit import PersonalTableLimit


class TableLimitRequest(StrictSerializer):
    """The most that may be staked on one spot, or null for as much as the tables take."""

    limit = AmountField(allow_null=True)
    currency = CurrencyField()
    pin = PinField()


class TableLimitShown(serializers.Serializer[Any]):
    """A player's own limit as it stands."""

    limit = MoneySerializer(allow_null=True, help_text="Null where the tables' own limits are all there is.")
    set_at = serializers.DateTimeField(allow_null=True, help_text="Null where it was never set.")
    next_change_at = serializers.DateTimeField(
        allow_null=True, help_text="From then on it may be changed; null where it was never set."
    )


def shown_limit(limit: PersonalTableLimit | None) -> dict[str, Any]:
    """Shape a player's own limit for an answer."""
    if limit is None:
        return {"limit": None, "set_at": None, "next_change_at": None}
    amount = None if limit.amount is None else present_money(limit.amount, limit.currency)
    return {"limit": amount, "set_at": limit.set_at, "next_change_at": limit.next_change_at}
