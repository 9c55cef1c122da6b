"""A reversed deposit leaves a debt, which blocks play and is paid off first."""

from uuid import UUID

import pytest

from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from tests.conftest import Database
from tests.support.house import House
from tests.support.payouts import pay_unplayed
from tests.wallet.ledger.world import ALICE, METADATA, OPERATOR, account
from tests.wallet.payments.counter import (
    assert_consistent,
    balance_of,
    complete_deposit,
    deposit,
    method,
    open_alice,
    report,
    status,
    withdraw,
)
from wallet.ledger.accounts import AccountKind
from wallet.ledger.refusals import DebtOutstanding
from wallet.payments import debts, deposits, withdrawals


def owed() -> int:
    return debts.outstanding(operator=OPERATOR, player=ALICE, currency="EUR")


def leave_debt(spent: int) -> None:
    """Leave Alice a debt: she deposited 49.00, requested a withdrawal of `spent`, and the deposit was reversed."""
    pay_unplayed(OPERATOR)
    open_alice()
    card = method()
    payment = complete_deposit(card)
    withdraw(card, spent)
    assert deposits.apply(report(payment, "reversed"), provider="sandbox") == "applied"
    assert status(payment) == "reversed"


@pytest.mark.django_db
def test_spent_money_becomes_a_debt_and_no_account_goes_below_zero() -> None:
    leave_debt(3000)
    assert (balance_of(AccountKind.ACCOUNT), balance_of(AccountKind.DEBT), owed()) == (0, -3000, 3000)
    assert_consistent()


@pytest.mark.django_db
def test_a_debt_stops_new_and_waiting_withdrawals() -> None:
    leave_debt(3000)
    with pytest.raises(DebtOutstanding):
        withdraw(method(), 1)
    with pytest.raises(DebtOutstanding):
        withdrawals.approve(_only_withdrawal(), staff="staff:1", metadata=METADATA)
    assert_consistent()


@pytest.mark.django_db
def test_a_cancelled_withdrawal_pays_the_debt() -> None:
    leave_debt(3000)
    withdrawals.cancel(_only_withdrawal(), operator=OPERATOR, player=ALICE, metadata=METADATA)
    assert (balance_of(AccountKind.ACCOUNT), owed()) == (0, 0)
    assert_consistent()


@pytest.mark.django_db
def test_the_next_deposit_pays_the_debt_first() -> None:
    leave_debt(3000)
    card = method(fee_fixed=0, fee_ppm=0)
    for amount, left, balance in ((1000, 2000, 0), (5000, 0, 3000)):
        payment = deposit(card, amount)
        deposits.apply(report(payment, "completed", amount=amount), provider="sandbox")
        assert (owed(), balance_of(AccountKind.ACCOUNT)) == (left, balance)
    assert debts.available(account()) == 3000
    assert_consistent()


def test_a_debt_blocks_buy_in_and_rebuy_and_money_from_the_table_pays_it(database: Database) -> None:
    house = House(operator=OPERATOR)
    open_alice()
    payment = complete_deposit(method(fee_fixed=0, fee_ppm=0), 200_000)
    table = house.table("mini")
    alice = house.guest(table, ALICE)
    alice.sit(buy_in=150_000)
    deposits.apply(report(payment, "reversed", amount=200_000), provider="sandbox")
    assert (owed(), balance_of(AccountKind.ACCOUNT)) == (150_000, 0)

    with pytest.raises(DebtOutstanding):
        alice.rebuy(100)
    alice.leave()
    with pytest.raises(DebtOutstanding):
        alice.sit(buy_in=100)
    assert debts.collect_due() == 1
    assert (owed(), balance_of(AccountKind.ACCOUNT)) == (0, 0)
    assert_consistent()


@pytest.mark.django_db
def test_a_debt_does_not_stop_play_with_play_money() -> None:
    leave_debt(3000)
    house = House(operator=OPERATOR)
    house.credit(ALICE, 100_000, MoneyType.PLAY)
    alice = house.guest(house.table("mini"), ALICE)
    alice.sit(buy_in=50_000, money_type=MoneyType.PLAY)
    assert owed() == 3000


def _only_withdrawal() -> UUID:
    found: UUID = fetch("SELECT id FROM wallet_withdrawal")[0][0]
    return found
