"""The show over HTTP: everybody sees when betting opens, and what comes before is refused with that time."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection

from tests.baccarat.api.people import Gambler, Tenant, bet, deal_all, sit

LONG = dict.fromkeys(("two_cards", "natural", "one_third_card", "two_third_cards"), 45_000) | {"ceremony": 0}
RULES = {"show_milliseconds": LONG, "turn_seconds": 600}
STAKES = {"stakes": [{"spot": "banker", "amount": "5.00"}], "currency": "EUR"}
CHIPS = {"spot": "banker", "amount": "5.00", "currency": "EUR"}


@pytest.fixture
def scene(lucky: Tenant) -> tuple[str, Gambler, Gambler]:
    """Return a table that shows the deal of Alice and Bob, and both."""
    table = lucky.table("atlantic_city", rules=RULES)
    alice, bob = lucky.player("Alice"), lucky.player("Bob")
    for seat, player in enumerate((alice, bob), 1):
        sit(player, table, seat)
    alice.do(f"tables/{table}/pass")
    deal_all()
    for player in (alice, bob):
        bet(player, table, banker="5.00")
    deal_all()
    return table, alice, bob


def time_of(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_everybody_reads_when_betting_opens_after_the_last_deal(
    lucky: Tenant, scene: tuple[str, Gambler, Gambler]
) -> None:
    table, alice, bob = scene
    state = alice.read(f"tables/{table}")
    assert state["round"] is None
    assert time_of(state["betting_opens_at"]) == time_of(state["last_round"]["ended_at"]) + timedelta(seconds=45)
    (line,) = bob.read("lobby")["items"]
    assert (line["phase"], line["deadline_at"], line["betting_opens_at"]) == (None, None, state["betting_opens_at"])
    assert lucky.read(f"tables/{table}")["betting_opens_at"] == state["betting_opens_at"]
    assert bob.read("recovery")["tables"][0]["betting_opens_at"] == state["betting_opens_at"]
    events = alice.read(f"rounds/{state['last_round']['id']}/events")["items"]
    assert events[-1]["data"]["betting_opens_at"] == state["betting_opens_at"]


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("place", CHIPS),
        ("deal", STAKES),
        ("deal", {}),
        ("rebet", {}),
        ("rebet-and-deal", {}),
        ("new-game", {}),
        ("undo", {}),
        ("clear", {}),
        ("pass", {}),
    ],
)
def test_what_acts_on_the_next_round_is_refused_with_the_time(
    scene: tuple[str, Gambler, Gambler], action: str, body: dict[str, Any]
) -> None:
    table, alice, _ = scene
    answer = alice.post(f"tables/{table}/{action}", body)
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (409, "betting_not_open")
    assert problem["betting_opens_at"] == alice.read(f"tables/{table}")["betting_opens_at"]


def test_the_next_turn_begins_at_once_when_both_skip_the_show(scene: tuple[str, Gambler, Gambler]) -> None:
    table, alice, bob = scene
    state = alice.do(f"tables/{table}/skip-show")
    assert [seat["skips_show"] for seat in state["seats"]] == [True, False]
    state = bob.do(f"tables/{table}/skip-show")
    opens, deadline = state["betting_opens_at"], state["round"]["deadline_at"]
    assert time_of(deadline) - time_of(opens) == timedelta(seconds=600)
    assert opens == state["round"]["opened_at"] <= state["server_time"]
    assert alice.do(f"tables/{table}/place", CHIPS)["betting_opens_at"] == opens


def test_only_those_who_sit_at_the_table_skip_a_show_and_only_while_it_runs(
    lucky: Tenant, scene: tuple[str, Gambler, Gambler]
) -> None:
    table, alice, bob = scene
    for caller, status, code in ((lucky.player("Cat"), 409, "not_seated"), (lucky, 403, "forbidden")):
        answer = caller.post(f"tables/{table}/skip-show")
        assert (answer.status_code, answer.json()["code"]) == (status, code)
    for player in (alice, bob):
        player.do(f"tables/{table}/skip-show")
    answer = alice.post(f"tables/{table}/skip-show")
    assert (answer.status_code, answer.json()["code"]) == (409, "no_show")


def test_an_operator_sets_the_length_of_the_show_and_is_told_what_is_wrong_with_it(lucky: Tenant) -> None:
    opening = {"name": "A table", "preset": "mini", "currency": "EUR", "money_types": ["play"]}
    for show, code in (
        ({**LONG, "natural": 60_001}, "number_too_large"),
        ({**LONG, "natural": -1}, "number_too_small"),
        ({**LONG, "natural": 1.5}, "not_an_integer"),
        ({"natural": 1}, "field_required"),
        (None, "field_null"),
    ):
        answer = lucky.post("tables", {**opening, "rules": {"show_milliseconds": show}})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_rules")
        assert {error["code"] for error in answer.json()["errors"]} == {code}
    table = lucky.do("tables", {**opening, "rules": {"show_milliseconds": LONG}})
    assert table["rules"]["show_milliseconds"] == LONG


def test_no_balance_is_told_before_the_round_that_made_it(lucky: Tenant) -> None:
    table, alice = lucky.table("mini"), lucky.player("Alice")
    brought = Decimal(sit(alice, table)["you"]["game_balance"]["amount"])
    bet(alice, table, player="5.00")
    asked = []

    def settle_first(execute: Any, sql: Any, *query: Any) -> Any:
        """Settle the round as its player's balance is about to be read."""
        if not asked and "funding.funding" in str(sql):
            asked.append(sql)
            deal_all()
        return execute(sql, *query)

    with connection.execute_wrapper(settle_first):
        state = alice.read(f"tables/{table}")

    assert asked
    assert state["round"] is None
    result = state["last_round"]["seats"][0]["result"]
    assert Decimal(state["you"]["game_balance"]["amount"]) == brought - 5 + Decimal(result["returned"])
