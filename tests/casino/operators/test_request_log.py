"""Lines of the request log: who asked for which route, and nothing that anybody wrote."""

import json
import logging
from collections.abc import Generator
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client, RequestFactory
from pytest_django import Settings

from casino.operators.request_log import LOGGER, log_request
from tests.support.keys import issue_key
from tests.support.office import open_office

pytestmark = pytest.mark.django_db


class Lines(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())

    def last(self) -> dict[str, Any]:
        line: dict[str, Any] = json.loads(self.texts[-1])
        return line


@pytest.fixture
def lines(settings: Settings) -> Generator[Lines]:
    settings.REQUEST_LOG = True
    handler, logger = Lines(), logging.getLogger(LOGGER)
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


def test_a_line_names_route_status_duration_address_caller_and_request_id(lines: Lines) -> None:
    office = open_office()
    key, secret = issue_key(operator=office.operator.id)
    path = "/api/v1/players?limit=1"
    headers = {"authorization": f"Bearer {key}.{secret}", "x-request-id": "trace-1234"}
    Client().get(path, headers=headers, REMOTE_ADDR="192.0.2.7")
    line = lines.last()
    assert line.pop("ms") > 0
    assert line.pop("at").endswith("Z")
    assert line == {
        "request": "trace-1234",
        "method": "GET",
        "route": "api/v1/players",
        "status": 200,
        "address": "192.0.2.7",
        "operator": str(office.operator.id),
    }


def test_players_and_staff_are_named_by_their_ids(lines: Lines) -> None:
    office = open_office()
    Client().get("/api/v1/me/balances", headers={"authorization": f"Bearer {office.token}"})
    assert (lines.last()["operator"], lines.last()["player"]) == (str(office.operator.id), str(office.player.id))

    staff = get_user_model().objects.create_superuser("boss", password="a long pass word")
    client = Client()
    client.force_login(staff, backend="casino.staff.login.RoleBackend")
    client.get("/admin/")
    assert lines.last()["staff"] == str(staff.pk)


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/nowhere/mallory"), ("MALLORY", "/api/v1/operator"), ("GET", "/api/v1/problems?name=mallory")],
)
def test_what_a_stranger_writes_is_not_logged(lines: Lines, method: str, path: str) -> None:
    Client().generic(method, path, headers={"authorization": "Bearer op_mallory.mallory", "user-agent": "mallory"})
    assert "mallory" not in lines.texts[-1].lower()
    assert not {"operator", "player", "staff"} & set(lines.last())


def test_a_request_that_the_web_server_refuses_has_a_line_without_a_route(lines: Lines) -> None:
    log_request(RequestFactory().post("/api/v1/players", REMOTE_ADDR="192.0.2.7"), 413, 0.002)
    line = lines.last()
    assert (line["method"], line["route"], line["status"], line["ms"]) == ("POST", "", 413, 2.0)
    assert line["address"] == "192.0.2.7"


def test_without_the_setting_nothing_is_logged(lines: Lines, settings: Settings) -> None:
    settings.REQUEST_LOG = False
    Client().get("/api/v1/problems")
    log_request(RequestFactory().get("/"), 503, 0.0)
    assert lines.texts == []
