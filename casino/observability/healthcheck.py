"""A health check in one line: `manage.py healthcheck URL` exits 0 when the answer is 200.

It names the first of ALLOWED_HOSTS as its host, because the service answers to no other name.
"""

import http.client
import os
import sys
from urllib.parse import urlsplit

SECONDS = 4.0


def probe(url: str, *, host: str) -> int:
    """Return the status that a GET of this http:// URL answers. Raises OSError."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "127.0.0.1", parts.port or 80, timeout=SECONDS)
    try:
        connection.request("GET", parts.path or "/", headers={"Host": host})
        return connection.getresponse().status
    finally:
        connection.close()


def main() -> None:
    """Exit 0 for a 200, 1 with a sentence otherwise."""
    allowed = os.environ.get("ALLOWED_HOSTS", "").split(",")[0].strip().lstrip(".")
    try:
        status = probe(sys.argv[1], host=allowed or "localhost")
    except (OSError, http.client.HTTPException) as error:
        sys.exit(f"{sys.argv[1]} does not answer: {error}")
    if status != 200:
        sys.exit(f"{sys.argv[1]} answered {status}.")


if __name__ == "__main__":
    main()
