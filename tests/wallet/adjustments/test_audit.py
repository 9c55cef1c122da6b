"""The audit reports tampered adjustments, and a rebuild restores the rows."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from baccarat.audit import engine
from casino.events import sealer
from casino.events.rebuild import check, rebuild
from casino.events.records import RecordedEvent
from casino.events.sql import execute, fetch
from casino.kernel.money import MoneyType
from tests.conftest import Database, as_owner
from tests.wallet.adjustments.test_services import approve, reject, request_adjustment
from tests.wallet.ledger.world import ALICE, OPERATOR
from tests.wallet.payments.counter import open_alice
from wallet.adjustments.audit import AdjustmentTraces
from wallet.adjustments.events import AdjustmentDirection, AdjustmentPosted, AdjustmentReason
from wallet.adjustments.records import PROJECTOR

ROWS = "SELECT adjustment::text FROM wallet_adjustment adjustment ORDER BY 1"
TAMPERING = {
    "row differs": "UPDATE wallet_adjustment SET amount = amount + 1",
    "row is missing": "DELETE FROM wallet_adjustment WHERE amount = 500",
    "row is extra": "UPDATE wallet_adjustment SET id = gen_random_uuid() WHERE amount = 500",
}
AT = datetime(2026, 11, 21, tzinfo=UTC)
KEY = UUID(int=77)
POSTED = AdjustmentPosted(
    KEY, OPERATOR, ALICE, MoneyType.REAL, "EUR", AdjustmentDirection.DEBIT, 900, 400, 500, AdjustmentReason.OTHER,
    "", "", "staff:1", "staff:2", AT,
)  # fmt: skip


@pytest.fixture
def history(database: Database) -> Any:
    """Make confirmed, declined and waiting adjustments, one of which left a debt that another paid in part."""
    open_alice()
    approve(request_adjustment("credit", 1000))
    approve(request_adjustment("debit", 3000, as_debt=True))
    approve(request_adjustment("credit", 500))
    reject(request_adjustment("credit", 70))
    request_adjustment("debit", 80, as_debt=True)
    sealer.seal_all()
    return database


def findings() -> set[str]:
    return {finding.kind for finding in engine.run_audit().findings}


def test_a_sound_history_has_no_findings_and_a_rebuild_changes_nothing(history: Any) -> None:
    assert findings() == set()
    rebuilt = check(PROJECTOR)
    assert (rebuilt.changed, rebuilt.rows) == ((), {"wallet_adjustment": 3})


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


def replay(event: AdjustmentPosted, *, version: int = 1) -> set[str]:
    row = RecordedEvent(1, 1, f"adjustment-{KEY}", version, "AdjustmentPosted", 1, b"{}", b"{}", AT)
    traces = AdjustmentTraces().replay(event, row, wallet=(OPERATOR, "EUR"), where="here")
    return {finding.kind for finding in traces}


@pytest.mark.parametrize(
    ("event", "finding"),
    [
        (POSTED, None),
        (replace(POSTED, taken=300), "adjustment differs"),
        (replace(POSTED, taken=-100, owed=1000), "adjustment differs"),
        (replace(POSTED, amount=0, taken=0, owed=0), "amount out of range"),
        (replace(POSTED, currency="USD"), "adjustment of another wallet"),
        (replace(POSTED, adjustment=UUID(int=78)), "event out of place"),
    ],
)
def test_contradictory_events_are_reported(event: AdjustmentPosted, finding: str | None) -> None:
    kinds = replay(event)
    assert kinds == set() if finding is None else finding in kinds


def test_a_second_event_of_an_adjustment_is_reported() -> None:
    assert replay(POSTED, version=2) == {"event out of place"}


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("metadata = metadata::jsonb - 'causation'", "done without its change"),
        ('data = data::jsonb || \'{"amount": 999, "reason": "other"}\'', "effect differs from its change"),
        ('data = data::jsonb || \'{"requested_by": "staff:7"}\'', "effect differs from its change"),
    ],
)
def test_an_adjustment_without_the_change_on_which_two_persons_agreed_is_reported(
    history: Any, statement: str, finding: str
) -> None:
    with history.owner() as owner:
        owner.execute("ALTER TABLE events_event DISABLE TRIGGER USER")
        owner.execute(
            f"UPDATE events_event SET {statement} WHERE type = 'AdjustmentPosted' AND data->>'amount' = '500'"  # noqa: S608
        )
    assert finding in findings()
