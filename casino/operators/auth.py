"""Bearer credentials (RFC 6750): an operator's `op_<id>.<secret>`, a player's `pt_<token>`; one query each."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from ipaddress import ip_address, ip_network
from typing import Any, ClassVar, Final, Generic, TypeVar
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from casino.api import quotas
from casino.api.client_ip import client_ip
from casino.api.contract import Declared
from casino.api.error_catalogue import (
    FORBIDDEN,
    INVALID_CREDENTIALS,
    KEY_EXPIRED,
    NETWORK_REFUSED,
    NOT_AUTHENTICATED,
    SESSION_PLAYER_BANNED,
    SESSION_TAKEN_OVER,
    SESSION_TIMED_OUT,
    TOKEN_EXPIRED,
    ProblemType,
    RequestRejected,
)
from casino.events.sql import execute, fetch
from casino.observability.logging import bind
from casino.operators import credentials, request_signatures, sessions
from casino.operators.models import ApiKey
from casino.operators.principals import BrandScope, OperatorPrincipal, PlayerPrincipal, Principal, Scope
from casino.operators.refusals import KeyIsOfABrand, ScopeMissing
from casino.operators.sessions import (
    BANNED,
    ENDED,
    EXPIRED,
    SESSION_STATUS,
    TAKEN_OVER,
    TIMED_OUT,
    TOUCHES_PER_TIMEOUT,
)
from casino.significant import recorder
from casino.staff.duties import ANY_SCOPE, Act

_MAX_LENGTH: Final = 200
_MAX_KEY_ID_LENGTH: Final = 40
_BY_KEY_ID: Final = """
    SELECT k.secret_hash, k.previous_hash, k.previous_ends_at > clock_timestamp(), k.revoked_at IS NOT NULL,
           k.expires_at <= clock_timestamp(), k.networks, k.scopes, k.signatures_required OR o.signatures_required,
           coalesce(k.last_used_at, '-infinity') < clock_timestamp() - interval '30 seconds',
           coalesce(k.previous_used_at, '-infinity') < clock_timestamp() - interval '30 seconds',
           o.id, o.slug, o.currencies, o.sandbox, b.id, b.shares_players
    FROM operators_apikey k JOIN operators_operator o ON o.id = k.operator_id
    LEFT JOIN operators_brand b ON b.id = k.brand_id WHERE k.key_id = %s
"""
# Of requests at once, one saves the use and none waits for it.
_TOUCH: Final = """
    UPDATE operators_apikey SET {} = clock_timestamp() WHERE key_id = (
        SELECT key_id FROM operators_apikey WHERE key_id = %s FOR NO KEY UPDATE SKIP LOCKED)
"""
_TOUCH_NEWEST: Final = _TOUCH.format("last_used_at")
_TOUCH_PREVIOUS: Final = _TOUCH.format("previous_used_at")
# The same round trip saves the use of a session, if the last save is older than a thirtieth of the timeout. A session
# may therefore end that much early, and never late.
_BY_TOKEN_HASH: Final = f"""
    WITH known AS (
        SELECT s.token_hash, {SESSION_STATUS} AS status, p.id, p.operator_id, o.currencies, o.sandbox, s.created_at,
               b.id AS brand, b.shares_players, s.opened_by
        FROM operators_playersession s
        JOIN operators_player p ON p.id = s.player_id
        JOIN operators_operator o ON o.id = p.operator_id
        LEFT JOIN operators_brand b ON b.id = s.brand_id
        WHERE s.token_hash = %(hash)s
    ), used AS (
        UPDATE operators_playersession s SET last_used_at = clock_timestamp()
        FROM known WHERE s.token_hash = known.token_hash AND known.status = ''
                     AND s.last_used_at < clock_timestamp() - make_interval(secs => %(idle)s) / {TOUCHES_PER_TIMEOUT}
    )
    SELECT status, id, operator_id, currencies, sandbox, created_at, clock_timestamp(), brand, shares_players, opened_by
    FROM known
"""  # noqa: S608  (constants)
_SESSION_ENDS: Final[Mapping[str, tuple[ProblemType, str]]] = {
    ENDED: (INVALID_CREDENTIALS, "This player session has ended."),
    EXPIRED: (TOKEN_EXPIRED, ""),
    BANNED: (SESSION_PLAYER_BANNED, ""),
    TAKEN_OVER: (SESSION_TAKEN_OVER, ""),
    TIMED_OUT: (SESSION_TIMED_OUT, ""),
}
_FAILED_ACCESS: Final = (INVALID_CREDENTIALS, KEY_EXPIRED, NETWORK_REFUSED, *request_signatures.PROBLEMS)
_TICKET_REMEDY: Final = "Get another ticket from POST /api/v1/stream/tickets for each stream."
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
KEY_REFUSALS: Final = (ScopeMissing, KeyIsOfABrand, *request_signatures.PROBLEMS)
"""What only keys are refused with."""
PrincipalT = TypeVar("PrincipalT", bound=Principal)


class BearerAuthentication(BaseAuthentication, Generic[PrincipalT]):
    """Authenticates by the Authorization header; subclasses define which callers they accept."""

    accepts: tuple[type[Principal], ...]
    remedy: str
    problems: ClassVar[tuple[Declared, ...]] = (
        NOT_AUTHENTICATED,
        INVALID_CREDENTIALS,
        KEY_EXPIRED,
        NETWORK_REFUSED,
        TOKEN_EXPIRED,
        SESSION_TAKEN_OVER,
        SESSION_TIMED_OUT,
        SESSION_PLAYER_BANNED,
        FORBIDDEN,
    )
    """What an operation with this authentication may answer."""

    def authenticate(self, request: Request) -> tuple[Principal, None]:
        """Return the caller. Raises RequestRejected: not_authenticated and similar codes, forbidden."""
        try:
            caller = _authenticate_request(request._request)  # noqa: SLF001  (quicker than the wrapper)
        except RequestRejected as rejected:
            _record_login_failure(request, rejected)
            raise
        if not isinstance(caller, self.accepts):
            raise RequestRejected(FORBIDDEN, "These are valid credentials of another kind.", remedy=self.remedy)
        return caller, None

    def authenticate_header(self, request: Request) -> str:
        del request
        return "Bearer"


class OperatorKeyAuthentication(BearerAuthentication[OperatorPrincipal]):
    """Accepts operators' servers only."""

    accepts = (OperatorPrincipal,)
    problems = (*BearerAuthentication.problems, *KEY_REFUSALS)
    remedy = "Call this from the operator's server, with its key: Bearer op_….…"


class PlayerTokenAuthentication(BearerAuthentication[PlayerPrincipal]):
    """Accepts players only."""

    accepts = (PlayerPrincipal,)
    remedy = "Call this with a player's token: Bearer pt_…, from POST /api/v1/players/{id}/sessions."


class OperatorOrPlayerAuthentication(BearerAuthentication[Principal]):
    """Accepts operators' servers and players."""

    accepts = (OperatorPrincipal, PlayerPrincipal)
    problems = (*BearerAuthentication.problems, *KEY_REFUSALS)
    remedy = ""


class OperatorKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Documents an operator's key in OpenAPI, as `operatorKey`."""

    target_class = OperatorKeyAuthentication
    name = "operatorKey"

    def get_security_requirement(self, auto_schema: Any) -> dict[str, list[Any]]:
        return _key_requirement(auto_schema)

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        del auto_schema
        return _OPERATOR_KEY


class PlayerTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Documents a player's token in OpenAPI, as `playerToken`."""

    target_class = PlayerTokenAuthentication
    name = "playerToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        del auto_schema
        return _PLAYER_TOKEN


class OperatorOrPlayerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Documents that either of the two is accepted."""

    target_class = OperatorOrPlayerAuthentication
    name: list[str] = []

    def get_security_requirement(self, auto_schema: Any) -> list[dict[str, list[Any]]]:
        return [_key_requirement(auto_schema), {"playerToken": []}]

    def get_security_definition(self, auto_schema: Any) -> list[dict[str, str]]:
        del auto_schema
        return []


def required_scope(view: Any, method: str) -> Scope | None:
    """Return the scope that a key needs for a method of a view; None if no key may call it, or any."""
    act: Act | None = view.act
    if takes_any_key(act):
        return None
    if method in {"GET", "HEAD"} and not view.confidential:
        return Scope.READ
    return None if act is None or act.scope is None else Scope(act.scope)


def takes_any_key(act: Act | None) -> bool:
    """Return whether every key may do it, whatever its scopes."""
    return act is not None and act.scope == ANY_SCOPE


def _key_requirement(auto_schema: Any) -> dict[str, list[Any]]:
    scope = required_scope(auto_schema.view, auto_schema.method)
    return {OperatorKeyScheme.name: [] if scope is None else [scope.value]}


def player_of(request: HttpRequest) -> PlayerPrincipal:
    """Authenticate a player by the Authorization header. Raises RequestRejected."""
    caller = _authenticate_request(request)
    if not isinstance(caller, PlayerPrincipal):
        raise RequestRejected(
            FORBIDDEN, "These are valid credentials of another kind.", remedy=PlayerTokenAuthentication.remedy
        )
    return caller


def player_from_ticket(ticket: str) -> PlayerPrincipal:
    """Redeem a stream's single-use ticket and return its player. Raises RequestRejected."""
    session = sessions.redeem_ticket(ticket=ticket) if len(ticket) <= _MAX_LENGTH else None
    if session is None:
        raise RequestRejected(INVALID_CREDENTIALS, "The ticket is used, too old or wrong.", remedy=_TICKET_REMEDY)
    return _authenticate_session(session)


def _authenticate_request(request: HttpRequest) -> Principal:
    """Return the caller, to whose quota requests with this header count from now on. Raises RequestRejected."""
    header = request.META.get("HTTP_AUTHORIZATION", "")
    credential = quotas.fingerprint(header)
    try:
        caller = _caller(request, header)
    except RequestRejected:
        quotas.QUOTAS.refuse(credential)
        raise
    quotas.QUOTAS.accept(credential, caller.actor)
    bind(operator=caller.operator)
    return caller


def _caller(request: HttpRequest, header: str) -> Principal:
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
        return _authenticate_key(request, credential)
    if credential.startswith(credentials.TOKEN_PREFIX):
        return _authenticate_session(credentials.digest(credential))
    raise RequestRejected(INVALID_CREDENTIALS)


def _authenticate_key(request: HttpRequest, credential: str) -> OperatorPrincipal:
    key_id, _, secret = credential.partition(".")
    row = _fetch_row(_BY_KEY_ID, (key_id,))
    if row is None:
        raise RequestRejected(INVALID_CREDENTIALS)
    newest, previous, rotating, revoked, expired, networks, scopes, must_sign, unsaved, previous_unsaved, *more = row
    operator, slug, currencies, sandbox, *brand = more
    with_previous = bool(rotating) and credentials.verify_secret(secret, bytes(previous))
    if revoked or not (with_previous or credentials.verify_secret(secret, bytes(newest))):
        raise RequestRejected(INVALID_CREDENTIALS)
    if expired:
        raise RequestRejected(KEY_EXPIRED)
    if networks and not _is_inside(client_ip(request), networks):
        raise RequestRejected(NETWORK_REFUSED)
    request_signatures.check(request, key_id=key_id, required=must_sign)
    if previous_unsaved if with_previous else unsaved:
        execute(_TOUCH_PREVIOUS if with_previous else _TOUCH_NEWEST, [key_id])
    return OperatorPrincipal(
        operator, slug, tuple(currencies), sandbox, key_id, frozenset(map(Scope, scopes)), _brand(*brand), with_previous
    )


def _is_inside(address: str | None, networks: Sequence[str]) -> bool:
    return address is not None and any(ip_address(address) in ip_network(network) for network in networks)


def _authenticate_session(token_hash: bytes) -> PlayerPrincipal:
    row = _fetch_row(_BY_TOKEN_HASH, {"hash": token_hash, "idle": settings.PLAYER_IDLE_SECONDS})
    if row is None:
        raise RequestRejected(INVALID_CREDENTIALS)
    status, player, operator, currencies, sandbox, started_at, now, *brand, key_id = row
    if status:
        raise RequestRejected(*_SESSION_ENDS[status])
    return PlayerPrincipal(
        player, operator, tuple(currencies), sandbox, token_hash, started_at, now, _brand(*brand), key_id
    )


def _brand(brand: UUID | None, shares_players: bool | None) -> BrandScope | None:  # noqa: FBT001  (a row's columns)
    return None if brand is None else BrandScope(brand, bool(shares_players))


def _fetch_row(query: str, values: Any) -> tuple[Any, ...] | None:
    rows = fetch(query, values)
    return rows[0] if rows else None


def _record_login_failure(request: Request, rejected: RequestRejected) -> None:
    """Record a wrong credential; failures of one credential and kind within an hour count as one.

    From whatever address: events are kept permanently, and strangers have any number of addresses. The access log has
    each of them. Ended sessions and requests without credentials are not failed access.
    """
    if rejected.problem not in _FAILED_ACCESS:
        return
    meta: dict[str, Any] = request._request.META  # noqa: SLF001  (quicker than the wrapper)
    subject, operator = _claimed_identity(meta.get("HTTP_AUTHORIZATION", "").partition(" ")[2])
    recorder.record(
        kind=recorder.SignificantEventKind.LOGIN_FAILED,
        operator=operator,
        subject=subject,
        actor=subject,
        reason=rejected.detail,
        address=client_ip(request._request) or "",  # noqa: SLF001
        dedup_key=f"{rejected.problem.code}:{subject}:{datetime.now(UTC):%Y-%m-%dT%H}",
    )


def _claimed_identity(credential: str) -> tuple[str, UUID | None]:
    """Return the subject that a wrong credential names, never its secret, and the operator of an existing key."""
    if not (credential.isascii() and credential.isprintable()):
        return "a credential", None
    if credential.startswith(credentials.KEY_PREFIX):
        key_id = credential.partition(".")[0][:_MAX_KEY_ID_LENGTH]
        operator = ApiKey.objects.filter(key_id=key_id).values_list("operator_id", flat=True).first()
        return (f"key:{key_id}" if operator else "an unknown key"), operator
    return ("an unknown token" if credential.startswith(credentials.TOKEN_PREFIX) else "a credential"), None
