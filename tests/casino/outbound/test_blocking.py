"""Requests from threads go to checked addresses alone, and are over in time whatever they wait for."""

import contextlib
import socket
import threading
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpcore
import pytest
from django.test import override_settings

from casino.outbound.answers import AnswerTooLong
from casino.outbound.blocking import BlockingClient
from casino.outbound.destinations import DestinationRefused
from tests.casino.feed.receiving import Message, receiver
from tests.casino.outbound.names import resolving_to

NOWHERE_ALLOWED = override_settings(WEBHOOK_NETWORKS=[])
PATIENCE = 15.0
"""Seconds within which a request has ended, on a slow machine, too."""


def ask(client: BlockingClient, url: str, *, seconds: float = PATIENCE, limit: int = 1000) -> int:
    return client.ask("POST", url, headers={}, body=b"{}", seconds=seconds, limit=limit).status


@pytest.fixture
def client() -> Generator[BlockingClient]:
    with contextlib.closing(BlockingClient()) as client:
        yield client


@pytest.mark.parametrize("addresses", [["10.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["169.254.169.254"], []])
@NOWHERE_ALLOWED
def test_a_name_that_resolves_to_a_private_address_is_refused(
    client: BlockingClient, monkeypatch: pytest.MonkeyPatch, addresses: list[str]
) -> None:
    resolving_to(monkeypatch, addresses)
    with pytest.raises(DestinationRefused):
        ask(client, "http://lucky.example/v1/debit")


def test_a_name_is_resolved_once_and_connected_to_that_address(
    client: BlockingClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with receiver() as theirs:
        port = theirs.url.rpartition(":")[2]
        asked = resolving_to(monkeypatch, ["127.0.0.1"], ["10.0.0.1"])
        with override_settings(WEBHOOK_NETWORKS=["127.0.0.1/32"]):
            assert ask(client, f"http://lucky.example:{port}/hook") == 204
        assert asked == ["lucky.example"]
        assert theirs.messages[0].headers["host"] == f"lucky.example:{port}"


def test_nothing_is_sent_to_an_address_that_is_not_allowed_any_more(client: BlockingClient) -> None:
    with receiver() as theirs:
        assert ask(client, theirs.url) == 204
        with NOWHERE_ALLOWED, pytest.raises(DestinationRefused):
            ask(client, theirs.url)
        with override_settings(PRODUCTION=True), pytest.raises(DestinationRefused):
            ask(client, theirs.url)
        assert len(theirs.messages) == 1


def test_a_name_that_nobody_answers_for_has_one_thread(client: BlockingClient, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    answered = threading.Event()

    def getaddrinfo(host: str, port: int, **_: Any) -> list[Any]:
        asked.append(host)
        if host == "silent.example":
            answered.wait(60)
        return [(socket.AF_INET, 1, 6, "", ("10.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    with NOWHERE_ALLOWED:
        for _ in range(20):
            with pytest.raises(TimeoutError):
                ask(client, "http://silent.example/", seconds=0.01)
        with pytest.raises(DestinationRefused):
            ask(client, "http://lucky.example/")
        assert asked == ["silent.example", "lucky.example"]
        answered.set()
        with pytest.raises(DestinationRefused):
            ask(client, "http://silent.example/")


def test_threads_share_connections_that_are_kept_open(client: BlockingClient) -> None:
    connections: set[int] = set()

    def answer(_: Message) -> tuple[int, bytes]:
        connections.add(threading.get_ident())  # the receiver has a thread for each
        return 204, b""

    with receiver() as theirs:
        theirs.answer = answer
        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(lambda _: ask(client, theirs.url), range(80))) == [204] * 80
        assert len(theirs.messages) == 80
    assert len(connections) <= 8


def test_an_answer_that_is_longer_than_wanted_is_refused(client: BlockingClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as thread:
        thread.submit(_send_without_end, server)
        with pytest.raises(AnswerTooLong):
            ask(client, f"http://127.0.0.1:{server.getsockname()[1]}/")


def _send_without_end(server: socket.socket) -> None:
    connection, _ = server.accept()
    with connection:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 100_000)


def test_a_server_that_takes_nothing_is_given_up_in_time(client: BlockingClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        began = time.monotonic()
        with pytest.raises(httpcore.TimeoutException):
            ask(client, f"http://127.0.0.1:{server.getsockname()[1]}/", seconds=0.3)
        assert time.monotonic() - began < PATIENCE
