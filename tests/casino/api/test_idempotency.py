import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from casino.api.models import IdempotentRequest
from casino.operators.models import Operator


def found(client: Client, key: str | None = "key-1", who: str = "alice", address: str = "", **body: str) -> Any:
    headers = {"Authorization": who} | ({} if key is None else {"Idempotency-Key": key})
    return client.post("/api/v1/found" + address, body, content_type="application/json", headers=headers)


@pytest.mark.django_db
def test_a_repeat_gets_the_same_bytes_and_has_no_second_effect(client: Client) -> None:
    first = found(client)
    again = found(client)

    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert "Idempotent-Replayed" not in first
    assert again["Idempotent-Replayed"] == "true"
    assert again["Content-Type"] == first["Content-Type"] == "application/json"
    assert Operator.objects.count() == 1


@pytest.mark.django_db
def test_a_key_that_is_reused_with_another_body_is_refused(client: Client) -> None:
    found(client)
    other = found(client, note="another")
    queried = found(client, address="?fast=1")

    assert [answer.json()["code"] for answer in (other, queried)] == ["idempotency_key_reused"] * 2
    assert (other.status_code, Operator.objects.count()) == (422, 1)


@pytest.mark.django_db
def test_an_answer_that_is_kept_nowhere_is_given_anew_under_the_same_key(client: Client) -> None:
    headers = {"Authorization": "alice", "Idempotency-Key": "key-1"}

    def peek(**body: str) -> Any:
        return client.post("/api/v1/peek", body, content_type="application/json", headers=headers)

    first, again, other = peek(), peek(), peek(note="another")

    assert first.json() == again.json() == {"secret": "queen of hearts"}
    assert other.json()["code"] == "idempotency_key_reused"
    assert [kept.response for kept in IdempotentRequest.objects.all()] == [""]


@pytest.mark.django_db
def test_keys_of_two_callers_never_meet(client: Client) -> None:
    alice, bob = found(client), found(client, who="bob")

    assert alice.json()["id"] != bob.json()["id"]
    assert Operator.objects.count() == 2


@pytest.mark.django_db
def test_a_missing_key_is_asked_for(client: Client) -> None:
    answer = found(client, key=None)

    assert (answer.status_code, answer.json()["code"]) == (400, "idempotency_key_required")
    assert Operator.objects.count() == 0


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["", "a" * 129, "with space", "tab\there", "schlüssel"])
def test_a_malformed_key_is_refused(client: Client, key: str) -> None:
    answer = found(client, key=key)

    assert (answer.status_code, answer.json()["code"]) == (400, "idempotency_key_malformed")


@pytest.mark.django_db
def test_a_body_without_a_length_is_not_taken_for_an_empty_one(client: Client) -> None:
    headers = {"Idempotency-Key": "key-1", "Transfer-Encoding": "chunked"}
    answer = client.generic("POST", "/api/v1/found", b"", content_type="application/json", headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (411, "length_required")


@pytest.mark.django_db
def test_a_refusal_changes_nothing_and_is_judged_anew(client: Client) -> None:
    refused = found(client, how="refused")
    again = found(client, how="refused")
    other = found(client)

    assert refused.json()["code"] == again.json()["code"] == "house_is_closed"
    assert "Idempotent-Replayed" not in again
    assert other.status_code == 201
    assert Operator.objects.count() == 1


@pytest.mark.django_db
def test_a_failure_after_the_effect_leaves_neither_effect_nor_answer(client: Client) -> None:
    answer = found(client, how="fails")

    assert answer.json()["code"] == "internal_error"
    assert (Operator.objects.count(), IdempotentRequest.objects.count()) == (0, 0)


@pytest.mark.usefixtures("database")
def test_a_death_between_the_effect_and_its_answer_leaves_neither(client: Client) -> None:
    answer = found(client, how="dies")
    connection.close()

    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer["Retry-After"] == "1"
    assert (Operator.objects.count(), IdempotentRequest.objects.count()) == (0, 0)
    assert found(client).status_code == 201


@pytest.mark.django_db
def test_another_one_being_quicker_is_tried_again(client: Client) -> None:
    answer = found(client, how="conflicts once")

    assert answer.status_code == 201
    assert Operator.objects.count() == 1


@pytest.mark.django_db
def test_after_three_conflicts_the_caller_hears_of_it(client: Client) -> None:
    answer = found(client, how="conflicts")

    assert (answer.status_code, answer.json()["code"]) == (409, "version_conflict")
    assert (Operator.objects.count(), IdempotentRequest.objects.count()) == (0, 0)


@pytest.mark.django_db
def test_it_costs_two_statements_and_a_repeat_costs_two(client: Client) -> None:
    with CaptureQueriesContext(connection) as first:
        found(client)
    with CaptureQueriesContext(connection) as again:
        found(client)

    assert len(own(first)) == 2
    assert len(own(again)) == 2


def own(queries: CaptureQueriesContext) -> list[str]:
    return [query["sql"] for query in queries.captured_queries if "api_idempotentrequest" in query["sql"]]


@pytest.mark.usefixtures("database")
def test_fifty_twins_at_once_have_one_effect(client: Client, in_threads: Callable[..., list[Any]]) -> None:
    answers = in_threads(50, lambda _: found(Client(raise_request_exception=False)))

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert sum("Idempotent-Replayed" not in answer for answer in answers) == 1
    assert Operator.objects.count() == 1


@pytest.mark.usefixtures("database")
def test_a_twin_of_a_refused_request_takes_its_place(client: Client, in_threads: Callable[..., list[Any]]) -> None:
    hows = ["refused", ""] * 5
    answers = in_threads(10, lambda i: found(Client(raise_request_exception=False), how=hows[i]))

    outcomes = {json.loads(answer.content).get("code", "done") for answer in answers}
    assert "done" in outcomes
    assert outcomes <= {"done", "house_is_closed", "idempotency_key_reused"}
    assert Operator.objects.count() == 1
