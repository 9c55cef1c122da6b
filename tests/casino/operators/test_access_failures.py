"""Failed access is told to compliance with where it came from, and never with what was tried."""

from typing import Any

import pytest
from django.test import Client

from casino.operators import pins, services, sessions
from casino.significant.models import SignificantEvent
from tests.support.office import Office, open_office

pytestmark = pytest.mark.django_db


def failures() -> list[SignificantEvent]:
    return list(SignificantEvent.objects.filter(kind__in=["access_failed", "access_locked"]).order_by("number"))


def ask(credential: str) -> int:
    answer = Client().get(
        "/api/v1/operator", headers={"authorization": f"Bearer {credential}"}, REMOTE_ADDR="192.0.2.7"
    )
    return answer.status_code


def test_a_wrong_key_is_told_with_its_operator_and_address_and_without_its_secret() -> None:
    operator = services.create_operator(slug="lucky", name="Lucky", currency="EUR", sandbox=True)
    key, secret = services.issue_key(operator=operator.id)
    assert ask(f"{key}.not-the-secret") == ask(f"{key}.nor-this") == 401
    (event,) = failures()
    assert (event.operator_id, event.subject, event.address) == (operator.id, f"key:{key}", "192.0.2.7")
    assert "secret" not in f"{event.reason}{event.before}{event.after}{event.dedup_key}"

    services.revoke_key(key_id=key, by="staff:7")
    assert ask(f"{key}.{secret}") == 401
    changes = SignificantEvent.objects.filter(kind="access_changed").order_by("number")
    assert [(change.reason, change.actor) for change in changes] == [
        ("An API key was issued", "command"),
        ("An API key was revoked", "staff:7"),
    ]


@pytest.mark.parametrize("credential", ["op_nobody.secret", "pt_unknown", "x-unknown", "pt_Ä"])
def test_unknown_credentials_are_told_without_what_they_were(credential: str) -> None:
    assert ask(credential) == 401
    (event,) = failures()
    assert event.operator_id is None
    assert credential not in f"{event.subject}{event.actor}{event.reason}{event.dedup_key}"


def test_no_credential_and_a_session_that_is_over_are_no_failed_access() -> None:
    office = open_office()
    sessions.open_session(operator=office.operator.id, player=office.player.id, seconds=60)
    assert Client().get("/api/v1/operator").status_code == 401
    assert ask(office.token) == 401
    assert failures() == []


def test_wrong_pins_are_told_and_so_is_the_lock() -> None:
    office: Office = open_office()
    pins.set_pin(operator=office.operator.id, player=office.player.id, pin="482913")
    body: dict[str, Any] = {"old_pin": "000000", "new_pin": "730164"}
    for number in range(3):
        headers = {"authorization": f"Bearer {office.token}", "idempotency-key": f"try-{number}"}
        answer = Client().post("/api/v1/me/pin", body, content_type="application/json", headers=headers)
        assert answer.status_code == 403
    told = failures()
    assert [event.kind for event in told] == ["access_failed", "access_failed", "access_locked"]
    assert {event.subject for event in told} == {f"player:{office.player.id}"}
    assert "000000" not in str([(event.reason, event.after) for event in told])
    assert SignificantEvent.objects.filter(kind="player_data_changed", reason="The PIN was set").count() == 1
