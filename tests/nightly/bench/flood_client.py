"""Strangers: threads that try to log in as staff, each time by another name and address, until they are told to end."""

import http.client
import ipaddress
import random
import threading
import time
import urllib.parse
import uuid
from collections import Counter

from tests.nightly.bench.worker import serve

LOGIN = "/admin/login/"
PATIENCE = 60.0
REFUSED_PAUSE = 0.1
"""Seconds after a connection that was refused or broken off."""
_ended = threading.Event()
_statuses: Counter[str] = Counter()
_lock = threading.Lock()


def begin(*, port: int, logins: int) -> int:
    """Keep so many logins under way."""
    for _ in range(logins):
        threading.Thread(target=_flood, args=[port], daemon=True).start()
    time.sleep(1.0)
    return logins


def end() -> dict[str, int]:
    """Stop, and return how many logins were answered by each status; 0 for a connection without an answer."""
    _ended.set()
    with _lock:
        return dict(_statuses)


def _flood(port: int) -> None:
    while not _ended.is_set():
        try:
            status = _try(port)
        except (OSError, http.client.HTTPException):
            status = 0
            time.sleep(REFUSED_PAUSE)
        with _lock:
            _statuses[str(status)] += 1


def _try(port: int) -> int:
    token, name = uuid.uuid4().hex, uuid.uuid4().hex
    fields = {"username": name, "password": "wrong", "csrfmiddlewaretoken": token}
    headers = {
        "Cookie": f"csrftoken={token}",
        "Content-Type": "application/x-www-form-urlencoded",
        "X-Forwarded-For": str(ipaddress.IPv4Address(random.getrandbits(32))),
    }
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("POST", LOGIN, urllib.parse.urlencode(fields), headers)
        return connection.getresponse().status
    finally:
        connection.close()


if __name__ == "__main__":
    serve({"begin": begin, "end": end})
