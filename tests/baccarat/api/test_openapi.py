"""The OpenAPI document tells the truth: its examples obey its own schemas, and closed sets are closed."""

from dataclasses import fields
from typing import Any

import pytest

from baccarat.domain.rules.table_rules import TableRules
from casino.operators.assertions import HEADER
from casino.operators.key_limits import Movement
from casino.operators.principals import Scope
from casino.significant.recorder import SignificantEventKind
from tests.baccarat.api import contract
from tests.baccarat.api.contract import faults
from tests.baccarat.api.people import Tenant
from tests.operations import AREAS, ROWS
from tests.support.spots import written
from wallet.payments.withdrawal_state import WithdrawalStatus


def components() -> Any:
    return contract.document()["components"]["schemas"]


def words(component: str, name: str) -> list[Any]:
    """Return the values that a response's field may hold."""
    schema = components()[component]["properties"][name]
    parts = [components().get(part.get("$ref", "").rpartition("/")[2], part) for part in schema.get("anyOf", [schema])]
    return [word for part in parts for word in ([None] if part == {"type": "null"} else part.get("enum", []))]


def test_every_operation_has_one_row_in_the_table_and_every_row_an_operation() -> None:
    rows = [name for names in AREAS.values() for name in names]
    assert sorted(rows) == sorted(operation.name for operation in contract.operations())


@pytest.mark.parametrize("name", ROWS)
def test_an_operation_documents_what_its_row_says(name: str) -> None:
    operation, row = contract.named(name), ROWS[name]
    assert operation.callers == row.callers
    assert {operation.document.get("x-scope")} - {None} == row.by & set(Scope)
    assert row.event <= set(SignificantEventKind)
    if operation.method == "get":
        assert not row.event
    if row.persons:
        assert HEADER in {parameter["name"] for parameter in operation.document["parameters"]}


@pytest.mark.parametrize("name", ROWS)
def test_every_example_obeys_the_schema_beside_it(name: str) -> None:
    found = [
        fault
        for body in contract.named(name).bodies()
        for example in body["examples"].values()
        for fault in faults(example["value"], body["schema"])
    ]
    assert found == []


def test_the_judge_finds_what_is_missing_wrong_or_too_much() -> None:
    schema = {"$ref": "#/components/schemas/Stake"}
    assert faults({"spot": "tie", "amount": "5.00"}, schema) == []
    for wrong in ({"spot": "tie"}, {"spot": 3, "amount": "5.00"}, {"spot": "tie", "amount": "5.00", "tip": 1}):
        assert len(faults(wrong, schema)) == 1
    moment = {"type": "string", "format": "date-time"}
    assert faults("2026-11-21T09:00:00Z", moment) == []
    assert len(faults("yesterday", moment)) == 1


@pytest.mark.parametrize(
    ("component", "name", "expected"),
    [
        ("Round", "phase", ["betting", "closed", "dealt", "settled", "lapsed", "voided"]),
        ("Round", "outcome", ["player", "banker", "tie", None]),
        ("RoundSeat", "status", ["deciding", "confirmed", "passed", "timed_out", "left"]),
        ("OwnSeat", "status", ["deciding", "confirmed", "passed", "timed_out", "left", None]),
        ("RoundSeat", "money_type", ["real", "play"]),
        ("SpotResult", "result", ["win", "lose", "push"]),
        ("TableRules", "shuffle", ["each_round", "shoe"]),
        ("TableRules", "spots_per_round", ["any", "one"]),
        ("TableRules", "under_minimum", ["raise", "reject"]),
        ("Spot", "kind", ["main", "side"]),
        ("Commission", "timing", ["settlement", "deferred"]),
        ("RulesVersion", "effective_from", ["", "next_round", "next_shoe", "new_shoe"]),
    ],
)
def test_a_closed_set_of_words_is_documented_as_one(component: str, name: str, expected: list[Any]) -> None:
    assert sorted(words(component, name), key=str) == sorted(expected, key=str)


def test_the_facts_of_problems_have_types() -> None:
    facts = {}
    for code in ("PlayLimitReached", "KeyLimitReached", "TooLateToCancel", "WagerInPlay"):
        facts.update(components()[f"{code}Problem"]["allOf"][1]["properties"])
    assert facts["limit_type"] == {"$ref": "#/components/schemas/LimitType"}
    assert facts["movement"]["enum"] == sorted(movement.value for movement in Movement)
    waiting = {"requested", "held", "approved", "cancelled"}
    assert set(facts["current_status"]["enum"]) == (set(WithdrawalStatus) - waiting) | {"in_review"}
    assert facts["currency"]["pattern"] == components()["Money"]["properties"]["currency"]["pattern"]
    assert facts["deadline_at"]["anyOf"][0]["format"] == "date-time"


def test_every_response_and_every_parameter_is_described() -> None:
    for operation in contract.operations():
        for part in (*operation.document["responses"].values(), *operation.document["parameters"]):
            assert part.get("$ref") or part["description"], operation.name


def test_every_operation_has_a_summary_and_every_post_its_key() -> None:
    for operation in contract.operations():
        assert operation.document["summary"]
        if operation.method == "post" and operation.tag == "baccarat":
            assert operation.keyed


def test_an_operator_can_set_every_rule_of_a_table_and_is_shown_it(lucky: Tenant) -> None:
    rules = {
        "seats": 7, "decks": 6, "shuffle": "shoe", "cut_cards_from_end": 20, "burn": True, "fixed_order": True,
        "chips": ["2.00", "10.00"], "minimum": "4.00", "maximum": "400.00", "under_minimum": "raise",
        "spots_per_round": "one", "turn_seconds": 30, "hands_after_cut": 0,
        "spots": written(
            banker="19:20", tie="9:1", commission={"rate": "4/100", "rounding": "1/2", "timing": "deferred"}
        ),
        "caller": True, "look_seconds": 5, "hand_back_seconds": 8, "play_money": False, "seat_kept_rounds": 5,
        "show_milliseconds": {"two_cards": 1, "natural": 2, "one_third_card": 3, "two_third_cards": 4, "ceremony": 5},
        "auto_confirm": True, "minimum_cycle_seconds": 6, "may_hurry": False,
    }  # fmt: skip
    assert rules.keys() == components()["TableRulesRequest"]["properties"].keys()
    assert rules.keys() == {field.name for field in fields(TableRules)} - {"preset", "version", "currency"}
    table = lucky.table("mini", money_types=["real"], rules=rules)
    shown = lucky.read(f"tables/{table}")["rules"]
    assert {name: shown[name] for name in rules} == rules


def test_commission_can_be_left_to_none_or_to_be_exact(lucky: Tenant) -> None:
    for given in (None, {"rate": "1/20", "rounding": None, "timing": "settlement"}):
        table = lucky.table("overview", rules={"spots": written(commission=given)})
        assert lucky.read(f"tables/{table}")["rules"]["spots"][1]["commission"] == given


def test_a_side_bet_is_shown_as_it_was_sent(lucky: Tenant) -> None:
    side = {
        "name": "side", "kind": "side", "minimum": "6.00", "maximum": "20.00", "needs": ["player", "banker"],
        "commission": None, "lines": [
            {"when": {"player_pair": True, "winner": "tie"}, "push": True},
            {"when": {"margin": [5, 9], "winner": "player"}, "pays": "27:50"},
        ],
    }  # fmt: skip
    table = lucky.table("mini", money_types=["play"], rules={"spots": [*written(), side]})
    assert lucky.read(f"tables/{table}")["rules"]["spots"] == [*written(), side]
    odds = lucky.read(f"tables/{table}/odds", stakes="6.00")["spots"][3]
    assert [each["line"] for each in odds["lines"]] == side["lines"]
    assert odds["at_stakes"][0]["return"] == odds["at_minimum"]["return"]
