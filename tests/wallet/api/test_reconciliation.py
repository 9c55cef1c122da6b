"""Reconciliation over HTTP: an operator's staff assign and resolve discrepancies."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from casino.operators.models import ApiKey
from tests.baccarat.api.people import Tenant, tenant
from tests.wallet.payments.counter import call_back, method, report, use_provider
from wallet.payments import callbacks
from wallet.payments.provider_reports import PaymentKind, ProviderStatus
from wallet.reconciliation import services
from wallet.reconciliation.comparison import TheirPayment, compare
from wallet.reconciliation.sources import ReconciliationDay

pytestmark = pytest.mark.django_db
AT = datetime(2026, 11, 21, tzinfo=UTC)


def record_discrepancies(house: Tenant, *payments: str, day: date = date(2026, 11, 20)) -> list[str]:
    """Record a day with payments that only the provider has; return the ids of the discrepancies."""
    theirs = [
        TheirPayment(PaymentKind.DEPOSIT, payment, "tx", ProviderStatus.COMPLETED, 900, "EUR") for payment in payments
    ]
    reconciled_day = ReconciliationDay(UUID(house.id), "sandbox", day, AT - timedelta(days=1), AT)
    services._record(reconciled_day, "EUR", compare([], theirs))
    return [item["id"] for item in house.pages("discrepancies", day=day.isoformat())]


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_a_discrepancy_is_assigned_and_resolved_with_notes() -> None:
    house = tenant("lucky")
    (key,) = record_discrepancies(house, "p1")
    (run,) = house.read("reconciliations")["items"]
    assert (run["ours"], run["theirs"], run["matched"], run["discrepancies"]) == (0, 1, 0, 1)
    discrepancy = house.read(f"discrepancies/{key}")
    assert (discrepancy["type"], discrepancy["their_amount"]["amount"], discrepancy["our_amount"]) == (
        "missing_ours",
        "9.00",
        None,
    )
    assigned = house.do(f"discrepancies/{key}/assign", {"owner": "agent-9", "note": "Please ask."}, person="agent-3")
    assert (assigned["status"], assigned["owner"], assigned["notes"][0]["note"]) == (
        "assigned", "desk:agent-9", "Please ask.",
    )  # fmt: skip
    resolution = {"resolution": "provider_corrected", "note": "They took it back."}
    done = house.do(f"discrepancies/{key}/resolve", resolution, person="agent-9")
    assert (done["status"], done["resolution"], len(done["notes"])) == ("resolved", "provider_corrected", 2)
    closed = house.post(f"discrepancies/{key}/resolve", resolution, person="agent-9")
    assert (code(closed), closed.json()["current_status"]) == ((409, "discrepancy_closed"), "resolved")
    assert code(house.post(f"discrepancies/{key}/assign", {"owner": "b"}, person="a")) == (409, "discrepancy_closed")


def test_a_key_that_moves_money_resolves_nothing_and_one_of_oversight_needs_a_person() -> None:
    house, sandbox = tenant("lucky"), tenant("sandbox", sandbox=True)
    (key,) = record_discrepancies(house, "p1")
    resolution = {"resolution": "timing", "note": "x"}
    assert code(house.post(f"discrepancies/{key}/resolve", resolution)) == (403, "assertion_required")
    ApiKey.objects.filter(operator_id=house.id).update(scopes=["read", "money"])
    assert code(house.post(f"discrepancies/{key}/resolve", resolution, person="a")) == (403, "scope_missing")
    assert house.read(f"discrepancies/{key}")["status"] == "open"
    (other,) = record_discrepancies(sandbox, "p1")
    assert sandbox.do(f"discrepancies/{other}/resolve", resolution)["status"] == "resolved"


def test_messages_are_applied_again_over_http_by_the_service_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    use_provider(monkeypatch)
    house, other = tenant("lucky"), tenant("other")
    alice, card = house.player("Alice"), str(method(UUID(house.id)).id)
    payment = alice.do("me/deposits", {"method": card, "amount": "50.00", "currency": "EUR"})["id"]
    for said in ("completed", "reversed"):
        call_back(report(UUID(payment), said, reference=f"tx-{said}"))
        callbacks.apply_waiting()
    (row,) = house.read("discrepancies")["items"]
    path = f"discrepancies/{row['id']}/apply-again"
    assert code(other.post(path, person="agent-9")) == (404, "unknown_discrepancy")
    told = house.do(path, person="agent-9")
    assert (told["left"], told["discrepancy"]["status"]) == (["reference_differs"], "open")
    (compared,) = record_discrepancies(house, "p1")
    assert code(house.post(f"discrepancies/{compared}/apply-again", person="a")) == (404, "unknown_discrepancy")
    house.do(f"discrepancies/{row['id']}/assign", {"owner": "agent-9"}, person="agent-9")
    house.do(f"discrepancies/{row['id']}/resolve", {"resolution": "timing", "note": "x"}, person="agent-8")
    assert code(house.post(path, person="agent-9")) == (409, "discrepancy_closed")


def test_lists_are_paged_and_filtered() -> None:
    house = tenant("lucky")
    older = record_discrepancies(house, "p1", "p2", day=date(2026, 11, 19))
    newer = record_discrepancies(house, "p3", "p4", "p5")
    listed = house.pages("discrepancies")
    assert [item["id"] for item in listed] == [*newer, *older]
    assert len(house.pages("reconciliations", limit=1)) == 2
    house.do(f"discrepancies/{newer[0]}/resolve", {"resolution": "timing", "note": "x"}, person="a")
    assert [item["id"] for item in house.pages("discrepancies", status="resolved")] == [newer[0]]
    assert house.get("discrepancies", day="yesterday").status_code == 422
    assert house.get("discrepancies", status="lost").status_code == 422


@pytest.mark.parametrize(
    "body", [{"actor": "a", "resolution": "timing", "note": "x"}, {"resolution": "magic", "note": "x"},
              {"resolution": "timing", "note": ""}, {"note": "x"}],
)  # fmt: skip
def test_bad_input_is_refused_and_changes_nothing(body: dict[str, str]) -> None:
    house = tenant("lucky")
    (key,) = record_discrepancies(house, "p1")
    assert house.post(f"discrepancies/{key}/resolve", body, person="a").status_code == 422
    assert house.read(f"discrepancies/{key}")["status"] == "open"


def test_another_operator_sees_and_changes_nothing() -> None:
    house, rival = tenant("lucky"), tenant("rival")
    (key,) = record_discrepancies(house, "p1")
    assert (rival.read("discrepancies")["items"], rival.read("reconciliations")["items"]) == ([], [])
    assert code(rival.get(f"discrepancies/{key}")) == (404, "unknown_discrepancy")
    resolution = {"resolution": "timing", "note": "x"}
    assert code(rival.post(f"discrepancies/{key}/resolve", resolution, person="x")) == (404, "unknown_discrepancy")
    assert code(rival.post(f"discrepancies/{key}/assign", {"owner": "y"}, person="x")) == (404, "unknown_discrepancy")
