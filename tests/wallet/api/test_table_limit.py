"""A player's own table limit over HTTP: set with the PIN, once in a betting week."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.operators import pins, services, sessions
from tests.support.keys import issue_key
from wallet.ledger import player_accounts as wallet

PIN, WRONG = "482913", "111111"
NEVER = {"limit": None, "set_at": None, "next_change_at": None}


@dataclass(frozen=True, slots=True)
class Gambler:
    """A player with a PIN and a session."""

    operator: uuid.UUID
    id: uuid.UUID
    token: str

    def set(self, limit: object = "50.00", *, key: str = "", **changes: Any) -> Any:
        body = {"limit": limit, "currency": "EUR", "pin": PIN, **changes}
        headers = {"Authorization": f"Bearer {self.token}", "Idempotency-Key": key or uuid.uuid4().hex}
        return Client().post("/api/v1/me/table-limit", body, content_type="application/json", headers=headers)

    def get(self) -> dict[str, Any]:
        response: dict[str, Any] = (
            Client().get("/api/v1/me/table-limit", headers={"Authorization": f"Bearer {self.token}"}).json()
        )
        return response


def gambler(slug: str = "lucky", nickname: str = "Alice") -> Gambler:
    operator = services.create_operator(slug=slug, name=slug, currencies=["EUR"], sandbox=True).id
    return another(operator, nickname)


def another(operator: uuid.UUID, nickname: str) -> Gambler:
    notes = Metadata(operator=str(operator), actor="test", causation="", correlation="")
    player = wallet.register_player(
        operator=operator, reference=nickname, nickname=nickname, currency="EUR", metadata=notes
    ).id
    pins.set_pin(operator=operator, player=player, pin=pins.hash_pin(PIN))
    return Gambler(operator, player, sessions.open_session(operator=operator, player=player, seconds=600).token)


@pytest.fixture
def alice() -> Gambler:
    return gambler()


def a_week_later() -> None:
    """Let the betting week of every change be over."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE wallet_table_limit SET set_at = set_at - interval '8 days', next_change_at = set_at")


def recorded() -> list[tuple[Any, ...]]:
    return fetch("SELECT stream, version, data->>'amount' FROM events_event WHERE type = 'TableLimitSet' ORDER BY id")


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


@pytest.mark.django_db
def test_a_limit_is_set_shown_and_recorded(alice: Gambler) -> None:
    assert alice.get() == NEVER

    answer = alice.set()

    assert answer.status_code == 200
    assert answer.json() == alice.get()
    assert answer.json()["limit"] == {"amount": "50.00", "currency": "EUR"}
    assert answer.json()["set_at"] < answer.json()["next_change_at"]
    assert recorded() == [(f"limit-{alice.id}-EUR", 1, "5000")]


@pytest.mark.django_db
def test_it_changes_once_in_a_betting_week(alice: Gambler) -> None:
    first = alice.set().json()

    refused = alice.set("20.00")

    assert code(refused) == (409, "table_limit_changed_this_week")
    assert refused.json()["next_change_at"] == first["next_change_at"]
    assert alice.get() == first


@pytest.mark.django_db
def test_in_another_week_it_can_be_raised_or_removed(alice: Gambler) -> None:
    alice.set()
    a_week_later()
    assert code(alice.set()) == (409, "table_limit_unchanged")
    assert alice.set("70.00").json()["limit"]["amount"] == "70.00"
    a_week_later()
    lifted = alice.set(None)

    assert (lifted.status_code, lifted.json()["limit"]) == (200, None)
    assert lifted.json()["next_change_at"] is not None
    assert [row[1:] for row in recorded()] == [(1, "5000"), (2, "7000"), (3, None)]


@pytest.mark.django_db
def test_a_wrong_pin_only_counts_the_attempt(alice: Gambler) -> None:
    wrong = [alice.set(pin=WRONG) for _ in range(3)]

    assert [answer.json()["attempts_left"] for answer in wrong] == [2, 1, 0]
    assert code(alice.set()) == (403, "pin_locked")
    assert (alice.get(), recorded()) == (NEVER, [])


@pytest.mark.django_db
def test_a_replayed_request_gets_the_first_response(alice: Gambler) -> None:
    first, again = (alice.set(key="one") for _ in range(2))

    assert (again.content, again["Idempotent-Replayed"]) == (first.content, "true")
    assert len(recorded()) == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"limit": 50}, "amount_not_text"),
        ({"limit": "0.00"}, "amount_not_positive"),
        ({"limit": "-5.00"}, "amount_not_positive"),
        ({"limit": "5.001"}, "amount_malformed"),
        ({"limit": "9" * 20}, "amount_too_large"),
        ({"limit": True}, "amount_not_text"),
        ({"currency": "SEK"}, "currency_not_offered"),
        ({"currency": "EURO"}, "unknown_currency"),
        ({"pin": 482913}, "not_a_string"),
        ({"pin": "12"}, "pin_malformed"),
        ({"pin": None}, "field_null"),
        ({"table": "x"}, "unknown_field"),
    ],
)
def test_an_invalid_limit_is_refused_with_its_code(alice: Gambler, changes: dict[str, Any], expected: str) -> None:
    assert code(alice.set(**changes)) == (422, expected)
    assert (alice.get(), recorded()) == (NEVER, [])


@pytest.mark.django_db
def test_an_empty_body_and_an_operators_key_are_refused(alice: Gambler) -> None:
    key = ".".join(issue_key(operator=alice.operator))

    assert code(Gambler(alice.operator, alice.id, key).set()) == (403, "forbidden")
    headers = {"Authorization": f"Bearer {alice.token}", "Idempotency-Key": "k"}
    empty = Client().post("/api/v1/me/table-limit", {}, content_type="application/json", headers=headers)
    assert code(empty) == (422, "invalid_fields")


@pytest.mark.django_db
def test_a_limit_applies_to_its_player_only(alice: Gambler) -> None:
    bob, charlie = another(alice.operator, "Bob"), gambler("golden", "Charlie")

    alice.set()

    assert (bob.get(), charlie.get()) == (NEVER, NEVER)
    assert bob.set("20.00").json()["limit"]["amount"] == "20.00"
    assert alice.get()["limit"]["amount"] == "50.00"


@pytest.mark.usefixtures("database")
def test_of_concurrent_changes_one_succeeds(in_threads: Callable[..., list[Any]]) -> None:
    alice = gambler()

    answers = in_threads(6, lambda tab: alice.set(f"{tab + 1}0.00"))

    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 5
    assert {code(answer)[1] for answer in answers if answer.status_code == 409} == {"table_limit_changed_this_week"}
    (done,) = (answer.json() for answer in answers if answer.status_code == 200)
    assert (alice.get(), len(recorded())) == (done, 1)
