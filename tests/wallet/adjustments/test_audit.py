"""The audit reports tampered adjustments, and a rebuild restores the rows."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from baccarat.audit import engine
from casino.events import sealer
from casino.events.rebuild import check, rebuild
from casino.events.sql import execute, fetch
from casino.kernel.money import MoneyType
from tests.conftest import Database, as_owner
from tests.wallet.adjustments.test_services import approve, reject, request_adjustment
from tests.wallet.ledger.world import ALICE, OPERATOR
from tests.wallet.payments.counter import open_alice
from wallet.adjustments.audit import AdjustmentTraces
from wallet.adjustments.events import AdjustmentApproved, AdjustmentDirection, AdjustmentReason, AdjustmentRequested
from wallet.adjustments.records import PROJECTOR

ROWS = "SELECT adjustment::text FROM wallet_adjustment adjustment ORDER BY 1"
TAMPERING = {
    "row differs": "UPDATE wallet_adjustment SET amount = amount + 1 WHERE status = 'approved'",
    "row is missing": "DELETE FROM wallet_adjustment WHERE status = 'requested'",
    "row is extra": "UPDATE wallet_adjustment SET id = gen_random_uuid() WHERE status = 'rejected'",
}
AT = datetime(2026, 11, 21, tzinfo=UTC)
KEY = UUID(int=77)
REQUESTED = AdjustmentRequested(
    KEY, OPERATOR, ALICE, MoneyType.REAL, "EUR", AdjustmentDirection.DEBIT, 900, AdjustmentReason.OTHER, "staff:1", AT
)
APPROVED = AdjustmentApproved(
    KEY, OPERATOR, ALICE, MoneyType.REAL, "EUR", AdjustmentDirection.DEBIT, 900, 400, 500, "staff:2", AT
)


@pytest.fixture
def history(database: Database) -> Any:
    """Make approved, rejected and waiting adjustments, one of which left a debt that another paid in part."""
    open_alice()
    approve(request_adjustment("credit", 1000))
    approve(request_adjustment("debit", 3000), as_debt=True)
    approve(request_adjustment("credit", 500))
    reject(request_adjustment("credit", 70))
    request_adjustment("debit", 80)
    sealer.seal_all()
    return database


def findings() -> set[str]:
    return {finding.kind for finding in engine.run_audit().findings}


def test_a_sound_history_has_no_findings_and_a_rebuild_changes_nothing(history: Any) -> None:
    assert findings() == set()
    rebuilt = check(PROJECTOR)
    assert (rebuilt.changed, rebuilt.rows) == ((), {"wallet_adjustment": 5})


@pytest.mark.parametrize("finding", TAMPERING)
def test_the_audit_reports_tampered_rows_and_a_rebuild_restores_them(history: Any, finding: str) -> None:
    before = fetch(ROWS)
    assert execute(TAMPERING[finding])
    assert finding in findings()
    assert check(PROJECTOR).changed
    with as_owner(history.owner_url):
        rebuild(PROJECTOR)
    assert fetch(ROWS) == before
    assert findings() == set()


def replay(*events: Any, opened: Any = (OPERATOR, "EUR"), stream: str = f"adjustment-{KEY}") -> set[str]:
    traces = AdjustmentTraces()
    return {
        finding.kind
        for version, event in enumerate(events, 1)
        for finding in traces.replay(event, wallet=opened, stream=stream, version=version, where="here")
    }


@pytest.mark.parametrize(
    ("events", "finding"),
    [
        ([REQUESTED, APPROVED], None),
        ([APPROVED], "event out of place"),
        ([REQUESTED, APPROVED, APPROVED], "event out of place"),
        ([REQUESTED, REQUESTED], "event out of place"),
        ([REQUESTED, replace(APPROVED, approved_by="staff:1")], "decided by its requester"),
        ([REQUESTED, replace(APPROVED, amount=901)], "adjustment differs from its request"),
        ([REQUESTED, replace(APPROVED, taken=300)], "adjustment differs"),
        ([REQUESTED, replace(APPROVED, taken=-100, owed=1000)], "adjustment differs"),
        ([replace(REQUESTED, amount=0)], "amount out of range"),
        ([replace(REQUESTED, currency="USD")], "adjustment of another wallet"),
    ],
)
def test_contradictory_events_are_reported(events: list[Any], finding: str | None) -> None:
    kinds = replay(*events)
    assert kinds == set() if finding is None else finding in kinds


def test_an_event_on_the_wrong_stream_is_reported() -> None:
    assert replay(REQUESTED, stream="adjustment-x") == {"stream differs"}
