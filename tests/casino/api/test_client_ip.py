import pytest
from django.test import RequestFactory
from pytest_django import Settings

from casino.api.client_ip import client_ip, client_network

FORWARDED = "1.1.1.1, 203.0.113.9"


@pytest.mark.parametrize(
    ("hops", "forwarded", "address"),
    [
        (0, FORWARDED, "172.18.0.1"),
        (1, FORWARDED, "203.0.113.9"),
        (2, FORWARDED, "1.1.1.1"),
        (3, FORWARDED, "1.1.1.1"),
        (1, "2001:DB8::1", "2001:db8::1"),
        (1, "::ffff:203.0.113.9", "203.0.113.9"),
        (1, "not an address", None),
        (1, "", None),
    ],
)
def test_only_addresses_appended_by_our_proxies_are_believed(
    rf: RequestFactory, settings: Settings, hops: int, forwarded: str, address: str | None
) -> None:
    settings.PROXY_HOPS = hops
    request = rf.get("/", REMOTE_ADDR="172.18.0.1", HTTP_X_FORWARDED_FOR=forwarded)
    assert client_ip(request) == address


def test_without_a_forwarded_address_the_peer_is_the_client(rf: RequestFactory, settings: Settings) -> None:
    settings.PROXY_HOPS = 1
    assert client_ip(rf.get("/", REMOTE_ADDR="192.0.2.7")) == "192.0.2.7"


def test_clients_of_a_socket_for_both_versions_share_no_network(rf: RequestFactory) -> None:
    addresses = "::ffff:192.0.2.7", "::ffff:198.51.100.7", "2001:db8::7", "2001:db8::8"
    networks = [client_network(rf.get("/", REMOTE_ADDR=address)) for address in addresses]
    assert networks == ["192.0.2.7", "198.51.100.7", "2001:db8::", "2001:db8::"]


def test_a_client_on_a_unix_socket_has_no_address(rf: RequestFactory) -> None:
    assert client_ip(rf.get("/", REMOTE_ADDR="")) is None
