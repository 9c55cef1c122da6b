"""The risk desk's pages: a player's page says what was found, and a case is worked on to its file."""

import csv
import io
import json
import zipfile
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.urls import reverse
from django.utils import timezone

from baccarat.domain.tables.kill_switch import StopScope
from baccarat.risk import detection, networks, players, rule_changes, rules
from baccarat.risk.models import KycStatus, PlayerNote, PlayerStatus, RiskAlert, RiskRule
from baccarat.risk.rules import NewRule, RuleKind, RuleTerms
from baccarat.services import exclusion, kill_switch
from casino.backoffice import html
from casino.compliance import cases, retention
from casino.compliance.models import Case, CaseEntry
from casino.events import sealer
from casino.events.sql import execute
from casino.operators import changes
from casino.operators.models import Change, Operator
from casino.operators.refusals import ChangeNeedsSecondPerson
from casino.significant.models import SignificantEvent
from tests.support import workbooks
from tests.support.office import Office, open_office, page_of, staff, superuser
from wallet import notices
from wallet.ledger import player_accounts
from wallet.responsible_gaming.events import Initiator
from wallet.responsible_gaming.services import PlayerContext
from wallet.responsible_gaming.state import ExclusionKind

pytestmark = pytest.mark.django_db
COMPLIANCE = (
    "risk.view_riskalert", "risk.view_riskrule", "risk.view_playernote", "risk.view_playerstatus", "risk.assess_player",
    "compliance.view_case", "compliance.resolve_case", "operators.view_player",
)  # fmt: skip
SUPPORT = ("operators.view_player", "risk.assess_player", "compliance.view_complaint")
FIGURES = "/admin/players/"


@pytest.fixture
def office() -> Office:
    """Open a casino where a rule about wagers has found its first player."""
    office = open_office()
    terms = RuleTerms(hours=24, amount=15_000)
    rule = NewRule(kind=RuleKind.STAKE_SUM, terms=terms, reason="A test.", currency="EUR", operator=office.operator.id)
    rules.change_rule(rule, by="staff:1")
    sealer.seal_all()
    detection.watch()
    return office


def action(model: str, name: str, key: object) -> str:
    return reverse(f"admin:{model}_{name}", args=[key])


def test_who_staked_or_deposited_most_is_one_form(office: Office) -> None:
    client = staff("risk.view_riskalert", "operators.view_player")
    page = client.get(
        FIGURES, {"measure": "staked", "least": "150", "currency": "EUR", "window": "24 h"}
    ).content.decode()
    assert page_of("operators_player", office.player.id) in page
    assert "200.00" in page
    assert "No player reaches this." in client.get(FIGURES, {"measure": "staked", "least": "900"}).content.decode()
    assert "Enter a whole number." in client.get(FIGURES, {"measure": "deposits", "least": "x"}).content.decode()
    assert "c-wrong" in client.get(FIGURES, {"least": "much"}).content.decode()
    assert "Player figures" in client.get(reverse("admin:operators_player_changelist")).content.decode()


def test_others_do_not_see_the_figures_nor_players_of_other_operators(office: Office) -> None:
    other = open_office("other")
    sealer.seal_all()
    detection.watch()
    page = staff("risk.view_riskalert", "operators.view_player", works_for="other").get(FIGURES, {"measure": "staked"})
    assert page_of("operators_player", other.player.id) in page.content.decode()
    assert page_of("operators_player", office.player.id) not in page.content.decode()
    assert staff("operators.view_player", name="nobody").get(FIGURES).status_code == 403


def test_a_players_page_takes_notes_tags_and_complaints(office: Office) -> None:
    client, key = staff(*COMPLIANCE), office.player.id
    client.post(action("operators_player", "note", key), {"text": "Asked for a payslip."})
    client.post(action("operators_player", "status", key), {"kyc": "pending", "tags": "VIP, pep"})
    client.post(action("operators_player", "status", key), {"kyc": "pending", "tags": "pep vip"})
    client.post(action("operators_player", "complaint", key), {"text": "The third card was late."})
    assert "payslip" not in PlayerNote.objects.get().text
    assert (PlayerStatus.objects.get().tags, PlayerStatus.objects.get().kyc) == (["pep", "vip"], "pending")
    complaint = Case.objects.get(kind="complaint")
    deadline = CaseEntry.objects.get(case=complaint, kind="deadline")
    assert deadline.due_at is not None
    assert timedelta(hours=239) < deadline.due_at - complaint.opened_at < timedelta(hours=241)
    page = client.get(page_of("operators_player", key)).content.decode()
    for text in ("Asked for a payslip.", "pep, vip", "sum of wagers", "Recent activity, real money", "complaint"):
        assert text in page
    wrong = client.post(action("operators_player", "status", key), {"kyc": "pending", "tags": "ünsafe"})
    assert "This status can&#x27;t be set" in wrong.content.decode()
    assert PlayerStatus.objects.count() == 1


def test_a_complaints_time_is_read_in_the_zone_that_its_field_names(office: Office) -> None:
    client, key = superuser(), office.player.id
    client.post(reverse("admin:time_zone"), {"zone": "America/New_York"})
    assert "Received; empty: now (America/New_York)" in client.get(page_of("operators_player", key)).content.decode()
    complaint = {"text": "The third card was late.", "received_at": "2026-03-01T12:00"}
    client.post(action("operators_player", "complaint", key), complaint)
    assert Case.objects.get(kind="complaint").details["received_at"] == "2026-03-01T12:00:00-05:00"


def test_a_refused_action_keeps_what_was_typed_and_says_why_beside_it(office: Office) -> None:
    client, key = staff(*COMPLIANCE), office.player.id
    later = (timezone.now() + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M:%S")
    complaint = {"text": "The third card was late.", "received_at": later}
    answer = client.post(action("operators_player", "complaint", key), complaint)
    assert not Case.objects.filter(kind="complaint").exists()
    _, _, opened = answer.content.decode().partition('<details name="action" open>')
    form = opened.partition("</details>")[0]
    assert "Open a complaint" in form.partition("</summary>")[0]
    for text in ("be received in the future", "The third card was late.", later):
        assert text in form


def test_a_form_that_no_longer_applies_is_shown_once_more_with_what_was_typed(office: Office) -> None:
    client, case = staff(*COMPLIANCE), Case.objects.filter(subject=f"player:{office.player.id}").get()
    client.post(action("compliance_case", "entry", case.pk), {"step": "resolved", "text": "Winnings of a lottery."})
    again = {"step": "resolved", "text": "A gift."}
    page = client.post(action("compliance_case", "entry", case.pk), again).content.decode()
    assert "A gift." in page
    assert 'class="c-wrong" role="alert"' in page
    assert "A gift." not in client.get(page_of("compliance_case", case.pk)).content.decode()


def test_a_case_is_written_in_given_a_deadline_exported_and_resolved(office: Office) -> None:
    client, case = staff(*COMPLIANCE), Case.objects.filter(subject=f"player:{office.player.id}").get()
    alert = RiskAlert.objects.filter(player_id=office.player.id).get()
    assert html.PAGES["risk_alert"] == "risk_riskalert"
    entry = {"step": "evidence", "text": "Two rounds of 100.", "evidence": f"player:{office.player.id}"}
    client.post(action("compliance_case", "entry", case.pk), entry)
    client.post(action("compliance_case", "deadline", case.pk), {"due_at": "2020-01-01T00:00", "text": "Late."})
    due = (timezone.now() + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M")
    client.post(action("compliance_case", "deadline", case.pk), {"due_at": due, "text": "Wait for the bank."})
    assert CaseEntry.objects.filter(case=case, kind="deadline").count() == 2  # the rule's, and the one in the future
    neighbour = player_accounts.register_player(
        operator=office.operator.id, reference="near", nickname="Nea", currency="EUR", metadata=office.house.metadata
    ).id
    for player in (office.player.id, neighbour):
        execute("INSERT INTO risk_playernetwork (player_id, network) VALUES (%s, %s)", [player, networks.digest("::1")])
    page = client.get(page_of("compliance_case", case.pk)).content.decode()
    assert page_of("operators_player", neighbour) in page
    for text in ("Two rounds of 100.", "Wait for the bank.", "Sum of wagers", page_of("risk_riskalert", alert.pk)):
        assert text in page

    file = client.get(reverse("admin:compliance_case_file", args=[case.pk]))
    assert file["Content-Disposition"] == f'attachment; filename="lucky-case-{case.pk}.zip"'
    archive = zipfile.ZipFile(io.BytesIO(file.content))
    content: dict[str, Any] = json.loads(archive.read("case.json"))
    assert content["player"]["reference"] == "lucky-alice"
    assert [each["rule"] for each in content["alerts"]] == ["stake_sum"]
    assert "Two rounds of 100." in [each["text"] for each in content["entries"]]
    for name, rows in (("payments", 0), ("wagers", 2)):
        lines = list(csv.reader(io.StringIO(archive.read(f"{name}.csv").decode("utf-8-sig"), newline="")))
        assert len(lines) == 1 + rows
        sheet = workbooks.rows_of(archive.read("case.xlsx"), name)
        assert [[line[0][:19], *line[1:]] for line in sheet] == [[line[0][:19], *line[1:]] for line in lines]
    assert {(line[7], line[8]) for line in lines[1:]} == {('{"banker": "100.00"}', "100.00")}
    assert content["sums"]["EUR"]["30 d"]["staked"] == content["alerts"][0]["amount"] == "200.00"
    assert content["case"]["details"]["staked"] == "200.00"
    assert CaseEntry.objects.filter(case=case, kind="export").exists()

    where, resolution = action("compliance_case", "entry", case.pk), "Winnings of a lottery, shown."
    for wrong in ("upheld", "more_needed", ""):
        client.post(where, {"step": wrong, "text": "Not here.", "message": "You."})
    client.post(where, {"step": "resolved", "text": resolution})
    page = client.get(page_of("compliance_case", case.pk)).content.decode()
    assert resolution in page
    assert "Not here." not in page
    assert "Resolve it" not in page
    client.post(where, {"step": "reopened", "text": "The lottery denies it."})
    assert [step.action for step in case.actions.order_by("number")] == ["resolved", "reopened"]
    assert list(cases.open_about(operator=office.operator.id, player=office.player.id)) == [str(case.pk)]
    assert notices.count_unread(operator=office.operator.id, player=office.player.id) == 0


def test_compliance_sets_what_complaints_are_answered_with_and_where_players_records_are(office: Office) -> None:
    client, key = superuser(), office.operator.pk
    client.post(
        action("operators_operator", "complaint_text", key),
        {"answer": "received", "language": "en", "text": "Thank you for writing."},
    )
    body = {"name": "Ombudsman", "url": "https://adr.example/"}
    client.post(action("operators_operator", "dispute_body", key), body)
    address = {"address": "https://crm.example/players/{reference}"}
    client.post(action("operators_operator", "player_record", key), address)

    page = client.get(page_of("operators_operator", key)).content.decode()
    for text in ("Received: en", "Ombudsman", "https://crm.example/players/{reference}"):
        assert text in page
    player = client.get(page_of("operators_player", office.player.id)).content.decode()
    assert 'href="https://crm.example/players/lucky-alice"' in player


def test_a_document_of_the_operators_is_named_by_its_number_and_digest(office: Office) -> None:
    client, case = staff(*COMPLIANCE), Case.objects.get(subject=f"player:{office.player.id}")
    url, document = action("compliance_case", "entry", case.pk), {"step": "document", "text": "A payslip."}
    client.post(url, {**document, "evidence": "DMS-2026/17"})
    client.post(url, {**document, "sha256": "ab" * 32})
    client.post(url, {**document, "step": "note", "evidence": "DMS-2026/17", "sha256": "ab" * 32})
    assert not CaseEntry.objects.filter(case=case).exclude(kind="deadline").exists()
    client.post(url, {**document, "evidence": "DMS-2026/17", "sha256": "AB" * 32})
    page = client.get(page_of("compliance_case", case.pk)).content.decode()
    assert "DMS-2026/17" in page
    assert page.count("ab" * 8) == 4  # in four lines


def test_who_opened_a_complaint_follows_it_to_its_answer_and_no_other_case(office: Office) -> None:
    support = staff(*SUPPORT, name="sue")
    other, compliance = staff(*SUPPORT, name="sam"), staff(*COMPLIANCE, name="carla")
    support.post(action("operators_player", "complaint", office.player.id), {"text": "The third card was late."})
    complaint, suspicion = Case.objects.get(kind="complaint"), Case.objects.get(subject=f"player:{office.player.id}")
    page, url = page_of("compliance_case", complaint.pk), action("compliance_case", "entry", complaint.pk)

    compliance.post(url, {"step": "more_needed", "message": "Which round was it?"})
    support.post(action("compliance_case", "note", complaint.pk), {"text": "She says round 7."})
    compliance.post(url, {"step": "note", "text": "Round 7 was in order."})
    compliance.post(url, {"step": "rejected", "text": "The card came in time.", "message": "See the video."})

    shown = support.get(page).content.decode()
    for text in ("Which round was it?", "She says round 7.", "The card came in time.", "See the video.", "rejected"):
        assert text in shown
    assert page in support.get(page_of("operators_player", office.player.id)).content.decode()
    listed = support.get(reverse("admin:compliance_case_changelist")).content.decode()
    assert page in listed
    assert "The third card was late." in listed
    assert page_of("compliance_case", suspicion.pk) not in listed + shown
    assert support.get(page_of("compliance_case", suspicion.pk)).status_code == 302
    assert support.post(url, {"step": "note", "text": "Mine."}).status_code == 403
    assert other.get(page).status_code == 302
    assert page not in other.get(page_of("operators_player", office.player.id)).content.decode()


def test_a_case_about_a_pair_is_on_the_pages_of_both_and_keeps_the_data_of_both(office: Office) -> None:
    case, operator = Case.objects.get(subject=f"player:{office.player.id}"), office.operator.id
    bea = player_accounts.register_player(
        operator=operator, reference="bea", nickname="Bea", currency="EUR", metadata=office.house.metadata
    ).id
    client = staff(*COMPLIANCE, works_for="lucky")
    assert "No case about this player" in client.get(page_of("operators_player", bea)).content.decode()
    RiskAlert.objects.create(
        operator_id=operator, player_id=office.player.id, other_id=bea, kind="shared_network", currency="EUR",
        hours=24, details={}, slot=timezone.now(), case_id=case.pk,
    )  # fmt: skip

    page = client.get(page_of("operators_player", bea)).content.decode()
    assert page_of("compliance_case", case.pk) in page
    assert page_of("operators_player", office.player.id) in page
    assert list(cases.about_player(Case.objects.all(), bea)) == [case]
    old = timezone.now() - timedelta(days=200)
    execute("INSERT INTO risk_playernetwork (player_id, network, last_used_at) VALUES (%s, 'x', %s)", [bea, old])
    assert retention.preview_purge("networks").rows == 0
    cases.resolve_case(case.pk, operator=operator, resolution="A couple.", by="staff:1")
    assert retention.preview_purge("networks").rows == 1


def test_compliance_sets_rules_of_operators_and_superiors_those_of_jurisdictions(office: Office) -> None:
    client = staff("risk.add_riskrule", "risk.view_riskrule", "operators.view_operator", works_for="lucky")
    address = reverse("admin:risk_riskrule_set")
    terms = {
        "kind": "deposit_sum", "currency": "eur", "hours": "24", "amount": "500", "enabled": "on", "reason": "Law.",
        "operator": str(office.operator.id),
    }  # fmt: skip
    answer = client.post(address, terms, follow=True)
    assert "500.00 EUR, in 24 h" in answer.content.decode()
    assert rules.rules_for(UUID(str(office.operator.id)), "EUR")[RuleKind.DEPOSIT_SUM].amount == 50_000
    assert SignificantEvent.objects.filter(kind="config_changed", reason="Risk rule, sum of deposits: Law.").exists()
    client.post(address, {**terms, "amount": "900"})
    assert "amount 900.00, " in Change.objects.latest("requested_at").summary
    refused = client.post(address, {**terms, "operator": "", "jurisdiction": "MT"})
    assert "do not work for all the operators" in refused.content.decode()
    assert "needs exactly these terms" in client.post(address, {**terms, "count": "3"}).content.decode()
    assert RiskRule.objects.filter(kind="deposit_sum").count() == 1
    client.post(action("operators_operator", "jurisdiction", office.operator.id), {"jurisdiction": "mt"})
    changes.confirm(Change.objects.get(kind="jurisdiction").pk, by="staff:999")
    page = client.get(page_of("operators_operator", office.operator.id)).content.decode()
    assert "Risk rules, EUR" in page
    assert "A player deposited at least 500.00 EUR." in page
    assert "MT" in page


@pytest.mark.parametrize(
    ("kind", "terms", "waits"),
    [
        (RuleKind.DEPOSIT_COUNT, RuleTerms(hours=48, count=9), False),
        (RuleKind.DEPOSIT_COUNT, RuleTerms(hours=24, count=11), True),
        (RuleKind.DEPOSIT_COUNT, RuleTerms(hours=23, count=10), True),
        (RuleKind.DEPOSIT_COUNT, RuleTerms(hours=24, count=10, enabled=False), True),
        (RuleKind.SUSPICION_DEADLINE, RuleTerms(hours=71), False),
        (RuleKind.SUSPICION_DEADLINE, RuleTerms(hours=73), True),
        (RuleKind.CHIP_DUMPING, RuleTerms(hours=24, count=20, share=81), True),
    ],
)
def test_one_person_tightens_a_rule_of_a_live_operator_and_another_confirms_a_looser_one(
    office: Office, kind: RuleKind, terms: RuleTerms, waits: bool
) -> None:
    rule = NewRule(kind=kind, terms=terms, operator=office.operator.id, reason="A test.")
    change = rule_changes.change_rule(rule, by="staff:1")
    assert (change is not None) == waits
    assert (rules.rules_for(office.operator.id, "EUR")[kind] == terms) != waits
    if change is None:
        return
    with pytest.raises(ChangeNeedsSecondPerson):
        changes.confirm(change.pk, by="staff:1")
    changes.confirm(change.pk, by="staff:2")
    assert rules.rules_for(office.operator.id, "EUR")[kind] == terms
    event = SignificantEvent.objects.filter(reason__startswith="Risk rule").latest("number")
    assert (event.actor, event.authorised_by) == ("staff:1", "staff:2")


def test_a_rule_for_all_currencies_is_looser_if_it_is_in_one_of_them(office: Office) -> None:
    operator = office.operator.id
    Operator.objects.filter(pk=operator).update(currencies=["EUR", "USD"])
    rule: dict[str, Any] = {"kind": RuleKind.DEPOSIT_COUNT, "operator": operator, "reason": "A test."}
    nine, five, seven = (RuleTerms(hours=24, count=count) for count in (9, 5, 7))
    assert rule_changes.change_rule(NewRule(**rule, terms=nine, currency="EUR"), by="staff:1") is None
    assert rule_changes.change_rule(NewRule(**rule, terms=five), by="staff:1") is None
    assert rule_changes.change_rule(NewRule(**rule, terms=seven), by="staff:1") is not None
    assert rules.rules_for(operator, "USD")[RuleKind.DEPOSIT_COUNT].count == 5


def register(office: Office, name: str) -> UUID:
    registered = player_accounts.register_player(
        operator=office.operator.id, reference=name, nickname=name, currency="EUR", metadata=office.house.metadata
    )
    return registered.id


def test_players_are_listed_by_kyc_status_tag_and_what_keeps_them_from_playing(office: Office) -> None:
    alice, others = office.player.id, [register(office, name) for name in ("Bob", "Carol", "Dan")]
    players.set_status(operator=office.operator.id, player=alice, by="staff:1", kyc=KycStatus.FAILED, tags=["vip"])
    players.set_status(operator=office.operator.id, player=alice, by="staff:1", kyc=KycStatus.VERIFIED)
    players.set_status(operator=office.operator.id, player=others[0], by="staff:1", tags=["pep", "vip"])
    for player, by, kind in (
        (alice, Initiator.PLAYER, ExclusionKind.SELF_EXCLUSION),
        (others[0], Initiator.PLAYER, ExclusionKind.COOLING_OFF),
        (others[2], Initiator.OPERATOR, ExclusionKind.SELF_EXCLUSION),
        (others[2], Initiator.PLAYER, ExclusionKind.COOLING_OFF),
    ):
        subject = PlayerContext(office.operator.id, player, "", office.house.metadata)
        exclusion.exclude(subject=subject, by=by, kind=kind, length=24)
    kill_switch.stop(
        scope=StopScope.PLAYER, subject=str(others[1]), reason="A quarrel.", message="", metadata=office.house.metadata
    )
    client = superuser()

    def listed(**query: str) -> set[UUID]:
        answer = client.get(reverse("admin:operators_player_changelist"), query)
        assert answer.status_code == 200
        return {row.pk for row in answer.context["cl"].result_list}

    assert listed(kyc="verified") == {alice}
    assert listed(kyc="failed") == set()
    assert listed(kyc="unknown") == {*others}
    assert listed(tag="vip") == {alice, others[0]}
    assert listed(tag="vip", kyc="unknown") == {others[0]}
    assert listed(exclusion="self_excluded") == {alice}
    assert listed(exclusion="cooling_off") == {others[0], others[2]}
    assert listed(exclusion="by_house") == {others[2]}
    assert listed(exclusion="stopped") == {others[1]}
    assert listed(exclusion="banned") == set()
    page = client.get(reverse("admin:operators_player_changelist")).content.decode()
    for text in ("KYC verified", "pep", "self-excluded", "cooling off", "excluded by the house", "stopped"):
        assert f">{text}</span>" in page


def test_who_may_not_see_statuses_and_exclusions_can_not_filter_by_them(office: Office) -> None:
    players.set_status(operator=office.operator.id, player=office.player.id, by="staff:1", tags=["vip"])
    client = staff("operators.view_player")
    answer = client.get(reverse("admin:operators_player_changelist"), {"exclusion": "stopped"}, follow=True)
    assert [row.pk for row in answer.context["cl"].result_list] == [office.player.id]
    for text in ("vip", "KYC", "Cooling off"):
        assert text not in answer.content.decode()
