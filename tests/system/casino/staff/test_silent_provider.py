"""Strangers who begin or end sign-ins by a provider that never answers keep nobody else from the admin."""

import http.client
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from django.contrib.auth.models import User

from casino.devstack.system import HOST
from casino.staff import oidc
from tests.baccarat.streaming.listening import Web
from tests.casino.staff.test_access_changes import create_operator
from tests.conftest import Database
from tests.support.oidc_provider import Provider, register, running_provider

STRANGERS = 8
PAGES = ("/admin/", "/admin/operators/player/", "/admin/baccarat/killswitch/throw/", "/admin/login/")


def get(web: Web, path: str, cookie: str = "") -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(HOST, web.port, timeout=60)
    connection.request("GET", path, headers={"Cookie": cookie} if cookie else {})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


@contextmanager
def silent_server() -> Generator[str]:
    """Accept connections as the kernel does, and never answer."""
    with socket.create_server(("127.0.0.1", 0), backlog=200) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def callback(web: Web) -> tuple[str, str]:
    """Begin a sign-in, and return the address that a provider would send the browser back to, and its cookie."""
    begun = get(web, "/admin/oidc/half/")
    state = parse_qs(urlsplit(begun.headers["Location"]).query)["state"][0]
    return f"/admin/oidc/half/callback/?code=x&state={state}", begun.headers["Set-Cookie"].partition(";")[0]


def test_the_admin_answers_while_strangers_wait_for_providers(database: Database, tmp_path: Path) -> None:
    User.objects.create_superuser("root", "root@example.com")
    with silent_server() as nobody, running_provider() as half, Web(database, log=tmp_path / "web.log") as web:
        half.metadata = {"token_endpoint": f"{nobody}/token"}
        register(create_operator("half"), half)
        register(create_operator("silent"), Provider(issuer=nobody))
        doors = [*([("/admin/oidc/silent/", "")] * STRANGERS), *(callback(web) for _ in range(STRANGERS))]
        strangers = [threading.Thread(target=get, args=(web, path, cookie)) for path, cookie in doors]
        for each in strangers:
            each.start()
        seen = []
        while any(each.is_alive() for each in strangers):
            seen += [get(web, page).status for page in PAGES]
        assert set(seen) <= {200, 302}, seen
        assert len(seen) > len(PAGES), f"Nobody waited {oidc.TIMEOUT} s, so nothing was shown."
