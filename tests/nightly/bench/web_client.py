"""A client process of measurements over HTTP: one request after another, or many connections at a given rate."""

import contextlib
import http.client
import itertools
import threading
import time
import uuid
from collections import Counter
from collections.abc import Mapping
from typing import Any

from tests.nightly.bench.worker import serve

BODY = b'{"stakes": [{"spot": "banker", "amount": "10.00"}], "currency": "EUR"}'
PATIENCE = 30.0
GOOD = {200, 201}
CONNECTIONS = 24
"""Connections of one process at a given rate."""
OVERTIME = 2.0
"""Seconds after the end in which late requests are still sent."""
_connections: dict[int, http.client.HTTPConnection] = {}


def send(*, port: int, requests: list[dict[str, str]]) -> list[float]:
    """Send every request (method, path, token) and return each one's seconds. Raises RuntimeError if refused."""
    connection = _connections.setdefault(port, http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE))
    connection.close()  # the server may have closed it while the other side was measured
    connection.connect()
    spent = []
    for request in requests:
        began = time.perf_counter()
        status, content = _exchange(connection, request)
        spent.append(time.perf_counter() - began)
        if status not in GOOD:
            raise RuntimeError(f"{request['path']} answered {status}: {content[:300]!r}")
    return spent


def ask(*, port: int, requests: list[dict[str, str]]) -> dict[str, Any]:
    """Send every request as `send` does, and return each one's seconds, and how many were granted and refused."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    latencies, good = [], 0
    with contextlib.closing(connection):
        for request in requests:
            began = time.perf_counter()
            status, _ = _exchange(connection, request)
            latencies.append(time.perf_counter() - began)
            good += status in GOOD
    return {"latencies": latencies, "good": good, "refused": len(requests) - good}


def pace(*, port: int, requests: list[dict[str, str]], rate: float, seconds: float) -> dict[str, Any]:
    """Send requests in turn at this rate, and return each one's seconds since it was due, and statuses by number.

    The latency of a late request counts from the time at which it was due.
    """
    numbers, lock, began = itertools.count(), threading.Lock(), time.perf_counter()
    latencies: list[float] = []
    statuses: Counter[int] = Counter()

    def work() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        try:
            while True:
                with lock:
                    number = next(numbers)
                due = began + number / rate
                if due > began + seconds or time.perf_counter() > began + seconds + OVERTIME:
                    return
                time.sleep(max(0.0, due - time.perf_counter()))
                status, _ = _exchange(connection, requests[number % len(requests)])
                with lock:
                    statuses[status] += 1
                    latencies.append(time.perf_counter() - due)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    good = sum(count for status, count in statuses.items() if status in GOOD)
    passed = time.perf_counter() - began
    return {"latencies": latencies, "good": good, "refused": statuses.total() - good, "seconds": passed}


def _exchange(connection: http.client.HTTPConnection, request: Mapping[str, str]) -> tuple[int, bytes]:
    headers = {"Authorization": f"Bearer {request['token']}"}
    if request["method"] == "POST":
        headers |= {"Content-Type": "application/json", "Idempotency-Key": uuid.uuid4().hex}
    connection.request(request["method"], request["path"], BODY if request["method"] == "POST" else None, headers)
    answer = connection.getresponse()
    return answer.status, answer.read()


if __name__ == "__main__":
    serve({"send": send, "ask": ask, "pace": pace})
