"""HTTP requests from threads, to checked addresses: each is over at a moment, however slowly the other side sends.

`WebhookClient` does the same on an event loop. A thread that hands its request to a loop and waits costs twice as much.
"""

import atexit
import ssl
import time
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import httpcore

from casino.observability.process import ssl_context
from casino.outbound import destinations
from casino.outbound.answers import KEPT_OPEN, AnswerTooLong, WholeAnswer, names_and_values
from casino.outbound.destinations import require_destination


class BlockingClient:
    """Sends requests of any number of threads. Each wait in httpcore gets the moment at which all has to be done."""

    def __init__(self) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl_context(), network_backend=_CheckedBackend(), max_connections=1000, **KEPT_OPEN
        )

    def close(self) -> None:
        """Close what is kept open."""
        self._pool.close()

    def ask(
        self, method: str, url: str, *, headers: Mapping[str, str], body: bytes, seconds: float, limit: int
    ) -> WholeAnswer:
        """Send a request and return the whole answer, which may have `limit` bytes.

        Raises what `WebhookClient.ask` does.
        """
        require_destination(url)
        moment = time.monotonic() + seconds
        timeout = {**dict.fromkeys(("connect", "read", "write"), moment), "pool": seconds}
        with self._pool.stream(
            method, url, headers=list(headers.items()), content=body, extensions={"timeout": timeout}
        ) as response:
            content = b""
            for chunk in response.iter_stream():
                content += chunk
                if len(content) > limit:
                    raise AnswerTooLong(f"The answer has more than {limit} bytes.")
            return WholeAnswer(response.status, names_and_values(response.headers), content)


@cache
def blocking_client() -> BlockingClient:
    """Return the client of this process."""
    client = BlockingClient()
    atexit.register(client.close)
    return client


class _CheckedBackend(httpcore.NetworkBackend):
    """Resolves a name, checks all its addresses, and connects to the first."""

    def __init__(self) -> None:
        self._backend = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> "_Stream":
        """Connect to a checked address. Raises TimeoutError, DestinationRefused, httpcore.ConnectError."""
        address = destinations.resolve(host, port).result(_left(timeout))[0]
        return _Stream(self._backend.connect_tcp(str(address), port, _left(timeout), local_address, socket_options))


class _Stream(httpcore.NetworkStream):
    """A connection whose waits end at moments of the monotonic clock."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(timeout))

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> "_Stream":
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, _left(timeout)))

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _left(moment: float | None) -> float:
    """Return the seconds until a moment. Raises TimeoutError."""
    left = 0.0 if moment is None else moment - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
