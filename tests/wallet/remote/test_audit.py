"""The audit reports tampered transactions with operators' own wallets, and a rebuild restores rows and queue."""

from collections.abc import Generator
from pathlib import Path

import pytest

from baccarat.audit import engine
from casino.events import sealer
from casino.events.rebuild import check, rebuild
from casino.events.sql import execute, fetch
from tests.baccarat.api.people import bet, deal_all
from tests.conftest import Database, as_owner
from tests.wallet.remote.operators import begin_again, deliver, post_bet, running_wallet, seamless_house, seated
from wallet.remote import records

ROWS = "SELECT kept::text FROM wallet_remote AS kept ORDER BY 1"
DUE = "SELECT transaction_id, operator_id FROM wallet_remote_due ORDER BY 1"
TAMPERING = {
    "row differs": "UPDATE wallet_remote SET reference = 'T-0' WHERE status = 'accepted' AND kind = 'debit'",
    "row is missing": "DELETE FROM wallet_remote WHERE status = 'refused'",
    "payment without its debit": "UPDATE wallet_remote SET concerns_id = gen_random_uuid() WHERE kind = 'credit'",
    "returning differs": "UPDATE wallet_remote SET amount = amount + 1 WHERE kind = 'credit' AND status = 'requested'",
    "queue differs": "DELETE FROM wallet_remote_due",
}


@pytest.fixture
def history(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Database]:
    """Let transactions be paid, refused, taken back, and left open."""
    with running_wallet(tmp_path) as server:
        begin_again(server, monkeypatch)
        ann, table = seated(seamless_house(server), server)
        bet(ann, table, player="10.00", banker="10.00")
        deal_all()
        for behaviour in ("refuse", "apply_then_fail"):
            server.next("debit", behaviour)
            assert post_bet(ann, table).status_code in {409, 503}
        deliver()
        bet(ann, table, player="10.00", banker="10.00")
        deal_all()
        server.next("debit", "fail")
        post_bet(ann, table)
        sealer.seal_all()
        yield database


def findings() -> set[str]:
    return {finding.kind for finding in engine.run_audit().findings}


def test_a_rebuild_leaves_rows_and_queue_as_they_are(history: Database) -> None:
    before = fetch(ROWS), fetch(DUE)
    assert (findings(), check(records.PROJECTOR).changed) == (set(), ())
    with as_owner(history.owner_url):
        rebuild(records.PROJECTOR)
    assert (fetch(ROWS), fetch(DUE)) == before
    assert (len(before[0]), len(before[1])) == (7, 2)


@pytest.mark.parametrize("finding", TAMPERING)
def test_the_audit_reports_tampered_rows_and_a_rebuild_restores_them(history: Database, finding: str) -> None:
    before = fetch(ROWS), fetch(DUE)
    assert execute(TAMPERING[finding])
    assert finding in findings()
    with as_owner(history.owner_url):
        rebuild(records.PROJECTOR)
    assert (fetch(ROWS), fetch(DUE), findings()) == (*before, set())
