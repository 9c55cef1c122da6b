"""Middleware: a request id for every request, CORS headers under /api/."""

from collections.abc import Callable
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers

from casino.observability.logging import HEADER, request_id

API: Final = "/api/"
_METHODS: Final = "GET, POST, PUT, PATCH, DELETE"
_REQUEST_HEADERS: Final = "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-Id"
_EXPOSED_HEADERS: Final = (
    "Content-Disposition, Idempotent-Replayed, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id"
)
_JSON: Final = ("application/json", "application/problem+json")
_CONTENT_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"


OriginCheck = Callable[[str, object], bool]
"""Whether pages of an origin may read responses to a caller, who is None if unknown."""
_origin_checks: Final[list[OriginCheck]] = []


def register_origin_check(check: OriginCheck) -> None:
    """Allow the origins that an upper app knows; call it in AppConfig.ready()."""
    _origin_checks.append(check)


def request_id_and_cors(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Add the request id and CORS headers. Must come before all that may answer, so that every response has them."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        request_id(request)
        return _finish(request, _preflight(request) or get_response(request))

    return handle


def _allowed_origin(request: HttpRequest) -> str | None:
    origin: str | None = request.META.get("HTTP_ORIGIN")
    if origin is None:
        return None
    # Not `request.user`, which would load the user of a session that nobody asked for.
    caller = vars(request).get("user")
    return origin if any(check(origin, caller) for check in _origin_checks) else None


def _preflight(request: HttpRequest) -> HttpResponse | None:
    if request.method != "OPTIONS" or not request.path_info.startswith(API):
        return None
    if "HTTP_ACCESS_CONTROL_REQUEST_METHOD" not in request.META or not _allowed_origin(request):
        return None
    headers = {
        "Access-Control-Allow-Methods": _METHODS,
        "Access-Control-Allow-Headers": _REQUEST_HEADERS,
        "Access-Control-Max-Age": "600",
    }
    return HttpResponse(status=204, headers=headers)


def _finish(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    response[HEADER] = request_id(request)
    if not request.path_info.startswith(API):
        return response
    headers = response.headers
    headers.setdefault("Cache-Control", "no-store")
    headers.setdefault("X-Content-Type-Options", "nosniff")
    if headers.get("Content-Type", "").startswith(_JSON):
        headers.setdefault("Content-Security-Policy", _CONTENT_POLICY)
    origin = _allowed_origin(request)
    if origin:
        headers["Access-Control-Allow-Origin"] = origin
        headers["Access-Control-Expose-Headers"] = _EXPOSED_HEADERS
    patch_vary_headers(response, ["Origin"])
    return response
