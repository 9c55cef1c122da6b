"""An operator's developer would write this first: a client of the HTTP API that repeats safely."""

import asyncio
import contextlib
import json
import uuid
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

import httpx

from casino.observability import http

RETRY_TIMEOUT: Final = 60
"""How often a request is sent again while the service does not answer, half a second apart."""


STREAM_TIMEOUT: Final = 45.0
"""Seconds without a byte after which a live stream counts as lost: the service says every 15 that it is there."""


@dataclass(frozen=True, slots=True)
class StreamMessage:
    """One message of the live stream: what it is called, what it says, and the position to come back from."""

    event: str
    data: dict[str, Any]
    position: str


class ApiError(Exception):
    """The service refused: a problem document with its stable `code`."""

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__(f"{document.get('code')}: {document.get('detail')}")
        self.code: str = document.get("code", "unknown")
        self.document = document


class Client:
    """`await client.post(path, body)` under /api/v1, with one credential. Raises Problem."""

    def __init__(self, base_url: str, credential: str) -> None:
        headers = {"Authorization": f"Bearer {credential}"}
        self._http = httpx.AsyncClient(
            base_url=f"{base_url}/api/v1", headers=headers, timeout=20, verify=http.ssl_context()
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def get(self, path: str, **query: Any) -> dict[str, Any]:
        """Read; it repeats by itself while the service is away."""
        return await self._send("GET", path, params=query)

    async def post(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Act once, however often the request has to be sent: the key stays the same."""
        headers = {"Idempotency-Key": uuid.uuid4().hex}
        return await self._send("POST", path, json=body or {}, headers=headers)

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
        """Yield the live stream's messages; broken off, it resumes after the last one that was whole."""
        position = ""
        while True:
            headers = {"Last-Event-ID": position} if position else {}
            patience = httpx.Timeout(20, read=STREAM_TIMEOUT)
            with contextlib.suppress(httpx.TransportError):  # as a browser does: come back a moment later
                async with self._http.stream(
                    "GET", "/stream", params=query, headers=headers, timeout=patience
                ) as response:
                    if response.is_error:
                        await response.aread()
                    if response.status_code != 503:
                        _require_granted(response)
                        async for message in _messages(response.aiter_lines(), position):
                            position = message.position
                            yield message
            await asyncio.sleep(0.5)

    async def _send(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        for _ in range(RETRY_TIMEOUT):
            try:
                response = await self._http.request(method, path, **options)
            except httpx.TransportError:
                await asyncio.sleep(0.5)
                continue
            if response.status_code == 503:
                await asyncio.sleep(0.5)
                continue
            return _answer(response)
        raise ApiError({"code": "no_answer", "detail": f"{method} {path} got no answer."})


def _answer(response: httpx.Response) -> dict[str, Any]:
    _require_granted(response)
    document: dict[str, Any] = response.json() if response.content else {}
    return document


def _require_granted(response: httpx.Response) -> None:
    if response.is_error:
        raise ApiError(response.json() if response.content else {})


async def _messages(lines: AsyncIterator[str], position: str) -> AsyncGenerator[StreamMessage]:
    """Each block of the stream (WHATWG HTML, section 9.2); one that only says it is alive has no name and no data."""
    fields: dict[str, str] = {}
    async for line in lines:
        if line:
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
            continue
        position = fields.get("id", position)
        yield StreamMessage(fields.get("event", ""), json.loads(fields.get("data", "{}")), position)
        fields = {}
