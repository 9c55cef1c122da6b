"""What was tampered with is found and named, and what is lost comes back from the events."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from baccarat.audit import engine
from casino.events import sealer
from casino.events.sql import execute, fetch
from tests.conftest import Database
from tests.wallet.ledger.world import account
from tests.wallet.payments.counter import deposit, funded, method, open_alice, report, withdraw
from wallet.ledger import store
from wallet.payments import deposits
from wallet.payments import events as pe
from wallet.payments.audit import PaymentTraces
from wallet.payments.records import rebuild_payments

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
def lived(database: Database) -> Any:
    """One completed, one reversed with a debt, one pending deposit, and a withdrawal."""
    open_alice()
    card = method()
    funded(card)
    back = funded(card, 6000)
    withdraw(card, 9000)
    deposits.apply(report(back, "reversed", amount=6000), provider="sandbox")
    deposit(card)
    sealer.seal_all()
    return database


def findings() -> set[str]:
    return {finding.kind for finding in engine.run_audit().findings}


def test_a_sound_history_has_no_findings(lived: Any) -> None:
    assert findings() == set()


@pytest.mark.parametrize("finding", TAMPERING)
def test_tampering_with_rows_is_found_by_the_audit_and_undone_by_a_rebuild(lived: Any, finding: str) -> None:
    before, queue = fetch(ROWS), fetch("SELECT payment_id, kind FROM wallet_payment_due ORDER BY 1")
    assert execute(TAMPERING[finding])
    assert finding in findings()
    rebuild_payments(compare=True)
    assert fetch(ROWS) == before
    assert fetch("SELECT payment_id, kind FROM wallet_payment_due ORDER BY 1") == queue
    assert findings() == set()


def test_a_rebuild_of_what_is_sound_changes_nothing_and_says_so(lived: Any) -> None:
    rebuilt = rebuild_payments(compare=True)
    assert rebuilt.changed == ()
    assert rebuilt.rows == {"wallet_deposit": 3, "wallet_withdrawal": 1}


def test_an_entry_that_an_event_does_not_lead_to_is_found(lived: Any) -> None:
    with lived.owner() as owner:
        for table in ("wallet_posting", "wallet_entry"):
            owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        owner.execute("UPDATE wallet_entry SET kind = 'gift' WHERE kind = 'deposit'")
    assert "entry is of another kind" in findings()


def test_a_payment_of_a_player_without_such_a_wallet_is_found(database: Database) -> None:
    card = method()
    store.open_accounts([account()])  # an account, but no event that opened the wallet
    deposit(card)
    sealer.seal_all()
    assert findings() == {"payment of another wallet"}


WHO = (UUID(int=1), UUID(int=2))
AT = datetime(2026, 11, 21, tzinfo=UTC)
ASKED = pe.DepositRequested(UUID(int=3), *WHO, UUID(int=4), 1, "sandbox", "EUR", 5000, 100, AT)
SENT = pe.DepositSent(UUID(int=3), "tx-1", AT)
PAID = pe.DepositCompleted(UUID(int=3), *WHO, "EUR", 5000, 100, "tx-1", AT)
BACK = pe.DepositReversed(UUID(int=3), *WHO, "EUR", 5000, 100, True, 4000, 900, "tx-1", "", AT)
OUT = pe.WithdrawalRequested(UUID(int=5), *WHO, UUID(int=4), 1, "sandbox", "EUR", 700, 2, AT, 0)
AGREED = pe.WithdrawalApproved(UUID(int=5), "staff:1", AT)
GONE = pe.WithdrawalSent(UUID(int=5), AT)
HOME = pe.WithdrawalReturned(UUID(int=5), *WHO, "EUR", 700, True, "tx-2", "", AT, 0)


@pytest.mark.parametrize(
    ("events", "found"),
    [
        ((ASKED, SENT, PAID, BACK), set()),
        ((ASKED, SENT, PAID, PAID), {"event out of place"}),
        ((SENT,), {"event out of place"}),
        ((ASKED, SENT, replace(PAID, amount=6000)), {"payment differs from its request"}),
        ((ASKED, SENT, PAID, replace(BACK, owed=0)), {"reversal differs"}),
        ((ASKED, SENT, BACK), {"reversal differs"}),
        ((ASKED, SENT, PAID, BACK, pe.DebtCollected(*WHO, "EUR", 900, AT)), set()),
        ((ASKED, SENT, PAID, BACK, pe.DebtCollected(*WHO, "EUR", 901, AT)), {"debt collected that was not owed"}),
        ((OUT, AGREED, replace(AGREED, approved_by="staff:2"), GONE), set()),
        ((OUT, AGREED, AGREED, GONE), {"sent without approval"}),
        ((OUT, AGREED, GONE), {"sent without approval"}),
        ((OUT, AGREED, replace(AGREED, approved_by="staff:2"), GONE, HOME), {"return differs"}),
    ],
)
def test_events_that_contradict_those_before_them_are_found(
    events: tuple[pe.PaymentEvent, ...], found: set[str]
) -> None:
    audited, versions = PaymentTraces(), Counter[str]()
    noted = set()
    for event in events:
        stream = pe.stream_of(event)
        versions[stream] += 1
        told = audited.replay(event, stream=stream, version=versions[stream], where=stream)
        noted.update(finding.kind for finding in told)
    assert noted == found
