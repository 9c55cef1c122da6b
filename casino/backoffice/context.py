"""Who looks at the admin now, so that no page links to what this person may not see."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from inspect import iscoroutinefunction
from typing import Any, Final, TypeVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

ADMIN: Final = "/admin/"
# Alpine.js, which the looks are made with, works out expressions and sets styles; no inline script runs.
POLICY: Final = (
    "default-src 'none'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""What a page of the admin may load: its own files, and nothing from another host."""
Made = TypeVar("Made")
_request: ContextVar[HttpRequest | None] = ContextVar("casino_admin_request", default=None)


def may_see(model: str) -> bool:
    """Tell whether who looks may see the pages of a model (app_model); outside the admin everybody may."""
    request = _request.get()
    if request is None:
        return True
    app, _, name = model.partition("_")
    return request.user.has_perm(f"{app}.view_{name}")


def asking() -> HttpRequest | None:
    """Return the request that a page is made for now; None outside of the admin."""
    return _request.get()


def once(name: str, make: Callable[[], Made]) -> Made:
    """Make something once for the page that is made now; outside of the admin, each time."""
    request = _request.get()
    if request is None:
        return make()
    kept: dict[str, Any] = request.__dict__.setdefault("casino_once", {})
    if name not in kept:
        kept[name] = make()
    made: Made = kept[name]
    return made


@contextmanager
def looking(request: HttpRequest) -> Generator[None]:
    """Make `request` the one that pages are made for, until it ends."""
    token = _request.set(request)
    try:
        yield
    finally:
        _request.reset(token)


@sync_and_async_middleware
def middleware(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Build the middleware, which comes after that of authentication; only the admin's addresses matter."""
    if iscoroutinefunction(get_response):
        inner: Callable[[HttpRequest], Awaitable[HttpResponseBase]] = get_response

        async def passing_async(request: HttpRequest) -> HttpResponseBase:
            if not request.path_info.startswith(ADMIN):
                return await inner(request)
            with looking(request):
                return _guarded(await inner(request))

        return passing_async

    def passing(request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(ADMIN):
            answer: HttpResponseBase = get_response(request)
            return answer
        with looking(request):
            return _guarded(get_response(request))

    return passing


def _guarded(response: HttpResponseBase) -> HttpResponseBase:
    response.headers.setdefault("Content-Security-Policy", POLICY)
    return response
