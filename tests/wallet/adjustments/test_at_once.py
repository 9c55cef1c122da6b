"""Many who decide at the same moment: money moves once, and no account goes below zero."""

from collections.abc import Callable
from typing import Any

from tests.conftest import Database
from tests.wallet.adjustments.test_operations import agree, ask, told
from tests.wallet.ledger.world import account, fund
from tests.wallet.payments.counter import holds, open_alice
from wallet.adjustments.refusals import AdjustmentDecided
from wallet.adjustments.state import AdjustmentStatus
from wallet.ledger.accounts import AccountKind
from wallet.ledger.refusals import InsufficientFunds


def test_ten_who_agree_at_once_move_the_money_once(database: Database, in_threads: Callable[..., Any]) -> None:
    open_alice()
    wanted = ask()
    outcomes = in_threads(10, lambda number: agree(wanted, by=f"staff:{number + 2}"))
    assert outcomes.count(AdjustmentStatus.APPROVED) == 1
    assert sum(isinstance(outcome, AdjustmentDecided) for outcome in outcomes) == 9
    assert holds(AccountKind.ACCOUNT) == 2000
    assert len(told()) == 1


def test_debits_at_once_never_take_an_account_below_zero(database: Database, in_threads: Callable[..., Any]) -> None:
    open_alice()
    fund(account(), 5000)
    wanted = [ask("debit", 2000) for _ in range(6)]
    outcomes = in_threads(6, lambda number: agree(wanted[number]))
    assert outcomes.count(AdjustmentStatus.APPROVED) == 2
    assert sum(isinstance(outcome, InsufficientFunds) for outcome in outcomes) == 4
    assert holds(AccountKind.ACCOUNT) == 1000
