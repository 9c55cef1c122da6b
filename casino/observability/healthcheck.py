"""`manage.py healthcheck URL`: exit with 0 if the URL answers 200, else with 1 and a message.

The Host header is the first of ALLOWED_HOSTS, because the service refuses others.
"""

import http.client
import os
import sys
from collections.abc import Sequence
from urllib.parse import urlsplit

TIMEOUT = 4.0
"""Seconds."""


def main(arguments: Sequence[str]) -> None:
    if len(arguments) != 1:
        sys.exit("usage: manage.py healthcheck URL")
    (url,) = arguments
    allowed = os.environ.get("ALLOWED_HOSTS", "").split(",")[0].strip().lstrip(".")
    try:
        status = probe(url, host=allowed or "localhost")
    except (OSError, http.client.HTTPException) as error:
        sys.exit(f"{url} does not answer: {error}")
    if status != 200:
        sys.exit(f"{url} answered {status}.")


def probe(url: str, *, host: str) -> int:
    """Return the status of a GET of an http:// URL. Raises OSError."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "127.0.0.1", parts.port or 80, timeout=TIMEOUT)
    try:
        connection.request("GET", parts.path or "/", headers={"Host": host})
        return connection.getresponse().status
    finally:
        connection.close()
