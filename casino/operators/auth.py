"""Bearer credentials (RFC 6750): an operator's `op_<id>.<secret>`, a player's `pt_<token>`; one query each."""

from typing import Any, Final, Generic, TypeVar

from django.db import connection
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from casino.api.catalogue import FORBIDDEN, INVALID_CREDENTIALS, NOT_AUTHENTICATED, TOKEN_EXPIRED, Rejected
from casino.operators import credentials
from casino.operators.principals import OperatorPrincipal, PlayerPrincipal, Principal

_LONGEST: Final = 200
_BY_KEY_ID: Final = """
    SELECT k.secret_hash, k.revoked_at IS NOT NULL, o.id, o.slug, o.currency, o.sandbox
    FROM operators_apikey k JOIN operators_operator o ON o.id = k.operator_id WHERE k.key_id = %s
"""
_BY_HASH: Final = """
    SELECT s.ended_at IS NOT NULL, s.expires_at <= clock_timestamp(),
           p.id, p.operator_id, p.nickname, o.currency, o.sandbox
    FROM operators_playersession s
    JOIN operators_player p ON p.id = s.player_id
    JOIN operators_operator o ON o.id = p.operator_id
    WHERE s.token_hash = %s
"""
Accepted = TypeVar("Accepted", bound=Principal)


class Credential(BaseAuthentication, Generic[Accepted]):
    """Reads the Authorization header; subclasses say whom they let in."""

    accepts: tuple[type[Principal], ...]
    remedy: str

    def authenticate(self, request: Request) -> tuple[Principal, None]:
        """This will return the caller. Raises Rejected: not_authenticated and its kin, forbidden."""
        caller = _caller(request)
        if not isinstance(caller, self.accepts):
            raise Rejected(FORBIDDEN, "These are valid credentials of another kind.", remedy=self.remedy)
        return caller, None

    def authenticate_header(self, request: Request) -> str:
        """This will name the scheme."""
        del request
        return "Bearer"


class OperatorKey(Credential[OperatorPrincipal]):
    """Lets in operators' servers only."""

    accepts = (OperatorPrincipal,)
    remedy = "Call this from the operator's server, with its key: Bearer op_….…"


class PlayerToken(Credential[PlayerPrincipal]):
    """Lets in players only."""

    accepts = (PlayerPrincipal,)
    remedy = "Call this with a player's token: Bearer pt_…, from POST /api/v1/players/{id}/sessions."


class AnyCredential(Credential[Principal]):
    """Lets in both."""

    accepts = (OperatorPrincipal, PlayerPrincipal)
    remedy = ""


def _caller(request: Request) -> Principal:
    header = request._request.META.get("HTTP_AUTHORIZATION", "")  # noqa: SLF001  (quicker than by the wrapper)
    if not header:
        raise Rejected(NOT_AUTHENTICATED)
    scheme, _, given = header.partition(" ")
    if scheme.lower() != "bearer" or len(given) > _LONGEST or not (given.isascii() and given.isprintable()):
        raise Rejected(INVALID_CREDENTIALS, "The Authorization header is not a Bearer credential.")
    if given.startswith(credentials.KEY_PREFIX):
        return _operator(given)
    if given.startswith(credentials.TOKEN_PREFIX):
        return _player(given)
    raise Rejected(INVALID_CREDENTIALS)


def _operator(given: str) -> OperatorPrincipal:
    key_id, _, secret = given.partition(".")
    row = _one(_BY_KEY_ID, key_id)
    if row is None:
        raise Rejected(INVALID_CREDENTIALS)
    kept, revoked, operator, slug, currency, sandbox = row
    if not credentials.same(secret, bytes(kept)) or revoked:
        raise Rejected(INVALID_CREDENTIALS)
    return OperatorPrincipal(operator, slug, currency, sandbox, key_id)


def _player(given: str) -> PlayerPrincipal:
    token_hash = credentials.digest(given)
    row = _one(_BY_HASH, token_hash)
    if row is None:
        raise Rejected(INVALID_CREDENTIALS)
    ended, expired, player, operator, nickname, currency, sandbox = row
    if ended:
        raise Rejected(INVALID_CREDENTIALS, "This player session has ended.")
    if expired:
        raise Rejected(TOKEN_EXPIRED)
    return PlayerPrincipal(player, operator, nickname, currency, sandbox, token_hash)


def _one(query: str, value: str | bytes) -> tuple[Any, ...] | None:
    with connection.cursor() as cursor:
        cursor.execute(query, (value,))
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row
