"""Players' PINs and stream tickets."""

from typing import Annotated, Any, ClassVar
from uuid import UUID

from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.idempotency import idempotent, idempotent_after
from casino.api.openapi import operation
from casino.api.requests import Body, Offer, Written, parse_body, require_text
from casino.api.shapes import Shape, Timestamp
from casino.operators import acts, pins, sessions
from casino.operators.base_views import OperatorView, PlayerView, idempotent_with_pin
from casino.operators.refusals import (
    MalformedPin,
    NoPinReplacement,
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
    def post(self, _request: Request) -> Response:
        """Issue a ticket; a repeat issues another one, because a stored response would contain a secret."""
        issued = sessions.issue_ticket(session=self.caller.session)
        return Response(StreamTicketResponse(issued.ticket, issued.expires_at), status=201)


class Pin(str, metaclass=Written):
    """A PIN: 4 to 12 digits as text. No response contains it."""

    made = str
    codes = ("not_a_string", MalformedPin.code)
    schema: ClassVar[dict[str, Any]] = {
        "type": "string",
        "pattern": "^[0-9]{4,12}$",
        "format": "password",
        "writeOnly": True,
    }

    @classmethod
    def read(cls, value: object, offer: Offer) -> str:
        """Return the PIN. Raises Malformed, MalformedPin."""
        del offer
        pin = require_text(value)
        pins.require_well_formed(pin)
        return pin


class PinRequest(Body):
    """The player's new PIN."""

    pin: Pin


class PinChangeRequest(Body):
    """The current PIN and the new one."""

    old_pin: Pin
    new_pin: Pin


class PinStatus(Shape):
    """When a player's PIN was set, and when a requested one replaces it; no PIN is ever shown."""

    player: UUID
    set_at: Annotated[Timestamp | None, Meta(description="Null without a PIN.")]
    replaced_at: Annotated[
        Timestamp | None, Meta(description="When one that the operator requested replaces it; null without a request.")
    ]

    @classmethod
    def of(cls, player: UUID, state: pins.PinState) -> "PinStatus":
        """Present the state of a player's PIN."""
        return cls(player, state.set_at, state.replaced_at)


class PinCancellationRequest(Body):
    """The player's PIN, which stays."""

    pin: Pin


class PlayerPinView(OperatorView):
    """The PIN of one of the caller's players."""

    act = acts.OPEN_SESSION
    new_pin: pins.HashedPin

    def _hash_pin(self, request: Request) -> None:
        self.new_pin = pins.hash_pin(parse_body(PinRequest, request).pin)

    @operation(
        "setPlayerPin",
        "Set a player's first PIN, or request a new one",
        description=(
            "A new one replaces the PIN after 24 hours, and a further request waits anew. The player sees it in play, "
            "and cancels it with the old PIN. Meanwhile the limit that the PIN guards can't be raised."
        ),
        request=PinRequest,
        example={"pin": "482913"},
        returns=PinStatus,
        refusals=(UnknownPlayer,),
    )
    @idempotent_after(_hash_pin)
    def post(self, request: Request, player: UUID) -> Response:
        state = pins.set_pin(operator=self.caller.operator, player=player, pin=self.new_pin)
        return Response(PinStatus.of(player, state))


class PlayerPinLockView(OperatorView):
    """The lock of the PIN of one of the caller's players."""

    act = acts.UNLOCK_PIN

    @operation(
        "unlockPlayerPin",
        "Lift the lock of a player's PIN",
        description="After three wrong PINs within thirty minutes. The PIN stays as it is.",
        returns=PinStatus,
        refusals=(PinNotSet, UnknownPlayer),
    )
    @idempotent
    def post(self, _request: Request, player: UUID) -> Response:
        state = pins.unlock(operator=self.caller.operator, player=player, by=self.caller.actor)
        return Response(PinStatus.of(player, state))


class OwnPinView(PlayerView):
    """The caller's own PIN."""

    old_pin: pins.ComparedPin
    new_pin: pins.HashedPin

    def _hash_pins(self, request: Request) -> None:
        body = parse_body(PinChangeRequest, request)
        self.old_pin = pins.compare_pin(player=self.caller.player, pin=body.old_pin)
        self.new_pin = pins.hash_pin(body.new_pin)

    @operation(
        "getMyPin",
        "Show whether you have a PIN, and whether your casino requested a new one",
        description="A requested PIN replaces yours at `replaced_at`, unless you cancel that with yours.",
        returns=PinStatus,
    )
    def get(self, _request: Request) -> Response:
        return Response(PinStatus.of(self.caller.player, pins.state_of(self.caller.player)))

    @operation(
        "changeMyPin",
        "Change your own PIN",
        description=(
            "Three wrong PINs within thirty minutes lock it for thirty minutes. A request to replace it is cancelled."
        ),
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
        state = pins.change_pin(operator=self.caller.operator, old=self.old_pin, new=self.new_pin)
        return Response(PinStatus.of(self.caller.player, state))


class OwnPinReplacementView(PlayerView):
    """The request to replace the caller's own PIN."""

    pin: pins.ComparedPin

    def _compare_pin(self, request: Request) -> None:
        body = parse_body(PinCancellationRequest, request)
        self.pin = pins.compare_pin(player=self.caller.player, pin=body.pin)

    @operation(
        "keepMyPin",
        "Cancel your casino's request of a new PIN: yours stays",
        description="Three wrong PINs within thirty minutes lock it for thirty minutes.",
        request=PinCancellationRequest,
        example={"pin": "482913"},
        returns=PinStatus,
        refusals=(NoPinReplacement, PinLocked, PinNotSet, PinWrong),
    )
    @idempotent_with_pin(_compare_pin)
    def post(self, _request: Request) -> Response:
        state = pins.cancel_replacement(operator=self.caller.operator, pin=self.pin)
        return Response(PinStatus.of(self.caller.player, state))
