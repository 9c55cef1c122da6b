"""A deposit from its request to its end, and back."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from casino.events.sql import execute, fetch
from casino.kernel.money import MoneyType
from tests.wallet.ledger.world import ALICE, BOB, METADATA, OPERATOR, account
from tests.wallet.payments.counter import (
    agree,
    deposit,
    funded,
    holds,
    method,
    names,
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


def tell(payment: UUID, said: str, **changes: Any) -> str:
    return deposits.apply(report(payment, said, **changes), provider="sandbox")


def test_a_deposit_is_pending_and_moves_nothing_until_the_provider_has_the_money() -> None:
    open_alice()
    made = deposit(method())
    assert status(made) == "pending"
    assert tell(made, "pending") == "applied"
    assert (status(made), holds(AccountKind.ACCOUNT)) == ("pending", 0)
    assert tell(made, "completed") == "applied"
    assert status(made) == "completed"
    assert names(f"deposit-{made}") == ["DepositRequested", "DepositSent", "DepositCompleted"]
    assert [line.kind for line in store.statement(account())] == ["deposit"]
    agree()


def test_the_account_gets_the_amount_without_the_fee_and_the_fee_is_the_operators() -> None:
    open_alice()
    funded(method())
    assert holds(AccountKind.ACCOUNT) == 4900
    assert holds(AccountKind.FEES) == 100
    assert holds(AccountKind.DEPOSITS) == -5000


def test_what_is_said_twice_counts_once() -> None:
    open_alice()
    made = funded(method())
    for said in ("completed", "pending", "failed", "completed"):
        assert tell(made, said) == "no_change"
    assert holds(AccountKind.ACCOUNT) == 4900
    agree()


def test_a_deposit_that_failed_and_then_completed_after_all_is_not_lost() -> None:
    open_alice()
    made = deposit(method())
    assert tell(made, "failed", reason="declined") == "applied"
    assert fetch("SELECT status, reason FROM wallet_deposit")[0] == ("failed", "declined")
    assert tell(made, "completed") == "applied"
    assert (status(made), holds(AccountKind.ACCOUNT)) == ("completed", 4900)
    agree()


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"amount": 5001}, "amount_mismatch"),
        ({"currency": "SEK"}, "amount_mismatch"),
        ({"reference": "another"}, "reference_differs"),
        ({"reference": ""}, "reference_missing"),
    ],
)
def test_a_report_that_contradicts_what_we_know_changes_nothing(changes: dict[str, Any], outcome: str) -> None:
    open_alice()
    made = deposit(method())
    tell(made, "pending")
    assert tell(made, "completed", **changes) == outcome
    assert (status(made), holds(AccountKind.ACCOUNT)) == ("pending", 0)
    agree()


def test_one_transaction_of_the_provider_pays_for_one_deposit_only() -> None:
    open_alice()
    card = method()
    first, second = deposit(card), deposit(card)
    assert tell(first, "completed", reference="tx-1") == "applied"
    assert tell(second, "completed", reference="tx-1") == "reference_taken"
    assert holds(AccountKind.ACCOUNT) == 4900
    agree()


def test_reports_of_nothing_of_ours_or_from_another_provider_change_nothing() -> None:
    open_alice()
    made = deposit(method())
    assert tell(uuid4(), "completed") == "unknown_payment"
    assert deposits.apply(report(made, "completed"), provider="other") == "unknown_payment"
    assert status(made) == "pending"


def test_a_reversal_takes_back_what_is_there() -> None:
    open_alice()
    made = funded(method())
    assert tell(made, "reversed", reason="chargeback") == "applied"
    assert status(made) == "reversed"
    everything = (AccountKind.ACCOUNT, AccountKind.DEBT, AccountKind.FEES, AccountKind.DEPOSITS)
    assert [holds(kind) for kind in everything] == [0, 0, 0, 0]
    agree()


def test_a_reversal_before_completion_moves_nothing_and_a_late_completion_neither() -> None:
    open_alice()
    made = deposit(method())
    assert tell(made, "reversed") == "applied"
    assert tell(made, "completed") == "no_change"
    assert (status(made), holds(AccountKind.ACCOUNT), holds(AccountKind.DEBT)) == ("reversed", 0, 0)
    agree()


def test_a_method_changes_by_a_new_version_and_deposits_under_way_keep_their_terms() -> None:
    open_alice()
    card = method()
    made = deposit(card)
    changed = methods.change(operator=OPERATOR, method=card.id, offer=offer(fee_fixed=500), actor="test")
    assert changed.version == 2
    tell(made, "completed")
    assert holds(AccountKind.FEES) == 100
    assert [each.version for each in methods.list_methods(operator=OPERATOR)] == [2]
    agree()


def test_what_a_method_does_not_allow_is_refused_and_leaves_nothing() -> None:
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


def test_the_last_deposit_is_repeated_at_the_present_terms() -> None:
    open_alice()
    again: dict[str, Any] = {"operator": OPERATOR, "player": ALICE, "currency": "EUR", "metadata": METADATA}
    with pytest.raises(NoEarlierDeposit):
        deposits.repeat(**again)
    card = method()
    deposit(card, 2000)
    deposit(card, 3000)
    methods.change(operator=OPERATOR, method=card.id, offer=offer(fee_fixed=0, fee_ppm=0), actor="test")
    made = deposits.repeat(**again)
    assert fetch("SELECT amount, fee, method_version FROM wallet_deposit WHERE id = %s", [made])[0] == (3000, 0, 2)


def test_methods_are_never_changed_in_place() -> None:
    method()
    with pytest.raises(Exception, match="permission denied"):
        execute("UPDATE wallet_deposit_method SET fee_fixed = 0")


def test_play_money_knows_no_debt() -> None:
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


def test_a_debt_is_refused_by_name() -> None:
    refusal = DebtOutstanding(owed=150, currency="EUR")
    assert (refusal.code, refusal.facts) == ("debt_outstanding", {"owed": "1.50", "currency": "EUR"})
