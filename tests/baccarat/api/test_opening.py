"""Tables for real money: who opens them at a live operator, with which rules, and what is told of it."""

from typing import Any

import pytest

from baccarat.domain.rules.presets import rules_for
from baccarat.domain.rules.table_rules import FactCondition, PayLine, Ratio, SpotKind, SpotRules
from baccarat.domain.rules.versions import spots_over_odds
from baccarat.services import table_lifecycle
from casino.events.store import Metadata
from casino.kernel.money import MoneyType
from casino.operators.refusals import ChangeNeedsSecondPerson
from casino.significant.models import SignificantEvent
from tests.baccarat.api.people import Tenant, sandbox_tenant
from tests.support.spots import written
from tests.support.tables import digest_of

MINI: dict[str, Any] = {"name": "A table", "preset": "mini", "currency": "EUR", "money_types": ["real"]}
NINE = {**MINI, "rules": {"spots": written(tie="9:1")}}
EDGE = {**MINI, "preset": "atlantic_city", "accept_player_edge": True}


def test_one_opens_a_table_for_real_money_with_the_rules_of_a_preset_alone(lucky: Tenant) -> None:
    assert lucky.post("tables", MINI).status_code == 201
    assert lucky.post("tables", {**MINI, "rules": {"spots": written(tie="8:1")}}).status_code == 201
    assert lucky.post("tables", {**NINE, "money_types": ["play"]}).status_code == 201
    assert sandbox_tenant("free").post("tables", NINE).status_code == 201


@pytest.mark.parametrize("body", [NINE, EDGE])
def test_other_rules_or_a_players_edge_take_two_persons(lucky: Tenant, body: dict[str, Any]) -> None:
    alone = lucky.post("tables", body)
    assert (alone.status_code, alone.json()["code"]) == (403, "assertion_required")
    waits = lucky.post("tables", body, person="ann")
    assert (waits.status_code, waits.json()["kind"], waits.json()["status"]) == (202, "open_table", "requested")
    confirm = f"changes/{waits.json()['id']}/confirm"
    assert lucky.post(confirm, person="ann").json()["code"] == "change_needs_second_person"
    assert lucky.read("tables")["items"] == []

    lucky.do(confirm, person="ben")
    (opened,) = lucky.read("tables")["items"]
    assert waits.json()["subject"] == f"table:{opened['id']}"
    (version,) = lucky.read(f"tables/{opened['id']}/versions")["items"]
    assert (version["drafted_by"], version["decided_by"]) == (lucky.actor("ann"), lucky.actor("ben"))
    assert (version["label"], version["digest"]) == (f"{body['preset']}@1", digest_of(opened["id"]))


def test_no_service_opens_alone_what_two_persons_agree_on(lucky: Tenant) -> None:
    by = Metadata(operator=lucky.id, actor="shell:ops", causation="")
    terms: dict[str, Any] = {"name": "A table", "currency": "EUR", "money_types": [MoneyType.REAL], "metadata": by}
    with pytest.raises(ChangeNeedsSecondPerson):
        table_lifecycle.open_table(operator=lucky.id, preset="atlantic_city", edge_accepted=True, overrides={}, **terms)


def test_that_players_have_the_edge_is_a_critical_event_with_the_odds_and_both_persons(lucky: Tenant) -> None:
    table = lucky.open_table(EDGE)
    told = SignificantEvent.objects.get(kind="player_edge", subject=f"table:{table}")
    assert (told.severity, told.actor, told.authorised_by) == ("critical", lucky.actor("ann"), lucky.actor("ben"))
    assert told.after["odds"]["tie"] == "pays 8:1 if winner is tie"
    assert told.after["odds"]["banker"] == "the stake is returned if winner is tie, pays 1:1 if winner is banker"
    assert told.after["returns"]["banker"] == "101.2351%"
    assert (told.after["rules"], told.after["label"]) == (digest_of(table), "atlantic_city@1")

    change = lucky.do(f"tables/{lucky.open_table(MINI)}/versions", {
        "rules": {"spots": written(commission=None)},
        "acknowledgement": "We accept that the player has the edge on Banker, which returns 101.2351%.",
    }, person="ann")  # fmt: skip
    assert SignificantEvent.objects.filter(kind="player_edge", operator_id=lucky.id).count() == 1
    lucky.do(f"changes/{change['id']}/confirm", person="ben")
    assert SignificantEvent.objects.filter(kind="player_edge", operator_id=lucky.id).count() == 2


@pytest.mark.parametrize(("name", "odds", "over"), [("pair", 250, ()), ("pair", 251, ("pair",)), ("tie", 21, ("tie",))])
def test_a_spot_without_highest_odds_of_its_own_has_those_of_all_others(
    name: str, odds: int, over: tuple[str, ...]
) -> None:
    line = PayLine((FactCondition("perfect_pairs", (2,)),), Ratio(odds, 1))
    spots = (*rules_for("mini", currency="EUR").spots[:2], SpotRules(name, SpotKind.SIDE, (line,)))
    assert spots_over_odds(rules_for("mini", currency="EUR", spots=spots)) == over


def test_one_wager_wins_for_real_money_at_most_what_the_installation_allows(lucky: Tenant) -> None:
    rules = {"minimum": "5.00", "maximum": "125000.00"}
    alone = lucky.post("tables", {**MINI, "rules": rules}, person="ann")
    assert alone.status_code == 202
    more = lucky.post("tables", {**MINI, "rules": {**rules, "maximum": "125001.00"}}, person="ann").json()
    assert (more["code"], more["largest_win"], more["highest_win"]) == ("win_too_large", "1000008.00", "1000000.00")
    body = {**MINI, "money_types": ["play"], "rules": {**rules, "maximum": "125001.00"}}
    assert lucky.post("tables", body).status_code == 201


@pytest.mark.parametrize(("odds", "status"), [("20:1", 202), ("21:1", 422)])
def test_odds_up_to_the_highest_are_offered(lucky: Tenant, odds: str, status: int) -> None:
    body = {**MINI, "accept_player_edge": True, "rules": {"spots": written(tie=odds)}}
    assert lucky.post("tables", body, person="ann").status_code == status
    sandbox = sandbox_tenant("free").post("tables", body)
    assert sandbox.status_code == (201 if status == 202 else 422)
