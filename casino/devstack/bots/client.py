"""A client of the HTTP API that repeats requests safely, and a table kept up to date by its stream."""

import asyncio
import contextlib
import json
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

import httpx

from casino.observability.process import ssl_context

WALLET_SILENT: Final = "wallet_did_not_answer"
"""Ends the wager that was asked for: the same request again has the same answer."""
NOT_READY: Final = "witnesses_not_ready"
WITNESS_RETRY_SECONDS: Final = 1.0
MAX_ATTEMPTS: Final = 60
"""Attempts of a request while the service does not answer, half a second apart."""
STREAM_TIMEOUT: Final = 45.0
"""Seconds without a byte after which a live stream counts as lost; the service sends a keep-alive every 15."""


@dataclass(frozen=True, slots=True)
class StreamMessage:
    """One message of the live stream, with the position to resume from."""

    event: str
    data: dict[str, Any]
    position: str


class ApiError(Exception):
    """A problem document of the service, with its stable `code`."""

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__(f"{document.get('code')}: {document.get('detail')}")
        self.code: str = document.get("code", "unknown")
        self.document = document


class Client:
    """`await client.post(path, body)` under /api/v1, with one credential. Raises ApiError."""

    def __init__(self, base_url: str, credential: str, *, attempts: int = MAX_ATTEMPTS) -> None:
        self._attempts = attempts
        headers = {"Authorization": f"Bearer {credential}"}
        self._http = httpx.AsyncClient(base_url=f"{base_url}/api/v1", headers=headers, timeout=20, verify=ssl_context())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def get(self, path: str, **query: Any) -> dict[str, Any]:
        """Send a GET request, repeated while the service is unavailable."""
        return await self._send("GET", path, params=query)

    async def post(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a POST request, repeated with the same Idempotency-Key while the service is unavailable."""
        headers = {"Idempotency-Key": uuid.uuid4().hex}
        return await self._send("POST", path, json=body or {}, headers=headers)

    async def sit(self, table: str, body: dict[str, Any]) -> None:
        """Take a seat; a new table waits some seconds for its witnesses."""
        while True:
            try:
                await self.post(f"{table}/seat", body)
            except ApiError as error:
                if error.code != NOT_READY:
                    raise
                await asyncio.sleep(WITNESS_RETRY_SECONDS)
            else:
                return

    async def pages(self, path: str) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        query: dict[str, Any] = {"limit": 200}
        while True:
            page = await self.get(path, **query)
            items.extend(page["items"])
            if page["next"] is None:
                return items
            query["cursor"] = page["next"]

    async def stream(self, **query: Any) -> AsyncGenerator[StreamMessage]:
        """Yield the live stream's messages. A lost connection is resumed after the last complete message."""
        position = ""
        while True:
            headers = {"Last-Event-ID": position} if position else {}
            timeout = httpx.Timeout(20, read=STREAM_TIMEOUT)
            with contextlib.suppress(httpx.TransportError):  # as a browser does, reconnect a moment later
                async with self._http.stream(
                    "GET", "/stream", params=query, headers=headers, timeout=timeout
                ) as response:
                    if response.is_error:
                        await response.aread()
                    if response.status_code != 503:
                        _raise_for_error(response)
                        async for message in _messages(response.aiter_lines(), position):
                            position = message.position
                            yield message
            await asyncio.sleep(0.5)

    async def _send(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        for _ in range(self._attempts):
            try:
                response = await self._http.request(method, path, **options)
            except httpx.TransportError:
                await asyncio.sleep(0.5)
                continue
            if _is_to_repeat(response):
                await asyncio.sleep(0.5)
                continue
            return _document(response)
        raise ApiError({"code": "no_answer", "detail": f"{method} {path} got no answer."})


def _is_to_repeat(response: httpx.Response) -> bool:
    """Return whether the service is unavailable, by its own word or a proxy's, or waits for the operator's wallet."""
    if response.status_code == 503:
        is_ours = response.headers.get("content-type", "").startswith("application/")
        return not is_ours or response.json().get("code") != WALLET_SILENT
    return response.status_code == 202


def _document(response: httpx.Response) -> dict[str, Any]:
    _raise_for_error(response)
    document: dict[str, Any] = response.json() if response.content else {}
    return document


def _raise_for_error(response: httpx.Response) -> None:
    if response.is_error:
        raise ApiError(response.json() if response.content else {})


async def _messages(lines: AsyncIterator[str], position: str) -> AsyncGenerator[StreamMessage]:
    """Parse the blocks of the stream (WHATWG HTML, section 9.2); a keep-alive has neither name nor data."""
    fields: dict[str, str] = {}
    async for line in lines:
        if line:
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
            continue
        position = fields.get("id", position)
        yield StreamMessage(fields.get("event", ""), json.loads(fields.get("data", "{}")), position)
        fields = {}


class TableWatch:
    """A table's last known state. The stream announces changes; each causes one request for the table's players."""

    def __init__(self, client: Client, table: str) -> None:
        self.table = table
        self.state: dict[str, Any] = {}
        self._client = client
        self._updated = asyncio.Event()
        self._stale = asyncio.Event()

    async def run(self) -> None:
        """Listen until cancelled, or raise the ApiError that ends the stream."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen())
            group.create_task(self._refresh())

    async def _listen(self) -> None:
        async for message in self._client.stream(table=self.table):
            if message.event == "snapshot":
                self._update(next(table for table in message.data["tables"] if table["id"] == self.table))
            elif message.event == "event" and message.data["table"] == self.table:
                self._stale.set()

    async def _refresh(self) -> None:
        """Fetch the table after each change; changes during a request cause another one."""
        while True:
            await self._stale.wait()
            self._stale.clear()
            self._update(await self._client.get(f"/tables/{self.table}"))

    def _update(self, state: dict[str, Any]) -> None:
        self.state = state
        self._updated.set()
        self._updated = asyncio.Event()

    async def wait_until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            await self._updated.wait()

    def last_settled_round(self) -> int:
        """Return the number of the last settled round, 0 before the first."""
        last = self.state.get("last_round")
        return 0 if last is None else int(last["number"])

    def shoes_ended(self) -> int:
        """Return how many shoes have been played to their end."""
        shoe = self.state.get("shoe")
        return 0 if shoe is None else int(shoe["number"]) - 1

    def is_turn_of(self, seat: int) -> bool:
        """Return whether the seat may act in the current round."""
        round_ = self.state.get("round")
        if round_ is None or round_["phase"] != "betting":
            return False
        return any(part["seat"] == seat and part["status"] == "deciding" for part in round_["seats"])

    def round_number(self) -> int:
        """Return the number of the current round, 0 if there is none."""
        round_ = self.state.get("round")
        return 0 if round_ is None else int(round_["number"])

    def is_shown_to(self, seat: int) -> bool:
        """Return whether the last deal is shown, and the seat has not asked to skip the show."""
        if self.state.get("round") is not None or self.state.get("betting_opens_at") is None:
            return False
        return any(taken["seat"] == seat and not taken["skips_show"] for taken in self.state["seats"])

    def has_cards(self, seat: int) -> bool:
        """Return whether the seat has the Player's cards, in the Caller's ceremony."""
        ceremony = (self.state.get("round") or {}).get("ceremony")
        return ceremony is not None and ceremony["seat"] == seat and ceremony["handed_back"] is None

    def has_wager(self, seat: int) -> bool:
        """Return whether the seat has a confirmed wager in the current round."""
        parts = (self.state.get("round") or {}).get("seats", [])
        return any(part["seat"] == seat and part["status"] == "confirmed" for part in parts)


@contextlib.asynccontextmanager
async def run_watch(watch: TableWatch) -> AsyncGenerator[None]:
    """Run the watch until the block ends; an error of the watch ends the block."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(watch.run())
        await watch.wait_until(lambda: bool(watch.state))
        yield
        task.cancel()
