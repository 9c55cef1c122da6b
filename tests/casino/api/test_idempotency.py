import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from casino.api import idempotency
from casino.api.models import IdempotentRequest
from casino.crypto.encryption import DecryptionFailed, decrypt
from casino.events.sql import fetch
from casino.operators.models import Operator


def post(client: Client, key: str | None = "key-1", who: str = "alice", address: str = "", **body: str) -> Any:
    headers = {"Authorization": who} | ({} if key is None else {"Idempotency-Key": key})
    return client.post("/api/v1/found" + address, body, content_type="application/json", headers=headers)


@pytest.mark.django_db
def test_a_repeated_request_gets_the_same_bytes_and_has_no_second_effect(client: Client) -> None:
    first = post(client)
    again = post(client)

    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert "Idempotent-Replayed" not in first
    assert again["Idempotent-Replayed"] == "true"
    assert again["Content-Type"] == first["Content-Type"] == "application/json"
    assert Operator.objects.count() == 1


@pytest.mark.django_db
def test_a_key_that_is_reused_with_another_body_is_refused(client: Client) -> None:
    post(client)
    other = post(client, note="another")
    queried = post(client, address="?fast=1")

    assert [answer.json()["code"] for answer in (other, queried)] == ["idempotency_key_reused"] * 2
    assert (other.status_code, Operator.objects.count()) == (422, 1)


@pytest.mark.django_db
@pytest.mark.parametrize("body", ['{"b": {"d": 2, "c": "é"}, "a": [1]}', '{"a":[1],"b":{"c":"\\u00e9","d":2}}'])
def test_the_same_json_written_differently_is_the_same_request(client: Client, body: str) -> None:
    def peek(text: str) -> Any:
        headers = {"Authorization": "alice", "Idempotency-Key": "key-1"}
        return client.post("/api/v1/peek", text, content_type="application/json", headers=headers)

    peek('{"a": [1], "b": {"c": "é", "d": 2}}')

    assert peek(body).status_code == 200
    for other in ('{"a": [1.0], "b": {"c": "é", "d": 2}}', '{"a": ["1"], "b": {"c": "é", "d": 2}}', '{"a": [1]}'):
        assert peek(other).json()["code"] == "idempotency_key_reused"


@pytest.mark.django_db
def test_a_response_that_is_not_stored_is_computed_again_for_the_same_key(client: Client) -> None:
    headers = {"Authorization": "alice", "Idempotency-Key": "key-1"}

    def peek(**body: str) -> Any:
        return client.post("/api/v1/peek", body, content_type="application/json", headers=headers)

    first, again, other = peek(), peek(), peek(note="another")

    assert first.json() == again.json() == {"secret": "queen of hearts"}
    assert other.json()["code"] == "idempotency_key_reused"
    assert len(bytes(IdempotentRequest.objects.get().response)) < 40, "a status, a nonce and a tag"


@pytest.mark.django_db
def test_a_stored_response_cannot_be_read_without_the_key_and_the_body_of_its_request(client: Client) -> None:
    answer = post(client, key="a-key-of-the-client", note="from Alice")

    ((row,),) = fetch("SELECT r::text FROM api_idempotentrequest r")
    stored = bytes(IdempotentRequest.objects.get().response)
    assert answer.json()["id"].encode() not in stored
    assert not [text for text in ("a-key", "Alice", "alice", answer.json()["id"]) if text in row]
    for key, body in (("a-key-of-the-client", b"{}"), ("another", b'{"note": "from Alice"}')):
        claim = idempotency._Claim(sha256(f"player:alice POST /api/v1/found {key}".encode()).digest(), b"0:" + body)
        with pytest.raises(DecryptionFailed):
            decrypt(next(claim.ciphers()), stored, associated_data=claim.digest)


@pytest.mark.django_db
def test_a_repeated_request_gets_its_response_across_a_change_of_the_secret_key(client: Client, settings: Any) -> None:
    before = post(client)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "n" * 50, [settings.SECRET_KEY]
    after, new = post(client), post(client, key="key-2")
    settings.SECRET_KEY_FALLBACKS = []
    without, still = post(client), post(client, key="key-2")

    assert (after.content, after["Idempotent-Replayed"]) == (before.content, "true")
    assert (without.status_code, without.json()["code"]) == (422, "idempotency_key_reused")
    assert (still.content, still["Idempotent-Replayed"]) == (new.content, "true")
    assert Operator.objects.count() == 2


@pytest.mark.django_db
def test_a_repeated_request_that_would_be_refused_by_now_gets_the_stored_response(client: Client) -> None:
    before = post(client, how="first only")
    again = post(client, how="first only")
    new = post(client, key="key-2", how="first only")

    assert (before.status_code, again.status_code, again.content) == (201, 201, before.content)
    assert again["Idempotent-Replayed"] == "true"
    assert new.json()["code"] == "house_is_closed"


@pytest.mark.django_db
def test_keys_of_different_callers_are_independent(client: Client) -> None:
    alice, bob = post(client), post(client, who="bob")

    assert alice.json()["id"] != bob.json()["id"]
    assert Operator.objects.count() == 2


@pytest.mark.django_db
def test_a_missing_key_is_refused(client: Client) -> None:
    answer = post(client, key=None)

    assert (answer.status_code, answer.json()["code"]) == (400, "idempotency_key_required")
    assert Operator.objects.count() == 0


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["", "a" * 129, "with space", "tab\there", "schlüssel"])
def test_a_malformed_key_is_refused(client: Client, key: str) -> None:
    answer = post(client, key=key)

    assert (answer.status_code, answer.json()["code"]) == (400, "idempotency_key_malformed")


@pytest.mark.django_db
def test_a_body_without_a_length_is_not_treated_as_empty(client: Client) -> None:
    headers = {"Idempotency-Key": "key-1", "Transfer-Encoding": "chunked"}
    answer = client.generic("POST", "/api/v1/found", b"", content_type="application/json", headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (411, "length_required")


@pytest.mark.django_db
def test_a_refused_request_changes_nothing_and_is_evaluated_again(client: Client) -> None:
    refused = post(client, how="refused")
    again = post(client, how="refused")
    other = post(client)

    assert refused.json()["code"] == again.json()["code"] == "house_is_closed"
    assert "Idempotent-Replayed" not in again
    assert other.status_code == 201
    assert Operator.objects.count() == 1


@pytest.mark.django_db
def test_a_failure_after_the_effect_leaves_neither_effect_nor_response(client: Client) -> None:
    answer = post(client, how="fails")

    assert answer.json()["code"] == "internal_error"
    assert (Operator.objects.count(), IdempotentRequest.objects.count()) == (0, 0)


@pytest.mark.usefixtures("database")
def test_a_crash_between_effect_and_response_leaves_neither(client: Client) -> None:
    answer = post(client, how="dies")
    connection.close()

    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer["Retry-After"] == "1"
    assert (Operator.objects.count(), IdempotentRequest.objects.count()) == (0, 0)
    assert post(client).status_code == 201


@pytest.mark.django_db
def test_a_version_conflict_is_retried(client: Client) -> None:
    answer = post(client, how="conflicts once")

    assert answer.status_code == 201
    assert Operator.objects.count() == 1


@pytest.mark.django_db
def test_after_three_conflicts_the_request_fails(client: Client) -> None:
    answer = post(client, how="conflicts")

    assert (answer.status_code, answer.json()["code"]) == (409, "version_conflict")
    assert (Operator.objects.count(), IdempotentRequest.objects.count()) == (0, 0)


@pytest.mark.django_db
def test_a_request_takes_one_statement_and_a_repeated_one_two(client: Client) -> None:
    with CaptureQueriesContext(connection) as first:
        post(client)
    with CaptureQueriesContext(connection) as again:
        post(client)

    assert len(own(first)) == 1
    assert len(own(again)) == 2


def own(queries: CaptureQueriesContext) -> list[str]:
    return [query["sql"] for query in queries.captured_queries if "api_idempotentrequest" in query["sql"]]


@pytest.mark.usefixtures("database")
def test_fifty_concurrent_duplicates_have_one_effect(client: Client, in_threads: Callable[..., list[Any]]) -> None:
    answers = in_threads(50, lambda _: post(Client(raise_request_exception=False)))

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert sum("Idempotent-Replayed" not in answer for answer in answers) == 1
    assert Operator.objects.count() == 1


@pytest.mark.usefixtures("database")
def test_a_concurrent_duplicate_of_a_refused_request_is_evaluated(
    client: Client, in_threads: Callable[..., list[Any]]
) -> None:
    hows = ["refused", ""] * 5
    answers = in_threads(10, lambda i: post(Client(raise_request_exception=False), how=hows[i]))

    outcomes = {json.loads(answer.content).get("code", "done") for answer in answers}
    assert "done" in outcomes
    assert outcomes <= {"done", "house_is_closed", "idempotency_key_reused"}
    assert Operator.objects.count() == 1
