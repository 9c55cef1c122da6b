"""Where we connect to at others' request: public addresses over TLS, and networks that the configuration allows.

Operators choose the addresses of webhooks, of their own wallets and of their identity providers. A name is resolved for
each connection, or for those that are opened meanwhile: threads resolve names, and a name that nobody answers for would
soon have all of them. Every address is checked, and the connection goes to an address that was checked: a name that
changes its address between the two gains nothing.
"""

import socket
import threading
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Final
from urllib.parse import urlsplit

import httpcore
from django.conf import settings

from casino.outbound.refusals import InvalidWebhookUrl

RESOLVERS: Final = 16
"""Threads that look names up: a name that nobody answers for has one."""
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


def check_url(url: str) -> str:
    """Return the address if requests may be sent there. Raises InvalidWebhookUrl.

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
    """Return whether we may connect to an address: a public one, or one of settings.WEBHOOK_NETWORKS."""
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


def resolve(host: str, port: int) -> Future[list[Address]]:
    """Resolve a name to its addresses, at least one, all checked, in one thread at a time.

    A caller that gives up leaves the thread to those after it. The result raises DestinationRefused,
    httpcore.ConnectError.
    """
    with _lock:
        running = _resolving.get((host, port))
        if running is None:
            running = _resolving[host, port] = _threads.submit(_look_up, host, port)
        return running


def _look_up(host: str, port: int) -> list[Address]:
    try:
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise httpcore.ConnectError(f"{host} is no name of a host.") from error
    except OSError as error:
        raise httpcore.ConnectError(f"{host} has no address: {error.strerror or error}") from error
    finally:
        with _lock:
            _resolving.pop((host, port), None)
    addresses = [ip_address(str(row[4][0]).partition("%")[0]) for row in rows]
    refused = [address for address in addresses if not is_allowed(address)]
    if refused or not addresses:
        raise DestinationRefused(f"{host} is at {refused[0]}, which is not public." if refused else "no address")
    return addresses


_threads: Final = ThreadPoolExecutor(RESOLVERS, "resolve")
_resolving: Final[dict[tuple[str, int], Future[list[Address]]]] = {}
_lock: Final = threading.Lock()
