"""Determines the client's IP address."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest


def address_of(request: HttpRequest) -> str | None:
    """Return the network address of the client; None if there is none, as on a socket.

    Behind a trusted proxy it is the last one in X-Forwarded-For: the client can forge the ones before it.
    """
    address = request.META.get("REMOTE_ADDR", "")
    if settings.SECURE_PROXY_SSL_HEADER is not None:
        address = request.META.get("HTTP_X_FORWARDED_FOR", address).rpartition(",")[2]
    try:
        return str(ip_address(address.strip()))
    except ValueError:
        return None
