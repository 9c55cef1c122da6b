"""Players' PINs."""

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.fields import StrictSerializer, parse_body
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.shapes import Shape, Timestamp
from casino.operators import pins
from casino.operators.base_views import OperatorView, PlayerView
from casino.operators.committed_refusals import idempotent_with_committed_refusals
from casino.operators.fields import PinField


class PinRequest(StrictSerializer):
    """The player's new PIN."""

    pin = PinField()


class PinChangeRequest(StrictSerializer):
    """The present PIN and the new one."""

    old_pin = PinField()
    new_pin = PinField()


class PinStatus(Shape):
    """When a player's PIN was set; the PIN itself is never shown."""

    player: UUID
    set_at: Timestamp


class PlayerPinView(OperatorView):
    """The PIN of one of the caller's players."""

    @operation(
        "setPlayerPin",
        "Set or replace a player's PIN",
        description="This also lifts the lock after three wrong PINs within thirty minutes.",
        request=PinRequest,
        example={"pin": "482913"},
        returns=PinStatus,
    )
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        pin = parse_body(PinRequest, request)["pin"]
        return Response(PinStatus(player, pins.set_pin(operator=self.caller.operator, player=player, pin=pin)))


class OwnPinView(PlayerView):
    """The caller's own PIN."""

    @operation(
        "changeMyPin",
        "Change your own PIN with the present one",
        description="Three wrong PINs within thirty minutes lock it for thirty minutes.",
        request=PinChangeRequest,
        example={"old_pin": "482913", "new_pin": "730164"},
        returns=PinStatus,
    )
    @idempotent_with_committed_refusals
    def post(self, request: Request) -> Response:
        body = parse_body(PinChangeRequest, request)
        me = self.caller
        set_at = pins.change_pin(operator=me.operator, player=me.player, old=body["old_pin"], new=body["new_pin"])
        return Response(PinStatus(me.player, set_at))
