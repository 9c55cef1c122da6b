"""Rules of a table changed over HTTP: one person at an operator's desk drafts, another publishes."""

import inspect
import json
import re

import pytest

from baccarat.audit import engine
from baccarat.domain.rules import spots, validation
from casino.api.error_catalogue import FIELD_PROBLEMS
from casino.devstack.home import PROJECT
from casino.events import sealer
from tests.baccarat.api.people import NOWHERE, Tenant, bet, deal_all, sit
from tests.support.spots import written

GUIDE = PROJECT / "deploy" / "docs" / "integration" / "tables-and-turns.md"


@pytest.mark.usefixtures("database")
def test_one_drafts_another_publishes_and_it_holds_from_the_next_round(lucky: Tenant) -> None:
    table = lucky.table("mini")
    at, alice = f"tables/{table}/versions", lucky.player("Alice")
    sit(alice, table)
    asked = {"rules": {"spots": written(tie="9:1"), "minimum": "10.00"}, "reason": " Asked for by the players. "}
    change = lucky.do(at, asked, person="ann")
    assert (change["kind"], change["subject"]) == ("rules", f"rules:{table}/2")
    draft = lucky.read(f"{at}/2")
    assert (draft["version"], draft["status"], draft["drafted_by"]) == (2, "draft", lucky.actor("ann"))
    assert (draft["change_reason"], draft["reason"]) == ("Asked for by the players.", "")
    tie = next(each for each in draft["returns"] if each["spot"] == "tie")
    assert tie["exact"]["decimal"] == "0.951559680"
    confirm = f"changes/{change['id']}/confirm"
    alone = lucky.post(confirm, person="ann")
    assert (alone.status_code, alone.json()["code"]) == (403, "change_needs_second_person")
    assert lucky.post(at, {"rules": {"minimum": "15.00"}}, person="ben").json()["code"] == "draft_pending"
    lucky.do(confirm, person="ben")
    published = lucky.read(f"{at}/2")
    assert (published["status"], published["decided_by"], published["effective_from"]) == (
        "published", lucky.actor("ben"), "next_round",
    )  # fmt: skip
    assert lucky.post(confirm, person="ben").json()["code"] == "change_decided"
    bet(alice, table, banker="10.00")
    deal_all()
    played, shown = alice.read("rounds")["items"][0], alice.read(f"tables/{table}")["rules_digest"]
    assert (played["rules_label"], played["rules"], shown) == ("mini@2", published["digest"], published["digest"])
    sealer.seal_all()
    assert engine.run_audit().findings == ()


@pytest.mark.parametrize(("decision", "person"), [("decline", "ben"), ("cancel", "ann")])
def test_a_draft_whose_change_is_declined_or_cancelled_is_dropped(lucky: Tenant, decision: str, person: str) -> None:
    at = f"tables/{lucky.table('mini')}/versions"
    change = lucky.do(at, {"rules": {"minimum": "10.00"}}, person="ann")
    lucky.do(f"changes/{change['id']}/{decision}", person=person)
    dropped = lucky.read(f"{at}/2")
    assert (dropped["status"], dropped["decided_by"]) == ("rejected", lucky.actor(person))
    assert lucky.do(at, {"rules": {"minimum": "10.00"}}, person="ann")["subject"].endswith("/3")


@pytest.mark.parametrize(
    ("rules", "code"),
    [
        ({"spots": written(banker="2:1")}, "odds_too_high"),
        ({"spots": written(commission=None)}, "player_edge_not_accepted"),
        ({"spots": written(tie="6:1")}, "return_under_floor"),
        ({}, "rules_unchanged"),
        ({"decks": 0}, "invalid_rules"),
        ({"shuffle": "shoe", "cut_cards_from_end": 14}, "shuffle_is_fixed"),
    ],
)
def test_doubtful_rules_are_refused_as_everywhere_and_change_nothing(
    lucky: Tenant, rules: dict[str, object], code: str
) -> None:
    at = f"tables/{lucky.table('mini')}/versions"
    assert lucky.post(at, {"rules": rules}, person="ann").json()["code"] == code
    assert len(lucky.read(at)["items"]) == 1


def test_what_returns_less_than_the_floor_needs_the_very_sentence_of_the_refusal(lucky: Tenant) -> None:
    at = f"tables/{lucky.table('mini')}/versions"
    asked = {"rules": {"spots": written(tie="6:1")}}
    sentence = lucky.post(at, asked, person="ann").json()["required_acknowledgement"]
    assert sentence == "We accept that Tie returns 66.6092%, less than our floor of 75.0000%."
    assert lucky.post(at, {**asked, "acknowledgement": "yes"}, person="ann").json()["code"] == "acknowledgement_differs"
    lucky.do(at, {**asked, "acknowledgement": sentence}, person="ann")
    assert lucky.read(f"{at}/2")["acknowledgement"] == sentence


@pytest.mark.usefixtures("database")
def test_rules_in_force_are_withdrawn_by_one_person_and_a_late_repeat_withdraws_no_others(lucky: Tenant) -> None:
    table = lucky.table("mini")
    at, alice = f"tables/{table}/versions", lucky.player("Alice")
    sit(alice, table)
    why = {"reason": "Printed wrong."}
    assert lucky.post(f"{at}/1/retire", {"reason": " "}, person="ben").json()["code"] == "field_blank"
    assert lucky.post(f"{at}/2/retire", why, person="ben").json()["code"] == "version_not_in_force"
    withdrawn = lucky.do(f"{at}/1/retire", why, person="ben")
    assert (withdrawn["status"], withdrawn["reason"]) == ("retired", "Printed wrong.")
    assert alice.post(f"tables/{table}/new-game", {}).json()["code"] == "rules_retired"
    lucky.agree(at, {"rules": {"minimum": "10.00"}})
    bet(alice, table, banker="10.00")
    assert lucky.post(f"{at}/1/retire", why, person="ben").json()["code"] == "version_not_in_force"
    sealer.seal_all()
    assert engine.run_audit().findings == ()


def test_another_operator_neither_sees_nor_touches_a_version(lucky: Tenant, golden: Tenant) -> None:
    table = lucky.table("mini")
    at = f"tables/{table}/versions"
    lucky.do(at, {"rules": {"minimum": "10.00"}}, person="ann")
    assert golden.post(at, {"rules": {"minimum": "10.00"}}, person="ann").json()["code"] == "unknown_table"
    assert golden.get(f"{at}/2").json()["code"] == "unknown_table"
    assert golden.post(f"{at}/2/retire", {"reason": "x"}, person="ben").json()["code"] == "unknown_table"
    assert lucky.read(f"{at}/2")["status"] == "draft"
    assert lucky.get(f"{at}/9").json()["code"] == "unknown_version"
    assert lucky.get(f"tables/{NOWHERE}/versions/1").json()["code"] == "unknown_table"
    assert lucky.post(at, {"rules": {}, "actor": "ben"}, person="ben").json()["code"] == "unknown_field"


def test_the_guide_explains_every_code_of_what_can_be_wrong_with_rules() -> None:
    source = "".join(inspect.getsource(module) for module in (spots, validation))
    codes = set(re.findall(r'Fault\([^,]+, "(\w+)"', source))
    codes |= set(re.findall(r'^    \(\s*"\w+",\s*"(\w+)",', source, re.MULTILINE))
    rows = re.findall(r"^\| (`.*?) \|", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    told = {code for row in rows for code in re.findall("[a-z_]+", row)} | {each.code for each in FIELD_PROBLEMS}
    assert {"line_unreachable", "burn_needs_a_shoe", "look_without_hand_back"} <= codes
    assert codes - told == set()


def test_the_guides_spots_can_be_played(lucky: Tenant) -> None:
    (example,) = re.findall(r"```json\n(\[.*?\])\n```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    table = lucky.table("mini", money_types=["play"], rules={"spots": json.loads(example)})
    listed = lucky.read(f"tables/{table}")["rules"]["spots"]
    assert [spot["name"] for spot in listed] == ["player", "banker", "tie", "lucky_nine"]
