"""Where a request comes from."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest


def address_of(request: HttpRequest) -> str | None:
    """Return the network address of whoever asks; None where there is none, as on a socket.

    Behind a proxy of ours it is the last one that X-Forwarded-For names: what stands before it the client can invent.
    """
    told = request.META.get("REMOTE_ADDR", "")
    if settings.SECURE_PROXY_SSL_HEADER is not None:
        told = request.META.get("HTTP_X_FORWARDED_FOR", told).rpartition(",")[2]
    try:
        return str(ip_address(told.strip()))
    except ValueError:
        return None
