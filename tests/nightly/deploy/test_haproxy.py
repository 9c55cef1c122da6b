"""The proxy's configuration, live on loopback in front of a web server."""

import contextlib
import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from casino.devstack.home import PROJECT
from casino.devstack.processes import Child
from casino.devstack.system import HOST, free_port
from tests.baccarat.api.people import tenant
from tests.baccarat.streaming.listening import Web
from tests.conftest import Database
from tests.processes import alive, descendants, wait_until
from tests.programs import find, needs

HAPROXY = find("haproxy")
pytestmark = needs("haproxy")
TIMEOUT = 60.0
CONNECTIONS = 100
"""Of one address, as haproxy.cfg says."""


class Proxy:
    """HAProxy and the web server behind it."""

    def __init__(self, web: Web, port: int) -> None:
        self.web = web
        self.port = port

    def connect(self) -> ssl.SSLSocket:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return context.wrap_socket(socket.create_connection((HOST, self.port), timeout=TIMEOUT))

    def client(self) -> http.client.HTTPSConnection:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return http.client.HTTPSConnection(HOST, self.port, timeout=TIMEOUT, context=context)

    def is_ready(self) -> bool:
        """Return whether the proxy reaches the web server."""
        with contextlib.closing(self.client()) as client:
            try:
                client.request("GET", "/livez")
                with client.getresponse() as response:
                    return response.status == 200
            except OSError:
                return False


def write_certificate(file: Path) -> None:
    """Write a self-signed certificate and its key."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file.write_bytes(private + builder.sign(key, hashes.SHA256()).public_bytes(pem))


@pytest.fixture
def proxy(database: Database, tmp_path: Path) -> Generator[Proxy]:
    port, certificate = free_port(0), tmp_path / "casino.pem"
    write_certificate(certificate)
    variables = {"BEHIND_TLS_PROXY": "true", "WEB_PROCESSES": "2", "QUOTA_PER_ADDRESS": "100000"}
    with Web(database, log=tmp_path / "web.log", **variables) as web:
        child = Child(
            name="haproxy",
            command=[str(HAPROXY), "-f", str(PROJECT / "deploy" / "haproxy.cfg")],
            environment={
                "CERTIFICATE": str(certificate),
                "BIND": f"{HOST}:{port}",
                "WEB": f"{HOST}:{web.port}",
                "HOST": "localhost",
            },
            log=tmp_path / "haproxy.log",
        )
        valid = subprocess.run([*child.command, "-c"], env=child.environment, check=False, capture_output=True)  # noqa: S603
        assert valid.returncode == 0, valid.stderr
        proxy = Proxy(web, port)
        try:
            child.start()
            child.wait_until(proxy.is_ready)
            yield proxy
        finally:
            child.stop()


def test_requests_and_streams_pass(proxy: Proxy) -> None:
    player = tenant("lucky").player("Ann")
    headers = {"Authorization": f"Bearer {player.credential}", "X-Forwarded-For": "192.0.2.1"}
    with contextlib.closing(proxy.client()) as client:
        client.request("GET", "/api/v1/me/balances", headers=headers)
        response = client.getresponse()
        assert response.status == 200
        assert json.loads(response.read())["items"]
        assert response.headers["Server"] is None
        client.request("GET", "/admin/login/")
        response = client.getresponse()
        assert response.status == 200
        response.read()
    with proxy.connect() as stream:
        lines = ("GET /api/v1/stream HTTP/1.1", "Host: localhost", f"Authorization: Bearer {player.credential}")
        stream.sendall("\r\n".join((*lines, "", "")).encode())
        received = b""
        while b"event: snapshot" not in received:
            piece = stream.recv(65536)
            assert piece, received
            received += piece


def test_a_long_body_and_slow_headers_end_at_the_proxy(proxy: Proxy) -> None:
    with contextlib.closing(proxy.client()) as client:
        client.putrequest("POST", "/api/v1/players")
        client.putheader("Content-Length", "150000000")
        client.endheaders()
        with client.getresponse() as response:
            assert response.status == 413
    with proxy.connect() as slow:
        slow.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Header: ")
        began = time.monotonic()
        assert slow.recv(1000).startswith(b"HTTP/1.1 408")
        assert time.monotonic() - began < 30


def is_open(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return bool(connection.recv(1))
    except BlockingIOError:
        return True
    except OSError:
        return False


def test_an_address_has_so_many_connections(proxy: Proxy) -> None:
    with contextlib.ExitStack() as exits:
        connections = []
        for _ in range(CONNECTIONS + 50):
            with contextlib.suppress(ConnectionResetError):  # refused before the handshake was read
                connection = socket.create_connection((HOST, proxy.port), timeout=TIMEOUT)
                connections.append(exits.enter_context(connection))
        oldest = connections[0]  # without a request the proxy ends all of them, and this one first
        assert wait_until(lambda: sum(map(is_open, connections)) <= CONNECTIONS, seconds=TIMEOUT)
        assert is_open(oldest)
    assert wait_until(proxy.is_ready, seconds=TIMEOUT)


def test_the_web_server_restarts_behind_the_proxy_without_a_failed_request(proxy: Proxy) -> None:
    failures: list[str] = []
    done, answered = threading.Event(), 0

    def workers() -> set[int]:
        return {pid for pid, _ in alive(descendants(proxy.web.child.pid))}

    def request() -> None:
        nonlocal answered
        with contextlib.closing(proxy.client()) as client:
            while not done.is_set():
                try:
                    client.request("POST" if answered % 2 else "GET", "/livez")
                    response = client.getresponse()
                    response.read()
                    answered += 1
                    if response.status not in {200, 403}:
                        failures.append(str(response.status))
                except (OSError, http.client.HTTPException) as error:
                    failures.append(repr(error))
                    client.close()

    before = workers()
    threads = [threading.Thread(target=request, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        os.kill(proxy.web.child.pid, signal.SIGHUP)
        assert wait_until(lambda: len(workers()) == 2 and not before & workers(), seconds=TIMEOUT)
        time.sleep(1)
    finally:
        done.set()
        for thread in threads:
            thread.join(TIMEOUT)
    assert failures == []
    assert answered > 50
