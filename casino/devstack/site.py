"""The sandbox operator's own site: a page that launches the game, frames it, and shows the messages between the two.

It is served from another origin than the service, as an operator's site is, and its server alone knows the API key.
"""

import contextlib
import json
import threading
from collections.abc import Generator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import httpx

HOST: Final = "127.0.0.1"
PAGE: Final = Path(__file__).with_name("site.html")
MAX_BODY: Final = 10_000
_PLAYER: Final = {"reference": "site-visitor", "nickname": "Visitor"}
_LAUNCH_FIELDS: Final = ("table", "preset", "language", "money_type", "ttl_seconds", "skin", "limits_group")


class Site(ThreadingHTTPServer):
    """Serves the page, and launches its visitor by the operator's API key."""

    daemon_threads = True

    def __init__(self, *, service: str, credential: str, player: dict[str, str]) -> None:
        super().__init__((HOST, 0), _Handler)
        self.service = service
        self.player = player
        self.api = httpx.Client(base_url=f"{service}/api/v1/", headers={"Authorization": f"Bearer {credential}"})

    @property
    def origin(self) -> str:
        """The site's origin."""
        return f"http://{HOST}:{self.server_port}"

    def register_origin(self) -> None:
        """Register the site's origin in place of those of earlier starts, whose ports were others."""
        self.api.put("operator/origins", json={"origins": [self.origin]}).raise_for_status()

    def launch(self, wishes: dict[str, Any]) -> httpx.Response:
        """Launch the visitor, framed by this site."""
        body = {name: wishes[name] for name in _LAUNCH_FIELDS if wishes.get(name)}
        around = {
            "return_url": f"{self.origin}/",
            "cashier_url": f"{self.origin}/#cashier",
            "parent_origin": self.origin,
        }
        return self.api.post("launches", json={"player": self.player, **around, **body})


class _Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        if self.path == "/":
            self._answer(HTTPStatus.OK, PAGE.read_bytes(), "text/html; charset=utf-8")
        else:
            self._answer(HTTPStatus.NOT_FOUND, b"", "text/plain")

    def do_POST(self) -> None:
        """Launch the visitor. Only the site's own page may ask, which a custom header shows."""
        length = int(self.headers.get("Content-Length") or 0)
        if self.path != "/launch" or self.headers.get("X-Site") != "1" or length > MAX_BODY:
            self._answer(HTTPStatus.BAD_REQUEST, b"", "text/plain")
            return
        response = self.server.launch(json.loads(self.rfile.read(length)))
        self._answer(HTTPStatus(response.status_code), response.content, "application/json")

    def _answer(self, status: HTTPStatus, body: bytes, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the library's name)
        """Log nothing."""


@contextlib.contextmanager
def running_site(*, service: str, credential: str, player: dict[str, str] | None = None) -> Generator[Site]:
    """Serve the site on a free port while the block runs."""
    with Site(service=service, credential=credential, player=player or _PLAYER) as site, site.api:
        thread = threading.Thread(target=site.serve_forever, daemon=True)
        thread.start()
        try:
            yield site
        finally:
            site.shutdown()
            thread.join()
