"""Quotas of requests: shared by all processes, kept without Redis, and not to be had by inventing tokens."""

from collections.abc import Generator
from typing import Any

import pytest
import redis
from django.conf import settings as django_settings
from django.test import Client

from casino.api import quotas
from casino.api.quotas import LOTS, Quota, Quotas
from tests.baccarat.api.people import tenant
from tests.conftest import Database

TEN = Quota("address", 10)


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quotas, "QUOTAS", Quotas())


@pytest.fixture
def few(settings: Any) -> Generator[None]:
    settings.QUOTA_PER_ADDRESS, settings.QUOTA_PER_CREDENTIAL = 10, 20
    yield
    with redis.Redis.from_url(django_settings.REDIS_URL) as client:
        client.flushdb()


def allowed(process: Quotas, key: str, quota: Quota, tries: int) -> int:
    return sum(process.take(key, quota).allowed for _ in range(tries))


def test_a_bucket_is_shared_by_all_processes(database: Database) -> None:
    first, second = Quotas(), Quotas()
    assert allowed(first, "a", TEN, 6) == 6
    assert 4 <= allowed(second, "a", TEN, 20) <= 5  # a slow test refills one
    assert allowed(first, "b", TEN, 6) == 6


def test_processes_take_lots_and_exceed_the_quota_by_no_more(database: Database) -> None:
    quota, processes = Quota("address", 1000), [Quotas() for _ in range(3)]
    total = sum(allowed(process, "a", quota, 1000) for process in processes)
    assert 1000 <= total <= 1000 + 3 * quota.lot + quota.requests // 2
    assert quota.lot == 1000 // LOTS


def test_a_refused_bucket_fills_again(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quotas, "WINDOW", 1)
    monkeypatch.setattr(quotas, "REFUSED_SECONDS", 0.0)
    process = Quotas()
    assert allowed(process, "a", TEN, 10) == 10
    while not process.take("a", TEN).allowed:
        pass


def test_without_redis_each_process_counts(settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    process = Quotas()
    assert allowed(process, "a", TEN, 30) in {10, 11}
    assert allowed(process, "b", TEN, 5) == 5


def test_the_headers_of_allowed_and_refused_requests(database: Database, few: None) -> None:
    response = Client().get("/api/v1/problems")
    assert response.status_code == 200
    assert response["RateLimit-Policy"] == '"address";q=10;w=60'
    assert response["RateLimit"] == '"address";r=9;t=6'
    refused = [Client().get("/api/v1/problems") for _ in range(10)][-1]
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    assert refused["Retry-After"] == "6"
    assert refused["RateLimit"] == '"address";r=0;t=60'


def test_invented_tokens_share_the_quota_of_their_address(database: Database, few: None) -> None:
    statuses = [
        Client().get("/api/v1/me/balances", headers={"Authorization": f"Bearer pt_{number}"}).status_code
        for number in range(15)
    ]
    assert statuses.count(429) >= 4
    with redis.Redis.from_url(django_settings.REDIS_URL) as client:
        assert client.keys("casino:quota:credential:*") == []


def test_a_page_for_everybody_accepts_no_credential(database: Database, few: None) -> None:
    statuses = [
        Client().get("/api/v1/problems", headers={"Authorization": f"Bearer pt_{number}"}).status_code
        for _ in range(2)
        for number in range(10)
    ]
    assert statuses.count(429) >= 9
    with redis.Redis.from_url(django_settings.REDIS_URL) as client:
        assert client.keys("casino:quota:credential:*") == []


def test_every_spelling_and_session_of_a_player_counts_together(database: Database, few: None) -> None:
    credential = tenant("lucky").player("Ann").credential
    quotas.QUOTAS = Quotas()
    for scheme in ("Bearer", "bearer", "BEARER"):
        Client().get("/api/v1/me/balances", headers={"Authorization": f"{scheme} {credential}"})
    statuses = [
        Client().get("/api/v1/me/balances", headers={"Authorization": f"{scheme} {credential}"}).status_code
        for scheme in ("Bearer", "bearer", "BEARER")
        for _ in range(10)
    ]
    assert statuses.count(200) in {20, 21}


def test_addresses_of_one_ipv6_network_share_a_quota(database: Database, few: None) -> None:
    statuses = [
        Client(REMOTE_ADDR=f"2001:db8:0:1::{number:x}").get("/api/v1/problems").status_code for number in range(15)
    ]
    assert statuses.count(429) >= 4
    assert Client(REMOTE_ADDR="2001:db8:0:2::1").get("/api/v1/problems").status_code == 200


def test_a_valid_credential_has_a_quota_of_its_own(database: Database, few: None) -> None:
    player = tenant("lucky").player("Ann")
    headers = {"Authorization": f"Bearer {player.credential}"}
    quotas.QUOTAS = Quotas()
    first = Client().get("/api/v1/me/balances", headers=headers)
    assert first["RateLimit-Policy"].startswith('"address"')
    for _ in range(15):
        Client().get("/api/v1/problems")
    second = Client().get("/api/v1/me/balances", headers=headers)
    assert (second.status_code, second["RateLimit-Policy"]) == (200, '"credential";q=20;w=60')
    last = [Client().get("/api/v1/me/balances", headers=headers).status_code for _ in range(25)]
    assert 429 in last


def test_liveness_is_never_refused(few: None) -> None:
    assert {Client().get("/livez").status_code for _ in range(30)} == {200}
