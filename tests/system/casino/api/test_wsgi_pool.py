"""The pool of threads behind the web server, with a small application and over real connections."""

import concurrent.futures
import contextlib
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from casino.api.wsgi_pool import BODY_TIMEOUT
from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from casino.devstack.system import HOST, commands, free_port, is_responding
from tests.casino.api.pool_service import HELD, MAX_BODY
from tests.processes import descendants, wait_until

TIMEOUT = 60.0
LARGE = 150_000_000


class Service:
    """The running application: its port and what it wrote."""

    def __init__(self, child: Child, port: int) -> None:
        self.child = child
        self.port = port

    def connect(self) -> socket.socket:
        return socket.create_connection((HOST, self.port), timeout=TIMEOUT)

    def ask(self, method: str, path: str, *headers: str, body: bytes = b"") -> tuple[int, bytes]:
        """Send a request on a connection of its own, and return the response's status and content."""
        with self.connect() as connection:
            send(connection, method, path, *headers, body=body)
            return receive(connection)

    def count(self) -> int:
        """Return the number of requests that reached a thread, with this one."""
        number: int = json.loads(self.ask("GET", "/count")[1])["number"]
        return number

    def lines(self, text: str) -> int:
        return self.child.log.read_text(encoding="utf-8").count(text)


def send(connection: socket.socket, method: str, path: str, *headers: str, body: bytes = b"") -> None:
    head = "".join(f"{header}\r\n" for header in ("Host: test", "Connection: close", *headers))
    connection.sendall(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)


def receive(connection: socket.socket) -> tuple[int, bytes]:
    """Read a response to its end."""
    response = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := connection.recv(1 << 20):
            response += piece
    head, _, content = response.partition(b"\r\n\r\n")
    return int(head.split()[1]), content


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Service]:
    folder, port = tmp_path_factory.mktemp("pool"), free_port(0)
    command = commands(port=port)["web"]
    environment = {"DJANGO_SETTINGS_MODULE": "casino.settings", "PYTHONPATH": str(PROJECT), "WEB_PROCESSES": "1"}
    child = Child(
        name="pool",
        command=[*command, "tests.casino.api.pool_service:application"],
        environment={**environment, "PATH": str(Path(sys.executable).parent)},
        log=folder / "log",
        folder=PROJECT,
    )
    try:
        child.start()
        child.wait_until(lambda: is_responding(port=port, path="/"))
        yield Service(child, port)
    finally:
        child.stop()


def test_a_request_reaches_the_application(service: Service) -> None:
    status, content = service.ask(
        "POST", "/casino/caf%C3%A9?a=1", "Content-Length: 3", "X-Forwarded-For: a", "X_Forwarded_For: b", body=b"abc"
    )
    document = json.loads(content)
    assert status == 200
    assert document["path"].encode("latin-1").decode() == "/café"
    assert (document["length"], document["body"], document["forwarded"]) == ("3", "abc", "a")


def test_a_chunked_body_has_a_length(service: Service) -> None:
    _, content = service.ask("POST", "/echo", "Transfer-Encoding: chunked", body=b"5\r\nhello\r\n0\r\n\r\n")
    document = json.loads(content)
    assert (document["length"], document["body"]) == ("5", "hello")


def test_the_longest_body_is_accepted(service: Service) -> None:
    status, _ = service.ask("POST", "/echo", f"Content-Length: {MAX_BODY}", body=b"x" * MAX_BODY)
    assert status == 200


@pytest.mark.parametrize(
    ("header", "body"),
    [
        (f"Content-Length: {MAX_BODY + 1}", b""),
        (f"Content-Length: {LARGE}", b"x" * 5000),
        ("Transfer-Encoding: chunked", b"400\r\n" + b"x" * 1024 + b"\r\n"),
    ],
)
def test_a_body_that_is_too_long_is_refused_before_it_has_arrived(service: Service, header: str, body: bytes) -> None:
    before = service.count()
    status, content = service.ask("POST", "/echo", header, body=body)
    assert (status, json.loads(content)["code"]) == (413, "body_too_large")
    assert service.count() == before + 1


def test_a_body_that_does_not_arrive_is_refused_in_time(service: Service) -> None:
    with service.connect() as connection:
        send(connection, "POST", "/echo", "Content-Length: 10", body=b"abc")
        status, content = receive(connection)
    assert (status, json.loads(content)["code"]) == (408, "request_timeout")


def test_a_process_that_was_paused_serves_what_arrived_meanwhile(service: Service) -> None:
    ((worker, _),) = descendants(service.child.pid)
    with service.connect() as connection:
        send(connection, "POST", "/echo", "Content-Length: 6", body=b"abc")
        time.sleep(0.5)
        os.kill(worker, signal.SIGSTOP)
        try:
            connection.sendall(b"def")
            time.sleep(BODY_TIMEOUT + 1)
        finally:
            os.kill(worker, signal.SIGCONT)
        status, content = receive(connection)
    assert (status, json.loads(content)["body"]) == (200, "abcdef")


def test_bodies_that_do_not_arrive_take_no_place_in_the_queue(service: Service) -> None:
    with contextlib.ExitStack() as exits:
        for _ in range(50):
            send(exits.enter_context(service.connect()), "POST", "/echo", "Content-Length: 10", body=b"abc")
        assert service.ask("GET", "/echo")[0] == 200


def test_the_request_of_a_client_that_has_gone_reaches_no_thread(service: Service) -> None:
    before = service.count()
    with service.connect() as connection:
        send(connection, "POST", "/echo", "Content-Length: 10", body=b"abc")
    with service.connect() as connection:
        send(connection, "POST", "/echo", "Content-Length: 10", body=b"abc")
        connection.shutdown(socket.SHUT_WR)
        assert receive(connection)[0] == 400
    assert service.count() == before + 1


def test_requests_beyond_the_queue_are_refused_at_once(service: Service) -> None:
    with concurrent.futures.ThreadPoolExecutor(12) as threads:
        answers = list(threads.map(lambda _: service.ask("GET", "/wait"), range(12)))
    refused = [json.loads(content)["code"] for status, content in answers if status != 200]
    assert refused
    assert set(refused) == {"overloaded"}
    assert sum(status == 200 for status, _ in answers) >= 2
    assert service.ask("GET", "/echo")[0] == 200


def test_a_request_is_refused_while_all_threads_are_stuck(service: Service) -> None:
    before = service.lines("hang ended")
    with contextlib.ExitStack() as exits:
        stuck = [exits.enter_context(service.connect()) for _ in range(2)]
        for connection in stuck:
            send(connection, "GET", "/hang")
        time.sleep(0.5)
        status, content = service.ask("GET", "/echo")
        assert (status, json.loads(content)["code"]) == (503, "overloaded")
        assert service.ask("GET", "/echo")[0] == 503
        assert service.ask("GET", "/echo")[0] == 503  # at once: the queue is full of refused requests
        assert service.lines("hang ended") == before
        assert [receive(connection)[0] for connection in stuck] == [200, 200]
    assert service.ask("GET", "/echo")[0] == 200


def test_a_refusal_may_be_held_back_so_that_who_repeats_it_does_so_seldom(service: Service) -> None:
    with service.connect() as stuck:
        send(stuck, "GET", "/held/hang")
        time.sleep(0.5)
        began = time.monotonic()
        assert service.ask("GET", "/held/echo")[0] == 503
        assert time.monotonic() - began >= HELD
        assert receive(stuck)[0] == 200


def test_a_download_waits_for_its_reader_and_others_do_not(service: Service) -> None:
    with service.connect() as connection:
        send(connection, "GET", "/download")
        assert wait_until(lambda: service.lines("megabyte 1") > 0, seconds=TIMEOUT)
        time.sleep(1)
        assert service.lines("megabyte 63") == 0
        status, content = service.ask("GET", "/download")
        assert (status, json.loads(content)["code"]) == (503, "overloaded")  # half of the threads download
        assert service.ask("GET", "/echo")[0] == 200
        assert service.ask("GET", "/unchanged") == (304, b"")  # a file without content is none
        status, content = receive(connection)
    assert status == 200
    assert content.endswith(b"\r\n0\r\n\r\n")
    assert content.count(b"x") == 64 * 1024 * 1024


def test_the_thread_of_a_reader_that_stops_is_freed(service: Service) -> None:
    before = service.lines("download ended")
    with service.connect() as connection:
        send(connection, "GET", "/download")
        assert wait_until(lambda: service.lines("download ended") > before, seconds=TIMEOUT)
        assert not receive(connection)[1].endswith(b"\r\n0\r\n\r\n")
    assert service.ask("GET", "/echo")[0] == 200


def test_live_streams_take_no_thread_and_end_with_their_reader(service: Service) -> None:
    before = service.lines("stream ended")
    with contextlib.ExitStack() as exits:
        streams = [exits.enter_context(service.connect()) for _ in range(20)]
        for stream in streams:
            send(stream, "GET", "/live")
            assert stream.recv(1000).startswith(b"HTTP/1.1 200")
        assert service.ask("GET", "/echo")[0] == 200
    assert wait_until(lambda: service.lines("stream ended") == before + 20, seconds=TIMEOUT)
