"""Webhooks go to public addresses alone, whatever a name resolves to and when."""

import asyncio
import socket
import threading
from ipaddress import ip_address
from typing import Any

import httpcore
import pytest
from django.test import override_settings

from casino.outbound.client import CheckedBackend, WebhookClient
from casino.outbound.destinations import DestinationRefused, check_url, is_allowed
from casino.outbound.refusals import InvalidWebhookUrl
from tests.casino.feed.receiving import receiver
from tests.casino.outbound.names import resolving_to

PRIVATE = (
    "127.0.0.1", "10.0.0.1", "172.16.5.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",  # noqa: S104
    "255.255.255.255", "::1", "::", "fe80::1", "fd00::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::a00:1",
    "2002:a00:1::", "ff0e::1", "2001:0:a00:1::", "::7f00:1", "fec0::1", "4000::1", "2001:db8::1", "::ffff:0:7f00:1",
)  # fmt: skip
NOWHERE_ALLOWED = override_settings(WEBHOOK_NETWORKS=[])


@pytest.mark.parametrize("address", PRIVATE)
@NOWHERE_ALLOWED
def test_a_private_address_is_refused(address: str) -> None:
    host = f"[{address}]" if ":" in address else address
    with pytest.raises(InvalidWebhookUrl):
        check_url(f"https://{host}/hook")


@pytest.mark.parametrize(
    "url",
    [
        "http://lucky.example/hook", "ftp://lucky.example/", "https://", "https:///hook", "//lucky.example", "hook",
        "https://me:secret@lucky.example/", "https://lucky.example/#part", "https://lucky.example:99999/",
        "https://lucky.example\\@10.0.0.1/", "https://lucky.example/\n", "https://lücky.example/",
        "https://lucky.example/" + "x" * 500, "https://lucky..example/", "https://" + "x" * 64 + ".example/",
    ],
)  # fmt: skip
@override_settings(PRODUCTION=True, WEBHOOK_NETWORKS=[])
def test_an_address_that_is_no_plain_https_is_refused_in_production(url: str) -> None:
    with pytest.raises(InvalidWebhookUrl):
        check_url(url)


@override_settings(PRODUCTION=True, WEBHOOK_NETWORKS=["10.1.0.0/16"])
def test_public_addresses_and_allowed_networks_are_accepted() -> None:
    for url in ("https://lucky.example/hook", "https://8.8.8.8/", "https://[2606:4700::1111]/", "https://10.1.2.3/"):
        assert check_url(url) == url
    with pytest.raises(InvalidWebhookUrl):
        check_url("https://10.2.0.1/")


@pytest.mark.parametrize("addresses", [["10.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["169.254.169.254"], []])
@NOWHERE_ALLOWED
def test_a_name_that_resolves_to_a_private_address_is_refused(
    monkeypatch: pytest.MonkeyPatch, addresses: list[str]
) -> None:
    resolving_to(monkeypatch, addresses)
    with pytest.raises(DestinationRefused):
        asyncio.run(CheckedBackend().connect_tcp("lucky.example", 443))


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0x7f.1", "0", "10.1"])
@NOWHERE_ALLOWED
def test_an_address_in_other_digits_is_refused_and_again_when_it_is_resolved(host: str) -> None:
    with pytest.raises(InvalidWebhookUrl):
        check_url(f"https://{host}/hook")
    with pytest.raises(DestinationRefused):
        asyncio.run(CheckedBackend().connect_tcp(host, 443))


def test_a_name_is_resolved_once_and_connected_to_that_address(monkeypatch: pytest.MonkeyPatch) -> None:
    with receiver() as theirs:
        port = theirs.url.rpartition(":")[2]
        asked = resolving_to(monkeypatch, ["127.0.0.1"], ["10.0.0.1"])

        async def post() -> int:
            async with WebhookClient() as client:
                answer = await client.post(f"http://lucky.example:{port}/hook", headers={}, body=b"{}")
                return answer.status

        with override_settings(WEBHOOK_NETWORKS=["127.0.0.1/32"]):
            assert asyncio.run(post()) == 204
        assert asked == ["lucky.example"]
        assert theirs.messages[0].headers["host"] == f"lucky.example:{port}"


@NOWHERE_ALLOWED
def test_nothing_is_sent_to_an_address_that_is_not_allowed_any_more() -> None:
    with receiver() as theirs:

        async def post() -> None:
            async with WebhookClient() as client:
                await client.post(theirs.url, headers={}, body=b"{}")

        with pytest.raises(httpcore.ConnectError):
            asyncio.run(post())
        assert theirs.messages == []


def test_nothing_is_sent_without_tls_once_the_installation_is_in_production() -> None:
    with receiver() as theirs:

        async def post() -> None:
            async with WebhookClient() as client:
                await client.post(theirs.url, headers={}, body=b"{}")

        with override_settings(PRODUCTION=True), pytest.raises(DestinationRefused):
            asyncio.run(post())
        assert theirs.messages == []


@override_settings(WEBHOOK_NETWORKS=["10.0.0.0/8"])
def test_an_allowed_network_covers_its_mapped_addresses_alone() -> None:
    assert is_allowed(ip_address("10.0.0.1"))
    assert is_allowed(ip_address("::ffff:10.0.0.1"))
    assert not is_allowed(ip_address("::ffff:192.168.0.1"))


def test_a_name_that_nobody_answers_for_has_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    answered = threading.Event()

    def getaddrinfo(host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        asked.append(host)
        if host == "silent.example":
            answered.wait(60)
        return [(socket.AF_INET, 1, 6, "", ("10.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)

    async def run() -> None:
        backend = CheckedBackend()
        for _ in range(100):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.001):
                    await backend.connect_tcp("silent.example", 443)
        with pytest.raises(DestinationRefused):
            await backend.connect_tcp("lucky.example", 443)
        assert asked == ["silent.example", "lucky.example"]
        answered.set()
        with pytest.raises(DestinationRefused):
            await backend.connect_tcp("silent.example", 443)

    with NOWHERE_ALLOWED:
        asyncio.run(run())
