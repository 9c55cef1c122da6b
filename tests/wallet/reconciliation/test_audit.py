"""The audit reports tampered reconciliations, and a rebuild restores the rows."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from baccarat.audit import engine
from casino.events import sealer
from casino.events.rebuild import check, rebuild
from casino.events.sql import execute, fetch
from tests.conftest import Database, as_owner
from tests.wallet.ledger.world import METADATA, OPERATOR
from tests.wallet.reconciliation.desk import open_desk, today
from wallet.models import Discrepancy
from wallet.reconciliation import services
from wallet.reconciliation.audit import ReconciliationTraces
from wallet.reconciliation.events import (
    DiscrepancyCleared,
    DiscrepancyDetected,
    DiscrepancyResolution,
    DiscrepancyType,
    ReconciliationCompleted,
    discrepancy_id,
    run_id,
    stream_of,
)
from wallet.reconciliation.records import PROJECTOR

ROWS = """SELECT discrepancy::text FROM wallet_discrepancy discrepancy
    UNION ALL SELECT run::text FROM wallet_reconciliation run ORDER BY 1"""
TAMPERING = {
    "row differs": "UPDATE wallet_discrepancy SET their_amount = 1 WHERE status = 'resolved'",
    "row is missing": "DELETE FROM wallet_reconciliation",
    "row is extra": "UPDATE wallet_discrepancy SET id = gen_random_uuid() WHERE status = 'open'",
}
AT = datetime(2026, 11, 21, tzinfo=UTC)
DAY = date(2026, 11, 20)
RUN = run_id(operator=OPERATOR, provider="sandbox", currency="EUR", day=DAY)
COMPLETED = ReconciliationCompleted(
    RUN, OPERATOR, "sandbox", "EUR", DAY, AT - timedelta(days=1), AT, 2, 2, 1, 5000, 1, AT
)
TYPE = DiscrepancyType.AMOUNT_MISMATCH
KEY = discrepancy_id(run=RUN, kind="deposit", payment="p1", discrepancy_type=TYPE)
DETECTED = DiscrepancyDetected(
    KEY, RUN, OPERATOR, "sandbox", "EUR", DAY, "deposit", "p1", "tx", TYPE, 1, "completed", 2, "EUR", "completed", AT
)


@pytest.fixture
def history(database: Database, reachable: str) -> Any:
    """Compare a day with a match, an open and a resolved discrepancy."""
    desk = open_desk(reachable)
    desk.deposit()
    for status in ("failed", "reversed"):
        desk.tell(f"/deposits/{desk.deposit()}", status=status)
    today()
    resolved = Discrepancy.objects.filter(their_status="failed").get().pk
    decision: dict[str, Any] = {"resolution": DiscrepancyResolution.ACCEPTED, "by": "staff:1", "metadata": METADATA}
    services.resolve(resolved, operator=OPERATOR, note="So be it.", **decision)
    sealer.seal_all()
    return database


def findings() -> set[str]:
    return {finding.kind for finding in engine.run_audit().findings}


def test_the_audit_reports_tampered_rows_and_a_rebuild_restores_them(history: Any) -> None:
    assert findings() == set()
    assert check(PROJECTOR).changed == ()
    before = fetch(ROWS)
    for finding, statement in TAMPERING.items():
        assert execute(statement)
        assert finding in findings()
        assert check(PROJECTOR).changed
        with as_owner(history.owner_url):
            rebuild(PROJECTOR)
        assert fetch(ROWS) == before
    assert findings() == set()


def replay(*events: Any, stream: str = "") -> set[str]:
    traces = ReconciliationTraces()
    return {
        finding.kind
        for version, event in enumerate(events, 1)
        for finding in traces.replay(event, stream=stream or stream_of(event), version=version, where="here")
    }


@pytest.mark.parametrize(
    ("events", "finding"),
    [
        ([COMPLETED, replace(COMPLETED, discrepancies=0, matched=2)], None),
        ([DETECTED, DiscrepancyCleared(KEY, OPERATOR, AT), DETECTED], None),
        ([replace(COMPLETED, day=DAY - timedelta(days=1))], "id is not that of its name"),
        ([replace(COMPLETED, matched=9)], "reconciliation differs"),
        ([replace(DETECTED, payment="p2")], "id is not that of its name"),
        ([replace(DETECTED, their_status=None)], "discrepancy without its sides"),
        ([DiscrepancyCleared(KEY, OPERATOR, AT)], "event out of place"),
        (
            [DETECTED, DiscrepancyCleared(KEY, OPERATOR, AT), DiscrepancyCleared(KEY, OPERATOR, AT)],
            "event out of place",
        ),
    ],
)
def test_contradictory_events_are_reported(events: list[Any], finding: str | None) -> None:
    assert replay(*events) == (set() if finding is None else {finding})


def test_an_event_on_the_wrong_stream_is_reported() -> None:
    assert replay(COMPLETED, stream="reconciliation-x") == {"stream differs"}
