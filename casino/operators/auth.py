"""Bearer credentials (RFC 6750): an operator's `op_<id>.<secret>`, a player's `pt_<token>`; one query each."""

from collections.abc import Mapping
from typing import Any, Final, Generic, TypeVar

from django.conf import settings
from django.db import connection
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from casino.api.error_catalogue import (
    FORBIDDEN,
    INVALID_CREDENTIALS,
    NOT_AUTHENTICATED,
    SESSION_PLAYER_BANNED,
    SESSION_TAKEN_OVER,
    SESSION_TIMED_OUT,
    TOKEN_EXPIRED,
    ProblemType,
    RequestRejected,
)
from casino.operators import access_failures, credentials, stream_tickets
from casino.operators.principals import OperatorPrincipal, PlayerPrincipal, Principal
from casino.operators.sessions import (
    ENDED,
    EXPIRED,
    REMOVED,
    SESSION_STATUS,
    TAKEN_OVER,
    TIMED_OUT,
    TOUCHES_PER_TIMEOUT,
)

_MAX_LENGTH: Final = 200
_BY_KEY_ID: Final = """
    SELECT k.secret_hash, k.revoked_at IS NOT NULL, o.id, o.slug, o.currency, o.sandbox
    FROM operators_apikey k JOIN operators_operator o ON o.id = k.operator_id WHERE k.key_id = %s
"""
# A use of a session is saved in the same round trip, only if the last save is older than a thirtieth of the timeout.
# An unused session may end that much early, and never late.
_BY_HASH: Final = f"""
    WITH known AS (
        SELECT s.token_hash, {SESSION_STATUS} AS status, p.id, p.operator_id, o.currency, o.sandbox
        FROM operators_playersession s
        JOIN operators_player p ON p.id = s.player_id
        JOIN operators_operator o ON o.id = p.operator_id
        WHERE s.token_hash = %(hash)s
    ), used AS (
        UPDATE operators_playersession s SET last_used_at = clock_timestamp()
        FROM known WHERE s.token_hash = known.token_hash AND known.status = ''
                     AND s.last_used_at < clock_timestamp() - make_interval(secs => %(idle)s) / {TOUCHES_PER_TIMEOUT}
    )
    SELECT status, id, operator_id, currency, sandbox FROM known
"""  # noqa: S608  (constants)
_OVER: Final[Mapping[str, tuple[ProblemType, str]]] = {
    ENDED: (INVALID_CREDENTIALS, "This player session has ended."),
    EXPIRED: (TOKEN_EXPIRED, ""),
    REMOVED: (SESSION_PLAYER_BANNED, ""),
    TAKEN_OVER: (SESSION_TAKEN_OVER, ""),
    TIMED_OUT: (SESSION_TIMED_OUT, ""),
}
_NEXT_TICKET: Final = "Get another ticket from POST /api/v1/stream/tickets for each stream."
_OPERATOR_KEY: Final = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "op_<key id>.<secret>",
    "description": "The operator's server. Keep the secret out of browsers.",
}
_PLAYER_TOKEN: Final = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "pt_<token>",
    "description": "A player's browser, with the short-lived token that the operator's server obtained.",
}
PrincipalT = TypeVar("PrincipalT", bound=Principal)


class BearerAuthentication(BaseAuthentication, Generic[PrincipalT]):
    """Reads the Authorization header; subclasses define who may call."""

    accepts: tuple[type[Principal], ...]
    remedy: str

    def authenticate(self, request: Request) -> tuple[Principal, None]:
        """Return the caller. Raises RequestRejected: not_authenticated and similar codes, forbidden."""
        try:
            caller = _caller(request)
        except RequestRejected as rejected:
            access_failures.record_login_failure(request, rejected)
            raise
        if not isinstance(caller, self.accepts):
            raise RequestRejected(FORBIDDEN, "These are valid credentials of another kind.", remedy=self.remedy)
        return caller, None

    def authenticate_header(self, request: Request) -> str:
        """Name the scheme."""
        del request
        return "Bearer"


class OperatorKeyAuthentication(BearerAuthentication[OperatorPrincipal]):
    """Accepts operators' servers only."""

    accepts = (OperatorPrincipal,)
    remedy = "Call this from the operator's server, with its key: Bearer op_….…"


class PlayerTokenAuthentication(BearerAuthentication[PlayerPrincipal]):
    """Accepts players only."""

    accepts = (PlayerPrincipal,)
    remedy = "Call this with a player's token: Bearer pt_…, from POST /api/v1/players/{id}/sessions."


class OperatorOrPlayerAuthentication(BearerAuthentication[Principal]):
    """Accepts both."""

    accepts = (OperatorPrincipal, PlayerPrincipal)
    remedy = ""


class OperatorKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """`operatorKey`."""

    target_class = OperatorKeyAuthentication
    name = "operatorKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        del auto_schema
        return _OPERATOR_KEY


class PlayerTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """`playerToken`."""

    target_class = PlayerTokenAuthentication
    name = "playerToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        del auto_schema
        return _PLAYER_TOKEN


class OperatorOrPlayerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Either of the two, which are described above."""

    target_class = OperatorOrPlayerAuthentication
    name: list[str] = []

    def get_security_requirement(self, auto_schema: Any) -> list[dict[str, list[Any]]]:
        del auto_schema
        return [{"operatorKey": []}, {"playerToken": []}]

    def get_security_definition(self, auto_schema: Any) -> list[dict[str, str]]:
        """Add no description of its own."""
        del auto_schema
        return []


def player_from_header(header: str) -> PlayerPrincipal:
    """Return the player that an Authorization header names. Raises RequestRejected."""
    caller = _caller_of(header)
    if not isinstance(caller, PlayerPrincipal):
        raise RequestRejected(
            FORBIDDEN, "These are valid credentials of another kind.", remedy=PlayerTokenAuthentication.remedy
        )
    return caller


def player_from_ticket(ticket: str) -> PlayerPrincipal:
    """Redeem a stream's single-use ticket and return its player. Raises RequestRejected."""
    session = stream_tickets.redeem(ticket=ticket) if len(ticket) <= _MAX_LENGTH else None
    if session is None:
        raise RequestRejected(INVALID_CREDENTIALS, "The ticket is used, too old or wrong.", remedy=_NEXT_TICKET)
    return _player_of(session)


def _caller(request: Request) -> Principal:
    return _caller_of(request._request.META.get("HTTP_AUTHORIZATION", ""))  # noqa: SLF001  (quicker than the wrapper)


def _caller_of(header: str) -> Principal:
    if not header:
        raise RequestRejected(NOT_AUTHENTICATED)
    scheme, _, credential = header.partition(" ")
    if (
        scheme.lower() != "bearer"
        or len(credential) > _MAX_LENGTH
        or not (credential.isascii() and credential.isprintable())
    ):
        raise RequestRejected(INVALID_CREDENTIALS, "The Authorization header is not a Bearer credential.")
    if credential.startswith(credentials.KEY_PREFIX):
        return _operator(credential)
    if credential.startswith(credentials.TOKEN_PREFIX):
        return _player(credential)
    raise RequestRejected(INVALID_CREDENTIALS)


def _operator(credential: str) -> OperatorPrincipal:
    key_id, _, secret = credential.partition(".")
    row = _one(_BY_KEY_ID, (key_id,))
    if row is None:
        raise RequestRejected(INVALID_CREDENTIALS)
    secret_hash, revoked, operator, slug, currency, sandbox = row
    if not credentials.verify_secret(secret, bytes(secret_hash)) or revoked:
        raise RequestRejected(INVALID_CREDENTIALS)
    return OperatorPrincipal(operator, slug, currency, sandbox, key_id)


def _player(credential: str) -> PlayerPrincipal:
    return _player_of(credentials.digest(credential))


def _player_of(token_hash: bytes) -> PlayerPrincipal:
    row = _one(_BY_HASH, {"hash": token_hash, "idle": settings.PLAYER_IDLE_SECONDS})
    if row is None:
        raise RequestRejected(INVALID_CREDENTIALS)
    status, player, operator, currency, sandbox = row
    if status:
        raise RequestRejected(*_OVER[status])
    return PlayerPrincipal(player, operator, currency, sandbox, token_hash)


def _one(query: str, values: Any) -> tuple[Any, ...] | None:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row
