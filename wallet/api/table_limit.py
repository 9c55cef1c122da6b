"""A player's own limit on the stake on one spot, for all tables."""

from typing import Annotated

from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.fields import AmountField, CurrencyField, StrictSerializer, parse_body
from casino.api.openapi import operation
from casino.api.shapes import Money, Shape, Timestamp
from casino.operators.base_views import PlayerView, metadata
from casino.operators.committed_refusals import idempotent_with_committed_refusals
from casino.operators.fields import PinField
from wallet.responsible_gaming import table_limit_services
from wallet.responsible_gaming.table_limit import PersonalTableLimit


class TableLimitRequest(StrictSerializer):
    """The limit on a spot, confirmed with the PIN."""

    limit = AmountField(allow_null=True, help_text="Null for no limit beside the tables' own.")
    currency = CurrencyField()
    pin = PinField()


class TableLimit(Shape):
    """A player's own limit on a spot."""

    limit: Annotated[Money | None, Meta(description="Null where only the tables' own limits hold.")]
    set_at: Annotated[Timestamp | None, Meta(description="Null where it was never set.")]
    next_change_at: Annotated[
        Timestamp | None, Meta(description="The earliest time of the next change; null where it was never set.")
    ]

    @classmethod
    def of(cls, limit: PersonalTableLimit | None) -> "TableLimit":
        """Present a limit, None where none was ever set."""
        if limit is None:
            return cls(limit=None, set_at=None, next_change_at=None)
        amount = None if limit.amount is None else Money.of(limit.amount, limit.currency)
        return cls(limit=amount, set_at=limit.set_at, next_change_at=limit.next_change_at)


class MyTableLimitView(PlayerView):
    """The caller's own limit."""

    @operation("getMyTableLimit", "Show your own limit on a spot, and when it may next change", returns=TableLimit)
    def get(self, request: Request) -> Response:
        del request
        me = self.caller
        limit = table_limit_services.table_limit(operator=me.operator, player=me.player, currency=me.currency)
        return Response(TableLimit.of(limit))

    @operation(
        "setMyTableLimit",
        "Set your own limit on a spot, for all games of the casino",
        description=(
            "It is confirmed with the PIN, holds at once beside each table's maximum, whichever is lower, and changes "
            "once in a betting week. Null lifts it, which is a change as well."
        ),
        request=TableLimitRequest,
        example={"limit": "50.00", "currency": "EUR", "pin": "482913"},
        returns=TableLimit,
    )
    @idempotent_with_committed_refusals
    def post(self, request: Request) -> Response:
        body = parse_body(TableLimitRequest, request)
        me = self.caller
        limit = table_limit_services.set_table_limit(
            operator=me.operator,
            player=me.player,
            currency=body["currency"],
            amount=body["limit"],
            pin=body["pin"],
            metadata=metadata(request),
        )
        return Response(TableLimit.of(limit))
