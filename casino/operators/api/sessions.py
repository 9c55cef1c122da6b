"""The session that a launch's code is traded for, and the renewal of sessions."""

from typing import Annotated, Any
from uuid import UUID

from django.conf import settings
from msgspec import Meta, field
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.error_catalogue import IDEMPOTENCY_KEY_MALFORMED
from casino.api.idempotency import read_key
from casino.api.openapi import OPTIONAL_IDEMPOTENCY_KEY, operation
from casino.api.requests import Body, integer, parse_body, verbatim
from casino.api.shapes import ItemList, Shape, Timestamp
from casino.api.views import BaseApiView
from casino.operators import acts, brands, launches, services, sessions
from casino.operators.base_views import OperatorView, PlayerView
from casino.operators.launches import LaunchOptions
from casino.operators.refusals import (
    InvalidSessionLength,
    LaunchExpired,
    LaunchUsed,
    PlayerIsBanned,
    SessionNotOpen,
    UnknownBrand,
    UnknownLaunch,
    UnknownPlayer,
)


class RenewalRequest(Body):
    """How long the session lasts from now."""

    ttl_seconds: Annotated[int, integer(*sessions.SESSION_SECONDS)] = field(
        default_factory=lambda: settings.PLAYER_SESSION_SECONDS
    )


class PlayerSessionRequest(RenewalRequest):
    """The lifetime of the token, and the brand under which the player plays."""

    brand: Annotated[str, verbatim(40, "A brand's slug; by default that of the key or player.")] | None = None


class LaunchCodeRequest(Body):
    """The code of a launch."""

    code: Annotated[str, verbatim(100, "From the address that `POST /launches` returned.")]


LAUNCH_CODE_EXAMPLE = {"code": "lc_vQ2l0y6mG1kYw8bZ5n3r7t9c4x1a6e2s8d0f5h7j9k3"}


class PlayerSessionResponse(Shape):
    """A new session. The token is shown only here."""

    token: Annotated[str, Meta(examples=["pt_kGm0m8Hk0sW1lq7b1V9cO2t3x4y5z6a7b8c9d0e1f2g"])]
    expires_at: Timestamp
    idle_seconds: Annotated[
        int, Meta(description="The session ends earlier after this long without a request.", examples=[900])
    ]
    previous_login: Annotated[Timestamp | None, Meta(description="Null at the player's first login.")]
    player: UUID


class LaunchedSession(PlayerSessionResponse):
    """A new session, and how the page begins."""

    launch: LaunchOptions


class SessionExpiry(Shape):
    """When a session ends at the latest."""

    expires_at: Timestamp


class MySession(Shape):
    """A session of the player's; null where it has not ended."""

    started_at: Timestamp
    ended_at: Timestamp | None
    current: Annotated[bool, Meta(description="Whether it is this one.")]
    opened_by_casino: Annotated[bool, Meta(description="Whether a key of the casino's opened or launched it.")]


class MySessionList(ItemList[MySession]):
    """The latest ten sessions, newest first."""


class MySessionsView(PlayerView):
    @operation(
        "getMySessions",
        "Show your latest sessions, and which of them your casino opened",
        description="One that you did not ask for was opened by somebody else: tell your casino.",
        returns=MySessionList,
    )
    def get(self, _request: Request) -> Response:
        caller = self.caller
        return Response(
            MySessionList.of(
                MySession(
                    started_at=each.created_at,
                    ended_at=each.ended_at,
                    current=bytes(each.token_hash) == caller.session,
                    opened_by_casino=bool(each.opened_by),
                )
                for each in sessions.latest(player=caller.player)
            )
        )


class PlayerSessionsView(OperatorView):
    """Sessions of one of the caller's players."""

    act = acts.OPEN_SESSION

    @operation(
        "openPlayerSession",
        "Obtain a short-lived token for a player's browser",
        description=(
            "A player has one session: one that is open elsewhere ends with `session_taken_over`, and so does the "
            "first one if you repeat the request."
        ),
        request=PlayerSessionRequest,
        example={"ttl_seconds": 1800},
        returns=PlayerSessionResponse,
        status=201,
        refusals=(
            UnknownBrand,
            InvalidSessionLength,
            PlayerIsBanned,
            UnknownPlayer,
        ),
    )
    def post(self, request: Request, player: UUID) -> Response:
        """Open a session; repeating the request opens another one, because a stored response would contain a secret."""
        body, caller = parse_body(PlayerSessionRequest, request), self.caller
        opened = sessions.open_session(
            operator=caller.operator,
            player=player,
            seconds=body.ttl_seconds,
            brand=brands.chosen_scope(caller, body.brand),
            opened_by=caller.key_id,
        )
        session = PlayerSessionResponse(
            token=opened.token,
            expires_at=opened.expires_at,
            idle_seconds=settings.PLAYER_IDLE_SECONDS,
            previous_login=opened.previous_login,
            player=player,
        )
        return Response(session, status=201)


class RenewPlayerSessionView(OperatorView):
    """The open session of one of the caller's players."""

    act = acts.OPEN_SESSION

    @operation(
        "renewPlayerSession",
        "Let a player's open session last longer",
        description=(
            "It stays the same session, with its token, stream and seats. It lasts `ttl_seconds` from now, or as long "
            "as before if that is longer, so repeating the request does no harm."
        ),
        request=RenewalRequest,
        example={"ttl_seconds": 1800},
        returns=SessionExpiry,
        refusals=(
            InvalidSessionLength,
            SessionNotOpen,
            UnknownPlayer,
        ),
    )
    def post(self, request: Request, player: UUID) -> Response:
        seconds = parse_body(RenewalRequest, request).ttl_seconds
        services.require_player(operator=self.caller.operator, player=player)
        return Response(SessionExpiry(sessions.renew_session(player=player, seconds=seconds)))


class LaunchSessionView(BaseApiView):
    """The session of a launch. Its code is the credential."""

    authentication_classes: list[Any] = []

    @operation(
        "redeemLaunch",
        "Trade the code of a launch for a session",
        description=(
            "The table page does this. A code works once, within a minute. A browser that got no answer repeats the "
            "request under the same key, and the session that it gets replaces the first one."
        ),
        request=LaunchCodeRequest,
        parameters=[OPTIONAL_IDEMPOTENCY_KEY],
        example=LAUNCH_CODE_EXAMPLE,
        returns=LaunchedSession,
        status=201,
        refusals=(
            UnknownLaunch,
            LaunchUsed,
            LaunchExpired,
            PlayerIsBanned,
            IDEMPOTENCY_KEY_MALFORMED,
        ),
    )
    def post(self, request: Request) -> Response:
        """Open the session; a repeat opens another one, because a stored response would contain a secret."""
        body, key = parse_body(LaunchCodeRequest, request), read_key(request)
        player, opened, options = launches.redeem(code=body.code, key=key)
        session = LaunchedSession(
            token=opened.token,
            expires_at=opened.expires_at,
            idle_seconds=settings.PLAYER_IDLE_SECONDS,
            previous_login=opened.previous_login,
            player=player,
            launch=options,
        )
        return Response(session, status=201)


class CurrentSessionView(PlayerView):
    """The session whose token is used."""

    @operation(
        "getPlayerSession",
        "Show when the session of this token ends",
        returns=SessionExpiry,
        description="The session may end before, when another one is opened or nothing is requested for a while.",
    )
    def get(self, _request: Request) -> Response:
        return Response(SessionExpiry(sessions.expiry(session=self.caller.session)))

    @operation(
        "endPlayerSession",
        "Log out: end the session of this token",
        responses={204: None},
        description="The token is invalid from now on, and its streams end. A seat is released in its time.",
    )
    def delete(self, _request: Request) -> Response:
        sessions.end_session(session=self.caller.session)
        return Response(status=204)


class RenewCurrentSessionView(PlayerView):
    """The renewal of the session whose token is used."""

    @operation(
        "renewSession",
        "Let this session last longer, by the code of a new launch",
        description=(
            "For table pages in an operator's page: its server launches the player again, and it hands the new code "
            "over. It stays the same session, with its token, stream and seats. If you got no answer, repeat the "
            "request with the same code within the minute."
        ),
        request=LaunchCodeRequest,
        example=LAUNCH_CODE_EXAMPLE,
        returns=SessionExpiry,
        refusals=(
            UnknownLaunch,
            LaunchUsed,
            LaunchExpired,
            SessionNotOpen,
        ),
    )
    def post(self, request: Request) -> Response:
        me, code = self.caller, parse_body(LaunchCodeRequest, request).code
        return Response(SessionExpiry(launches.renew(code=code, player=me.player, session=me.session)))
