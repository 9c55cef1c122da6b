import base64
from typing import Any

import pytest
from django.test import Client


def page(client: Client, **parameters: Any) -> Any:
    return client.get("/api/v1/numbers", parameters)


def test_pages_follow_each_other_to_the_end(client: Client) -> None:
    first = page(client, limit=3).json()
    second = page(client, limit=3, cursor=first["next"]).json()
    third = page(client, limit=3, cursor=second["next"]).json()

    seen = [item["number"] for listed in (first, second, third) for item in listed["items"]]
    assert seen == [1, 2, 3, 4, 5, 6, 7]
    assert third["next"] is None


def test_a_page_that_ends_with_the_last_row_has_no_next(client: Client) -> None:
    assert page(client, limit=7).json()["next"] is None


@pytest.mark.parametrize("limit", ["0", "501", "-1", "ten", "1.5", "", "²", "9" * 5000])
def test_a_limit_out_of_range_is_refused(client: Client, limit: str) -> None:
    answer = page(client, limit=limit)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_limit")


def encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode()


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "*",
        "é",
        encoded(b"[]"),
        encoded(b"[1]"),
        encoded(b'["1", "n1"]'),
        encoded(b'[true, "n1"]'),
        encoded(b"{}"),
        encoded(b'[99999999999999999999, "n1"]'),
        encoded(b'[1, "\\u0000"]'),
        encoded(b'["00000000", 1, "n1"]'),
        encoded(b"\xff"),
    ],
)
def test_an_invalid_cursor_is_refused(client: Client, cursor: str) -> None:
    answer = page(client, cursor=cursor)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_cursor")
