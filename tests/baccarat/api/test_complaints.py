"""The player of a complaint is answered, by notice and to the operator's feed; nobody is told of other cases."""

from typing import Any
from uuid import UUID

import pytest

from baccarat.audit import engine
from casino.compliance import cases
from casino.compliance.models import CaseEntry, CaseKind
from casino.events import sealer
from casino.operators import complaint_terms
from casino.operators.models import Operator
from tests.baccarat.api.people import NOWHERE, Gambler, Tenant
from tests.casino.feed.play import publish, read_all


@pytest.fixture
def alice(lucky: Tenant) -> Gambler:
    return lucky.player("Alice")


def complaint(house: Tenant, player: Gambler) -> dict[str, Any]:
    case: dict[str, Any] = house.do(f"players/{player.id}/complaints", {"text": "It was late."}, person="agent-7")
    return case


def resolve(house: Tenant, case: str, outcome: str | None, **more: str) -> Any:
    body = {"resolution": "Looked at.", **({} if outcome is None else {"outcome": outcome}), **more}
    return house.post(f"cases/{case}/resolve", body, person="agent-9")


def told(player: Gambler) -> list[dict[str, Any]]:
    """Return the notices of a player, the oldest first."""
    notices: list[dict[str, Any]] = player.read("notices")["items"]
    return notices[::-1]


@pytest.mark.parametrize("outcome", ["upheld", "rejected", "closed"])
def test_a_player_reads_that_it_was_received_what_is_needed_and_how_it_ended(
    lucky: Tenant, alice: Gambler, outcome: str
) -> None:
    complaint_terms.set_dispute_body(UUID(lucky.id), name="Ombudsman", url="https://adr.example/", by="staff:1")
    case = complaint(lucky, alice)
    asked = lucky.do(f"cases/{case['id']}/entries", {"kind": "more_needed", "text": "Which round?"})
    lucky.do(f"cases/{case['id']}/entries", {"kind": "note", "text": "Round 7 was in order."})
    assert resolve(lucky, case["id"], outcome, message="See the video.").json()["answer"] == outcome

    received, more, end = told(alice)
    assert [each["kind"] for each in (received, more, end)] == [
        "complaint_received", "complaint_more_needed", f"complaint_{outcome}"
    ]  # fmt: skip
    assert [each["message"] for each in (received, more, end)] == ["", "Which round?", "See the video."]
    assert received["details"]["until"] == case["due_at"]
    assert received["details"]["complaint"] == {"case": case["id"], "texts": {}, "dispute_body": None}
    assert end["details"]["complaint"]["dispute_body"] == {"name": "Ombudsman", "url": "https://adr.example/"}
    assert (asked["kind"], asked["text"]) == ("more_needed", "Which round?")
    assert "Round 7" not in str(told(alice))
    assert "Looked at." not in str(told(alice))


def test_the_operator_may_replace_each_text_in_each_language(lucky: Tenant, alice: Gambler) -> None:
    operator = UUID(lucky.id)
    for language, text in (("en", "Thank you."), ("de", "Danke."), ("fr", "Merci."), ("fr", "")):
        complaint_terms.set_text(operator, answer="received", language=language, text=text, by="staff:1")
    complaint(lucky, alice)
    (notice,) = told(alice)
    assert notice["details"]["complaint"]["texts"] == {"en": "Thank you.", "de": "Danke."}
    for language in ("en", "de"):
        complaint_terms.set_text(operator, answer="received", language=language, text=" ", by="staff:1")
    assert Operator.objects.get(pk=operator).complaint_texts == {}


def test_each_answer_is_in_the_operators_feed_without_its_texts(lucky: Tenant, alice: Gambler) -> None:
    case = complaint(lucky, alice)
    lucky.do(f"cases/{case['id']}/entries", {"kind": "more_needed", "text": "Which round?"})
    resolve(lucky, case["id"], "closed", message="See the video.")
    publish()
    items = [each["data"] for each in read_all(lucky, types="complaint.answered")]
    assert [(each["answer"], each["player"], each["case"]) for each in items] == [
        (answer, alice.id, case["id"]) for answer in ("received", "more_needed", "closed")
    ]
    assert [each["due_at"] for each in items] == [case["due_at"], case["due_at"], None]
    for text in ("late", "Which", "video", "agent-"):
        assert text not in str(items)


def test_a_reopened_complaint_is_its_owners_again_and_answered_once_more(lucky: Tenant, alice: Gambler) -> None:
    case = complaint(lucky, alice)["id"]
    again = {"reason": "She sent the video."}
    early = lucky.post(f"cases/{case}/reopen", again, person="agent-9")
    assert (early.status_code, early.json()["code"]) == (409, "case_not_resolved")
    lucky.do(f"cases/{case}/assign", {"owner": "agent-9"})
    resolve(lucky, case, "rejected")
    alone = lucky.post(f"cases/{case}/reopen", again)
    assert (alone.status_code, alone.json()["code"]) == (403, "assertion_required")

    reopened = lucky.do(f"cases/{case}/reopen", again, person="agent-1")

    assert (reopened["status"], reopened["answer"]) == ("assigned", "received")
    assert [(each["action"], each["owner"]) for each in reopened["actions"]] == [
        ("assigned", "desk:agent-9"), ("resolved", "desk:agent-9"), ("reopened", "desk:agent-9")
    ]  # fmt: skip
    assert [each["id"] for each in lucky.read("cases", status="assigned")["items"]] == [case]
    assert lucky.read("cases", status="resolved")["items"] == []
    assert resolve(lucky, case, "upheld").json()["status"] == "resolved"
    kinds = [each["kind"].removeprefix("complaint_") for each in told(alice)]
    assert kinds == ["received", "rejected", "received", "upheld"]
    assert lucky.post(f"cases/{NOWHERE}/reopen", again, person="agent-1").json()["code"] == "unknown_case"


def test_only_a_complaint_has_an_outcome_and_nobody_is_told_of_another_case(lucky: Tenant, alice: Gambler) -> None:
    subject, operator = f"player:{alice.id}", UUID(lucky.id)
    suspicion = str(cases.open_case(operator=operator, kind=CaseKind.SUSPICIOUS_ACTIVITY, subject=subject, details={}))
    mine = complaint(lucky, alice)["id"]
    for case, outcome, more in (
        (mine, None, {}), (mine, "received", {}), (suspicion, "upheld", {}), (suspicion, None, {"message": "We know."})
    ):  # fmt: skip
        answer = resolve(lucky, case, outcome, **more)
        assert (answer.status_code, answer.json()["code"]) == (422, "case_outcome_invalid")
    asked = lucky.post(f"cases/{suspicion}/entries", {"kind": "more_needed", "text": "A payslip."})
    assert (asked.status_code, asked.json()["code"]) == (422, "case_entry_invalid")
    assert resolve(lucky, suspicion, None).json()["status"] == "resolved"

    second = cases.open_case(operator=operator, kind=CaseKind.SUSPICIOUS_ACTIVITY, subject=subject, details={})
    refused = lucky.post(f"cases/{suspicion}/reopen", {"reason": "Again."}, person="agent-1")
    assert (refused.status_code, refused.json()["code"]) == (409, "case_open_already")
    assert resolve(lucky, str(second), None).status_code == 200
    lucky.do(f"cases/{suspicion}/reopen", {"reason": "Again."}, person="agent-1")
    assert cases.open_about(operator=operator, player=UUID(alice.id)) == (suspicion,)
    assert [each["kind"] for each in told(alice)] == ["complaint_received"]


def test_the_audit_finds_an_answer_without_its_event(lucky: Tenant, alice: Gambler) -> None:
    case = complaint(lucky, alice)["id"]
    resolve(lucky, case, "closed")
    sealer.seal_all()
    assert differing() == []
    CaseEntry.objects.create(case_id=case, kind="upheld", text="", by="staff:1")
    assert differing() == [f"case {case}"]


def differing() -> list[str]:
    return [each.location for each in engine.run_audit().findings if each.kind == "complaint differs"]
