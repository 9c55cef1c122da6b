"""Base classes of the views of all apps: accepted callers, metadata of events, and refusals that are committed."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from typing import Any, ClassVar, ParamSpec, TypeVar, cast

import msgspec
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import errors
from casino.api.client_ip import client_ip
from casino.api.idempotency import Handler, IdempotentHandler, idempotent_after
from casino.api.views import BaseApiView
from casino.events.store import Metadata
from casino.kernel.errors import CommittedRefusal
from casino.observability.logging import request_id
from casino.operators import brands
from casino.operators.assertions import HEADER, PARAMETERS, AssertionParameter, require_duty, use_assertion
from casino.operators.auth import (
    OperatorKeyAuthentication,
    OperatorOrPlayerAuthentication,
    PlayerTokenAuthentication,
    required_scope,
    takes_any_key,
)
from casino.operators.principals import OperatorPrincipal, PlayerPrincipal, Principal
from casino.operators.refusals import ScopeMissing
from casino.significant import recorder
from casino.staff.duties import Act, Signed

View = TypeVar("View")
Parameters = ParamSpec("Parameters")


class ScopedView(BaseApiView):
    """A view that API keys may call if they have the scope for it, and those of a brand for its players."""

    act: ClassVar[Act | None] = None
    """What a key does here by changing something, which says its scope; to read, it needs `read`."""
    confidential: ClassVar[bool] = False
    """Whether reading needs the scope of the act, too."""
    for_brands: ClassVar[frozenset[str]] = frozenset()
    """Methods that a key of a brand may call although the address names no player."""

    def extensions(self) -> dict[str, Any]:
        """Return what the OpenAPI document says of the act."""
        if self.act is None:
            return {}
        duty = {"act": self.act.name, "side": self.act.side.value, "persons": self.act.persons}
        return {"x-duty": {**duty, "delayed": self.act.delayed}}

    @classmethod
    def signed_headers(cls, method: str) -> list[AssertionParameter]:
        """Return the header by which a person signs what the act has to be signed, unless an operation has its own."""
        handler: Any = getattr(cls, method.lower())
        own = any(isinstance(each, AssertionParameter) for each in handler.contract.parameters)
        if method.upper() == "GET" or cls.act is None or cls.act.assertion is Signed.NEVER or own:
            return []
        return [PARAMETERS[cls.act.assertion]]

    def check_permissions(self, request: Request) -> None:
        """Check the scopes and the brand of a key. Raises ScopeMissing, KeyIsOfABrand, UnknownPlayer."""
        caller, method = request.user, (request.method or "").lower()
        if isinstance(caller, OperatorPrincipal) and hasattr(self, method):  # else the method is refused, as 405
            scope = required_scope(self, request.method or "")
            if scope not in caller.scopes and not takes_any_key(self.act):
                raise ScopeMissing(scope=scope or "")
            if caller.brand is not None and request.method not in self.for_brands:
                brands.require_player(caller, self.kwargs.get("player"))

    def use_person(self) -> str:
        """Use up the request's assertion, and return its person as an actor.

        Raises AssertionRequired, AssertionInvalid, AssertionExpired, AssertionUsed, DutyMissing.
        """
        person = use_assertion(self.request._request, operator=cast("Principal", self.request.user).operator)  # noqa: SLF001
        require_duty(person, self.act)
        return person


class OperatorView(ScopedView):
    """A view for operators' servers: the caller is an OperatorPrincipal."""

    authentication_classes = [OperatorKeyAuthentication]

    @property
    def caller(self) -> OperatorPrincipal:
        return cast("OperatorPrincipal", self.request.user)

    def use_person_or_key(self) -> str:
        """Return the person of the request's assertion as `use_person` does; without one, the key as an actor."""
        return self.use_person() if HEADER in self.request.headers else self.caller.actor


class PlayerView(BaseApiView):
    """A view for players: the caller is a PlayerPrincipal."""

    authentication_classes = [PlayerTokenAuthentication]

    @property
    def caller(self) -> PlayerPrincipal:
        return cast("PlayerPrincipal", self.request.user)


class OperatorOrPlayerView(ScopedView):
    """A view for operators' servers and players."""

    authentication_classes = [OperatorOrPlayerAuthentication]

    @property
    def caller(self) -> Principal:
        return cast("Principal", self.request.user)


def metadata(request: Request) -> Metadata:
    """Build the metadata of events: the operator, who acted, in which session, and the request's id."""
    caller = cast("Principal", request.user)
    current = request_id(request._request)  # noqa: SLF001  (DRF has no public name for it)
    return Metadata(operator=str(caller.operator), actor=caller.actor, causation=caller.cause, request=current)


def idempotent_with_pin(
    compare: Callable[[View, Request], None],
) -> Callable[[Handler[View, Parameters]], IdempotentHandler[View, Parameters]]:
    """Wrap a view's `post` as `idempotent_after` does with `compare`, but commit refusals that have an effect.

    A wrong PIN is counted. Like other effects it has one stored response: repeating the request counts once.
    """

    def wrap(handler: Handler[View, Parameters]) -> IdempotentHandler[View, Parameters]:
        return _with_committed_refusals(handler, compare)

    return wrap


def _with_committed_refusals(
    handler: Handler[View, Parameters], compare: Callable[[View, Request], None]
) -> IdempotentHandler[View, Parameters]:
    @idempotent_after(compare)
    def handle_once(view: View, request: Request, /, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Response:
        try:
            return handler(view, request, *args, **kwargs)
        except CommittedRefusal as refusal:
            _record_wrong_pin(request, refusal)
            response = errors.handle(refusal, {"request": request})
            return Response(msgspec.Raw(response.content), status=response.status_code)

    @wraps(handle_once)
    def respond(view: View, request: Request, /, *args: Parameters.args, **kwargs: Parameters.kwargs) -> HttpResponse:
        response = handle_once(view, request, *args, **kwargs)
        if response.status_code >= 400:
            response["Content-Type"] = errors.MEDIA_TYPE
        return response

    return respond


def _record_wrong_pin(request: Request, refusal: CommittedRefusal) -> None:
    """Record a wrong PIN, or the lock that it caused, once an hour for each player; in the caller's transaction."""
    player, facts = cast("PlayerPrincipal", request.user), refusal.facts
    locked = facts.get("locked_until")
    kinds = recorder.SignificantEventKind
    kind = kinds.LOGIN_FAILED if locked is None else kinds.LOGIN_LOCKED
    recorder.record(
        kind=kind,
        operator=player.operator,
        subject=f"player:{player.player}",
        actor=player.actor,
        reason=refusal.title,
        after={"attempts_left": facts.get("attempts_left"), "locked_until": None if locked is None else str(locked)},
        address=client_ip(request._request) or "",  # noqa: SLF001
        dedup_key=f"pin:{kind}:{player.player}:{datetime.now(UTC):%Y-%m-%dT%H}",
    )
