"""A sandbox operator's server chooses cards over HTTP: nobody sees them early, and no statistic counts them."""

import json
from typing import Any

import pytest
from pytest_django import Settings

from baccarat.domain.rounds.forcing import SCENARIOS, Scenario
from baccarat.risk import activity
from baccarat.services import rng_monitoring
from casino.events import sealer, subscriptions
from casino.events.sql import fetch
from casino.operators.principals import Scope
from tests.baccarat.api.people import (
    LONG_TURN,
    NOWHERE,
    Caller,
    Tenant,
    bet,
    deal_all,
    sandbox_tenant,
    sit,
    whole_database,
)
from tests.conftest import Database
from tests.support.keys import issue_key


@pytest.fixture(autouse=True)
def _allowed(settings: Settings) -> None:
    settings.FORCED_CARDS = True


@pytest.fixture
def lucky(module_database: Database) -> Tenant:
    """Return an operator that may force cards."""
    return sandbox_tenant("lucky")


def refusal(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_named_cards_and_scenarios_are_dealt_and_nobody_but_the_operator_sees_them_before(lucky: Tenant) -> None:
    table = lucky.table("classic", rules=LONG_TURN)
    alice = lucky.player("Alice")
    sit(alice, table)
    cards = ["2s", "2d", "3h", "4c", "6h", "2c"]

    chosen = lucky.do(f"tables/{table}/forced-cards", {"cards": cards})
    assert (chosen["forced"], chosen["phase"], chosen["cards"]) == (True, "betting", [])
    round_ = alice.read(f"tables/{table}")["round"]
    assert (round_["id"], round_["forced"]) == (chosen["id"], True)
    (event,) = [each for each in alice.read(f"rounds/{round_['id']}/events")["items"] if each["type"] == "CardsForced"]
    assert event["data"].keys() == {"forced_at"}
    assert "6h" not in json.dumps([alice.read(f"tables/{table}"), alice.read(f"rounds/{round_['id']}/events")])

    bet(alice, table, banker="100.00")
    deal_all()
    dealt = alice.read(f"rounds/{round_['id']}")
    assert (dealt["cards"], dealt["outcome"], dealt["forced"]) == (cards, "banker", True)
    lucky.do(f"tables/{table}/forced-cards", {"scenario": "tie"})
    bet(alice, table, tie="100.00")
    deal_all()
    assert alice.read(f"tables/{table}")["last_round"]["cards"] == list(SCENARIOS[Scenario.TIE])


def test_a_live_operator_forces_no_cards(lucky: Tenant, golden: Tenant, settings: Settings) -> None:
    for house, allowed, code in ((lucky, False, "forced_cards_are_off"), (golden, True, "sandbox_only")):
        settings.FORCED_CARDS = allowed
        table = house.table("mini")
        sit(house.player("Alice"), table)
        before = whole_database()
        assert refusal(house.post(f"tables/{table}/forced-cards", {"scenario": "tie"})) == (403, code)
        assert whole_database() == before


def test_what_cannot_be_dealt_is_refused(lucky: Tenant) -> None:
    golden = sandbox_tenant("golden")
    table, path = lucky.table("mini"), "tables/{}/forced-cards"
    tie = {"scenario": "tie"}
    alice = lucky.player("Alice")
    assert refusal(lucky.post(path.format(table), tie)) == (409, "no_open_round")
    sit(alice, table)
    for body, code in (
        ({}, "field_invalid"),
        ({**tie, "cards": ["9s", "2d", "Kh", "5c"]}, "field_invalid"),
        ({"scenario": "royal_flush"}, "unknown_choice"),
        ({"cards": ["9s"] * 7}, "field_too_long"),
        ({"cards": ["9s", "2d", "Kh"]}, "cards_not_dealable"),
        ({"cards": ["9s", "2d", "Kh", "XX"]}, "cards_not_dealable"),
    ):
        assert refusal(lucky.post(path.format(table), body)) == (422, code), body
    assert refusal(golden.post(path.format(table), tie)) == (404, "unknown_table")
    assert refusal(lucky.post(path.format(NOWHERE), tie)) == (404, "unknown_table")
    reader = Caller(".".join(issue_key(operator=lucky.id, scopes=[Scope.READ])))  # type: ignore[arg-type]
    assert reader.post(path.format(table), tie).status_code == 403
    assert alice.post(path.format(table), tie).status_code == 403
    lucky.do(path.format(table), tie)
    assert refusal(lucky.post(path.format(table), tie)) == (409, "too_late_to_force")


def test_statistics_and_risk_rules_leave_the_round_out_and_its_money_is_booked(lucky: Tenant) -> None:
    table = lucky.table("mini")
    alice = lucky.player("Alice")
    sit(alice, table)
    bet(alice, table, banker="10.00")
    deal_all()
    counted = rng_monitoring.load_history().sample.outcomes
    performance = lucky.read(f"tables/{table}/versions")["items"][0]["performance"]
    board = lucky.read(f"tables/{table}/statistics")
    assert board["totals"]["hands"] == 1

    lucky.do(f"tables/{table}/forced-cards", {"scenario": "banker_natural"})
    bet(alice, table, banker="10.00")
    deal_all()
    assert rng_monitoring.load_history().sample.outcomes == counted
    assert lucky.read(f"tables/{table}/versions")["items"][0]["performance"] == performance
    assert lucky.read(f"tables/{table}/statistics") == board
    sealer.seal_all()
    touched = activity.project(subscriptions.read_sealed(0, 1_000_000))
    assert sum(moved.rounds for key, moved in touched.activity.items() if str(key[0]) == alice.id) == 1
    assert len(fetch("SELECT FROM wallet_entry WHERE kind = 'settlement' AND operator_id = %s", [lucky.id])) == 2


def test_no_board_shows_the_round_during_its_shoe_or_after(lucky: Tenant) -> None:
    rules = {**LONG_TURN, "decks": 1, "cut_cards_from_end": 30}
    alice, table = lucky.player("Alice"), lucky.table("big_table", rules=rules)
    sit(alice, table)
    lucky.do(f"tables/{table}/forced-cards", {"scenario": "tie"})
    at, board = f"tables/{table}/statistics", {"shoe": 1}
    while board["shoe"] == 1:
        bet(alice, table, banker="25.00")
        deal_all()
        board = alice.read(at)
        assert 1 not in [bead["number"] for bead in board["bead_plate"]]
    numbers = [bead["number"] for bead in alice.read(at, shoe=1)["bead_plate"]]
    assert numbers == list(range(2, len(numbers) + 2))
    assert numbers
