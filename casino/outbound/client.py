"""Requests on an event loop, to checked addresses and within bounds of time and size. Redirects are not followed."""

import asyncio
import ssl
from collections.abc import Iterable, Mapping
from typing import Any, Final, Self

import httpcore

from casino.observability.process import ssl_context
from casino.outbound import destinations
from casino.outbound.answers import KEPT_OPEN, Answer, AnswerTooLong, WholeAnswer, names_and_values
from casino.outbound.destinations import require_destination

TOTAL_SECONDS: Final = 20.0
CONNECT_SECONDS: Final = 5.0
MAX_ANSWER: Final = 2000
"""Bytes of an answer that are read and stored."""


class CheckedBackend(httpcore.AsyncNetworkBackend):
    """Resolves a name, checks all its addresses, and connects to the first."""

    def __init__(self) -> None:
        self._backend = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to a checked address of the host. Raises DestinationRefused, httpcore.ConnectError."""
        addresses = await asyncio.shield(asyncio.wrap_future(destinations.resolve(host, port)))
        return await self._backend.connect_tcp(str(addresses[0]), port, timeout, local_address, socket_options)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class WebhookClient:
    """Sends messages to receivers' servers. Use `async with`, on one event loop."""

    def __init__(self, *, context: ssl.SSLContext | None = None, total_seconds: float = TOTAL_SECONDS) -> None:
        self._total_seconds = total_seconds
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context or ssl_context(),
            network_backend=CheckedBackend(),
            max_connections=1000,
            **KEPT_OPEN,
        )

    async def __aenter__(self) -> Self:
        await self._pool.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._pool.__aexit__(*error)

    async def post(self, url: str, *, headers: Mapping[str, str], body: bytes) -> Answer:
        """Post and return the answer, of which a bounded part is read.

        Raises TimeoutError, httpcore.NetworkError (also for an address that would not be registered any more) and
        httpcore.ProtocolError.
        """
        status, _, content = await self._send(
            "POST", url, headers=headers, body=body, seconds=self._total_seconds, most=MAX_ANSWER
        )
        return Answer(status, content[:MAX_ANSWER].decode("utf-8", "replace").replace("\x00", "\ufffd"))

    async def ask(
        self, method: str, url: str, *, headers: Mapping[str, str], body: bytes, seconds: float, limit: int
    ) -> WholeAnswer:
        """Send a request and return the whole answer, which may have `limit` bytes.

        Raises what `post` does, and AnswerTooLong.
        """
        status, names, content = await self._send(
            method, url, headers=headers, body=body, seconds=seconds, most=limit + 1
        )
        if len(content) > limit:
            raise AnswerTooLong(f"The answer has more than {limit} bytes.")
        return WholeAnswer(status, names, content)

    async def _send(
        self, method: str, url: str, *, headers: Mapping[str, str], body: bytes, seconds: float, most: int
    ) -> tuple[int, dict[str, str], bytes]:
        require_destination(url)
        timeout = dict.fromkeys(("read", "write", "pool"), seconds) | {"connect": min(CONNECT_SECONDS, seconds)}
        async with (
            asyncio.timeout(seconds),
            self._pool.stream(
                method, url, headers=list(headers.items()), content=body, extensions={"timeout": timeout}
            ) as response,
        ):
            content = b""
            async for chunk in response.aiter_stream():
                content += chunk
                if len(content) >= most:
                    break
            return response.status, names_and_values(response.headers), content
