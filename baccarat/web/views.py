"""The table page itself, and the demo's door behind which anybody may sit down as a demo player."""

from pathlib import Path
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat import proofs
from baccarat.web import demo
from casino.api.fields import IdField, StrictSerializer, parse_body
from casino.api.views import BaseApiView

_ALLOWED: Final = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}
CONTENT_SECURITY_POLICY: Final = "; ".join(f"{kind} {sources}" for kind, sources in _ALLOWED.items())
_HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cache-Control": "no-cache",
}


def add_security_policy(response: HttpResponse) -> HttpResponse:
    """Put the page's policy on an answer."""
    for name, value in _HEADERS.items():
        response[name] = value
    return response


VERIFIER: Final = Path(proofs.__file__).with_name("verifier.py")


class DemoPlayerRequest(StrictSerializer):
    """The demo player to play as."""

    player = IdField()


@require_safe
def table_page(request: HttpRequest) -> HttpResponse:
    """Answer the page; who plays is told by the fragment of its address, which never reaches a server."""
    return add_security_policy(render(request, "play/page.html"))


@require_safe
def verify_page(request: HttpRequest) -> HttpResponse:
    """Answer the page on which anyone checks an exported round in the browser."""
    return add_security_policy(render(request, "play/verify.html"))


@require_safe
def download_verifier(request: HttpRequest) -> HttpResponse:
    """Hand out the stand-alone verifier: one file of Python, as it is."""
    del request
    answer = HttpResponse(VERIFIER.read_bytes(), content_type="text/x-python; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{VERIFIER.name}"'
    return add_security_policy(answer)


class DemoView(BaseApiView):
    """Ready players, where this service was started as a demo; elsewhere there is nothing at this address."""

    authentication_classes: list[Any] = []

    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        del request
        return Response({"players": demo.demo_players()})

    @extend_schema(exclude=True)
    def post(self, request: Request) -> Response:
        """Open a session for one of them."""
        return Response(demo.open_session(player=parse_body(DemoPlayerRequest, request)["player"]), status=201)
