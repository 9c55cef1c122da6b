"""The client's network address, directly or behind our own proxies."""

from ipaddress import ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest


def client_ip(request: HttpRequest) -> str | None:
    """Return the client's network address, or None if it has none, as on a Unix socket.

    Each of our PROXY_HOPS proxies appends one address to X-Forwarded-For; what is left of those is the client's claim
    and is ignored. An IPv4 address that a socket for both versions reports is written as such.
    """
    address = request.META.get("REMOTE_ADDR", "")
    if settings.PROXY_HOPS:
        forwarded = request.META.get("HTTP_X_FORWARDED_FOR", address).split(",")
        address = forwarded[-min(settings.PROXY_HOPS, len(forwarded))]
    try:
        parsed = ip_address(address.strip())
    except ValueError:
        return None
    return str(getattr(parsed, "ipv4_mapped", None) or parsed)


def client_network(request: HttpRequest) -> str | None:
    """Return the client's address; of IPv6 the first address of its network, because a client has a whole network."""
    address = client_ip(request)
    if address is None or ip_address(address).version == 4:
        return address
    return str(ip_network(f"{address}/64", strict=False).network_address)
