"""The table page, the page that verifies rounds, and sessions for demo players."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from msgspec import Struct
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.proofs import verifier
from baccarat.queries.nicknames import own_nickname
from baccarat.services import skins
from baccarat.web import demo
from casino.api.requests import Body, parse_body
from casino.api.views import BaseApiView
from casino.operators import launches
from casino.witness.addresses import parse_addresses

_POLICY: Final = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "base-uri": "'none'",
    "form-action": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}
_HEADERS: Final = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cache-Control": "no-cache",
}


def add_security_policy(response: HttpResponse, *, framed_by: Sequence[str] = ()) -> HttpResponse:
    """Set the page's security headers on a response, which pages of these origins may frame."""
    policy = _POLICY | {"connect-src": _connectable(), "frame-ancestors": " ".join(framed_by) or "'none'"}
    response["Content-Security-Policy"] = "; ".join(f"{directive} {sources}" for directive, sources in policy.items())
    for name, value in _HEADERS.items():
        response[name] = value
    if framed_by:
        response.xframe_options_exempt = True  # the older header can't name an origin
    return response


def _connectable() -> str:
    """Return what pages may read from: this service, and the witnesses, whose statements they compare with its own."""
    urls = (urlsplit(each.url) for each in parse_addresses(settings.WITNESSES))
    return " ".join(dict.fromkeys(["'self'", *(f"{url.scheme}://{url.netloc}" for url in urls)]))


_MESSAGES: Final = Path(__file__).with_name("static") / "play" / "js" / "messages"
LANGUAGES: Final = [
    (file.stem, *(f"play/js/messages/{folder}{file.name}" for folder in ("", "problems/", "verify/")))
    for file in sorted(_MESSAGES.glob("*.json"))
]
"""The languages of the pages, with files of messages, of refusals and of verifying."""

VERIFIER: Final = Path(verifier.__file__)
FAIRNESS_DOCS: Final = settings.BASE_DIR / "deploy" / "docs" / "fairness"


class DemoPlayerRequest(Body):
    """The demo player to play as."""

    player: UUID


class PlayerOnPage(Struct):
    """Whom a launch signs in."""

    player: UUID
    nickname: str


class LaunchOnPage(Struct):
    """What the page knows of a launch before it trades the code."""

    id: UUID
    language: str | None
    currency: str
    return_url: str | None
    cashier_url: str | None
    parent_origin: str | None
    casino: str
    logo: str | None
    proof_keys: tuple[str, ...]
    player: PlayerOnPage | None


@require_safe
def table_page(request: HttpRequest) -> HttpResponse:
    """Return the table page, which sites of the operator may frame if its address names a launch of theirs.

    The player's token is in the URL's fragment, which browsers do not send.
    """
    launch = launches.find(request.GET.get("launch", ""))
    context: dict[str, Any] = {"languages": LANGUAGES}
    if launch is None:
        return add_security_policy(render(request, "play/page.html", context))
    options = launch.options
    sheet, logo = skins.addresses(operator=launch.operator, name=options.skin)
    context["skin"] = sheet
    on_page = LaunchOnPage(
        id=launch.id,
        language=options.language,
        currency=options.currency,
        return_url=options.return_url,
        cashier_url=options.cashier_url,
        parent_origin=options.parent_origin,
        casino=launch.casino,
        logo=logo,
        proof_keys=options.proof_keys,
        player=None if launch.player is None else PlayerOnPage(launch.player, own_nickname(player=launch.player)),
    )
    context["launch"] = msgspec.json.encode(on_page).decode()
    return add_security_policy(render(request, "play/page.html", context), framed_by=launch.origins)


@require_safe
def skin_file(request: HttpRequest, skin: UUID, name: str) -> HttpResponse:
    """Return the style sheet or the logo of a skin, under a name that changes with what it contains."""
    del request
    found = skins.read_file(skin=skin, name=name)
    if found is None:
        return HttpResponse(status=404)
    content, is_current = found
    response = HttpResponse(content, content_type="text/css; charset=utf-8" if name.endswith(".css") else "image/png")
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Cache-Control"] = "public, max-age=31536000, immutable" if is_current else "no-store"
    return response


@require_safe
def verify_page(request: HttpRequest) -> HttpResponse:
    """Return the page that verifies an exported round in the browser."""
    return add_security_policy(render(request, "play/verify.html", {"languages": LANGUAGES}))


@require_safe
def download_verifier(request: HttpRequest) -> HttpResponse:
    """Return the stand-alone verifier, a single Python file."""
    del request
    response = HttpResponse(VERIFIER.read_bytes(), content_type="text/x-python; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{VERIFIER.name}"'
    return add_security_policy(response)


@require_safe
def read_specification(request: HttpRequest) -> HttpResponse:
    """Return what a program needs to check a round, as text."""
    del request
    text = (FAIRNESS_DOCS / "specification.md").read_bytes()
    return add_security_policy(HttpResponse(text, content_type="text/plain; charset=utf-8"))


@require_safe
def read_vectors(request: HttpRequest) -> HttpResponse:
    """Return the specification's test vectors."""
    del request
    vectors = (FAIRNESS_DOCS / "vectors.json").read_bytes()
    return add_security_policy(HttpResponse(vectors, content_type="application/json"))


@require_safe
def demo_care(request: HttpRequest) -> HttpResponse:
    """Return the contact page of the demo's customer care; not found without a demo."""
    if not settings.DEMO_OPERATOR:
        return HttpResponse(status=404)
    return add_security_policy(render(request, "play/demo_care.html"))


class DemoView(BaseApiView):
    """Demo players and their sessions, if DEMO_OPERATOR is set; not found otherwise."""

    authentication_classes: list[Any] = []

    @extend_schema(exclude=True)
    def get(self, _request: Request) -> Response:
        return Response({"players": demo.demo_players()})

    @extend_schema(exclude=True)
    def post(self, request: Request) -> Response:
        """Open a session for a demo player."""
        return Response(demo.open_session(player=parse_body(DemoPlayerRequest, request).player), status=201)
