"""Where webhooks may go: public addresses over TLS, and networks that the configuration allows.

A name is resolved for each connection, or for those that are opened meanwhile: threads resolve names, and a name that
nobody answers for would soon have all of them. Every address is checked, and the connection goes to an address that was
checked: a name that changes its address between the two gains nothing. Redirects are not followed.
"""

import asyncio
import socket
import ssl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Final, Self
from urllib.parse import urlsplit

import httpcore
from django.conf import settings

from casino.feed.refusals import InvalidWebhookUrl
from casino.observability.process import ssl_context

TOTAL_SECONDS: Final = 20.0
CONNECT_SECONDS: Final = 5.0
MAX_ANSWER: Final = 2000
"""Bytes of an answer that are read and stored."""
KEPT_OPEN: Final[dict[str, Any]] = {"max_keepalive_connections": 100, "keepalive_expiry": 30.0}
"""Of connections: how many, and for how many seconds."""
_MAX_URL: Final = 500
_EMBEDDED_IPV4: Final = tuple(
    map(IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16", "::ffff:0:0/96"))
)
"""IPv6 addresses that stand for IPv4 ones, which may be private."""
_UNICAST: Final = IPv6Network("2000::/3")
"""All public IPv6 addresses are here; elsewhere are site-local ones and those that nobody assigned."""
Address = IPv4Address | IPv6Address


class DestinationRefused(httpcore.ConnectError):
    """The address is neither public nor allowed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A receiver's answer; `body` is its beginning."""

    status: int
    body: str


def check_url(url: str) -> str:
    """Return the address if webhooks may be sent there. Raises InvalidWebhookUrl.

    A name is checked each time when it is resolved.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        host.encode("idna")  # as the name is when it is resolved
    except ValueError:
        raise InvalidWebhookUrl from None
    schemes = {"https"} if settings.PRODUCTION else {"https", "http"}
    plain = url.isascii() and url.isprintable() and " " not in url and "\\" not in url and len(url) <= _MAX_URL
    if not plain or parts.scheme not in schemes or not host or port == 0:
        raise InvalidWebhookUrl
    if parts.username is not None or parts.password is not None or "#" in url:
        raise InvalidWebhookUrl
    check_host(host)
    return url


def require_destination(url: str) -> None:
    """Check an address before each request to it. Raises DestinationRefused."""
    try:
        check_url(url)
    except InvalidWebhookUrl as error:
        raise DestinationRefused(f"{error}") from error


def check_host(host: str) -> None:
    """Check a name, or an address of ours to which nothing may go. Raises InvalidWebhookUrl."""
    literal = _literal(host)
    if not host or (literal is not None and not is_allowed(literal)):
        raise InvalidWebhookUrl("The address is not public.")


def is_allowed(address: Address) -> bool:
    """Return whether webhooks may be sent to an address: a public one, or one of settings.WEBHOOK_NETWORKS."""
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return is_allowed(address.ipv4_mapped)
    if any(address.version == network.version and address in network for network in _networks()):
        return True
    if isinstance(address, IPv6Address) and (
        address not in _UNICAST or any(address in network for network in _EMBEDDED_IPV4)
    ):
        return False
    return address.is_global and not address.is_multicast


def _networks() -> Iterable[Any]:
    return _parse_networks(tuple(settings.WEBHOOK_NETWORKS))


@cache
def _parse_networks(networks: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(map(ip_network, networks))


def _literal(host: str) -> Address | None:
    """Return the address that a host is written as, also in the other digits that resolvers take, such as 127.1."""
    with suppress(ValueError):
        return ip_address(host)
    with suppress(OSError):
        return IPv4Address(socket.inet_aton(host))
    return None


async def checked_addresses(host: str, port: int) -> list[Address]:
    """Resolve a name to its addresses, at least one, all checked. Raises DestinationRefused, httpcore.ConnectError."""
    with _errors_of(host):
        rows = await asyncio.get_running_loop().getaddrinfo(host, port, type=1)
    return _check_addresses(host, rows)


def checked_addresses_now(host: str, port: int) -> list[Address]:
    """Do the same in the caller's thread, which may take long."""
    with _errors_of(host):
        rows = socket.getaddrinfo(host, port, type=1)
    return _check_addresses(host, rows)


@contextmanager
def _errors_of(host: str) -> Iterator[None]:
    try:
        yield
    except UnicodeError as error:
        raise httpcore.ConnectError(f"{host} is no name of a host.") from error
    except OSError as error:
        raise httpcore.ConnectError(f"{host} has no address: {error.strerror or error}") from error


def _check_addresses(host: str, rows: Iterable[tuple[Any, ...]]) -> list[Address]:
    addresses = [ip_address(str(row[4][0]).partition("%")[0]) for row in rows]
    refused = [address for address in addresses if not is_allowed(address)]
    if refused or not addresses:
        raise DestinationRefused(f"{host} is at {refused[0]}, which is not public." if refused else "no address")
    return addresses


class CheckedBackend(httpcore.AsyncNetworkBackend):
    """Resolves a name, checks all its addresses, and connects to the first."""

    def __init__(self) -> None:
        self._backend = httpcore.AnyIOBackend()
        self._resolving: dict[tuple[str, int], asyncio.Task[list[Address]]] = {}

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to a checked address of the host. Raises DestinationRefused, httpcore.ConnectError."""
        addresses = await self._resolve(host, port)
        return await self._backend.connect_tcp(str(addresses[0]), port, timeout, local_address, socket_options)

    async def _resolve(self, host: str, port: int) -> list[Address]:
        """Resolve a name in one thread at a time: a caller that gives up leaves the thread to those after it."""
        task = self._resolving.get((host, port))
        if task is None:
            task = self._resolving[host, port] = asyncio.create_task(checked_addresses(host, port))
            task.add_done_callback(lambda done: self._forget(host, port, done))
        return await asyncio.shield(task)

    def _forget(self, host: str, port: int, done: asyncio.Task[list[Address]]) -> None:
        del self._resolving[host, port]
        if not done.cancelled():
            done.exception()  # asked for here, because all callers may have given up

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@dataclass(frozen=True, slots=True)
class WholeAnswer:
    """An answer as it came, with all of its headers; names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def names_and_values(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return headers as httpcore has them by their names in lower case; of equal names the last counts."""
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}


class AnswerTooLong(httpcore.ProtocolError):
    """The answer has more bytes than anybody wants of it."""


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
