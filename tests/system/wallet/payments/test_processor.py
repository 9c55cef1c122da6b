"""Payments without callbacks are polled over real HTTP; the provider is a process."""

from collections.abc import Generator
from typing import Any
from uuid import UUID

import pytest

from casino.events.sql import execute, fetch
from tests.conftest import Database
from tests.dying import KILLED, dying
from tests.processes import wait_until
from tests.support.payouts import pay_unplayed
from tests.wallet.payments.counter import (
    SECRET,
    assert_consistent,
    balance_of,
    call_back,
    complete_deposit,
    deposit,
    event_names,
    method,
    open_alice,
    report,
    status,
    use_provider,
    withdraw,
)
from tests.wallet.payments.sandbox import running_provider
from wallet.ledger.accounts import AccountKind
from wallet.payments import processor, withdrawals
from wallet.payments.providers import provider
from wallet.payments.queries import load_last_errors


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """Run the provider and return its address."""
    with running_provider(tmp_path_factory.mktemp("provider")) as (url, _):
        yield url


@pytest.fixture
def card(database: Database, sandbox: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a method of that provider without fees, after opening Alice's accounts."""
    use_provider(monkeypatch, sandbox)
    open_alice()
    return method(fee_fixed=0, fee_ppm=0)


def poll_until(payment: UUID, wanted: str, table: str = "wallet_deposit") -> bool:
    """Poll without back-off until the payment has this status."""

    def look() -> bool:
        execute("UPDATE wallet_payment_due SET due_at = clock_timestamp()")
        processor.process_payments()
        return status(payment, table) == wanted

    return wait_until(look, seconds=20)


def due() -> list[Any]:
    return fetch("SELECT payment_id FROM wallet_payment_due")


@pytest.mark.parametrize("cents", [0, 12, 13, 14, 15, 16, 17])
def test_polling_completes_deposits_whose_callbacks_are_lost(card: Any, cents: int) -> None:
    payment = deposit(card, 5000 + cents)
    assert poll_until(payment, "completed")
    assert balance_of(AccountKind.ACCOUNT) == 5000 + cents
    assert due() == []
    assert_consistent()


@pytest.mark.parametrize("cents", [11, 22])
def test_a_failed_or_refused_deposit_credits_nothing(card: Any, cents: int) -> None:
    payment = deposit(card, 5000 + cents)
    assert poll_until(payment, "failed")
    assert (balance_of(AccountKind.ACCOUNT), due()) == (0, [])
    assert_consistent()


@pytest.mark.parametrize("cents", [18, 19])
def test_a_failed_or_slow_start_leaves_the_deposit_pending_and_starts_it_once(
    card: Any, sandbox: str, cents: int
) -> None:
    payment = deposit(card, 5000 + cents)
    processor.process_payments()
    assert status(payment) == "pending"
    assert load_last_errors([payment])[payment].startswith("no answer")
    assert poll_until(payment, "completed")
    assert balance_of(AccountKind.ACCOUNT) == 5000 + cents
    assert event_names(f"deposit-{payment}") == ["DepositRequested", "DepositSent", "DepositCompleted"]
    assert_consistent()


def test_an_unavailable_provider_is_called_once_per_pass(
    card: Any, sandbox: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    payment = [deposit(card, 5000) for _ in range(3)]
    use_provider(monkeypatch)
    assert processor.poll_due_payments() == 3
    assert [status(each) for each in payment] == ["pending"] * 3
    assert len(load_last_errors(payment)) == 1
    assert processor.poll_due_payments() == 0  # the back-off has begun
    use_provider(monkeypatch, sandbox)
    assert all(poll_until(each, "completed") for each in payment)
    assert balance_of(AccountKind.ACCOUNT) == 15_000
    assert_consistent()


def test_a_crash_between_provider_call_and_commit_neither_loses_nor_doubles_money(card: Any) -> None:
    payment = deposit(card, 5000)
    leased = processor._lease(10)
    assert [each.payment for each in leased] == [payment]
    first = provider("sandbox").start_deposit(payment=payment, amount=5000, currency="EUR")  # and dies
    again = provider("sandbox").start_deposit(payment=payment, amount=5000, currency="EUR")
    assert again.reference == first.reference
    assert poll_until(payment, "completed")
    assert balance_of(AccountKind.ACCOUNT) == 5000
    assert_consistent()


def test_many_polls_at_once_send_each_payout_once(card: Any, in_threads: Any) -> None:
    complete_deposit(card, 10_000)
    approve_at_once()
    payment = [withdraw(card, 1000) for _ in range(4)]
    in_threads(4, lambda _: processor.process_payments())
    assert all(poll_until(each, "paid", "wallet_withdrawal") for each in payment)
    kinds = (AccountKind.ACCOUNT, AccountKind.HOLD, AccountKind.WITHDRAWALS)
    assert [balance_of(kind) for kind in kinds] == [6000, 0, 4000]
    for each in payment:
        assert event_names(f"withdrawal-{each}") == ["WithdrawalRequested", "WithdrawalSent", "WithdrawalPaid"]
    assert_consistent()


@pytest.mark.parametrize("cents", [11, 22])
def test_a_failed_payout_is_returned(card: Any, cents: int) -> None:
    complete_deposit(card, 10_000)
    approve_at_once()
    payment = withdraw(card, 1000 + cents)
    assert poll_until(payment, "returned", "wallet_withdrawal")
    assert [balance_of(AccountKind.ACCOUNT), balance_of(AccountKind.HOLD)] == [10_000, 0]
    assert_consistent()


def test_a_crash_after_a_payout_is_marked_sent_leaves_it_to_be_started(card: Any) -> None:
    complete_deposit(card, 10_000)
    approve_at_once()
    payment = withdraw(card, 1000)
    assert withdrawals.send(payment)  # and dies: the provider was never called
    assert poll_until(payment, "paid", "wallet_withdrawal")
    assert_consistent()


def test_a_processor_killed_at_any_statement_neither_loses_nor_doubles_money(
    card: Any, sandbox: str, database: Database
) -> None:
    complete_deposit(card, 10_000)
    approve_at_once()
    environment = {
        **database.environment,
        "PAYMENT_PROVIDERS": f"sandbox={sandbox}",
        "PAYMENT_SECRETS": f"sandbox={SECRET}",
    }
    ends = []
    with dying("wallet.payments.processor:process_payments", environment) as dies_at:
        for moment in range(1, 50, 4):
            paid_in, paid_out = deposit(card, 2000), withdraw(card, 500)
            call_back(report(complete_deposit(card, 1000), "reversed", amount=1000))
            ends.append(dies_at(moment))
            assert poll_until(paid_in, "completed")
            assert poll_until(paid_out, "paid", "wallet_withdrawal")
            assert_consistent()
    assert ends.count(KILLED) > 8
    assert balance_of(AccountKind.ACCOUNT) == 10_000 + len(ends) * (2000 - 500)


def test_a_withdrawal_waiting_for_approval_is_not_sent(card: Any) -> None:
    pay_unplayed(_operator())
    complete_deposit(card, 10_000)
    payment = withdraw(card, 1000)
    processor.process_payments()
    assert (status(payment, "wallet_withdrawal"), due()) == ("requested", [])


def test_a_removed_provider_is_recorded_as_the_error(card: Any, settings: Any) -> None:
    payment = deposit(card, 5000)
    settings.PAYMENT_PROVIDERS = {}
    processor.process_payments()
    assert load_last_errors([payment]) == {payment: "unknown_provider"}


def approve_at_once() -> None:
    pay_unplayed(_operator(), automatic=10_000, second=10_000)


def _operator() -> UUID:
    found: UUID = fetch("SELECT operator_id FROM wallet_deposit_method LIMIT 1")[0][0]
    return found
