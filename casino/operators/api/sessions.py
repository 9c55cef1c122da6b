"""Players' sessions, and tickets for the live stream."""

from typing import Annotated
from uuid import UUID

from django.conf import settings
from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.fields import StrictSerializer, WholeNumberField, parse_body
from casino.api.openapi import operation
from casino.api.shapes import Shape, Timestamp
from casino.operators import sessions, stream_tickets
from casino.operators.base_views import OperatorView, PlayerView


class PlayerSessionRequest(StrictSerializer):
    """The lifetime of the token."""

    ttl_seconds = WholeNumberField(required=False, default=lambda: settings.PLAYER_SESSION_SECONDS)


class PlayerSessionResponse(Shape):
    """A new session. The token is shown only here."""

    token: Annotated[str, Meta(examples=["pt_kGm0m8Hk0sW1lq7b1V9cO2t3x4y5z6a7b8c9d0e1f2g"])]
    expires_at: Timestamp
    idle_seconds: Annotated[
        int, Meta(description="The session ends earlier after so long without a request.", examples=[900])
    ]
    previous_login: Annotated[Timestamp | None, Meta(description="Null at the player's first login.")]
    player: UUID


class StreamTicketResponse(Shape):
    """A ticket. It is shown only here."""

    ticket: Annotated[
        str,
        Meta(
            description="Good once, for `GET /api/v1/stream?ticket=…`.",
            examples=["st_vQ2l0y6mG1kYw8bZ5n3r7t9c4x1a6e2s8d0f5h7j9k3"],
        ),
    ]
    expires_at: Timestamp


class PlayerSessionsView(OperatorView):
    """Sessions of one of the caller's players."""

    @operation(
        "openPlayerSession",
        "Obtain a short-lived token for a player's browser",
        description="A player has one session: one that is open elsewhere ends with `session_taken_over`.",
        request=PlayerSessionRequest,
        example={"ttl_seconds": 1800},
        returns=PlayerSessionResponse,
        status=201,
    )
    def post(self, request: Request, player: UUID) -> Response:
        """Open a session; a repeat opens another one, because a stored answer would hold a secret."""
        seconds = parse_body(PlayerSessionRequest, request)["ttl_seconds"]
        opened = sessions.open_session(operator=self.caller.operator, player=player, seconds=seconds)
        session = PlayerSessionResponse(
            token=opened.token,
            expires_at=opened.expires_at,
            idle_seconds=settings.PLAYER_IDLE_SECONDS,
            previous_login=opened.previous_login,
            player=player,
        )
        return Response(session, status=201)


class CurrentSessionView(PlayerView):
    """The session whose token is used."""

    @operation("endPlayerSession", "Log out: end the session of this token", responses={204: None})
    def delete(self, request: Request) -> Response:
        del request
        sessions.end_session(session=self.caller.session)
        return Response(status=204)


class StreamTicketsView(PlayerView):
    """Tickets for the live stream."""

    @operation(
        "issueStreamTicket",
        "Obtain a ticket for the live stream",
        description="For browsers, whose EventSource sends no header. Each stream takes a ticket of its own.",
        returns=StreamTicketResponse,
        status=201,
    )
    def post(self, request: Request) -> Response:
        """Issue a ticket; a repeat issues another one, because a stored answer would hold a secret."""
        del request
        issued = stream_tickets.issue(session=self.caller.session)
        return Response(StreamTicketResponse(issued.ticket, issued.expires_at), status=201)
