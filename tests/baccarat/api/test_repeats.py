"""Every POST has one effect however often it is sent, and a refusal none."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from casino.events.sql import fetch
from tests.baccarat.api.people import (
    LONG_TURN,
    Gambler,
    Tenant,
    answered,
    bet,
    deal_all,
    sit,
)

CHIPS = {"spot": "banker", "amount": "5.00", "currency": "EUR"}
WAGER = {"stakes": [{"spot": "banker", "amount": "5.00"}], "currency": "EUR"}
MONEY = {"amount": "5.00", "currency": "EUR"}


def test_a_repeat_after_the_deal_still_gets_the_first_answer(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    first = alice.post(f"tables/{table}/deal", WAGER, key="deal-1")
    deal_all()
    assert alice.post(f"tables/{table}/deal", WAGER, key="deal-1").content == first.content
    assert len(alice.read("rounds")["items"]) == 1


def test_of_a_stored_answer_to_a_wager_only_what_is_its_own_takes_room(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    answer = alice.post(f"tables/{table}/deal", WAGER)
    ((length,),) = fetch("SELECT length(response) FROM api_idempotentrequest ORDER BY created_at DESC LIMIT 1")
    assert length < len(answer.content) / 5, "register a dictionary of the newest shape: casino.api.compression"


def test_a_refusal_is_not_stored_and_is_judged_anew(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    early = alice.post(f"tables/{table}/deal", WAGER, key="deal-1")
    assert (early.status_code, early.json()["code"]) == (409, "not_seated")
    sit(alice, table)
    answer = alice.post(f"tables/{table}/deal", WAGER, key="deal-1")
    assert answer.status_code == 200
    assert "Idempotent-Replayed" not in answer


def test_one_key_at_two_addresses_or_of_two_players_is_two_requests(lucky: Tenant) -> None:
    alice, bob = lucky.player("Alice"), lucky.player("Bob")
    for player in (alice, bob):
        table = lucky.table("mini")
        sit(player, table)
        assert player.post(f"tables/{table}/new-game", {}, key="k").status_code == 200
        assert player.post(f"tables/{table}/clear", {}, key="k").status_code == 200


def wagers(table: str) -> tuple[int, int]:
    """Count confirmed wagers at a table, as events and as rows."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (SELECT count(*) FROM events_event e JOIN baccarat_round r ON e.stream = 'round-' || r.id "
            "WHERE r.table_id = %s AND e.type = 'WagerConfirmed'), "
            "(SELECT count(*) FROM baccarat_wager WHERE table_id = %s)",
            [table, table],
        )
        events, rows = cursor.fetchone()
    return events, rows


@pytest.mark.parametrize("preset", ["mini", "atlantic_city"])
def test_fifty_identical_deals_at_once_are_one_wager(
    lucky: Tenant, in_threads: Callable[..., list[Any]], preset: str
) -> None:
    alice = lucky.player("Alice")
    table = lucky.table(preset, rules=LONG_TURN)
    sit(alice, table)
    answers = in_threads(50, lambda _: answered(lambda: alice.post(f"tables/{table}/deal", WAGER, key="deal-1")))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert sum("Idempotent-Replayed" not in answer for answer in answers) == 1
    assert wagers(table) == (1, 1)
    assert alice.balances()["game", "real"] == "995.00"
    deal_all()
    assert len(alice.read("rounds")["items"]) == 1


def test_fifty_deals_with_keys_of_their_own_are_one_wager(lucky: Tenant, in_threads: Callable[..., list[Any]]) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    answers = in_threads(50, lambda _: alice.post(f"tables/{table}/deal", WAGER))
    codes = sorted(json.loads(answer.content).get("code", "dealt") for answer in answers)
    assert codes == ["already_confirmed"] * 49 + ["dealt"]
    assert wagers(table) == (1, 1)
    assert alice.balances()["game", "real"] == "995.00"


def test_a_session_is_opened_anew_by_every_request(lucky: Tenant) -> None:
    alice = lucky.player("Alice")
    first, second = (lucky.post(f"players/{alice.id}/sessions", {}, key="k").json()["token"] for _ in range(2))
    assert Gambler(second, alice.id).get("rounds").status_code == 200
    assert Gambler(first, alice.id).get("rounds").json()["code"] == "session_taken_over"


def test_the_same_wager_with_a_new_key_is_another_wager(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    for _ in range(3):
        bet(alice, table, tie="5.00")
        deal_all()
    assert wagers(table) == (3, 3)
