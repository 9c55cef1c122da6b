"""Players' PINs and stream tickets."""

from typing import Annotated, Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from msgspec import Meta
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.fields import StrictSerializer, parse_body
from casino.api.idempotency import idempotent_after
from casino.api.openapi import operation
from casino.api.shapes import Shape, Timestamp
from casino.operators import acts, pins, sessions
from casino.operators.base_views import OperatorView, PlayerView, idempotent_with_pin
from casino.operators.refusals import (
    MalformedPin,
    PinLocked,
    PinNotSet,
    PinWrong,
    UnknownPlayer,
)


class StreamTicketResponse(Shape):
    """A ticket. It is shown only here."""

    ticket: Annotated[
        str,
        Meta(
            description="Valid once, for `GET /api/v1/stream?ticket=…`.",
            examples=["st_vQ2l0y6mG1kYw8bZ5n3r7t9c4x1a6e2s8d0f5h7j9k3"],
        ),
    ]
    expires_at: Timestamp


class StreamTicketsView(PlayerView):
    """Tickets for the live stream."""

    @operation(
        "issueStreamTicket",
        "Obtain a ticket for the live stream",
        description=(
            "For browsers, whose EventSource sends no header. Each stream needs its own ticket; repeating the request "
            "issues another."
        ),
        returns=StreamTicketResponse,
        status=201,
    )
    def post(self, request: Request) -> Response:
        """Issue a ticket; a repeat issues another one, because a stored response would contain a secret."""
        del request
        issued = sessions.issue_ticket(session=self.caller.session)
        return Response(StreamTicketResponse(issued.ticket, issued.expires_at), status=201)


@extend_schema_field({"type": "string", "pattern": "^[0-9]{4,12}$", "format": "password"})
class PinField(serializers.Field[str, Any, str, str]):
    """A PIN: 4 to 12 digits as text (`not_a_string`, `pin_malformed`). No response contains it."""

    codes = ("not_a_string", MalformedPin.code)

    def __init__(self, **options: Any) -> None:
        super().__init__(write_only=True, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise ValidationError("A PIN is text.", code="not_a_string")
        try:
            pins.require_well_formed(data)
        except MalformedPin as refusal:
            raise ValidationError(refusal.detail, code=refusal.code) from None
        return data


class PinRequest(StrictSerializer):
    """The player's new PIN."""

    pin = PinField()


class PinChangeRequest(StrictSerializer):
    """The current PIN and the new one."""

    old_pin = PinField()
    new_pin = PinField()


class PinStatus(Shape):
    """When a player's PIN was set; the PIN itself is never shown."""

    player: UUID
    set_at: Timestamp


class PlayerPinView(OperatorView):
    """The PIN of one of the caller's players."""

    act = acts.OPEN_SESSION
    new_pin: pins.HashedPin

    def _hash_pin(self, request: Request) -> None:
        self.new_pin = pins.hash_pin(parse_body(PinRequest, request)["pin"])

    @operation(
        "setPlayerPin",
        "Set or replace a player's PIN",
        description="This also lifts the lock after three wrong PINs within thirty minutes.",
        request=PinRequest,
        example={"pin": "482913"},
        returns=PinStatus,
        refusals=(UnknownPlayer,),
    )
    @idempotent_after(_hash_pin)
    def post(self, request: Request, player: UUID) -> Response:
        set_at = pins.set_pin(operator=self.caller.operator, player=player, pin=self.new_pin)
        return Response(PinStatus(player, set_at))


class OwnPinView(PlayerView):
    """The caller's own PIN."""

    old_pin: pins.ComparedPin
    new_pin: pins.HashedPin

    def _hash_pins(self, request: Request) -> None:
        body = parse_body(PinChangeRequest, request)
        self.old_pin = pins.compare_pin(player=self.caller.player, pin=body["old_pin"])
        self.new_pin = pins.hash_pin(body["new_pin"])

    @operation(
        "changeMyPin",
        "Change your own PIN",
        description="Three wrong PINs within thirty minutes lock it for thirty minutes.",
        request=PinChangeRequest,
        example={"old_pin": "482913", "new_pin": "730164"},
        returns=PinStatus,
        refusals=(
            PinLocked,
            PinNotSet,
            PinWrong,
        ),
    )
    @idempotent_with_pin(_hash_pins)
    def post(self, request: Request) -> Response:
        set_at = pins.change_pin(operator=self.caller.operator, old=self.old_pin, new=self.new_pin)
        return Response(PinStatus(self.caller.player, set_at))
