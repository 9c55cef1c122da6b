"""An operator's kill switches and its tables' versions, over HTTP."""

from uuid import UUID

from django.db import connection
from django.test.utils import CaptureQueriesContext

from baccarat.domain.rules.table_rules import Ratio
from baccarat.domain.tables.kill_switch import StopScope
from baccarat.services import kill_switch, rules_lifecycle
from casino.events.store import Metadata
from casino.significant import thresholds
from casino.significant.thresholds import Thresholds
from tests.baccarat.api.people import NOWHERE, Tenant, bet, deal_all, sit
from tests.support import rules as waiting_rules
from tests.support.spots import spots_of

HOUSE = Metadata(operator="", actor="shell:ops", causation="", correlation="")


def test_an_operator_stops_and_resumes_its_own_and_sees_what_holds_it(lucky: Tenant, golden: Tenant) -> None:
    table = lucky.table("mini")
    alice = lucky.player("Alice")
    sit(alice, table)
    body = {"scope": "table", "subject": table, "reason": "The camera is down.", "player_message": "Back at nine."}

    stopped = lucky.do("stops", body)
    assert (stopped["active"], stopped["player_message"]) == (True, "Back at nine.")
    refused = alice.post(f"tables/{table}/new-game")
    assert (refused.status_code, refused.json()["code"]) == (403, "table_is_stopped")
    assert refused.json()["detail"] == "Back at nine."
    assert alice.read(f"tables/{table}")["stop"]["player_message"] == "Back at nine."
    assert lucky.post("stops", body).json()["code"] == "already_stopped"
    assert golden.post("stops", body).json()["code"] == "unknown_stop_subject"
    assert golden.read("stops")["items"] == []
    lucky.do("stops/resume", {"scope": "table", "subject": table, "reason": "It is back."})
    alice.do(f"tables/{table}/new-game")

    kill_switch.stop(scope=StopScope.TABLE, subject=table, reason="secret", metadata=HOUSE)
    (shown,) = lucky.read("stops")["items"]
    assert (shown["by"], shown["rank"], shown["reason"], shown["active"]) == ("platform", "platform", "", True)
    again = lucky.post("stops/resume", {"scope": "table", "subject": table, "reason": "Please."})
    assert again.json()["code"] == "stop_of_higher_rank"
    for wrong in ({"scope": "gaming", "reason": "x"}, {"scope": "rules", "subject": "mini@1", "reason": "x"}):
        assert lucky.post("stops", wrong).json()["code"] == "unknown_stop_subject"


def test_a_whole_live_casino_resumes_when_two_persons_have_signed(lucky: Tenant, golden: Tenant) -> None:
    table, everything = lucky.table("mini"), {"scope": "operator", "reason": "Smoke."}
    lucky.do("stops", everything)
    assert lucky.post("stops/resume", everything).json()["code"] == "assertion_required"
    change = lucky.do("stops/resume", everything, person="ann")
    assert (change["kind"], change["status"]) == ("resume_play", "requested")
    again = lucky.post(f"changes/{change['id']}/confirm", person="ann")
    assert again.json()["code"] == "change_needs_second_person"
    assert lucky.read(f"tables/{table}")["stop"]["scope"] == "operator"
    lucky.do(f"changes/{change['id']}/confirm", person="ben")
    assert lucky.read(f"tables/{table}")["stop"] is None
    (shown,) = lucky.read("stops")["items"]
    assert (shown["by"][:6], shown["rank"], shown["active"]) == ("staff:", "operator", False)
    assert golden.read("stops")["items"] == []


def test_an_operator_sees_the_versions_of_its_tables_with_what_they_return_and_returned(
    lucky: Tenant, golden: Tenant
) -> None:
    table = lucky.table("mini")
    alice = lucky.player("Alice")
    sit(alice, table)
    bet(alice, table, banker="10.00")
    deal_all()
    me = {"table": UUID(table), "operator": UUID(lucky.id), "metadata": HOUSE}
    number = rules_lifecycle.draft(differences={"spots": spots_of("mini", tie=Ratio(9, 1))}, by="staff:1", **me)
    waiting_rules.publish(table, number)

    second, first = lucky.read(f"tables/{table}/versions")["items"]
    assert (first["label"], first["status"], second["label"], second["status"]) == (
        "mini@1", "in_force", "mini@2", "published",
    )  # fmt: skip
    tie = next(each for each in first["returns"] if each["spot"] == "tie")
    assert tie["exact"]["decimal"] == "0.856403712"
    assert (
        first["performance"][0]["money_type"],
        first["performance"][0]["staked"],
        first["performance"][0]["rounds"],
    ) == (
        "real",
        "10.00",
        1,
    )
    assert second["performance"] == []
    assert (second["drafted_by"], second["decided_by"]) == ("staff:1", "staff:2")
    for path, caller in ((f"tables/{table}/versions", golden), (f"tables/{NOWHERE}/versions", lucky)):
        assert caller.get(path).json()["code"] == "unknown_table"


def test_what_counts_as_large_can_be_read_and_is_ones_own(lucky: Tenant, golden: Tenant) -> None:
    (shown,) = lucky.read("thresholds")["items"]
    assert (shown["currency"], shown["wager"], shown["wager_day"], shown["set_at"]) == (
        "EUR", "10000.00", "50000.00", None,
    )  # fmt: skip
    amounts = Thresholds(50_000, 90_000, 50_000, 90_000, 70_050)
    thresholds.change(operator=UUID(lucky.id), currency="EUR", thresholds=amounts, actor="shell:ops")
    (own,), (others,) = (each.read("thresholds")["items"] for each in (lucky, golden))
    assert (own["payment"], own["set_at"] is None, others["payment"]) == ("700.50", False, "10000.00")


def test_a_list_of_stopped_players_takes_as_many_questions_as_one_of_them(lucky: Tenant) -> None:
    asked = []
    for name in ("Alice", "Bob"):
        why = {
            "scope": "player",
            "subject": lucky.player(name).id,
            "reason": f"{name} shouted.",
            "player_message": "Call us.",
        }
        lucky.do("stops", why)
        with CaptureQueriesContext(connection) as captured:
            told = lucky.read("stops")["items"]
        asked.append(len(captured))
    assert asked[0] == asked[1]
    assert {("Alice shouted.", "Call us."), ("Bob shouted.", "Call us.")} <= {
        (t["reason"], t["player_message"]) for t in told
    }
