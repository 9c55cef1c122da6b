import asyncio
import logging

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django import Settings

from casino.api.middleware import request_id_and_cors
from casino.observability.request_id import RequestIdFilter, request_id

ORIGIN = "https://casino.example"


def test_a_request_id_that_was_sent_comes_back(client: Client) -> None:
    answer = client.get("/api/v1/numbers", headers={"X-Request-Id": "0123-abc.DEF_9"})

    assert answer["X-Request-Id"] == "0123-abc.DEF_9"


@pytest.mark.parametrize("sent", ["short", "with space in it", "a" * 65, "ünicode-ünicode", "new\tline-new", ""])
def test_a_request_id_of_another_form_is_replaced(client: Client, sent: str) -> None:
    answer = client.get("/api/v1/numbers", headers={"X-Request-Id": sent})

    assert answer["X-Request-Id"] != sent
    assert len(answer["X-Request-Id"]) == 32


def test_answers_of_the_api_are_not_stored_and_load_nothing(client: Client) -> None:
    answer = client.get("/api/v1/numbers")

    assert answer["Cache-Control"] == "no-store"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"


def test_an_allowed_origin_may_preflight_and_read(client: Client, settings: Settings) -> None:
    settings.API_ALLOWED_ORIGINS = [ORIGIN]

    asked = client.options("/api/v1/read", headers={"Origin": ORIGIN, "Access-Control-Request-Method": "POST"})
    got = client.get("/api/v1/numbers", headers={"Origin": ORIGIN})

    assert asked.status_code == 204
    assert asked["Access-Control-Allow-Origin"] == ORIGIN
    assert "Idempotency-Key" in asked["Access-Control-Allow-Headers"]
    assert got["Access-Control-Allow-Origin"] == ORIGIN
    assert "Origin" in got["Vary"]


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "https://casino.example.evil.example"])
def test_any_other_origin_is_told_nothing(client: Client, settings: Settings, origin: str) -> None:
    settings.API_ALLOWED_ORIGINS = [ORIGIN]

    asked = client.options("/api/v1/read", headers={"Origin": origin, "Access-Control-Request-Method": "POST"})
    got = client.get("/api/v1/numbers", headers={"Origin": origin})

    assert asked.status_code == 405
    assert "Access-Control-Allow-Origin" not in asked
    assert "Access-Control-Allow-Origin" not in got


def test_it_serves_asynchronously_too(rf: RequestFactory) -> None:
    async def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse(request_id(request))

    request = rf.get("/api/v1/anything", headers={"X-Request-Id": "trace-async"})
    answer = asyncio.run(request_id_and_cors(view)(request))

    assert (answer.content, answer["X-Request-Id"]) == (b"trace-async", "trace-async")


def test_log_lines_carry_the_request_id(rf: RequestFactory) -> None:
    line = logging.makeLogRecord({})
    request_id(rf.get("/", headers={"X-Request-Id": "trace-of-log"}))

    RequestIdFilter().filter(line)

    assert line.__dict__["request_id"] == "trace-of-log"
