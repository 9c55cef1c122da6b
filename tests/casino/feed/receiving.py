"""A receiver of webhooks as an operator builds one, with a verification of its own, and the sending of what is due."""

import asyncio
import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from casino.events.sql import database_now
from casino.feed.outbound import Webhooks
from casino.outbound.client import WebhookClient
from tests.threads import serving


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it came."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def item(self) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self.body)
        return parsed

    @property
    def number(self) -> int:
        return int(self.item["number"])


Behaviour = Callable[[Message], tuple[int, bytes]]


@dataclass
class Receiver:
    """What came, and what it answers."""

    url: str = ""
    messages: list[Message] = field(default_factory=list)
    answer: Behaviour = lambda _: (204, b"")

    def accepted(self) -> list[int]:
        """Return the numbers of all messages, in the order in which they came."""
        return [message.number for message in self.messages]


@contextmanager
def receiver() -> Generator[Receiver]:
    """Serve a receiver on a free port until the block ends."""
    state = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            message = Message(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            status, content = state.answer(message)
            state.messages.append(message)
            self.send_response(status)
            if status in {301, 302, 307}:
                self.send_header("location", state.url + "/elsewhere")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as server:
        state.url = f"http://127.0.0.1:{server.server_port}"
        yield state


def verify(message: Message, *, secret: str) -> None:
    """Verify the signatures as the Standard Webhooks specification describes it; raise if none is by the secret."""
    signed = b".".join(
        (message.headers["webhook-id"].encode(), message.headers["webhook-timestamp"].encode(), message.body)
    )
    shared = base64.b64decode(secret.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.new(shared, signed, hashlib.sha256).digest()).decode()
    sent = message.headers["webhook-signature"].split(" ")
    assert any(hmac.compare_digest(f"v1,{expected}", each) for each in sent)


def send(*, at: datetime | None = None, ahead: timedelta = timedelta(), seconds: float = 5.0) -> int:
    """Send all that is due at a time, or by a clock ahead of the database's; return how many attempts were made."""

    def clock() -> datetime:
        return at or database_now() + ahead

    async def run() -> int:
        async with WebhookClient(total_seconds=seconds) as client:
            sender, sent = Webhooks(client, clock), 0
            while began := await sender.begin():
                sent += began
                await sender.finish()
            return sent

    return asyncio.run(run())


@contextmanager
def sending(*, seconds: float) -> Generator[None]:
    """Send what is due, as the process does, until the block ends."""
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def send() -> None:
        async with WebhookClient(total_seconds=seconds) as client:
            await Webhooks(client).run(stop, work="sending")

    def run() -> None:
        loop.run_until_complete(send())
        loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
