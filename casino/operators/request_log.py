"""Times of all requests, and the access log: one JSON line for each. It has no path, query, body or name."""

import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

import msgspec
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from casino.api.client_ip import client_ip
from casino.observability import figures
from casino.observability.logging import request_id, trace_id
from casino.operators.principals import OperatorPrincipal, PlayerPrincipal

LOGGER: Final = "casino.requests"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_logger: Final = logging.getLogger(LOGGER)


class RequestLine(msgspec.Struct, omit_defaults=True):
    """One line. `route` is the pattern of the URL and empty for none, `ms` the time until the response began."""

    at: datetime
    request: str
    method: str
    route: str
    status: int
    ms: float
    address: str | None = None
    operator: str = ""
    player: str = ""
    staff: str = ""
    trace: str = ""


_encode: Final = msgspec.json.Encoder().encode


def middleware(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Count every request, and log it if settings.REQUEST_LOG. Must be the first middleware, so that none is missed."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        start = time.perf_counter()
        response = get_response(request)
        log_request(request, response.status_code, time.perf_counter() - start)
        return response

    return handle


def log_request(request: HttpRequest, status: int, seconds: float) -> None:
    """Count a request, and log it if settings.REQUEST_LOG; one that the middleware never sees has no route."""
    figures.REQUESTS.observe(seconds, f"{_method(request)} {_route(request)}".strip())
    figures.RESPONSES.count(str(status))
    if settings.REQUEST_LOG:
        _logger.info("%s", _encode(_line(request, status, seconds)).decode())


def _line(request: HttpRequest, status: int, seconds: float) -> RequestLine:
    line = RequestLine(
        at=datetime.now(UTC),
        request=request_id(request),
        method=_method(request),
        route=_route(request),
        status=status,
        ms=round(seconds * 1000, 1),
        address=client_ip(request),
        trace=trace_id(),
    )
    # Neither attribute is read in the usual way, because that would load the user of a session that nobody asked for.
    caller, user = vars(request).get("user"), vars(request).get("_cached_user")
    if type(caller) is OperatorPrincipal:
        line.operator = str(caller.operator)
    elif type(caller) is PlayerPrincipal:
        line.operator, line.player = str(caller.operator), str(caller.player)
    elif user is not None and user.pk is not None:
        line.staff = str(user.pk)
    return line


def _method(request: HttpRequest) -> str:
    return request.method if request.method in _METHODS else ""


def _route(request: HttpRequest) -> str:
    return getattr(request.resolver_match, "route", "")
