"""The web server as a whole: replaced without a failed request, ended with streams open, never left behind."""

import contextlib
import http.client
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from casino.devstack.system import HOST, is_responding
from casino.server import GRACE_SECONDS, ORPHAN_SECONDS
from tests.baccarat.api.people import tenant
from tests.baccarat.streaming.listening import Web
from tests.conftest import Database
from tests.processes import alive, descendants, wait_until

TIMEOUT = 60.0


@pytest.fixture
def web(database: Database, tmp_path: Path) -> Generator[Web]:
    with Web(database, log=tmp_path / "web.log", WEB_PROCESSES="2") as web:
        assert wait_until(lambda: listeners(web.port) == 2, seconds=TIMEOUT)
        yield web


def listeners(port: int) -> int:
    """Return how many processes accept connections to a port."""
    sockets = [line.split() for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    return sum(state == "0A" and address.endswith(f":{port:04X}") for _, address, _, state, *_ in sockets)


def workers(web: Web) -> set[int]:
    """Return the ids of the server's processes, without the one that starts them."""
    return {pid for pid, _ in alive(descendants(web.child.pid))} - {web.child.pid}


def is_stopped(pid: int) -> bool:
    """Return whether a signal has stopped each thread of a process."""
    threads = Path(f"/proc/{pid}/task").glob("*/stat")
    return all(thread.read_text().rpartition(")")[2].split()[0] == "T" for thread in threads)


class Client(threading.Thread):
    """Sends requests; with `reuse` on one connection, repeating a request whose idle connection was just closed.

    Proxies and HTTP clients do so, too (RFC 9112, 9.3.1): a server can't close an idle connection in any other way.
    """

    def __init__(self, port: int, stop: threading.Event, *, reuse: bool) -> None:
        super().__init__(daemon=True)
        self.port, self.stop, self.reuse = port, stop, reuse
        self.answered = self.closed = 0
        self.failures: list[str] = []

    def run(self) -> None:
        """Request until told to stop."""
        connection = http.client.HTTPConnection(HOST, self.port, timeout=TIMEOUT)
        while not self.stop.is_set():
            is_reused = connection.sock is not None
            try:
                connection.request("GET", "/livez")
                response = connection.getresponse()
                response.read()
            except (ConnectionError, http.client.HTTPException) as error:
                connection.close()
                if is_reused:
                    self.closed += 1
                else:
                    self.failures.append(repr(error))
                continue
            self.answered += 1
            if response.status != 200:
                self.failures.append(f"status {response.status}")
            if not self.reuse:
                connection.close()
        connection.close()


def test_sighup_replaces_the_processes_without_a_failed_request(web: Web) -> None:
    before, stop = workers(web), threading.Event()
    clients = [Client(web.port, stop, reuse=number < 2) for number in range(4)]
    for client in clients:
        client.start()
    try:
        os.kill(web.child.pid, signal.SIGHUP)
        assert wait_until(lambda: len(workers(web)) == 2 and not before & workers(web), seconds=TIMEOUT)
        time.sleep(1)
    finally:
        stop.set()
        for client in clients:
            client.join(TIMEOUT)
    assert [failure for client in clients for failure in client.failures] == []
    assert all(client.answered > 10 for client in clients)
    assert all(client.closed <= len(before) for client in clients)


def test_a_process_that_dies_is_replaced(web: Web) -> None:
    victim = min(workers(web))
    os.kill(victim, signal.SIGKILL)
    assert wait_until(lambda: len(workers(web) - {victim}) == 2, seconds=TIMEOUT)
    assert is_responding(port=web.port, path="/livez")


def test_a_process_that_dies_is_missed_by_nobody(web: Web) -> None:
    stop = threading.Event()
    clients = [Client(web.port, stop, reuse=False) for _ in range(4)]
    for client in clients:
        client.start()
    try:
        victim = min(workers(web))
        os.kill(victim, signal.SIGKILL)
        assert wait_until(lambda: len(workers(web) - {victim}) == 2, seconds=TIMEOUT)
        before = [client.answered for client in clients]
        assert wait_until(lambda: all(c.answered > b for c, b in zip(clients, before, strict=True)), seconds=TIMEOUT)
    finally:
        stop.set()
        for client in clients:
            client.join(TIMEOUT)
    assert all(len(client.failures) <= 1 for client in clients)  # each had one connection to the dead process at most


def test_who_waits_for_a_process_that_dies_is_served_by_the_next(web: Web) -> None:
    with contextlib.ExitStack() as exits:
        for victim in workers(web):
            os.kill(victim, signal.SIGSTOP)
            assert wait_until(lambda victim=victim: is_stopped(victim), seconds=TIMEOUT)
        waiting = [exits.enter_context(socket.create_connection((HOST, web.port), timeout=TIMEOUT)) for _ in range(8)]
        for connection in waiting:
            connection.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for victim in workers(web):
            os.kill(victim, signal.SIGKILL)
        assert all(connection.recv(1000).startswith(b"HTTP/1.1 200") for connection in waiting)


def test_sigterm_ends_the_server_while_streams_are_open(web: Web) -> None:
    player = tenant("lucky").player("Ann")
    with web.listen(player) as stream:
        stream.until(lambda each: each.of("snapshot"))
        began = time.monotonic()
        os.kill(web.child.pid, signal.SIGTERM)
        assert web.child.process is not None
        web.child.process.wait(TIMEOUT)
        assert time.monotonic() - began < 4 * GRACE_SECONDS
        assert stream.over.wait(TIMEOUT)


def test_processes_serve_without_the_one_that_started_them_until_it_is_replaced(web: Web) -> None:
    left = workers(web)
    os.kill(web.child.pid, signal.SIGKILL)
    assert web.child.process is not None
    web.child.process.wait(TIMEOUT)
    assert wait_until(lambda: is_responding(port=web.port, path="/livez"), seconds=ORPHAN_SECONDS)
    web.start()
    assert wait_until(lambda: len(workers(web)) == 2, seconds=TIMEOUT)
    assert wait_until(lambda: not {pid for pid in left if Path(f"/proc/{pid}").exists()}, seconds=TIMEOUT)


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"Content-Length": "70000"}, b"", 413),
        ({"Content-Length": "10"}, b"abc", 408),
        ({"Content-Length": "2"}, b"{}", 401),
    ],
)
def test_no_answer_names_the_servers_software_and_each_is_logged(
    database: Database, tmp_path: Path, headers: dict[str, str], body: bytes, status: int
) -> None:
    log = tmp_path / "web.log"
    with (
        Web(database, log=log, REQUEST_LOG="true") as web,
        contextlib.closing(http.client.HTTPConnection(HOST, web.port, timeout=TIMEOUT)) as connection,
    ):
        connection.request("POST", "/api/v1/players", body=body or None, headers=headers)
        response = connection.getresponse()
        assert (response.status, response.headers["Server"]) == (status, "casino")
        number = response.headers["X-Request-Id"]

        def lines() -> list[dict[str, object]]:
            texts = [line for line in log.read_text(encoding="utf-8").splitlines() if number in line and line[0] == "{"]
            return [json.loads(text) for text in texts]

        assert wait_until(lines, seconds=TIMEOUT)
    (line,) = lines()
    assert (line["method"], line["status"], line["address"]) == ("POST", status, HOST)


def test_headers_that_do_not_arrive_end_the_connection(database: Database, tmp_path: Path) -> None:
    web = Web(database, log=tmp_path / "web.log")
    web.child.command += ["--idle-seconds", "3"]
    with web, socket.create_connection((HOST, web.port), timeout=TIMEOUT) as connection:
        connection.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n")
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for number in range(30):
                connection.sendall(b"X-%d: a\r\n" % number)
                time.sleep(0.5)
            pytest.fail("a slow client kept its connection")


def test_an_orphan_with_an_open_stream_ends(web: Web) -> None:
    orphans = workers(web)
    with web.listen(tenant("lucky").player("Ann")) as stream:
        stream.until(lambda each: each.of("snapshot"))
        os.kill(web.child.pid, signal.SIGKILL)
        assert wait_until(lambda: not {pid for pid in orphans if Path(f"/proc/{pid}").exists()}, seconds=TIMEOUT)


def test_an_idle_connection_is_kept_alive(web: Web) -> None:
    with contextlib.closing(http.client.HTTPConnection(HOST, web.port, timeout=TIMEOUT)) as connection:
        for _ in range(2):
            connection.request("GET", "/livez")
            assert connection.getresponse().read()
            time.sleep(8)  # uvicorn, gunicorn and node close after 2 to 5 s
