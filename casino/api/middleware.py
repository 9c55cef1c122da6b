"""Adds a request id to every request, and CORS headers under /api/. Works sync and async."""

from collections.abc import Awaitable, Callable
from inspect import iscoroutinefunction
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.decorators import sync_and_async_middleware

from casino.observability.request_id import HEADER, request_id

API: Final = "/api/"
_METHODS: Final = "GET, POST, PUT, PATCH, DELETE"
_SENT: Final = "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-Id"
_SHOWN: Final = "Idempotent-Replayed, Retry-After, X-Request-Id"
_JSON: Final = ("application/json", "application/problem+json")
_NOTHING_LOADS: Final = "default-src 'none'; frame-ancestors 'none'"


@sync_and_async_middleware
def request_id_and_cors(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Build the middleware; it comes first in the list, so that every response has the request's id."""
    if iscoroutinefunction(get_response):
        inner: Callable[[HttpRequest], Awaitable[HttpResponseBase]] = get_response

        async def passing_async(request: HttpRequest) -> HttpResponseBase:
            request_id(request)
            return _finish(request, _preflight(request) or await inner(request))

        return passing_async

    def passing(request: HttpRequest) -> HttpResponseBase:
        request_id(request)
        return _finish(request, _preflight(request) or get_response(request))

    return passing


def _allowed_origin(request: HttpRequest) -> str | None:
    origin = request.META.get("HTTP_ORIGIN")
    return origin if origin in getattr(settings, "API_ALLOWED_ORIGINS", ()) else None


def _preflight(request: HttpRequest) -> HttpResponse | None:
    if request.method != "OPTIONS" or not request.path_info.startswith(API) or not _allowed_origin(request):
        return None
    if "HTTP_ACCESS_CONTROL_REQUEST_METHOD" not in request.META:
        return None
    headers = {
        "Access-Control-Allow-Methods": _METHODS,
        "Access-Control-Allow-Headers": _SENT,
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
        headers.setdefault("Content-Security-Policy", _NOTHING_LOADS)
    origin = _allowed_origin(request)
    if origin:
        headers["Access-Control-Allow-Origin"] = origin
        headers["Access-Control-Expose-Headers"] = _SHOWN
    if getattr(settings, "API_ALLOWED_ORIGINS", ()):
        patch_vary_headers(response, ["Origin"])
    return response
