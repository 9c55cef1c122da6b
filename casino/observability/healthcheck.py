"""`manage.py healthcheck URL`: exit with 0 if the URL answers 200, else with 1 and a message.

Given a file instead, which a process touches with each heartbeat, it exits with 0 if that was lately. The Host header
is the first of ALLOWED_HOSTS, because the service refuses others.
"""

import http.client
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

TIMEOUT = 4.0
"""Seconds."""
MAX_SILENCE = 20.0
"""Seconds since the last heartbeat."""


def main(arguments: Sequence[str]) -> None:
    if len(arguments) != 1:
        sys.exit("usage: manage.py healthcheck URL|FILE")
    (url,) = arguments
    if "://" not in url:
        _check_heartbeat(Path(url))
        return
    allowed = os.environ.get("ALLOWED_HOSTS", "").split(",")[0].strip().lstrip(".")
    try:
        status = probe(url, host=allowed or "localhost")
    except (OSError, http.client.HTTPException) as error:
        sys.exit(f"{url} does not answer: {error}")
    if status != 200:
        sys.exit(f"{url} answered {status}.")


def _check_heartbeat(file: Path) -> None:
    try:
        silence = time.time() - file.stat().st_mtime
    except OSError as error:
        sys.exit(f"{file} is not there: {error}")
    if silence > MAX_SILENCE:
        sys.exit(f"There was no heartbeat for {silence:.0f} s.")


def probe(url: str, *, host: str) -> int:
    """Return the status of a GET of an http:// URL. Raises OSError."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "127.0.0.1", parts.port or 80, timeout=TIMEOUT)
    try:
        connection.request("GET", parts.path or "/", headers={"Host": host})
        return connection.getresponse().status
    finally:
        connection.close()
