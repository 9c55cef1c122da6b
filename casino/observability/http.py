"""Whom outgoing HTTPS connections trust."""

import functools
import ssl

import httpx


@functools.cache
def ssl_context() -> ssl.SSLContext:
    """Return the certificate authorities that httpx trusts, read once: each reading takes some 40 ms."""
    return httpx.create_ssl_context()
