"""What was tampered with about corrections is found and named, and a rebuild brings the rows back."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from baccarat.audit import engine
from casino.events import sealer
from casino.events.sql import execute, fetch
from casino.kernel.money import MoneyType
from tests.conftest import Database
from tests.wallet.adjustments.test_operations import agree, ask, refuse
from tests.wallet.ledger.world import ALICE, OPERATOR
from tests.wallet.payments.counter import open_alice
from wallet.adjustments.audit import AdjustmentTraces
from wallet.adjustments.events import AdjustmentApproved, AdjustmentDirection, AdjustmentReason, AdjustmentRequested
from wallet.adjustments.records import rebuild_adjustments

ROWS = "SELECT kept::text FROM wallet_adjustment AS kept ORDER BY 1"
TAMPERING = {
    "row differs": "UPDATE wallet_adjustment SET amount = amount + 1 WHERE status = 'approved'",
    "row is missing": "DELETE FROM wallet_adjustment WHERE status = 'requested'",
    "row is extra": "UPDATE wallet_adjustment SET id = gen_random_uuid() WHERE status = 'rejected'",
}
AT = datetime(2026, 11, 21, tzinfo=UTC)
KEY = UUID(int=77)
ASKED = AdjustmentRequested(
    KEY, OPERATOR, ALICE, MoneyType.REAL, "EUR", AdjustmentDirection.DEBIT, 900, AdjustmentReason.OTHER, "staff:1", AT
)
AGREED = AdjustmentApproved(
    KEY, OPERATOR, ALICE, MoneyType.REAL, "EUR", AdjustmentDirection.DEBIT, 900, 400, 500, "staff:2", AT
)


@pytest.fixture
def lived(database: Database) -> Any:
    """A credit, a debit that left a debt which a credit then paid in part, one refused and one waiting."""
    open_alice()
    agree(ask("credit", 1000))
    agree(ask("debit", 3000), as_debt=True)
    agree(ask("credit", 500))
    refuse(ask("credit", 70))
    ask("debit", 80)
    sealer.seal_all()
    return database


def findings() -> set[str]:
    return {finding.kind for finding in engine.run_audit().findings}


def test_a_sound_history_has_no_findings_and_a_rebuild_changes_nothing(lived: Any) -> None:
    assert findings() == set()
    rebuilt = rebuild_adjustments(compare=True)
    assert (rebuilt.changed, rebuilt.rows) == ((), {"wallet_adjustment": 5})


@pytest.mark.parametrize("finding", TAMPERING)
def test_tampering_with_rows_is_found_by_the_audit_and_undone_by_a_rebuild(lived: Any, finding: str) -> None:
    before = fetch(ROWS)
    assert execute(TAMPERING[finding])
    assert finding in findings()
    assert rebuild_adjustments(compare=True).changed
    assert fetch(ROWS) == before
    assert findings() == set()


def followed(*events: Any, opened: Any = (OPERATOR, "EUR"), stream: str = f"adjustment-{KEY}") -> set[str]:
    audited = AdjustmentTraces()
    return {
        finding.kind
        for version, event in enumerate(events, 1)
        for finding in audited.replay(event, wallet=opened, stream=stream, version=version, where="here")
    }


@pytest.mark.parametrize(
    ("events", "finding"),
    [
        ([ASKED, AGREED], None),
        ([AGREED], "event out of place"),
        ([ASKED, AGREED, AGREED], "event out of place"),
        ([ASKED, ASKED], "event out of place"),
        ([ASKED, replace(AGREED, approved_by="staff:1")], "decided by its requester"),
        ([ASKED, replace(AGREED, amount=901)], "adjustment differs from its request"),
        ([ASKED, replace(AGREED, taken=300)], "adjustment differs"),
        ([ASKED, replace(AGREED, taken=-100, owed=1000)], "adjustment differs"),
        ([replace(ASKED, amount=0)], "amount out of range"),
        ([replace(ASKED, currency="USD")], "adjustment of another wallet"),
    ],
)
def test_what_the_events_themselves_contradict_is_named(events: list[Any], finding: str | None) -> None:
    found = followed(*events)
    assert found == set() if finding is None else finding in found


def test_a_stream_of_another_name_is_found() -> None:
    assert followed(ASKED, stream="adjustment-x") == {"stream differs"}
