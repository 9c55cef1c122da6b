"""A client process of `bet`: one keep-alive connection, one request after the other."""

import http.client
import time
import uuid

from tests.bench.worker import serve

BODY = b'{"stakes": [{"spot": "banker", "amount": "10.00"}], "currency": "EUR"}'
PATIENCE = 30.0
_connections: dict[int, http.client.HTTPConnection] = {}


def send(*, port: int, requests: list[dict[str, str]]) -> list[float]:
    """Send every request (path and token) and return each one's seconds. Raises RuntimeError if refused."""
    connection = _connections.setdefault(port, http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE))
    connection.close()  # the server has closed it, too, if the other side took long
    connection.connect()
    spent = []
    for request in requests:
        headers = {
            "Authorization": f"Bearer {request['token']}",
            "Content-Type": "application/json",
            "Idempotency-Key": uuid.uuid4().hex,
        }
        began = time.perf_counter()
        connection.request("POST", request["path"], BODY, headers)
        answer = connection.getresponse()
        said = answer.read()
        spent.append(time.perf_counter() - began)
        if answer.status not in {200, 201}:
            raise RuntimeError(f"{request['path']} answered {answer.status}: {said[:300]!r}")
    return spent


if __name__ == "__main__":
    serve({"send": send})
