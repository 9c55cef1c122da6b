"""Every way that money moves has its column; balances are as they were at the end, and nothing unsealed is in them."""

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
from wallet.reports.accounts import ACCOUNTS
from wallet.reports.liability import LIABILITY

pytestmark = pytest.mark.django_db

HOUSE: dict[str, Any] = {"operator": OPERATOR, "money_type": MoneyType.REAL, "currency": "EUR"}
HOLD = hold_account(player=ALICE, **HOUSE)
DEBT = debt_account(player=ALICE, **HOUSE)
FEES = operator_account(kind=AccountKind.FEES, **HOUSE)
PAID_OUT = operator_account(kind=AccountKind.WITHDRAWALS, **HOUSE)
ADJUSTED = operator_account(kind=AccountKind.ADJUSTMENTS, **HOUSE)
SANDBOX = operator_account(kind=AccountKind.SANDBOX, **HOUSE)
RACK = rack_account(player=ALICE, table=game().table or OPERATOR, **HOUSE)
MOVES: list[tuple[str, dict[AccountName, int]]] = [
    ("deposit", {deposits(): -10_000, account(): 9_900, FEES: 100}),
    ("sandbox_credit", {SANDBOX: -500, account(): 500}),
    ("withdrawal_held", {account(): -3_000, HOLD: 3_000}),
    ("withdrawal_cancelled", {HOLD: -1_000, account(): 1_000}),
    ("withdrawal_paid", {HOLD: -1_500, PAID_OUT: 1_450, FEES: 50}),
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


def moved(stream: str) -> None:
    """All of it happens once."""
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
    found: datetime = fetch("SELECT clock_timestamp()")[0][0]
    return found


def read(definition: ReportDefinition, since: datetime, until: datetime) -> list[dict[str, Any]]:
    """The rows as of all that is sealed, by the names of the columns."""
    position = fetch("SELECT coalesce(max(position), 0)::bigint FROM events_seal")[0][0]
    names = [column.name for column in definition.columns]
    asked = ReportScope(OPERATOR, False, since, until, position)
    return [dict(zip(names, row, strict=True)) for row in definition.read(asked).rows]


def test_all_that_moves_an_account_has_its_column_and_adds_up() -> None:
    start = now()
    moved("first")
    sealer.seal_all()
    middle = now()
    moved("second")
    store.post([build_entry(kind="deposit", cause=causes(1, "bob")[0], postings=[
        NewPosting(deposits(), -1), NewPosting(account(BOB), 1)
    ])])  # fmt: skip
    sealer.seal_all()
    end = now() + timedelta(seconds=1)

    first = read(ACCOUNTS, start, middle)
    assert first == [
        {
            "money_type": "real", "currency": "EUR", "player": ALICE, "opening": 0, "deposits": 9_900,
            "deposits_reversed": -200, "withdrawals": -2_000, "to_games": -4_100, "from_games": 1_000,
            "adjustments": -10, "sandbox_credits": 500, "debts_paid": -60, "voids": 40, "other": 0,
            "closing": 5_070, "wagered": 700, "paid_by_games": 150, "games": 2_550, "held": 500, "debt": 45,
            "active": 1,
        }
    ]  # fmt: skip
    second = read(ACCOUNTS, middle, end)
    assert [(row["player"], row["opening"], row["closing"]) for row in second] == [
        (ALICE, 5_070, 10_140),
        (BOB, 0, 1),
    ]
    whole = read(ACCOUNTS, start, end)
    assert (whole[0]["player"], whole[0]["opening"], whole[0]["closing"]) == (ALICE, 0, 10_140)
    assert read(LIABILITY, start, middle) == [
        {
            "money_type": "real", "currency": "EUR", "players": 1, "accounts": 5_070, "games": 2_550, "in_play": 460,
            "pending_withdrawals": 500, "owed": 8_580, "racks": 50, "debts": 45,
        }
    ]  # fmt: skip
    assert [row["owed"] for row in read(LIABILITY, start, end)] == [2 * 8_580 + 1]


def test_what_is_not_sealed_is_in_no_report() -> None:
    start = now()
    moved("first")
    until = datetime(2099, 1, 1, tzinfo=UTC)
    assert read(ACCOUNTS, start, until) == []
    assert read(LIABILITY, start, until) == []
    sealer.seal_all()
    moved("second")
    assert [row["closing"] for row in read(ACCOUNTS, start, until)] == [5_070]
    assert [row["owed"] for row in read(LIABILITY, start, until)] == [8_580]


def test_of_another_operator_nothing_is_told() -> None:
    moved("first")
    sealer.seal_all()
    asked = ReportScope(BOB, False, now() - timedelta(hours=1), now(), 10**6)
    assert (ACCOUNTS.read(asked).rows, LIABILITY.read(asked).rows) == ([], [])
