"""Log lines: one JSON object each, with the ids that are known, and without rows."""

import json
import logging

import pytest
from django.db import DatabaseError
from django.test import Client, RequestFactory

from casino.observability.logging import ContextFilter, JsonFormatter, begin, bind, request_id
from tests.support.keys import issue_key
from tests.support.office import open_office


def line(error: Exception | None = None) -> dict[str, str]:
    """Format a record of now."""
    info = None if error is None else (type(error), error, error.__traceback__)
    record = logging.LogRecord("casino.test", logging.WARNING, __file__, 1, "hello %s", ("Ann",), info)
    assert ContextFilter().filter(record)
    text = JsonFormatter().format(record)
    assert "\n" not in text
    parsed: dict[str, str] = json.loads(text)
    assert parsed.pop("at").endswith("Z")
    return parsed


def test_a_line_has_the_ids_that_are_bound() -> None:
    begin("request-1")
    bind(operator="lucky", round="r1")
    bind(round=None, table="t1")
    assert line() == {
        "level": "WARNING",
        "logger": "casino.test",
        "message": "hello Ann",
        "request": "request-1",
        "operator": "lucky",
        "table": "t1",
    }


def test_ids_end_with_their_request() -> None:
    bind(operator="lucky")
    request_id(RequestFactory().get("/", headers={"x-request-id": "request-2"}))
    assert line().keys() == {"level", "logger", "message", "request"}
    assert line()["request"] == "request-2"


def test_an_exception_is_in_its_line_without_the_row() -> None:
    failed = line(DatabaseError("duplicate key\nDETAIL:  Key (name)=(Ann Smith) already exists."))
    assert "duplicate key" in failed["exception"]
    assert "Smith" not in failed["exception"]


@pytest.mark.django_db
def test_the_lines_of_a_request_have_its_operator(caplog: pytest.LogCaptureFixture) -> None:
    office = open_office()
    key, secret = issue_key(operator=office.operator.id)
    path = "/api/v1/players/0199f3a2-0000-7000-8000-000000000404"
    with caplog.filtering(ContextFilter()):
        Client().get(path, headers={"authorization": f"Bearer {key}.{secret}", "x-request-id": "request-3"})
    (record,) = [each for each in caplog.records if each.name == "django.request"]
    assert vars(record)["context"] == {"request": "request-3", "operator": str(office.operator.id)}
