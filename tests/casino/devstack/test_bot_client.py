"""What the bots' client repeats."""

import asyncio
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from casino.devstack.bots.client import Client
from tests.threads import serving

PROXYS_OWN = (503, "text/html", b"<html><body>No server is available.</body></html>")
OURS = (503, "application/problem+json", b'{"code": "database_unavailable"}')
WITHOUT_WORDS = (503, None, b"")
AN_ANSWER = (200, "application/json", b'{"seats": 7}')


@pytest.fixture
def answers() -> Iterator[tuple[list[tuple[int, str | None, bytes]], str]]:
    """Serve these answers in order; return them with the address."""
    said: list[tuple[int, str | None, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, media_type, body = said.pop(0)
            self.send_response(status)
            if media_type is not None:
                self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002  (its name there)

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as server:
        yield said, f"http://127.0.0.1:{server.server_port}"


@pytest.mark.parametrize("unavailable", [PROXYS_OWN, OURS, WITHOUT_WORDS])
def test_a_503_is_asked_again_whoever_says_it(answers, unavailable):
    said, address = answers
    said += [unavailable, unavailable, AN_ANSWER]

    async def ask() -> dict[str, object]:
        async with Client(address, "key") as client:
            return await client.get("/tables/1")

    assert asyncio.run(ask()) == {"seats": 7}
    assert said == []
