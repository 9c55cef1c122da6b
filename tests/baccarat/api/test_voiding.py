"""An operator's back office voids rounds by two persons, and resumes or voids suspended ones."""

from typing import Any

import pytest

from baccarat.storage.models import ShoeSecret
from tests.baccarat.api.people import Gambler, Tenant, bet, deal_all, sit

REASON = {"reason": "malfunction", "note": "The camera failed."}


def settled(house: Tenant) -> tuple[str, Gambler]:
    """Play one round, and return its id and its player."""
    alice, table = house.player("Alice"), house.table("mini")
    sit(alice, table)
    bet(alice, table, banker="100.00")
    deal_all()
    return str(alice.read("rounds")["items"][0]["id"]), alice


def refusal(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_two_persons_void_a_settled_round_and_the_player_has_the_stake_again(lucky: Tenant) -> None:
    round_, alice = settled(lucky)

    answer = lucky.post(f"rounds/{round_}/void", REASON, person="agent-1")
    change = answer.json()
    assert (answer.status_code, change["kind"], change["status"], change["requested_by"]) == (
        202, "void", "requested", lucky.actor("agent-1"),
    )  # fmt: skip
    assert lucky.read(f"rounds/{round_}")["phase"] == "settled"
    where = {"kind": "void", "subject": f"round:{round_}", "status": "requested"}
    assert [each["id"] for each in lucky.read("changes", **where)["items"]] == [change["id"]]

    assert lucky.do(f"changes/{change['id']}/confirm", person="agent-2")["status"] == "effective"
    voided = lucky.read(f"rounds/{round_}")
    assert (voided["phase"], voided["void"]["reason"]) == ("voided", "malfunction")
    assert [each["id"] for each in lucky.read("rounds", status="voided")["items"]] == [round_]
    assert lucky.read("changes", **where)["items"] == []
    assert alice.balances()["game", "real"] == "1000.00"
    assert refusal(lucky.post(f"rounds/{round_}/void", REASON, person="agent-1")) == (409, "round_already_voided")


@pytest.mark.parametrize("same", ["agent-1", "Agent-1", "AGENT-1"])
def test_nobody_confirms_their_own_request_however_they_spell_themselves(lucky: Tenant, same: str) -> None:
    round_, _ = settled(lucky)
    change = lucky.do(f"rounds/{round_}/void", REASON, person="agent-1")
    answer = lucky.post(f"changes/{change['id']}/confirm", person=same)
    assert refusal(answer) == (403, "change_needs_second_person")
    assert lucky.read(f"rounds/{round_}")["phase"] == "settled"


def test_an_operators_key_alone_decides_nothing(lucky: Tenant) -> None:
    round_, _ = settled(lucky)
    assert refusal(lucky.post(f"rounds/{round_}/void", REASON)) == (403, "assertion_required")
    change = lucky.do(f"rounds/{round_}/void", REASON, person="agent-1")
    assert refusal(lucky.post(f"changes/{change['id']}/confirm")) == (403, "assertion_required")
    assert refusal(lucky.post(f"rounds/{round_}/resume")) == (403, "assertion_required")
    assert lucky.read(f"changes/{change['id']}")["status"] == "requested"


def test_a_declined_void_leaves_the_round_as_it_was_and_can_be_requested_again(lucky: Tenant) -> None:
    round_, alice = settled(lucky)
    before = alice.balances()
    change = lucky.do(f"rounds/{round_}/void", REASON, person="agent-1")
    again = lucky.post(f"rounds/{round_}/void", REASON, person="agent-3")
    assert refusal(again) == (409, "change_already_requested")
    assert lucky.do(f"changes/{change['id']}/decline", person="agent-2")["status"] == "declined"
    assert (lucky.read(f"rounds/{round_}")["phase"], alice.balances()) == ("settled", before)
    assert lucky.do(f"rounds/{round_}/void", REASON, person="agent-1")["status"] == "requested"


def test_a_round_in_play_is_void_at_once_and_its_stakes_go_back(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    bet(alice, table, banker="100.00")
    round_ = lucky.read(f"tables/{table}")["round"]["id"]
    assert lucky.do(f"rounds/{round_}/void", REASON, person="agent-1")["phase"] == "voided"
    assert alice.balances()["game", "real"] == "1000.00"


@pytest.mark.parametrize("end", ["resume", "void"])
def test_a_suspended_round_is_listed_and_resumed_or_voided(lucky: Tenant, end: str) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    bet(alice, table, banker="100.00")
    running = lucky.read(f"tables/{table}")["round"]
    secret = ShoeSecret.objects.get(shoe_id=running["shoe"])
    ShoeSecret.objects.filter(pk=secret.pk).delete()
    deal_all()

    (suspended,) = lucky.read("rounds", status="suspended")["items"]
    assert (suspended["id"], suspended["suspended"]) == (running["id"], True)
    secret.save(force_insert=True)
    body = REASON if end == "void" else {}
    lucky.do(f"rounds/{running['id']}/{end}", body, person="agent-1")
    deal_all()

    ended = lucky.read(f"rounds/{running['id']}")
    assert (ended["phase"], ended["suspended"]) == ("settled" if end == "resume" else "voided", False)
    assert lucky.read("rounds", status="suspended")["items"] == []
    answer = lucky.post(f"rounds/{running['id']}/resume", person="agent-1")
    assert refusal(answer) == (409, "round_not_suspended")


@pytest.mark.parametrize(
    "body",
    [{}, {"reason": "boredom", "note": "x"}, {"reason": "fraud", "note": " "}, {"reason": "fraud"}, {**REASON, "x": 1}],
)
def test_a_void_says_why(lucky: Tenant, body: Any) -> None:
    round_, _ = settled(lucky)
    assert lucky.post(f"rounds/{round_}/void", body, person="agent-1").status_code == 422
    assert lucky.read("changes", kind="void")["items"] == []
