"""Libraries that use `requests` connect to checked addresses alone, and get an answer within a bound or none."""

import socket

import pytest
import requests
from django.test import override_settings

from casino.outbound.adapter import CheckedAdapter
from tests.casino.feed.receiving import receiver
from tests.casino.outbound.names import resolving_to


def session(seconds: float = 15.0, limit: int = 1000) -> requests.Session:
    made = requests.Session()
    made.mount("http://", CheckedAdapter(seconds=seconds, limit=limit))
    return made


def test_a_name_is_resolved_once_and_connected_to_that_address(monkeypatch: pytest.MonkeyPatch) -> None:
    with receiver() as theirs:
        port = theirs.url.rpartition(":")[2]
        asked = resolving_to(monkeypatch, ["127.0.0.1"], ["10.0.0.1"])
        theirs.answer = lambda _: (200, b'{"a": 1}')
        assert session().post(f"http://lucky.example:{port}/token", data={"code": "x y"}).json() == {"a": 1}
    assert asked == ["lucky.example"]
    assert theirs.messages[0].body == b"code=x+y"
    assert theirs.messages[0].headers["host"] == f"lucky.example:{port}"


@override_settings(WEBHOOK_NETWORKS=[])
def test_a_name_that_resolves_to_a_private_address_is_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    resolving_to(monkeypatch, ["8.8.8.8", "127.0.0.1"])
    with pytest.raises(requests.ConnectionError, match="not public"):
        session().get("http://lucky.example/")


def test_an_answer_that_is_late_or_too_long_is_none() -> None:
    with receiver() as theirs:
        theirs.answer = lambda _: (200, b"x" * 1001)
        with pytest.raises(requests.ConnectionError):
            session().post(theirs.url)
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(requests.ConnectionError):
        session(seconds=0.2).get(f"http://127.0.0.1:{silent.getsockname()[1]}/")
