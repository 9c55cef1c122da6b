"""A deposit from its request to completion, failure or reversal."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from casino.events.sql import execute, fetch
from casino.kernel.money import MoneyType
from tests.wallet.ledger.world import ALICE, BOB, METADATA, OPERATOR, account
from tests.wallet.payments.counter import (
    assert_consistent,
    balance_of,
    complete_deposit,
    deposit,
    event_names,
    method,
    offer,
    open_alice,
    report,
    status,
)
from wallet.ledger import store
from wallet.ledger.accounts import AccountKind
from wallet.ledger.player_accounts import credit_sandbox_player
from wallet.ledger.refusals import DebtOutstanding, UnknownAccount
from wallet.payments import debts, deposits, methods
from wallet.payments.refusals import (
    AmountOutOfRange,
    DepositMethodUnavailable,
    InvalidDepositMethod,
    NoEarlierDeposit,
    UnknownDepositMethod,
    UnknownProvider,
)

pytestmark = pytest.mark.django_db


def apply_report(payment: UUID, status: str, **changes: Any) -> str:
    return deposits.apply(report(payment, status, **changes), provider="sandbox")


def test_a_deposit_moves_no_money_until_it_is_completed() -> None:
    open_alice()
    payment = deposit(method())
    assert status(payment) == "pending"
    assert apply_report(payment, "pending") == "applied"
    assert (status(payment), balance_of(AccountKind.ACCOUNT)) == ("pending", 0)
    assert apply_report(payment, "completed") == "applied"
    assert status(payment) == "completed"
    assert event_names(f"deposit-{payment}") == ["DepositRequested", "DepositSent", "DepositCompleted"]
    assert [line.kind for line in store.statement(account())] == ["deposit"]
    assert_consistent()


def test_a_deposit_credits_the_net_amount_to_the_player_and_the_fee_to_the_operator() -> None:
    open_alice()
    complete_deposit(method())
    assert balance_of(AccountKind.ACCOUNT) == 4900
    assert balance_of(AccountKind.FEES) == 100
    assert balance_of(AccountKind.DEPOSITS) == -5000


def test_repeated_reports_count_once() -> None:
    open_alice()
    payment = complete_deposit(method())
    for reported in ("completed", "pending", "failed", "completed"):
        assert apply_report(payment, reported) == "no_change"
    assert balance_of(AccountKind.ACCOUNT) == 4900
    assert_consistent()


def test_a_deposit_that_the_provider_refuses_to_start_fails_once_and_a_completed_one_stays() -> None:
    open_alice()
    card = method()
    refused, completed = deposit(card), complete_deposit(card)
    told = [deposits.record_refusal(each, provider="sandbox", reason="no") for each in (refused, refused, completed)]
    assert told == ["applied", "no_change", "no_change"]
    assert [status(each) for each in (refused, completed)] == ["failed", "completed"]


def test_a_deposit_reported_failed_and_later_completed_is_credited() -> None:
    open_alice()
    payment = deposit(method())
    assert apply_report(payment, "failed", reason="declined") == "applied"
    assert fetch("SELECT status, reason FROM wallet_deposit")[0] == ("failed", "declined")
    assert apply_report(payment, "completed") == "applied"
    assert (status(payment), balance_of(AccountKind.ACCOUNT)) == ("completed", 4900)
    assert_consistent()


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"amount": 5001}, "amount_mismatch"),
        ({"currency": "SEK"}, "amount_mismatch"),
        ({"reference": "another"}, "reference_differs"),
        ({"reference": ""}, "reference_missing"),
    ],
)
def test_a_report_that_contradicts_our_payment_changes_nothing(changes: dict[str, Any], outcome: str) -> None:
    open_alice()
    payment = deposit(method())
    apply_report(payment, "pending")
    assert apply_report(payment, "completed", **changes) == outcome
    assert (status(payment), balance_of(AccountKind.ACCOUNT)) == ("pending", 0)
    assert_consistent()


def test_a_provider_reference_completes_one_deposit_only() -> None:
    open_alice()
    card = method()
    first, second = deposit(card), deposit(card)
    assert apply_report(first, "completed", reference="tx-1") == "applied"
    assert apply_report(second, "completed", reference="tx-1") == "reference_taken"
    assert balance_of(AccountKind.ACCOUNT) == 4900
    assert_consistent()


def test_reports_of_unknown_payments_or_from_another_provider_change_nothing() -> None:
    open_alice()
    payment = deposit(method())
    assert apply_report(uuid4(), "completed") == "unknown_payment"
    assert deposits.apply(report(payment, "completed"), provider="other") == "unknown_payment"
    assert status(payment) == "pending"


def test_a_reversal_takes_the_money_back() -> None:
    open_alice()
    payment = complete_deposit(method())
    assert apply_report(payment, "reversed", reason="chargeback") == "applied"
    assert status(payment) == "reversed"
    everything = (AccountKind.ACCOUNT, AccountKind.DEBT, AccountKind.FEES, AccountKind.DEPOSITS)
    assert [balance_of(kind) for kind in everything] == [0, 0, 0, 0]
    assert_consistent()


def test_a_reversal_before_completion_moves_nothing_nor_does_a_later_completion() -> None:
    open_alice()
    payment = deposit(method())
    assert apply_report(payment, "reversed") == "applied"
    assert apply_report(payment, "completed") == "no_change"
    assert (status(payment), balance_of(AccountKind.ACCOUNT), balance_of(AccountKind.DEBT)) == ("reversed", 0, 0)
    assert_consistent()


def test_changing_a_method_adds_a_version_and_pending_deposits_keep_theirs() -> None:
    open_alice()
    card = method()
    payment = deposit(card)
    changed = methods.change(operator=OPERATOR, method=card.id, offer=offer(fee_fixed=500), actor="test")
    assert changed.version == 2
    apply_report(payment, "completed")
    assert balance_of(AccountKind.FEES) == 100
    assert [each.version for each in methods.list_methods(operator=OPERATOR)] == [2]
    assert_consistent()


def test_a_deposit_outside_the_methods_terms_is_refused_and_leaves_nothing() -> None:
    open_alice()
    card, closed = method(), method(enabled=False)
    with pytest.raises(AmountOutOfRange):
        deposit(card, 999)
    with pytest.raises(DepositMethodUnavailable):
        deposit(closed)
    with pytest.raises(UnknownAccount):
        deposit(card, player=BOB)
    with pytest.raises(UnknownDepositMethod):
        methods.find_method(operator=UUID(int=99), method=card.id)
    with pytest.raises(UnknownProvider):
        method(provider="nobody")
    with pytest.raises(InvalidDepositMethod):
        methods.change(operator=OPERATOR, method=card.id, offer=offer(currency="SEK"), actor="test")
    assert fetch("SELECT count(*) FROM wallet_deposit")[0][0] == 0


def test_the_last_deposit_is_repeated_at_the_current_terms() -> None:
    open_alice()
    again: dict[str, Any] = {"operator": OPERATOR, "player": ALICE, "metadata": METADATA}
    with pytest.raises(NoEarlierDeposit):
        deposits.repeat(**again, currency="EUR")
    card = method()
    deposit(card, 2000)
    deposit(card, 3000)
    methods.change(operator=OPERATOR, method=card.id, offer=offer(fee_fixed=0, fee_ppm=0), actor="test")
    payment = deposits.repeat(**again, currency="EUR")
    assert fetch("SELECT amount, fee, method_version FROM wallet_deposit WHERE id = %s", [payment])[0] == (3000, 0, 2)


def test_methods_are_never_changed_in_place() -> None:
    method()
    with pytest.raises(Exception, match="permission denied"):
        execute("UPDATE wallet_deposit_method SET fee_fixed = 0")


def test_play_money_is_available_without_a_check_for_debt() -> None:
    open_alice()
    credit_sandbox_player(
        operator=OPERATOR,
        player=ALICE,
        money_type=MoneyType.PLAY,
        currency="EUR",
        amount=7,
        sandbox=True,
        metadata=METADATA,
    )
    assert debts.available(account(money_type=MoneyType.PLAY)) == 7


def test_the_refusal_for_a_debt_contains_the_amount() -> None:
    refusal = DebtOutstanding(owed=150, currency="EUR")
    assert (refusal.code, refusal.facts) == ("debt_outstanding", {"owed": "1.50", "currency": "EUR"})
