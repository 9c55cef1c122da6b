"""The audit reports tampered payments, and a rebuild restores the rows from the events."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from baccarat.audit import engine
from casino.events import sealer
from casino.events.rebuild import check, rebuild
from casino.events.sql import execute, fetch
from tests.conftest import Database, as_owner
from tests.wallet.ledger.world import account
from tests.wallet.payments.counter import complete_deposit, deposit, method, open_alice, report, withdraw
from wallet.ledger import store
from wallet.payments import deposits
from wallet.payments import events as pe
from wallet.payments.audit import PaymentTraces
from wallet.payments.records import PROJECTOR

TAMPERING = {
    "row differs": "UPDATE wallet_deposit SET status = 'failed' WHERE status = 'completed'",
    "row is missing": "DELETE FROM wallet_withdrawal",
    "row is extra": "UPDATE wallet_deposit SET id = gen_random_uuid() WHERE status = 'completed'",
    "payment queue differs": "DELETE FROM wallet_payment_due",
    "fee is not the method's": "UPDATE wallet_deposit SET fee = fee + 1",
}
ROWS = """SELECT kept::text FROM wallet_deposit AS kept
    UNION ALL SELECT kept::text FROM wallet_withdrawal AS kept ORDER BY 1"""


@pytest.fixture
def history(database: Database) -> Any:
    """Make a completed, a reversed and a pending deposit, a debt and a withdrawal."""
    open_alice()
    card = method()
    complete_deposit(card)
    back = complete_deposit(card, 6000)
    withdraw(card, 9000)
    deposits.apply(report(back, "reversed", amount=6000), provider="sandbox")
    deposit(card)
    sealer.seal_all()
    return database


def findings() -> set[str]:
    return {finding.kind for finding in engine.run_audit().findings}


def test_a_sound_history_has_no_findings(history: Any) -> None:
    assert findings() == set()


@pytest.mark.parametrize("finding", TAMPERING)
def test_the_audit_reports_tampered_rows_and_a_rebuild_restores_them(history: Any, finding: str) -> None:
    before, queue = fetch(ROWS), fetch("SELECT payment_id, kind FROM wallet_payment_due ORDER BY 1")
    assert execute(TAMPERING[finding])
    assert finding in findings()
    with as_owner(history.owner_url):
        rebuild(PROJECTOR)
    assert fetch(ROWS) == before
    assert fetch("SELECT payment_id, kind FROM wallet_payment_due ORDER BY 1") == queue
    assert findings() == set()


def test_a_rebuild_of_sound_rows_reports_no_changes(history: Any) -> None:
    rebuilt = check(PROJECTOR)
    assert rebuilt.changed == ()
    assert rebuilt.rows == {"wallet_deposit": 3, "wallet_withdrawal": 1, "wallet_hold": 1}


def test_an_entry_that_differs_from_its_event_is_reported(history: Any) -> None:
    with history.owner() as owner:
        for table in ("wallet_posting", "wallet_entry"):
            owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        owner.execute("UPDATE wallet_entry SET kind = 'gift' WHERE kind = 'deposit'")
    assert "entry is of another kind" in findings()


def test_a_payment_of_a_player_without_that_wallet_is_reported(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deposits, "open_on_first_use", lambda **_: None)
    card = method()
    store.open_accounts([account()])  # an account, but no event that opened the wallet
    deposit(card)
    sealer.seal_all()
    assert findings() == {"payment of another wallet"}


OWNER = (UUID(int=1), UUID(int=2))
AT = datetime(2026, 11, 21, tzinfo=UTC)
REQUESTED = pe.DepositRequested(UUID(int=3), *OWNER, UUID(int=4), 1, "sandbox", "EUR", 5000, 100, AT)
SENT = pe.DepositSent(UUID(int=3), "tx-1", AT)
COMPLETED = pe.DepositCompleted(UUID(int=3), *OWNER, "EUR", 5000, 100, "tx-1", AT)
REVERSED = pe.DepositReversed(UUID(int=3), *OWNER, "EUR", 5000, 100, True, 4000, 900, "tx-1", "", AT)
WITHDRAWAL_REQUESTED = pe.WithdrawalRequested(UUID(int=5), *OWNER, UUID(int=4), 1, "sandbox", "EUR", 700, 2, AT, 0)
WITHDRAWAL_APPROVED = pe.WithdrawalApproved(UUID(int=5), ("staff:1", "staff:2"), AT)
WITHDRAWAL_SENT = pe.WithdrawalSent(UUID(int=5), AT)
WITHDRAWAL_RETURNED = pe.WithdrawalReturned(UUID(int=5), *OWNER, "EUR", 700, True, "tx-2", "", AT, 0)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ((REQUESTED, SENT, COMPLETED, REVERSED), set()),
        ((REQUESTED, SENT, COMPLETED, COMPLETED), {"event out of place"}),
        ((SENT,), {"event out of place"}),
        ((REQUESTED, SENT, replace(COMPLETED, amount=6000)), {"payment differs from its request"}),
        ((REQUESTED, SENT, COMPLETED, replace(REVERSED, owed=0)), {"reversal differs"}),
        ((REQUESTED, SENT, REVERSED), {"reversal differs"}),
        ((REQUESTED, SENT, COMPLETED, REVERSED, pe.DebtCollected(*OWNER, "EUR", 900, AT)), set()),
        (
            (REQUESTED, SENT, COMPLETED, REVERSED, pe.DebtCollected(*OWNER, "EUR", 901, AT)),
            {"debt collected that was not owed"},
        ),
        (
            (
                WITHDRAWAL_REQUESTED,
                WITHDRAWAL_APPROVED,
                WITHDRAWAL_SENT,
            ),
            set(),
        ),
        (
            (WITHDRAWAL_REQUESTED, replace(WITHDRAWAL_APPROVED, approved_by=("staff:1",) * 2), WITHDRAWAL_SENT),
            {"sent without approval"},
        ),
        (
            (WITHDRAWAL_REQUESTED, replace(WITHDRAWAL_APPROVED, approved_by=("staff:1",)), WITHDRAWAL_SENT),
            {"sent without approval"},
        ),
        (
            (
                WITHDRAWAL_REQUESTED,
                WITHDRAWAL_APPROVED,
                WITHDRAWAL_SENT,
                WITHDRAWAL_RETURNED,
            ),
            {"return differs"},
        ),
    ],
)
def test_events_that_contradict_earlier_ones_are_reported(
    events: tuple[pe.PaymentEvent, ...], expected: set[str]
) -> None:
    traces, versions = PaymentTraces(), Counter[str]()
    kinds = set()
    for event in events:
        stream = pe.stream_of(event)
        versions[stream] += 1
        findings = traces.replay(event, stream=stream, version=versions[stream], where=stream)
        kinds.update(finding.kind for finding in findings)
    assert kinds == expected
