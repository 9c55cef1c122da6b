"""The request that a page is built for, so that no page links to pages its reader may not see."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from inspect import iscoroutinefunction
from typing import Any, Final, TypeVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

ADMIN: Final = "/admin/"
# django-unfold's Alpine.js evaluates expressions and sets styles; no inline script runs.
POLICY: Final = (
    "default-src 'none'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Content security policy: the admin's own files, and nothing from another host."""
Made = TypeVar("Made")
_request: ContextVar[HttpRequest | None] = ContextVar("casino_admin_request", default=None)


def may_view(model: str) -> bool:
    """Return whether the reader may see the pages of a model (app_model); true outside of the admin."""
    request = _request.get()
    if request is None:
        return True
    app, _, name = model.partition("_")
    return request.user.has_perm(f"{app}.view_{name}")


def current_request() -> HttpRequest | None:
    """Return the request that a page is built for, None outside of the admin."""
    return _request.get()


def once(name: str, make: Callable[[], Made]) -> Made:
    """Compute a value once per request; outside of the admin, each time."""
    request = _request.get()
    if request is None:
        return make()
    kept: dict[str, Any] = request.__dict__.setdefault("casino_once", {})
    if name not in kept:
        kept[name] = make()
    made: Made = kept[name]
    return made


@contextmanager
def use_request(request: HttpRequest) -> Generator[None]:
    """Build pages for this request within the block."""
    token = _request.set(request)
    try:
        yield
    finally:
        _request.reset(token)


@sync_and_async_middleware
def middleware(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Keep the request of admin pages and set their content security policy; comes after authentication."""
    if iscoroutinefunction(get_response):
        inner: Callable[[HttpRequest], Awaitable[HttpResponseBase]] = get_response

        async def handle_async(request: HttpRequest) -> HttpResponseBase:
            if not request.path_info.startswith(ADMIN):
                return await inner(request)
            with use_request(request):
                return _with_policy(await inner(request))

        return handle_async

    def handle(request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(ADMIN):
            response: HttpResponseBase = get_response(request)
            return response
        with use_request(request):
            return _with_policy(get_response(request))

    return handle


def _with_policy(response: HttpResponseBase) -> HttpResponseBase:
    response.headers.setdefault("Content-Security-Policy", POLICY)
    return response
