"""What a reversed deposit leaves, what it blocks, and how it is paid off."""

from uuid import UUID

import pytest

from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from tests.conftest import Database
from tests.support.house import House
from tests.wallet.ledger.world import ALICE, METADATA, OPERATOR, account
from tests.wallet.payments.counter import (
    agree,
    deposit,
    funded,
    holds,
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


def owing(spent: int) -> None:
    """Alice had 49.00 by card, has this much of it on its way out, and the card took everything back."""
    open_alice()
    card = method()
    made = funded(card)
    withdraw(card, spent)
    assert deposits.apply(report(made, "reversed"), provider="sandbox") == "applied"
    assert status(made) == "reversed"


@pytest.mark.django_db
def test_what_is_no_longer_there_becomes_a_debt_and_nothing_goes_below_zero() -> None:
    owing(3000)
    assert (holds(AccountKind.ACCOUNT), holds(AccountKind.DEBT), owed()) == (0, -3000, 3000)
    agree()


@pytest.mark.django_db
def test_a_debt_stops_new_withdrawals_and_those_that_wait_for_staff() -> None:
    owing(3000)
    with pytest.raises(DebtOutstanding):
        withdraw(method(), 1)
    with pytest.raises(DebtOutstanding):
        withdrawals.approve(_only_withdrawal(), staff="staff:1", metadata=METADATA)
    agree()


@pytest.mark.django_db
def test_a_withdrawal_that_comes_back_pays_the_debt() -> None:
    owing(3000)
    withdrawals.cancel(_only_withdrawal(), operator=OPERATOR, player=ALICE, metadata=METADATA)
    assert (holds(AccountKind.ACCOUNT), owed()) == (0, 0)
    agree()


@pytest.mark.django_db
def test_the_next_deposit_pays_the_debt_first() -> None:
    owing(3000)
    card = method(fee_fixed=0, fee_ppm=0)
    for amount, left, balance in ((1000, 2000, 0), (5000, 0, 3000)):
        made = deposit(card, amount)
        deposits.apply(report(made, "completed", amount=amount), provider="sandbox")
        assert (owed(), holds(AccountKind.ACCOUNT)) == (left, balance)
    assert debts.available(account()) == 3000
    agree()


def test_debt_blocks_real_play_at_buy_in_and_rebuy_and_money_from_the_table_pays_it(database: Database) -> None:
    house = House(operator=OPERATOR)
    open_alice()
    made = funded(method(fee_fixed=0, fee_ppm=0), 200_000)
    table = house.table("mini")
    alice = house.guest(table, ALICE)
    alice.sit(buy_in=150_000)
    deposits.apply(report(made, "reversed", amount=200_000), provider="sandbox")
    assert (owed(), holds(AccountKind.ACCOUNT)) == (150_000, 0)

    with pytest.raises(DebtOutstanding):
        alice.rebuy(100)
    alice.leave()
    with pytest.raises(DebtOutstanding):
        alice.sit(buy_in=100)
    assert debts.collect_due() == 1
    assert (owed(), holds(AccountKind.ACCOUNT)) == (0, 0)
    agree()


@pytest.mark.django_db
def test_play_money_is_played_with_in_spite_of_a_debt() -> None:
    owing(3000)
    house = House(operator=OPERATOR)
    house.credit(ALICE, 100_000, MoneyType.PLAY)
    alice = house.guest(house.table("mini"), ALICE)
    alice.sit(buy_in=50_000, money_type=MoneyType.PLAY)
    assert owed() == 3000


def _only_withdrawal() -> UUID:
    found: UUID = fetch("SELECT id FROM wallet_withdrawal")[0][0]
    return found
