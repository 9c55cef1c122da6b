"""The operators' part of the API: who am I, players' sessions and PINs."""

from dataclasses import asdict
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.fields import parse_body
from casino.api.idempotency import idempotent
from casino.kernel import money
from casino.operators import pins, sessions, stream_tickets
from casino.operators.api.serializers import (
    OperatorResponse,
    PinChangeRequest,
    PinRequest,
    PinResponse,
    SessionRequest,
    SessionResponse,
    StreamTicketResponse,
    ThresholdList,
)
from casino.operators.base_views import OperatorView, PlayerView
from casino.operators.committed_refusals import idempotent_with_committed_refusals
from casino.significant import thresholds
from casino.significant.thresholds import CurrentThresholds

_PLAYER: Final = "0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c11"
_PIN_SET: Final = OpenApiExample(
    "Set", value={"player": _PLAYER, "set_at": "2026-11-21T09:00:00Z"}, response_only=True, status_codes=["200"]
)


class CurrentOperatorView(OperatorView):
    """The caller's own operator."""

    @extend_schema(
        operation_id="getOperator",
        summary="Show the operator that this key belongs to",
        responses=OperatorResponse,
        examples=[
            OpenApiExample(
                "A sandbox operator",
                value={
                    "id": "0199f3a2-5d2a-7f10-8c4e-1b6a90c3de77",
                    "slug": "lucky",
                    "currency": "EUR",
                    "sandbox": True,
                    "key_id": "op_5f0c9a1b2c3d4e5f6a7b",
                },
                response_only=True,
            )
        ],
    )
    def get(self, request: Request) -> Response:
        del request
        me = self.caller
        shown = {"id": me.operator, "slug": me.slug, "currency": me.currency, "sandbox": me.sandbox}
        return Response({**shown, "key_id": me.key_id})


class ThresholdListView(OperatorView):
    """What counts as large for the caller."""

    @extend_schema(
        operation_id="listThresholds",
        summary="Show from which amounts on wagers, wins and payments are significant events",
        description="They are set in the admin, where each change is recorded: who, before and after.",
        responses=ThresholdList,
        examples=[
            OpenApiExample(
                "As nobody changed them",
                value={
                    "items": [
                        {
                            "currency": "EUR",
                            "wager": "10000.00",
                            "wager_day": "50000.00",
                            "win": "10000.00",
                            "win_day": "50000.00",
                            "payment": "10000.00",
                            "set_at": None,
                        }
                    ]
                },
                response_only=True,
            )
        ],
    )
    def get(self, request: Request) -> Response:
        del request
        found = thresholds.list_thresholds(self.caller.operator, currency=self.caller.currency)
        return Response({"items": [_shown_thresholds(each) for each in found]})


def _shown_thresholds(standing: CurrentThresholds) -> dict[str, Any]:
    amounts = {
        name: money.format_amount(minor, standing.currency) for name, minor in asdict(standing.thresholds).items()
    }
    return {"currency": standing.currency, **amounts, "set_at": standing.set_at}


class PlayerSessionsView(OperatorView):
    """Sessions of one of the caller's players."""

    @extend_schema(
        operation_id="openPlayerSession",
        summary="Obtain a short-lived token for a player's browser",
        description="A player has one session: one that is open elsewhere ends, and is told `session_taken_over`.",
        request=SessionRequest,
        responses={201: SessionResponse},
        examples=[
            OpenApiExample("Half an hour", value={"seconds": 1800}, request_only=True),
            OpenApiExample(
                "A token",
                value={
                    "token": "pt_kGm0m8Hk0sW1lq7b1V9cO2t3x4y5z6a7b8c9d0e1f2g",
                    "expires_at": "2026-11-21T09:30:00Z",
                    "idle_seconds": 900,
                    "previous_login": "2026-11-20T21:12:45Z",
                    "player": _PLAYER,
                },
                response_only=True,
                status_codes=["201"],
            ),
        ],
    )
    def post(self, request: Request, player: UUID) -> Response:
        """Open a session; a repeat opens another one, because a stored answer would hold a secret."""
        seconds = parse_body(SessionRequest, request)["seconds"]
        opened = sessions.open_session(operator=self.caller.operator, player=player, seconds=seconds)
        shown = {
            "token": opened.token,
            "expires_at": opened.expires_at,
            "idle_seconds": settings.PLAYER_IDLE_SECONDS,
            "previous_login": opened.previous_login,
            "player": player,
        }
        return Response(shown, status=201)


class PlayerPinView(OperatorView):
    """The PIN of one of the caller's players."""

    @extend_schema(
        operation_id="setPlayerPin",
        summary="Set a player's PIN, the first one or another one in its place",
        description="This also lifts the lock that three wrong tries in thirty minutes have led to.",
        request=PinRequest,
        responses=PinResponse,
        examples=[OpenApiExample("A PIN", value={"pin": "482913"}, request_only=True), _PIN_SET],
    )
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        pin = parse_body(PinRequest, request)["pin"]
        set_at = pins.set_pin(operator=self.caller.operator, player=player, pin=pin)
        return Response({"player": player, "set_at": set_at})


class OwnPinView(PlayerView):
    """The PIN of the player who asks."""

    @extend_schema(
        operation_id="changeMyPin",
        summary="Change one's own PIN, knowing the old one",
        description="Three wrong PINs within thirty minutes lock it for thirty minutes.",
        request=PinChangeRequest,
        responses=PinResponse,
        examples=[
            OpenApiExample("A change", value={"old_pin": "482913", "new_pin": "730164"}, request_only=True),
            _PIN_SET,
        ],
    )
    @idempotent_with_committed_refusals
    def post(self, request: Request) -> Response:
        given = parse_body(PinChangeRequest, request)
        me = self.caller
        set_at = pins.change_pin(operator=me.operator, player=me.player, old=given["old_pin"], new=given["new_pin"])
        return Response({"player": me.player, "set_at": set_at})


class CurrentSessionView(PlayerView):
    """The session whose token is used."""

    @extend_schema(
        operation_id="endPlayerSession",
        summary="Log out: end the session of this token",
        request=None,
        responses={204: None},
    )
    def delete(self, request: Request) -> Response:
        del request
        sessions.end_session(session=self.caller.session)
        return Response(status=204)


class StreamTicketsView(PlayerView):
    """Tickets for the live stream."""

    @extend_schema(
        operation_id="issueStreamTicket",
        summary="Obtain a ticket for the live stream",
        description="For browsers, whose EventSource sends no header. Each stream takes a ticket of its own.",
        request=None,
        responses={201: StreamTicketResponse},
        examples=[
            OpenApiExample(
                "A ticket",
                value={
                    "ticket": "st_vQ2l0y6mG1kYw8bZ5n3r7t9c4x1a6e2s8d0f5h7j9k3",
                    "expires_at": "2026-11-21T09:01:00Z",
                },
                response_only=True,
                status_codes=["201"],
            )
        ],
    )
    def post(self, request: Request) -> Response:
        """Issue a ticket; a repeat issues another one, because a stored answer would hold a secret."""
        del request
        issued = stream_tickets.issue(session=self.caller.session)
        return Response({"ticket": issued.ticket, "expires_at": issued.expires_at}, status=201)
