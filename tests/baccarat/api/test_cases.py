"""An operator's back office lists cases, assigns them and resolves them."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from casino.compliance import cases
from tests.baccarat.api.people import NOWHERE, Caller, Tenant
from tests.support.acts import agreed
from tests.support.keys import issue_key


def opened(house: Tenant, subject: str = "") -> str:
    """Open a case, as a nightly report does, and return its id."""
    details = {"verdict": "above", "rounds": 1200}
    case = cases.open_case(
        operator=UUID(house.id), kind="return_out_of_band", subject=subject or f"table:{uuid4()}", details=details
    )
    assert case is not None
    return str(case)


def ids(page: dict[str, Any]) -> list[str]:
    return [each["id"] for each in page["items"]]


def test_a_case_is_assigned_and_resolved_by_persons_who_are_named(lucky: Tenant) -> None:
    case = opened(lucky, "table:1 mini@1 banker real EUR")
    shown = lucky.read(f"cases/{case}")
    assert (shown["status"], shown["actions"], shown["details"]["verdict"]) == ("open", [], "above")

    assert lucky.do(f"cases/{case}/assign", {"owner": "agent-9"}, person="agent-1")["status"] == "assigned"
    resolved = lucky.do(f"cases/{case}/resolve", {"resolution": "A lucky week."}, person="agent-9")

    assert resolved["status"] == "resolved"
    assert [(step["action"], step["owner"], step["by"]) for step in resolved["actions"]] == [
        ("assigned", "desk:agent-9", lucky.actor("agent-1")), ("resolved", "desk:agent-9", lucky.actor("agent-9")),
    ]  # fmt: skip
    assert resolved["actions"][-1]["resolution"] == "A lucky week."
    again = lucky.post(f"cases/{case}/resolve", {"resolution": "Once more."}, person="agent-9")
    assert (again.status_code, again.json()["code"]) == (409, "case_resolved")


def test_cases_are_listed_newest_first_in_pages_and_by_status(lucky: Tenant) -> None:
    open_, assigned, resolved = (opened(lucky) for _ in range(3))
    for case in (assigned, resolved):
        lucky.do(f"cases/{case}/assign", {"owner": "agent-9"})
    lucky.do(f"cases/{resolved}/resolve", {"resolution": "Explained."}, person="agent-9")

    assert [each["id"] for each in lucky.pages("cases", limit=2)] == [resolved, assigned, open_]
    for status, case in (("open", open_), ("assigned", assigned), ("resolved", resolved)):
        assert ids(lucky.read("cases", status=status)) == [case]
    assert lucky.get("cases", status="lost").json()["code"] == "unknown_choice"


@pytest.mark.parametrize("resolution", ["", " ", "x" * 501])
def test_a_case_is_resolved_with_an_explanation(lucky: Tenant, resolution: str) -> None:
    case = opened(lucky)
    assert lucky.post(f"cases/{case}/resolve", {"resolution": resolution}, person="agent-1").status_code == 422
    answer = lucky.post(f"cases/{case}/resolve", {"resolution": "By a key alone."})
    assert (answer.status_code, answer.json()["code"]) == (403, "assertion_required")
    assert lucky.read(f"cases/{case}")["status"] == "open"


def test_another_operators_cases_are_as_unknown_as_none(lucky: Tenant, golden: Tenant) -> None:
    case = opened(lucky)
    assert golden.read("cases")["items"] == []
    for guessed in (case, NOWHERE):
        for answer in (
            golden.get(f"cases/{guessed}"),
            golden.post(f"cases/{guessed}/assign", {"owner": "agent-9"}),
            golden.post(f"cases/{guessed}/resolve", {"resolution": "Mine."}, person="agent-1"),
        ):
            assert (answer.status_code, answer.json()["code"]) == (404, "unknown_case")
    assert lucky.read(f"cases/{case}")["actions"] == []


def test_that_a_case_was_reported_is_read_by_keys_of_compliance_alone(lucky: Tenant) -> None:
    case = opened(lucky)
    for kind, text in (("note", "Seen."), ("reported", "To the FIAU, 2026/17.")):
        lucky.do(f"cases/{case}/entries", {"kind": kind, "text": text})
    with agreed():
        reader = Caller(".".join(issue_key(operator=UUID(lucky.id), scopes=["read"])))

    shown = [[entry["kind"] for entry in each.read(f"cases/{case}/entries")["items"]] for each in (lucky, reader)]
    assert shown == [["note", "reported"], ["note"]]
