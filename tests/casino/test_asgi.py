"""Which pool of threads serves a request."""

import asyncio
from typing import Any

import pytest

from casino import asgi


@pytest.mark.parametrize(
    ("path", "pool"),
    [
        ("/api/v1/me/balances", "api"),
        ("/play/", "api"),
        ("/static/play/js/main.js", "files"),
        ("/admin", "staff"),
        ("/admin/baccarat/round/", "staff"),
        ("/admin/login/", "logins"),
        ("/admin/oidc/lucky/", "identities"),
        ("/admin/oidc/lucky/callback/", "identities"),
        ("/admin/baccarat/killswitch/throw/", "stops"),
        ("/admin/baccarat/killswitch/gaming/resume/", "stops"),
        ("/admin/baccarat/table/7/stop/", "stops"),
        ("/api/v1/stops", "stops"),
        ("/api/v1/stops/resume", "stops"),
        ("/administer", "api"),
    ],
)
def test_strangers_staff_and_files_take_no_thread_from_players(
    monkeypatch: pytest.MonkeyPatch, path: str, pool: str
) -> None:
    served: list[str] = []
    for name in ("api", "files", "staff", "logins", "identities", "stops"):

        async def serve(*_: Any, name: str = name) -> None:
            served.append(name)

        monkeypatch.setattr(asgi, name, serve)

    async def nothing(*_: Any) -> Any:
        raise AssertionError("The pool answers.")

    asyncio.run(asgi.application({"type": "http", "raw_path": path.encode()}, nothing, nothing))
    assert served == [pool]
