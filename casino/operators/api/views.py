"""The operators' part of the API: who am I, players' sessions."""

from typing import Final
from uuid import UUID

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.fields import read
from casino.operators import operations
from casino.operators.api.serializers import OperatorShown, SessionOpened, SessionRequest
from casino.operators.views import OperatorView, PlayerView

_PLAYER: Final = "0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c11"


class WhoAmI(OperatorView):
    """The caller's own operator."""

    @extend_schema(
        operation_id="getOperator",
        summary="Show the operator that this key belongs to",
        responses=OperatorShown,
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
        """This will show who calls."""
        del request
        me = self.caller
        shown = {"id": me.operator, "slug": me.slug, "currency": me.currency, "sandbox": me.sandbox}
        return Response({**shown, "key_id": me.key_id})


class PlayerSessions(OperatorView):
    """Sessions of one of the caller's players."""

    @extend_schema(
        operation_id="openPlayerSession",
        summary="Obtain a short-lived token for a player's browser",
        request=SessionRequest,
        responses={201: SessionOpened},
        examples=[
            OpenApiExample("Half an hour", value={"seconds": 1800}, request_only=True),
            OpenApiExample(
                "A token",
                value={
                    "token": "pt_kGm0m8Hk0sW1lq7b1V9cO2t3x4y5z6a7b8c9d0e1f2g",
                    "expires_at": "2026-11-21T09:30:00Z",
                    "player": _PLAYER,
                },
                response_only=True,
                status_codes=["201"],
            ),
        ],
    )
    def post(self, request: Request, player: UUID) -> Response:
        """This will open a session; a repeat opens another one, because a stored answer would hold a secret."""
        seconds = read(SessionRequest, request)["seconds"]
        token, expires_at = operations.open_session(operator=self.caller.operator, player=player, seconds=seconds)
        return Response({"token": token, "expires_at": expires_at, "player": player}, status=201)


class CurrentSession(PlayerView):
    """The session whose token is used."""

    @extend_schema(
        operation_id="endPlayerSession",
        summary="Log out: end the session of this token",
        request=None,
        responses={204: None},
    )
    def delete(self, request: Request) -> Response:
        """This will end the session."""
        del request
        operations.end_session(session=self.caller.session)
        return Response(status=204)
