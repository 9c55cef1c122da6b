import logging
import tomllib
from pathlib import Path

import pytest
from django.test import Client
from django.urls import get_resolver
from pytest_django import Settings

from casino.api import error_catalogue
from casino.kernel.errors import all_refusals

JSON = "application/json"
STATUSES = Path(__file__).with_name("statuses.toml")


def test_a_refusal_has_its_code_remedy_and_facts(client: Client) -> None:
    answer = client.get("/api/v1/refuse", headers={"X-Request-Id": "trace-1234"})

    assert answer.status_code == 409
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json() == {
        "type": "http://testserver/api/v1/problems/house_is_closed",
        "title": "The house is closed",
        "status": 409,
        "detail": "It is Monday.",
        "instance": "/api/v1/refuse",
        "code": "house_is_closed",
        "remedy": "Come back tomorrow.",
        "request_id": "trace-1234",
        "minimum": "5.00",
        "currency": "EUR",
        "opens": "Tuesday",
    }


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b'{"a": 1,}',
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": 1e400}',
        b'{"a": 1, "a": 2}',
        b'{"a": {"b": 1, "b": 2}}',
        b"[]",
        b'"text"',
        b"null",
        b'{"a": "\xff"}',
        b'{"a": "\\ud800"}',
        b'{"a": "\\u0000"}',
        b'{"\\u0000": 1}',
        b'{"a": ' + b"[" * 20 + b"]" * 20 + b"}",
        b'{"a": ' + b"[" * 30000 + b"]" * 30000 + b"}",
        b'{"a": ' + b"9" * 5000 + b"}",
        b'\xef\xbb\xbf{"a": 1}',
    ],
)
def test_a_body_that_is_not_one_json_object_is_malformed(client: Client, body: bytes) -> None:
    answer = client.generic("POST", "/api/v1/read", body or b" ", content_type=JSON)

    assert (answer.status_code, answer.json()["code"]) == (400, "malformed_json")


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_another_media_type_is_not_supported(client: Client, media_type: str) -> None:
    answer = client.generic("POST", "/api/v1/read", b"amount=1", content_type=media_type)

    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_encodings_other_than_utf8_are_not_supported(client: Client) -> None:
    answer = client.generic("POST", "/api/v1/read", b"{}", content_type="application/json; charset=utf-16")

    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_a_body_over_the_limit_is_too_large(client: Client, settings: Settings) -> None:
    body = b'{"name": "' + b"a" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE + b'"}'

    answer = client.generic("POST", "/api/v1/read", body, content_type=JSON)

    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


def test_an_unknown_url_under_the_api_gets_a_problem(client: Client) -> None:
    answer = client.get("/api/v2/nowhere")

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert answer["Content-Type"] == "application/problem+json"


def test_an_unknown_url_elsewhere_gets_plain_text(client: Client) -> None:
    answer = client.get("/nowhere")

    assert (answer.status_code, answer["Content-Type"]) == (404, "text/plain; charset=utf-8")


@pytest.mark.parametrize("address", ["/api/v1/things/not-an-id", "/api/v1/things/", "/api/v1/problems/no_such_code"])
def test_a_malformed_id_is_not_found(client: Client, address: str) -> None:
    assert client.get(address).json()["code"] == "not_found"


def test_a_wrong_method_is_refused_with_the_allowed_ones(client: Client) -> None:
    answer = client.delete("/api/v1/read")

    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    assert "POST" in answer["Allow"]


def test_an_unavailable_media_type_is_not_acceptable(client: Client) -> None:
    answer = client.get("/api/v1/numbers", headers={"Accept": "text/html"})

    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")


def test_an_unknown_host_is_a_bad_request(client: Client) -> None:
    answer = client.get("/api/v1/numbers", headers={"Host": "evil.example"})

    assert (answer.status_code, answer.json()["code"]) == (400, "bad_request")


@pytest.mark.django_db
def test_an_internal_error_is_logged_with_its_id_and_shows_no_details(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, logger="casino.api"):
        answer = client.get("/api/v1/fail", headers={"X-Request-Id": "trace-5678"})

    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert "no_such_table" not in answer.content.decode()
    assert "Traceback" not in answer.content.decode()
    assert any("trace-5678" in record.getMessage() and record.exc_info for record in caplog.records)


def test_the_catalogue_lists_every_code_once_with_its_remedy(client: Client) -> None:
    lines = client.get("/api/v1/problems").json()["items"]

    codes = [line["code"] for line in lines]
    assert len(codes) == len(set(codes))
    assert {refusal.code for refusal in all_refusals()} <= set(codes)
    assert all(line["title"] and line["remedy"] and 400 <= line["status"] < 600 for line in lines)


def test_a_code_has_one_status_everywhere() -> None:
    fixed = {
        problem.code: problem.status for problem in (*error_catalogue.HTTP_PROBLEMS, *error_catalogue.FIELD_PROBLEMS)
    }
    ruled = {refusal.code: error_catalogue.problem_for_refusal(refusal).status for refusal in all_refusals()}

    assert {code: fixed[code] for code in fixed.keys() & ruled.keys()} == {
        code: ruled[code] for code in fixed.keys() & ruled.keys()
    }
    assert not {problem.code for problem in error_catalogue.HTTP_PROBLEMS} & ruled.keys()


def test_each_code_has_the_status_of_the_table() -> None:
    assert get_resolver("casino.urls").url_patterns  # loads every module that refuses
    rows = tomllib.loads(STATUSES.read_text(encoding="utf-8"))
    of_tests = {refusal.code for refusal in all_refusals() if refusal.__module__.startswith("tests.")}
    statuses = {code: problem.status for code, problem in error_catalogue.all_problems().items()}

    assert {code: statuses[code] for code in statuses.keys() - of_tests} == {
        code: int(status) for status, codes in rows.items() for code in codes.split()
    }


def test_the_type_of_a_problem_is_a_url_that_explains_it(client: Client) -> None:
    problem = client.get("/api/v1/refuse").json()

    explained = client.get(problem["type"]).json()

    assert explained == {name: problem[name] for name in ("code", "status", "title", "remedy")}
