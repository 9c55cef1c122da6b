from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from casino.api.error_catalogue import RequestRejected
from casino.api.json_format import parse
from casino.api.shapes import Money

LONG = "a" * 11


def post(client: Client, body: dict[str, Any]) -> Any:
    return client.post("/api/v1/read", body, content_type="application/json")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"amount": 25}, "amount_not_text"),
        ({"amount": 25.5}, "amount_not_text"),
        ({"amount": True}, "amount_not_text"),
        ({"amount": None}, "field_null"),
        ({"amount": ""}, "amount_malformed"),
        ({"amount": "twenty"}, "amount_malformed"),
        ({"amount": "1e3"}, "amount_malformed"),
        ({"amount": "1,00"}, "amount_malformed"),
        ({"amount": "1.001"}, "amount_malformed"),
        ({"amount": " 1"}, "amount_malformed"),
        ({"amount": "٢"}, "amount_malformed"),
        ({"amount": "0"}, "amount_not_positive"),
        ({"amount": "0.00"}, "amount_not_positive"),
        ({"amount": "-5"}, "amount_not_positive"),
        ({"fee": "-5"}, "amount_not_positive"),
        ({"amount": "9" * 17}, "amount_too_large"),
        ({"amount": "9" * 4000}, "amount_too_large"),
        ({"stakes": {"tie": 5}}, "amount_not_text"),
        ({"stakes": []}, "not_an_object"),
        ({"currency": "USD"}, "currency_not_offered"),
        ({"currency": "eur"}, "unknown_currency"),
        ({"currency": 1}, "not_a_string"),
        ({"money_type": "fake"}, "unknown_choice"),
        ({"money_type": 1}, "not_a_string"),
        ({"name": 5}, "not_a_string"),
        ({"name": ""}, "field_blank"),
        ({"name": LONG}, "field_too_long"),
        ({"name": "a\u202eb"}, "field_invalid"),
        ({"seat": "5"}, "not_an_integer"),
        ({"seat": 5.0}, "not_an_integer"),
        ({"seat": True}, "not_an_integer"),
        ({"seat": 0}, "number_too_small"),
        ({"seat": 15}, "number_too_large"),
        ({"loud": "true"}, "not_a_boolean"),
        ({"loud": 1}, "not_a_boolean"),
        ({"table": "x"}, "field_invalid"),
        ({"table": 5}, "not_a_string"),
        ({"colour": "red"}, "unknown_field"),
    ],
)
def test_one_invalid_field_has_its_own_code(client: Client, body: dict[str, Any], code: str) -> None:
    answer = post(client, body)

    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert [error["code"] for error in answer.json()["errors"]] == [code]
    assert answer.json()["remedy"]


def test_a_missing_field_is_required(client: Client) -> None:
    answer = client.post("/api/v1/read-name", {}, content_type="application/json")

    assert answer.json()["errors"] == [{"field": "name", "code": "field_required", "detail": "Is missing."}]
    assert answer.json()["code"] == "field_required"


def test_several_invalid_fields_are_all_listed(client: Client) -> None:
    answer = post(client, {"amount": 1, "stakes": {"tie": "x", "player": "5"}, "colour": "red"})

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_fields")
    assert [(error["field"], error["code"]) for error in answer.json()["errors"]] == [
        ("amount", "amount_not_text"),
        ("stakes.tie", "amount_malformed"),
        ("colour", "unknown_field"),
    ]


def test_a_body_that_no_operation_asked_for_is_refused(client: Client) -> None:
    answer = client.post("/api/v1/ring", {"loud": True}, content_type="application/json")

    assert (answer.status_code, answer.json()["code"]) == (422, "unknown_field")
    assert [client.post("/api/v1/ring", body, content_type="application/json").status_code for body in ({}, "")] == [
        200,
        200,
    ]


def test_a_text_is_taken_as_people_see_it_and_a_reference_as_it_is(client: Client) -> None:
    answer = post(client, {"name": " Ann\u00a0\u200b B ", "slug": " a "})

    assert answer.json() == {"name": "Ann B", "slug": " a "}
    assert [post(client, {"slug": slug}).json()["code"] for slug in ("", "a\n", "aaaaa", 5)] == [
        "field_blank",
        "field_invalid",
        "field_too_long",
        "not_a_string",
    ]


def test_valid_values_are_parsed_to_minor_units_and_enum_members(client: Client) -> None:
    body = {"amount": "25.5", "fee": "0", "currency": "EUR", "money_type": "real", "seat": 3, "stakes": {"tie": "0.05"}}

    answer = post(client, body)

    assert answer.json() == {
        "amount": "2550",
        "fee": "0",
        "currency": "EUR",
        "money_type": "real",
        "seat": "3",
        "stakes": "{'tie': 5}",
    }


def test_money_is_printed_with_the_decimals_of_its_currency() -> None:
    printed = [Money.of(1950, "EUR"), Money.of(1950, "JPY"), Money.of(-5, "KWD")]

    assert printed == [
        Money(amount="19.50", currency="EUR"),
        Money(amount="1950", currency="JPY"),
        Money(amount="-0.005", currency="KWD"),
    ]


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_parsed_as_one_object_or_rejected(raw: bytes) -> None:
    try:
        found: object = parse(raw)
    except RequestRejected as rejected:
        found = rejected.problem.code

    assert isinstance(found, dict) or found == "malformed_json"
