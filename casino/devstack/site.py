"""The sandbox operator's own site: a page that launches the game, frames it, and shows the messages between the two.

It is served from another origin than the service, as an operator's site is, and its server alone knows the API key.
With a wallet of the operator's own, the visitor's money is there, and whoever visits chooses how it answers.
"""

import contextlib
import json
import threading
from base64 import urlsafe_b64decode
from collections.abc import Generator
from functools import cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import httpx

from casino.devstack.operator.app import Behaviour
from casino.devstack.operator.running import OwnWallet

HOST: Final = "127.0.0.1"
PAGE: Final = Path(__file__).with_name("site.html")
MAX_BODY: Final = 10_000
_PLAYER: Final = {"reference": "site-visitor", "nickname": "Visitor"}
_CURRENCY: Final = "EUR"
_FUNDS: Final = "500.00"
"""What a new visitor has in the operator's own wallet."""
_LAUNCH_FIELDS: Final = ("table", "preset", "language", "money_type", "ttl_seconds", "skin", "limits_group")


class Site(ThreadingHTTPServer):
    """Serves the page, and launches its visitor by the operator's API key."""

    daemon_threads = True

    def __init__(self, *, service: str, credential: str, player: dict[str, str], wallet: OwnWallet | None) -> None:
        super().__init__((HOST, 0), _Handler)
        self.service = service
        self.player = player
        self.wallet = wallet
        self._visitor = ""
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
        player = self.player if self.wallet is None else self._with_funds(self.wallet, str(wishes.get("wallet", "")))
        around = {
            "return_url": f"{self.origin}/",
            "cashier_url": f"{self.origin}/#cashier",
            "parent_origin": self.origin,
        }
        return self.api.post("launches", json={"player": player, "proof_keys": self.proof_keys, **around, **body})

    @cached_property
    def proof_keys(self) -> list[str]:
        """The keys that prove rounds, asked of the service once: a real operator has them from elsewhere, too."""
        published = httpx.get(f"{self.service}/.well-known/jwks.json").raise_for_status().json()["keys"]
        own = [
            urlsafe_b64decode(f"{key['x']}=").hex() for key in published if key["purpose"] in {"checkpoint", "receipt"}
        ]
        witnesses = self.api.get("log/witnesses").raise_for_status().json()["items"]
        keys = [key for each in witnesses for key in (each["release_key"], each["cosigner"]) if key]
        return [*own, *keys] if keys else []

    def funds(self) -> dict[str, Any]:
        """Return what the visitor launched last has in the operator's own wallet."""
        balance = None if self.wallet is None else self.wallet.balances().get(self._visitor)
        return {"wallet": self.wallet is not None, "balance": balance, "currency": _CURRENCY}

    def _with_funds(self, wallet: OwnWallet, behaviour: str) -> dict[str, str]:
        """Return the visitor whose debits the wallet meets in this way, with an account there."""
        ending = f"-{Behaviour(behaviour)}" if behaviour else ""
        player = {"reference": f"{self.player['reference']}{ending}", "nickname": self.player["nickname"]}
        registered = self.api.post("players", json=player, headers={"Idempotency-Key": uuid4().hex})
        self._visitor = registered.raise_for_status().json()["id"]
        wallet.add_player(self._visitor, reference=player["reference"], currency=_CURRENCY, balance=_FUNDS)
        return player


class _Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        if self.path == "/":
            self._answer(HTTPStatus.OK, PAGE.read_bytes(), "text/html; charset=utf-8")
        elif self.path == "/funds":
            self._show_funds()
        else:
            self._answer(HTTPStatus.NOT_FOUND, b"", "text/plain")

    def _show_funds(self) -> None:
        try:
            document = self.server.funds()
        except httpx.HTTPError:
            self._answer(HTTPStatus.BAD_GATEWAY, b"", "text/plain")
            return
        self._answer(HTTPStatus.OK, json.dumps(document).encode(), "application/json")

    def do_POST(self) -> None:
        """Launch the visitor. Only the site's own page may ask, which a custom header shows."""
        length = int(self.headers.get("Content-Length") or 0)
        if self.path != "/launch" or self.headers.get("X-Site") != "1" or length > MAX_BODY:
            self._answer(HTTPStatus.BAD_REQUEST, b"", "text/plain")
            return
        try:
            response = self.server.launch(json.loads(self.rfile.read(length)))
        except ValueError:
            self._answer(HTTPStatus.BAD_REQUEST, b"", "text/plain")
            return
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
def running_site(
    *, service: str, credential: str, player: dict[str, str] | None = None, wallet: OwnWallet | None = None
) -> Generator[Site]:
    """Serve the site on a free port while the block runs."""
    with Site(service=service, credential=credential, player=player or _PLAYER, wallet=wallet) as site, site.api:
        thread = threading.Thread(target=site.serve_forever, daemon=True)
        thread.start()
        try:
            yield site
        finally:
            site.shutdown()
            thread.join()
