"""A real web server, and readers of its live stream as a browser is one."""

import contextlib
import json
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
from django.conf import settings

from baccarat.streaming.snapshot import decode_position, encode_position
from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from casino.devstack.system import HOST, commands, free_port, is_responding
from casino.events import sealer
from casino.observability.process import ssl_context
from tests.baccarat.api.people import Gambler
from tests.conftest import Database

PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Message:
    """One message, or a block without data, whose event is empty and whose id counts all the same."""

    event: str
    id: int | None
    data: Any


class Web:
    """A web server of one process on a database; `with Web(...) as web:` runs it."""

    def __init__(self, database: Database, *, log: Path, **variables: str) -> None:
        self.port = free_port(0)
        command = commands(port=self.port)["web"]
        command = [sys.executable, *command[1:]]
        # One secret for both: a listener reads positions, which are opaque to everybody else.
        shared = {"WEB_PROCESSES": "1", "SECRET_KEY": settings.SECRET_KEY}
        environment = {**database.environment, **shared, **variables}
        self.child = Child(name="web", command=command, environment=environment, log=log, folder=PROJECT)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.child.kill()

    def start(self) -> None:
        """Start the process and wait until it answers."""
        self.child.start()
        self.child.wait_until(lambda: is_responding(port=self.port, path="/livez"))

    @property
    def url(self) -> str:
        """The API's address."""
        return f"http://{HOST}:{self.port}/api/v1"

    def ticket(self, player: Gambler) -> str:
        """Open a ticket for a stream."""
        headers = {"Authorization": f"Bearer {player.credential}"}
        answer = httpx.post(f"{self.url}/stream/tickets", headers=headers, verify=ssl_context())
        assert answer.status_code == 201, answer.text
        return str(answer.json()["ticket"])

    def listen(self, player: Gambler, *, last: int | None = None, after: int | None = None, **query: Any) -> "Listener":
        """Open a player's stream: `with web.listen(...) as stream` reads it in a thread until the block ends."""
        headers = {"Authorization": f"Bearer {player.credential}"}
        if last is not None:
            headers["Last-Event-ID"] = encode_position(last)
        if after is not None:
            query["after"] = encode_position(after)
        return Listener(f"{self.url}/stream", headers=headers, query=query)


@dataclass
class Listener:
    """Reads one stream; what came is in `messages`."""

    url: str
    headers: dict[str, str]
    query: dict[str, Any]
    messages: list[Message] = field(default_factory=list)
    status: int | None = None
    answer: Any = None
    over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        self._client = httpx.Client(timeout=httpx.Timeout(60.0), verify=ssl_context())
        self._opened = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        assert self._opened.wait(PATIENCE)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stream = getattr(self, "_socket", None)
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.shutdown(socket.SHUT_RDWR)
        self._thread.join(PATIENCE)
        self._client.close()
        if stream is not None:
            stream.close()  # on a slow machine the thread may still be at it

    def _read(self) -> None:
        try:
            with self._client.stream("GET", self.url, headers=self.headers, params=self.query) as answer:
                self.status, self.answer = answer.status_code, answer
                self._socket = answer.extensions["network_stream"].get_extra_info("socket")
                if answer.status_code != 200:
                    answer.read()
                    return
                self._opened.set()
                self._take(answer)
        except httpx.HTTPError:
            pass
        finally:
            self._opened.set()
            self.over.set()

    def _take(self, answer: httpx.Response) -> None:
        event, id_, data = "", None, ""
        for line in answer.iter_lines():
            name, _, value = line.partition(": ")
            if not line:
                if event or id_ is not None:
                    self.messages.append(Message(event, id_, json.loads(data) if data else None))
                event, id_, data = "", None, ""
            elif name == "event":
                event = value
            elif name == "id":
                id_ = int(value) if value.isdigit() else decode_position(value)
            elif name == "data":
                data += value

    @property
    def last(self) -> int:
        """The id that a browser would come back with."""
        return max(message.id for message in self.messages if message.id is not None)

    def of(self, event: str) -> list[Any]:
        """Return the data of all messages of one name."""
        return [message.data for message in list(self.messages) if message.event == event]

    def types(self) -> list[str]:
        """Return the types of the received events, in order."""
        return [data["type"] for data in self.of("event")]

    def until(self, holds: Callable[["Listener"], object]) -> None:
        """Wait until something holds of what came."""
        deadline = time.monotonic() + PATIENCE
        while not holds(self):
            assert time.monotonic() < deadline, (self.status, self.over.is_set(), self.messages[-20:])
            time.sleep(0.01)

    def until_type(self, *types: str) -> None:
        """Seal what waits, and wait until events of these types came in this order."""
        sealer.seal_all()

        def came(_: "Listener") -> bool:
            rest = iter(self.types())
            return all(type_ in rest for type_ in types)

        self.until(came)
