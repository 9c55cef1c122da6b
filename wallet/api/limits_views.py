"""A player's own limit on what is staked on one spot."""

from typing import Final

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.fields import parse_body
from casino.operators.base_views import PlayerView, metadata
from casino.operators.committed_refusals import idempotent_with_committed_refusals
from wallet.api.limits_serializers import TableLimitRequest, TableLimitShown, shown_limit
from wallet.responsible_gaming import table_limit_services

_SHOWN: Final = OpenApiExample(
    "A limit",
    value={
        "limit": {"amount": "50.00", "currency": "EUR"},
        "set_at": "2026-11-21T09:00:00Z",
        "next_change_at": "2026-11-27T05:00:00Z",
    },
    response_only=True,
    status_codes=["200"],
)


class MyTableLimitView(PlayerView):
    """The own limit of the player who asks."""

    @extend_schema(
        operation_id="getMyTableLimit",
        summary="Show one's own limit on a spot, and when it may next change",
        responses=TableLimitShown,
        examples=[_SHOWN],
    )
    def get(self, request: Request) -> Response:
        del request
        me = self.caller
        limit = table_limit_services.table_limit(operator=me.operator, player=me.player, currency=me.currency)
        return Response(shown_limit(limit))

    @extend_schema(
        operation_id="setMyTableLimit",
        summary="Set one's own limit on a spot, for all games of the casino",
        description=(
            "It is confirmed with the PIN, holds at once beside each table's maximum, whichever is lower, and changes "
            "once in a betting week. Null lifts it, which is a change as well."
        ),
        request=TableLimitRequest,
        responses=TableLimitShown,
        examples=[
            OpenApiExample("Fifty", value={"limit": "50.00", "currency": "EUR", "pin": "482913"}, request_only=True),
            _SHOWN,
        ],
    )
    @idempotent_with_committed_refusals
    def post(self, request: Request) -> Response:
        given = parse_body(TableLimitRequest, request)
        me = self.caller
        limit = table_limit_services.set_table_limit(
            operator=me.operator,
            player=me.player,
            currency=given["currency"],
            amount=given["limit"],
            pin=given["pin"],
            metadata=metadata(request),
        )
        return Response(shown_limit(limit))
