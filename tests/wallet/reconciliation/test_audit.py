"""What was tampered with about reconciliation is found and named, and a rebuild brings the rows back."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from baccarat.audit import engine
from casino.events import sealer
from casino.events.sql import execute, fetch
from tests.conftest import Database
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
from wallet.reconciliation.records import rebuild_reconciliation

ROWS = """SELECT kept::text FROM wallet_discrepancy AS kept
    UNION ALL SELECT kept::text FROM wallet_reconciliation AS kept ORDER BY 1"""
TAMPERING = {
    "row differs": "UPDATE wallet_discrepancy SET their_amount = 1 WHERE status = 'resolved'",
    "row is missing": "DELETE FROM wallet_reconciliation",
    "row is extra": "UPDATE wallet_discrepancy SET id = gen_random_uuid() WHERE status = 'open'",
}
AT = datetime(2026, 11, 21, tzinfo=UTC)
DAY = date(2026, 11, 20)
RUN = run_id(operator=OPERATOR, provider="sandbox", currency="EUR", day=DAY)
RAN = ReconciliationCompleted(RUN, OPERATOR, "sandbox", "EUR", DAY, AT - timedelta(days=1), AT, 2, 2, 1, 5000, 1, AT)
WHAT = DiscrepancyType.AMOUNT_MISMATCH
KEY = discrepancy_id(run=RUN, kind="deposit", payment="p1", discrepancy_type=WHAT)
FOUND = DiscrepancyDetected(
    KEY, RUN, OPERATOR, "sandbox", "EUR", DAY, "deposit", "p1", "tx", WHAT, 1, "completed", 2, "EUR", "completed", AT
)


@pytest.fixture
def lived(database: Database, reachable: str) -> Any:
    """A day with a match, an open and a resolved difference."""
    desk = open_desk(reachable)
    desk.deposit()
    for status in ("failed", "reversed"):
        desk.tell(f"/deposits/{desk.deposit()}", status=status)
    today()
    resolved = Discrepancy.objects.filter(their_status="failed").get().pk
    given: dict[str, Any] = {"resolution": DiscrepancyResolution.ACCEPTED, "by": "staff:1", "metadata": METADATA}
    services.resolve(resolved, operator=OPERATOR, note="So be it.", **given)
    sealer.seal_all()
    return database


def findings() -> set[str]:
    return {finding.kind for finding in engine.run_audit().findings}


def test_tampering_is_found_by_the_audit_and_undone_by_a_rebuild(lived: Any) -> None:
    assert findings() == set()
    assert rebuild_reconciliation(compare=True).changed == ()
    before = fetch(ROWS)
    for finding, statement in TAMPERING.items():
        assert execute(statement)
        assert finding in findings()
        assert rebuild_reconciliation(compare=True).changed
        assert fetch(ROWS) == before
    assert findings() == set()


def followed(*events: Any, stream: str = "") -> set[str]:
    audited = ReconciliationTraces()
    return {
        finding.kind
        for version, event in enumerate(events, 1)
        for finding in audited.replay(event, stream=stream or stream_of(event), version=version, where="here")
    }


@pytest.mark.parametrize(
    ("events", "finding"),
    [
        ([RAN, replace(RAN, discrepancies=0, matched=2)], None),
        ([FOUND, DiscrepancyCleared(KEY, OPERATOR, AT), FOUND], None),
        ([replace(RAN, day=DAY - timedelta(days=1))], "id is not that of its name"),
        ([replace(RAN, matched=9)], "reconciliation differs"),
        ([replace(FOUND, payment="p2")], "id is not that of its name"),
        ([replace(FOUND, their_status=None)], "discrepancy without its sides"),
        ([DiscrepancyCleared(KEY, OPERATOR, AT)], "event out of place"),
        ([FOUND, DiscrepancyCleared(KEY, OPERATOR, AT), DiscrepancyCleared(KEY, OPERATOR, AT)], "event out of place"),
    ],
)
def test_what_the_events_themselves_contradict_is_named(events: list[Any], finding: str | None) -> None:
    assert followed(*events) == (set() if finding is None else {finding})


def test_a_stream_of_another_name_is_found() -> None:
    assert followed(RAN, stream="reconciliation-x") == {"stream differs"}
