"""Money reports: a column for every kind of movement, balances at the end, and sealed entries only."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from casino.events import sealer
from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from casino.reports.definition import ReportDefinition, ReportScope
from tests.wallet.ledger.world import ALICE, BOB, OPERATOR, account, causes, deposits, game, stakes
from wallet.ledger import store
from wallet.ledger.accounts import AccountKind, AccountName, debt_account, hold_account, operator_account, rack_account
from wallet.ledger.entries import NewPosting, build_entry
from wallet.reports import ACCOUNTS, LIABILITY

pytestmark = pytest.mark.django_db

OWNER: dict[str, Any] = {"operator": OPERATOR, "money_type": MoneyType.REAL, "currency": "EUR"}
HOLD = hold_account(player=ALICE, **OWNER)
DEBT = debt_account(player=ALICE, **OWNER)
FEES = operator_account(kind=AccountKind.FEES, **OWNER)
PAID_OUT = operator_account(kind=AccountKind.WITHDRAWALS, **OWNER)
ADJUSTED = operator_account(kind=AccountKind.ADJUSTMENTS, **OWNER)
SANDBOX = operator_account(kind=AccountKind.SANDBOX, **OWNER)
WALLET = operator_account(kind=AccountKind.WALLET, **OWNER)
RACK = rack_account(player=ALICE, table=game().table or OPERATOR, **OWNER)
MOVES: list[tuple[str, dict[AccountName, int]]] = [
    ("deposit", {deposits(): -10_000, account(): 9_900, FEES: 100}),
    ("sandbox_credit", {SANDBOX: -500, account(): 500}),
    ("withdrawal_held", {account(): -3_000, HOLD: 3_000}),
    ("withdrawal_cancelled", {HOLD: -1_000, account(): 1_000}),
    ("withdrawal_paid", {HOLD: -1_500, PAID_OUT: 1_450, FEES: 50}),
    ("transfer_in", {WALLET: -800, account(): 800}),
    ("transfer_out", {account(): -50, WALLET: 50}),
    ("buy_in", {account(): -4_000, game(): 4_000}),
    ("rebuy", {account(): -100, game(): 100}),
    ("wager", {game(): -700, stakes(): 700}),
    ("settlement", {stakes(): -200, game(): 150, RACK: 50}),
    ("cash_out", {game(): -1_000, account(): 1_000}),
    ("adjustment_credit", {ADJUSTED: -20, account(): 20}),
    ("adjustment_debit", {ADJUSTED: 35, account(): -30, DEBT: -5}),
    ("deposit_reversed", {deposits(): 300, account(): -200, DEBT: -100}),
    ("debt_collected", {account(): -60, DEBT: 60}),
    ("void", {stakes(): -40, account(): 40}),
]


def post_all(stream: str) -> None:
    """Post one entry of every kind."""
    numbers = causes(len(MOVES), stream)
    store.post(
        [
            build_entry(
                kind=kind, cause=cause, postings=[NewPosting(name, amount) for name, amount in postings.items()]
            )
            for cause, (kind, postings) in zip(numbers, MOVES, strict=True)
        ]
    )


def now() -> datetime:
    moment: datetime = fetch("SELECT clock_timestamp()")[0][0]
    return moment


def read(definition: ReportDefinition, since: datetime, until: datetime) -> list[dict[str, Any]]:
    """Read a report as of all sealed events, as dictionaries by column."""
    position = fetch("SELECT coalesce(max(position), 0)::bigint FROM events_seal")[0][0]
    names = [column.name for column in definition.columns]
    scope = ReportScope(OPERATOR, False, since, until, position)
    return [dict(zip(names, row, strict=True)) for row in definition.read(scope).rows]


def test_every_kind_of_movement_has_a_column_and_the_columns_add_up() -> None:
    start = now()
    post_all("first")
    sealer.seal_all()
    middle = now()
    post_all("second")
    store.post([build_entry(kind="deposit", cause=causes(1, "bob")[0], postings=[
        NewPosting(deposits(), -1), NewPosting(account(BOB), 1)
    ])])  # fmt: skip
    sealer.seal_all()
    end = now() + timedelta(seconds=1)

    first = read(ACCOUNTS, start, middle)
    assert first == [
        {
            "money_type": "real", "currency": "EUR", "player": ALICE, "opening": 0, "deposits": 9_900,
            "deposits_reversed": -200, "withdrawals": -2_000, "transfers": 750, "to_games": -4_100, "from_games": 1_000,
            "adjustments": -10, "sandbox_credits": 500, "debts_paid": -60, "voids": 40, "other": 0,
            "closing": 5_820, "staked": 700, "returned": 150, "games": 2_550, "held": 500, "debt": 45,
            "active": 1,
        }
    ]  # fmt: skip
    second = read(ACCOUNTS, middle, end)
    assert [(row["player"], row["opening"], row["closing"]) for row in second] == [
        (ALICE, 5_820, 11_640),
        (BOB, 0, 1),
    ]
    whole = read(ACCOUNTS, start, end)
    assert (whole[0]["player"], whole[0]["opening"], whole[0]["closing"]) == (ALICE, 0, 11_640)
    assert read(LIABILITY, start, middle) == [
        {
            "money_type": "real", "currency": "EUR", "players": 1, "accounts": 5_820, "games": 2_550, "in_play": 460,
            "pending_withdrawals": 500, "returning": 0, "owed": 9_330, "racks": 50, "debts": 45,
            "from_wallet": 750,
        }
    ]  # fmt: skip
    assert [row["owed"] for row in read(LIABILITY, start, end)] == [2 * 9_330 + 1]


def test_unsealed_entries_are_in_no_report() -> None:
    start = now()
    post_all("first")
    until = datetime(2099, 1, 1, tzinfo=UTC)
    assert read(ACCOUNTS, start, until) == []
    assert read(LIABILITY, start, until) == []
    sealer.seal_all()
    post_all("second")
    assert [row["closing"] for row in read(ACCOUNTS, start, until)] == [5_820]
    assert [row["owed"] for row in read(LIABILITY, start, until)] == [9_330]


def test_reports_contain_nothing_of_another_operator() -> None:
    post_all("first")
    sealer.seal_all()
    scope = ReportScope(BOB, False, now() - timedelta(hours=1), now(), 10**6)
    assert (ACCOUNTS.read(scope).rows, LIABILITY.read(scope).rows) == ([], [])
