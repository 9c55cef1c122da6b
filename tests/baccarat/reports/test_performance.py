"""A return outside its band becomes a significant event and a matter, once while it is open."""

from datetime import UTC, datetime
from fractions import Fraction
from typing import Any
from uuid import UUID, uuid4

import pytest

from baccarat.reports.performance import PERFORMANCE, open_return_cases
from casino.compliance import cases
from casino.compliance.models import Case
from casino.operators.models import Operator
from casino.reports.definition import ReportData, ReportScope
from casino.significant.models import SignificantEvent

pytestmark = pytest.mark.django_db

TABLE = UUID("0190a000-0000-7000-8000-00000000000a")
DIGEST = "1c" * 32
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def found(verdict: str, spot: str = "tie") -> ReportData:
    """Return a report with one line and this verdict."""
    told: dict[str, Any] = {
        "money": "real", "currency": "EUR", "table": TABLE, "table_name": "A", "rules": "mini@1",
        "rules_digest": DIGEST, "spot": spot,
        "rounds": 900, "wagers": 900, "handle": 900_000, "returned": 1_400_000, "theoretical": Fraction(85, 100),
        "expected": Fraction(85, 100), "actual": Fraction(14, 9), "low": Fraction(6, 10), "high": Fraction(11, 10),
        "verdict": verdict,
    }  # fmt: skip
    return ReportData([tuple(told.get(column.name) for column in PERFORMANCE.columns)])


def test_a_return_outside_its_band_waits_for_an_owner_and_is_told_once() -> None:
    operator = Operator.objects.create(id=uuid4(), slug="lucky", name="Lucky", currencies=["EUR"]).id
    asked = ReportScope(operator, False, NOON, NOON, 7)
    for verdict in ("inside", "too few rounds"):
        open_return_cases(asked, found(verdict))
    assert not Case.objects.exists()

    open_return_cases(asked, found("above"))
    open_return_cases(asked, found("above"))
    (matter,) = Case.objects.all()
    assert matter.details["actual"] == "1.555556"
    (event,) = SignificantEvent.objects.all()
    assert (event.kind, event.subject, event.after["rules"]) == ("return_out_of_band", f"table:{TABLE}", DIGEST)

    cases.resolve_case(
        matter.pk, operator=operator, resolution="One guest, a long run; the shoes were verified.", by="staff:1"
    )
    open_return_cases(asked, found("below"))
    assert Case.objects.count() == 2
