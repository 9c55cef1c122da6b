import logging

import pytest
from django.test import Client, RequestFactory

from casino.observability.logging import ContextFilter, request_id


def test_a_request_id_is_returned(client: Client) -> None:
    answer = client.get("/api/v1/numbers", headers={"X-Request-Id": "0123-abc.DEF_9"})

    assert answer["X-Request-Id"] == "0123-abc.DEF_9"


@pytest.mark.parametrize("sent", ["short", "with space in it", "a" * 65, "ünicode-ünicode", "new\tline-new", ""])
def test_a_malformed_request_id_is_replaced(client: Client, sent: str) -> None:
    answer = client.get("/api/v1/numbers", headers={"X-Request-Id": sent})

    assert answer["X-Request-Id"] != sent
    assert len(answer["X-Request-Id"]) == 32


def test_api_responses_are_not_cached_and_load_no_resources(client: Client) -> None:
    answer = client.get("/api/v1/numbers")

    assert answer["Cache-Control"] == "no-store"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"


def test_log_lines_carry_the_request_id(rf: RequestFactory) -> None:
    line = logging.makeLogRecord({})
    request_id(rf.get("/", headers={"X-Request-Id": "trace-of-log"}))

    ContextFilter().filter(line)

    assert line.__dict__["request_id"] == "trace-of-log"
