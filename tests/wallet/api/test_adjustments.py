"""Adjustments over HTTP by an operator's server, and the player's notices."""

import csv
import io
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from casino.operators.principals import Scope
from tests.baccarat.api.people import NOWHERE, Gambler, Tenant, tenant
from tests.support.keys import issue_key
from tests.wallet.remote.operators import use_wallet

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> Tenant:
    return tenant("lucky")


def body(player: Gambler, **changes: Any) -> dict[str, Any]:
    defaults = {
        "player": player.id, "direction": "credit", "amount": "20.00", "currency": "EUR",
        "reason": "complaint", "note": "Ticket 4411.", "message": "Sorry!",
    }  # fmt: skip
    return {**defaults, **changes}


def request_adjustment(house: Tenant, player: Gambler, **changes: Any) -> str:
    return str(house.do("adjustments", body(player, **changes), person="agent-17")["id"])


def read_csv(house: Tenant, path: str) -> list[list[str]]:
    answer = Client().get(f"/api/v1/{path}", headers={"Authorization": f"Bearer {house.credential}"})
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    text = b"".join(answer.streaming_content).decode("utf-8-sig")  # type: ignore[attr-defined]
    return list(csv.reader(io.StringIO(text)))


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_two_people_adjust_an_account_and_the_player_reads_why(house: Tenant) -> None:
    alice = house.player("Alice", funds="50.00")
    answer = house.post("adjustments", body(alice), person="agent-17")
    change = answer.json()
    assert (answer.status_code, change["kind"], change["status"]) == (202, "adjustment", "requested")
    assert (change["details"]["amount"], change["details"]["note"]) == ("20.00", "Ticket 4411.")
    assert code(house.post(f"changes/{change['id']}/confirm", person="agent-17")) == (403, "change_needs_second_person")
    assert house.do(f"changes/{change['id']}/confirm", person="agent-3")["status"] == "effective"
    done = house.read(f"adjustments/{change['id']}")
    assert (done["requested_by"], done["approved_by"], done["message"]) == (
        house.actor("agent-17"),
        house.actor("agent-3"),
        "Sorry!",
    )
    assert alice.balances()["account", "real"] == "70.00"

    notices = alice.read("notices")
    (notice,) = notices["items"]
    assert (notices["unread"], notice["kind"], notice["message"]) == (1, "adjustment_credit", "Sorry!")
    assert notice["details"]["amount"] == {"amount": "20.00", "currency": "EUR"}
    assert "note" not in str(notices)
    assert alice.do(f"notices/{notice['id']}/read")["read_at"] is not None
    assert alice.read("notices", unread="true") == {"items": [], "next": None, "unread": 0}
    lines = alice.read("me/statement", kind="adjustment_credit")["items"]
    assert [line["amount"]["amount"] for line in lines] == ["20.00"]


def test_a_declined_adjustment_moves_nothing(house: Tenant) -> None:
    alice = house.player("Alice", funds="50.00")
    adjustment = request_adjustment(house, alice)
    assert house.do(f"changes/{adjustment}/decline", person="agent-3")["status"] == "declined"
    assert code(house.post(f"changes/{adjustment}/confirm", person="agent-4")) == (409, "change_decided")
    assert (alice.balances()["account", "real"], alice.read("notices")["items"]) == ("50.00", [])


def test_a_debit_above_the_balance_is_refused_or_owed(house: Tenant) -> None:
    alice = house.player("Alice", funds="50.00")
    debit = {"direction": "debit", "amount": "80.00", "reason": "abuse"}
    refused = house.post("adjustments", body(alice, **debit), person="agent-17")
    assert code(refused) == (409, "insufficient_funds")
    assert (refused.json()["balance"], refused.json()["needed"]) == ("50.00", "80.00")
    adjustment = house.agree("adjustments", body(alice, **debit, as_debt=True))["id"]
    done = house.read(f"adjustments/{adjustment}")
    assert (done["taken"]["amount"], done["owed"]["amount"]) == ("50.00", "30.00")


def test_a_key_without_the_scope_for_money_confirms_no_adjustment(house: Tenant) -> None:
    adjustment = request_adjustment(house, house.player("Alice"))
    scopes = set(Scope) - {Scope.MONEY}
    other = replace(house, credential=".".join(issue_key(operator=UUID(house.id), scopes=scopes)))
    for decision in ("confirm", "decline", "cancel"):
        refused = other.post(f"changes/{adjustment}/{decision}", person="agent-3")
        assert (*code(refused), refused.json()["scope"]) == (403, "scope_missing", "money")
    assert house.read(f"changes/{adjustment}")["status"] == "requested"


@pytest.mark.parametrize(
    "changes",
    [
        {"actor": "agent-17"}, {"direction": "sideways"}, {"amount": "0.00"},
        {"amount": 20}, {"reason": "because"}, {"note": ""}, {"currency": "USD"}, {"more": 1}, {"player": NOWHERE},
    ],
)  # fmt: skip
def test_bad_input_is_refused_and_changes_nothing(house: Tenant, changes: dict[str, Any]) -> None:
    answer = house.post("adjustments", {**body(house.player("Alice")), **changes}, person="agent-17")
    assert 400 <= answer.status_code < 500
    assert [each for each in house.read("changes")["items"] if each["kind"] == "adjustment"] == []


def test_lists_are_paged_filtered_and_exported_as_csv(house: Tenant) -> None:
    alice, bob = house.player("Alice"), house.player("Bob")
    first, second, third = (
        str(house.agree("adjustments", each)["id"])
        for each in (
            body(alice),
            body(bob, reason="abuse", direction="debit", amount="1.50"),
            body(alice, reason="other", money_type="play", note="=HYPERLINK(1)"),
        )
    )
    waiting = request_adjustment(house, alice)
    assert [item["id"] for item in house.pages("changes", kind="adjustment", status="requested")] == [waiting]
    assert [item["id"] for item in house.pages("adjustments")] == [third, second, first]
    assert [item["id"] for item in house.pages("adjustments", player=alice.id)] == [third, first]
    assert [item["id"] for item in house.pages("adjustments", reason="abuse")] == [second]
    assert house.pages("adjustments", to="2020-01-01") == []
    assert code(house.get("adjustments", **{"from": "2026-01-02", "to": "2026-01-01"})) == (422, "period_reversed")
    lines = read_csv(house, "adjustments?format=csv")
    assert [line[0] for line in lines] == ["id", third, second, first]

    totals = house.read("adjustment-totals")["items"]
    assert [(each["reason"], each["count"], each["amount"]["amount"]) for each in totals] == [
        ("abuse", 1, "1.50"), ("complaint", 1, "20.00"),
    ]  # fmt: skip
    assert read_csv(house, "adjustment-totals?format=csv")[1:] == [
        ["abuse", "debit", "real", "1", "1.50", "0.00", "EUR"],
        ["complaint", "credit", "real", "1", "20.00", "0.00", "EUR"],
    ]  # fmt: skip
    assert house.read("adjustment-totals", to="2020-01-01")["items"] == []


def test_totals_are_of_real_money_by_default(house: Tenant) -> None:
    alice = house.player("Alice")
    for wish in (body(alice), body(alice, money_type="play", amount="7.00")):
        house.agree("adjustments", wish)

    totals = {
        money_type: house.read("adjustment-totals", money_type=money_type)["items"] for money_type in ("real", "play")
    }

    assert {money_type: [each["amount"]["amount"] for each in items] for money_type, items in totals.items()} == {
        "real": ["20.00"],
        "play": ["7.00"],
    }
    assert house.read("adjustment-totals")["items"] == totals["real"]


def test_another_operator_sees_and_decides_nothing(house: Tenant) -> None:
    adjustment, rival = request_adjustment(house, house.player("Alice")), tenant("rival")
    assert rival.read("adjustments")["items"] == []
    assert code(rival.get(f"adjustments/{adjustment}")) == (404, "unknown_adjustment")
    for decision in ("confirm", "decline", "cancel"):
        assert code(rival.post(f"changes/{adjustment}/{decision}", person="x")) == (404, "unknown_change")
    assert code(rival.post("adjustments", body(house.players[0]), person="x")) == (404, "unknown_account")
    assert house.read(f"changes/{adjustment}")["status"] == "requested"


def test_a_player_reads_only_their_own_notices(house: Tenant) -> None:
    alice, bob = house.player("Alice"), house.player("Bob")
    house.agree("adjustments", body(alice))
    (notice,) = alice.read("notices")["items"]
    assert bob.read("notices")["items"] == []
    assert code(bob.post(f"notices/{notice['id']}/read")) == (404, "unknown_notice")
    assert alice.get("notices", unread="perhaps").status_code == 422


def test_no_real_money_is_adjusted_while_the_operators_own_wallet_holds_it(house: Tenant) -> None:
    alice = house.player("Alice", funds="")
    adjustments = {each: request_adjustment(house, alice, money_type=each) for each in ("real", "play")}
    use_wallet(house, "https://wallet.example")
    refused = house.post(f"changes/{adjustments['real']}/confirm", person="agent-3")
    assert (*code(refused), refused.json()["needed"]) == (409, "funding_differs", "house")
    assert house.do(f"changes/{adjustments['play']}/confirm", person="agent-3")["status"] == "effective"
    assert (alice.balances()["account", "real"], alice.balances()["account", "play"]) == ("0.00", "20.00")
