"""Base classes of the views of all apps: accepted callers, and the metadata of events."""

from typing import cast

from rest_framework.request import Request

from casino.api.views import BaseApiView
from casino.events.store import Metadata
from casino.observability.request_id import request_id
from casino.operators.auth import OperatorKeyAuthentication, OperatorOrPlayerAuthentication, PlayerTokenAuthentication
from casino.operators.principals import OperatorPrincipal, PlayerPrincipal, Principal


class OperatorView(BaseApiView):
    """A view for operators' servers: the caller is an OperatorPrincipal."""

    authentication_classes = [OperatorKeyAuthentication]

    @property
    def caller(self) -> OperatorPrincipal:
        return cast("OperatorPrincipal", self.request.user)


class PlayerView(BaseApiView):
    """A view for players: the caller is a PlayerPrincipal."""

    authentication_classes = [PlayerTokenAuthentication]

    @property
    def caller(self) -> PlayerPrincipal:
        return cast("PlayerPrincipal", self.request.user)


class OperatorOrPlayerView(BaseApiView):
    """A view for both."""

    authentication_classes = [OperatorOrPlayerAuthentication]

    @property
    def caller(self) -> Principal:
        """The operator or the player that calls."""
        return cast("Principal", self.request.user)


def metadata(request: Request) -> Metadata:
    """Build the metadata of events: the operator, who acted, in which session, and the request's id."""
    caller = cast("Principal", request.user)
    made = request_id(request._request)  # noqa: SLF001  (the wrapper has no public name for what it wraps)
    return Metadata(
        operator=str(caller.operator), actor=caller.actor, causation=caller.cause, correlation=made, request=made
    )
