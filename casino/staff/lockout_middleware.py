"""Shows locked-out users the login page, with an explanation and status 429.

Replaces django-axes' own middleware, which has no response to return under ASGI (version 8).
"""

from collections.abc import Awaitable, Callable
from inspect import iscoroutinefunction
from typing import Any, Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

TOO_MANY: Final = 429


@sync_and_async_middleware
def lockout_middleware(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    if iscoroutinefunction(get_response):
        inner: Callable[[HttpRequest], Awaitable[HttpResponseBase]] = get_response

        async def marking_async(request: HttpRequest) -> HttpResponseBase:
            return _marked(request, await inner(request))

        return marking_async

    def marking(request: HttpRequest) -> HttpResponseBase:
        return _marked(request, get_response(request))

    return marking


def _marked(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    if getattr(request, "axes_locked_out", None):
        response.status_code = TOO_MANY
    return response
