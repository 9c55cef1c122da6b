"""A player's own limit on the stake on one spot, for all tables."""

from typing import Annotated

from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.openapi import operation
from casino.api.requests import Amount, Body, CurrencyQuery, OfferedCurrency, parse_body, parse_query
from casino.api.shapes import Money, Shape, Timestamp
from casino.operators import pins
from casino.operators.api.players import Pin
from casino.operators.base_views import PlayerView, idempotent_with_pin, metadata
from casino.operators.refusals import PinLocked, PinNotSet, PinReplacementWaits, PinWrong
from wallet.ledger.refusals import UnknownAccount
from wallet.responsible_gaming import table_limit_services
from wallet.responsible_gaming.table_limit import PersonalTableLimit, TableLimitChangedThisWeek, TableLimitUnchanged


class TableLimitRequest(Body):
    """The limit on a spot, confirmed with the PIN."""

    limit: Annotated[Amount | None, Meta(description="Null for none; the tables' own limits still apply.")]
    currency: OfferedCurrency
    pin: Pin


class TableLimit(Shape):
    """A player's own limit on a spot."""

    limit: Annotated[Money | None, Meta(description="Null if only the tables' own limits apply.")]
    set_at: Annotated[Timestamp | None, Meta(description="Null if it was never set.")]
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

    body: TableLimitRequest
    pin: pins.ComparedPin

    def _compare_pin(self, request: Request) -> None:
        self.body = parse_body(TableLimitRequest, request)
        self.pin = pins.compare_pin(player=self.caller.player, pin=self.body.pin)

    @operation(
        "getMyTableLimit",
        "Show your own limit on a spot in a currency, and when it may next change",
        parameters=[CurrencyQuery],
        returns=TableLimit,
        description=("Null if only the tables' own limits apply."),
        refusals=(UnknownAccount,),
    )
    def get(self, request: Request) -> Response:
        caller, currency = self.caller, parse_query(CurrencyQuery, request).currency
        limit = table_limit_services.table_limit(operator=caller.operator, player=caller.player, currency=currency)
        return Response(TableLimit.of(limit))

    @operation(
        "setMyTableLimit",
        "Set your own limit on a spot, for all games of the casino",
        description=(
            "It needs the PIN, applies at once in addition to each table's maximum, and can change once in a betting "
            "week. Null removes it, which counts as a change. While a request waits to replace the PIN, the limit can "
            "only be lowered (`pin_replacement_waits`)."
        ),
        request=TableLimitRequest,
        example={"limit": "50.00", "currency": "EUR", "pin": "482913"},
        returns=TableLimit,
        refusals=(
            PinLocked,
            PinNotSet,
            PinReplacementWaits,
            PinWrong,
            TableLimitChangedThisWeek,
            TableLimitUnchanged,
            UnknownAccount,
        ),
    )
    @idempotent_with_pin(_compare_pin)
    def post(self, request: Request) -> Response:
        limit = table_limit_services.set_table_limit(
            operator=self.caller.operator,
            currency=self.body.currency,
            amount=self.body.limit,
            pin=self.pin,
            metadata=metadata(request),
        )
        return Response(TableLimit.of(limit))
