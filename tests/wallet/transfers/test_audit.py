"""The audit reports tampered transfers and funding, and a rebuild restores the rows."""

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
from tests.baccarat.api.people import tenant
from tests.conftest import Database, as_owner
from tests.wallet.ledger.world import ALICE, OPERATOR
from wallet.events import entry_for
from wallet.funding import services as funding
from wallet.funding.events import Funding, FundingChanged
from wallet.ledger.accounts import AccountKind, operator_account, player_account
from wallet.transfers import records as transfers
from wallet.transfers.audit import TransferTraces
from wallet.transfers.events import MoneyTransferred, TransferDirection

ROWS = """SELECT kept::text FROM wallet_transfer AS kept
    UNION ALL SELECT kept::text FROM wallet_funding AS kept ORDER BY 1"""
TAMPERING = {
    "row differs": "UPDATE wallet_transfer SET amount = amount + 1 WHERE reference = 'tx-1'",
    "row is missing": "DELETE FROM wallet_transfer WHERE reference = 'tx-2'",
    "row is extra": "UPDATE wallet_transfer SET id = gen_random_uuid() WHERE reference = 'tx-1'",
}
AT = datetime(2026, 11, 21, tzinfo=UTC)
KEY = UUID(int=77)
ONE_IN = MoneyTransferred(
    KEY, OPERATOR, ALICE, "tx-1", TransferDirection.IN, MoneyType.REAL, "EUR", 900, False, 1000, AT
)
ALL_OUT = replace(
    ONE_IN, transfer=UUID(int=78), reference="tx-2", direction=TransferDirection.OUT, everything=True, balance=0
)
CHANGED = FundingChanged(OPERATOR, Funding.TRANSFER, AT)
OWN_WALLET = FundingChanged(OPERATOR, Funding.SEAMLESS, AT, "https://casino.example/wallet")
BACK = FundingChanged(OPERATOR, Funding.HOUSE, AT)


@pytest.fixture
def history(database: Database) -> Any:
    """Transfer money in, out and all of it twice, and return to the house's funding."""
    house = tenant("lucky")
    house.agree("operator/funding", {"funding": "transfer"})
    alice = house.player("Alice", funds="30.00")
    moves = [("in", "100.00"), ("out", "5.00"), ("out", "all"), ("out", "all")]
    for number, (direction, amount) in enumerate(moves, 1):
        body = {"reference": f"tx-{number}", "direction": direction, "amount": amount, "currency": "EUR"}
        house.do(f"players/{alice.id}/transfers", body)
    house.agree("operator/funding", {"funding": "house"})
    sealer.seal_all()
    return database


def findings() -> set[str]:
    return {finding.kind for finding in engine.run_audit().findings}


def test_a_sound_history_has_no_findings_and_a_rebuild_changes_nothing(history: Any) -> None:
    assert findings() == set()
    assert (check(transfers.PROJECTOR).changed, check(transfers.PROJECTOR).rows) == ((), {"wallet_transfer": 4})
    assert (check(funding.PROJECTOR).changed, check(funding.PROJECTOR).rows) == ((), {"wallet_funding": 1})


def test_the_audit_reports_tampered_rows_and_a_rebuild_restores_them(history: Any) -> None:
    before = fetch(ROWS)
    for finding, statement in TAMPERING.items():
        assert execute(statement)
        assert finding in findings()
        assert check(transfers.PROJECTOR).changed
        with as_owner(history.owner_url):
            rebuild(transfers.PROJECTOR)
    assert execute("UPDATE wallet_funding SET funding = 'transfer'")
    assert findings() == {"row differs"}
    with as_owner(history.owner_url):
        rebuild(funding.PROJECTOR)
    assert (fetch(ROWS), findings()) == (before, set())


def replay(*events: Any, stream: str = "") -> set[str]:
    traces, versions = TransferTraces(), 0
    kinds: set[str] = set()
    for cause, event in enumerate(events, 1):
        if isinstance(event, FundingChanged):
            versions += 1
            found = traces.replay_change(event, stream=stream or f"funding-{OPERATOR}", version=versions, where="here")
        else:
            named = stream or f"transfer-{event.transfer}"
            found = traces.replay_transfer(event, cause, stream=named, version=1, where="here")
        kinds |= {finding.kind for finding in found}
    return kinds


@pytest.mark.parametrize(
    ("events", "finding"),
    [
        ([CHANGED, ONE_IN, ALL_OUT], None),
        ([CHANGED, replace(ALL_OUT, amount=0)], None),
        ([CHANGED, ONE_IN, BACK], None),
        ([ONE_IN], "money moved in another funding"),
        ([CHANGED, BACK, ONE_IN], "money moved in another funding"),
        ([CHANGED, CHANGED], "funding did not change"),
        ([OWN_WALLET, replace(OWN_WALLET, wallet_url="https://new.example")], None),
        ([OWN_WALLET, OWN_WALLET], "funding did not change"),
        ([BACK], "funding did not change"),
        ([CHANGED, ONE_IN, replace(ONE_IN, transfer=UUID(int=79))], "reference used twice"),
        ([CHANGED, replace(ONE_IN, amount=0)], "amount out of range"),
        ([CHANGED, replace(ALL_OUT, balance=5)], "transfer differs"),
        ([CHANGED, replace(ONE_IN, everything=True)], "transfer differs"),
    ],
)
def test_contradictory_events_are_reported(events: list[Any], finding: str | None) -> None:
    kinds = replay(*events)
    assert kinds == set() if finding is None else finding in kinds


def test_an_event_on_the_wrong_stream_is_reported() -> None:
    assert replay(CHANGED, stream="funding-x") == {"stream differs"}
    assert "stream differs" in replay(ONE_IN, stream="transfer-x")


@pytest.mark.django_db
def test_a_balance_that_is_not_the_ledgers_is_reported() -> None:
    house = tenant("lucky")
    house.agree("operator/funding", {"funding": "transfer"})
    alice = house.player("Alice", funds="1.00")
    body = {"reference": "tx-1", "direction": "in", "amount": "5.00", "currency": "EUR"}
    house.do(f"players/{alice.id}/transfers", body)
    ((cause, schema, data),) = fetch("SELECT id, schema, data::text FROM events_event WHERE type = 'MoneyTransferred'")
    event = transfers.TRANSFER_EVENTS.registry.decode("MoneyTransferred", schema, data)
    for balance, expected in ((event.balance, set()), (event.balance + 1, {"balance after a transfer differs"})):
        traces = TransferTraces()
        list(
            traces.replay_transfer(
                replace(event, balance=balance), cause, stream=f"transfer-{event.transfer}", version=1, where="here"
            )
        )
        kinds = {finding.kind for finding in traces.check_state()}
        assert kinds - {"row differs", "row is extra"} == expected


def test_a_transfer_moves_money_between_the_operators_wallet_and_the_account() -> None:
    names = {"operator": OPERATOR, "money_type": MoneyType.REAL, "currency": "EUR"}
    wallet = operator_account(kind=AccountKind.WALLET, **names)
    account = player_account(player=ALICE, **names)

    def moved(event: MoneyTransferred) -> Any:
        entry = entry_for(event, 1)
        return entry and (entry.kind, {posting.account: posting.amount for posting in entry.postings})

    assert moved(ONE_IN) == ("transfer_in", {wallet: -900, account: 900})
    assert moved(ALL_OUT) == ("transfer_out", {account: -900, wallet: 900})
    assert moved(replace(ALL_OUT, amount=0)) is None
