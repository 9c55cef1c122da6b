"""A withdrawal from its request to its end: held, reviewed, send_withdrawal, paid or returned."""

from typing import Any
from uuid import UUID

import pytest

from casino.crypto.crypto_shredding import decrypt_text
from casino.kernel.money import AmountNotPositive
from casino.operators import changes
from casino.operators.refusals import (
    ChangeAlreadyRequested,
    ChangeDecided,
    ChangeIsForTheAdmin,
    ChangeNeedsSecondPerson,
)
from tests.support.payouts import UNPLAYED
from tests.wallet.ledger.world import ALICE, BOB, METADATA, OPERATOR
from tests.wallet.payments.counter import (
    assert_consistent,
    balance_of,
    complete_deposit,
    event_names,
    method,
    open_alice,
    report,
    status,
    withdraw,
)
from wallet.ledger.accounts import AccountKind
from wallet.ledger.refusals import InsufficientFunds
from wallet.models import Withdrawal
from wallet.payments import methods, withdrawals
from wallet.payments.methods import MethodVersion
from wallet.payments.provider_reports import PaymentKind
from wallet.payments.refusals import (
    HoldReasonMissing,
    InvalidWithdrawalPolicy,
    NotWaitingForReview,
    TooLateToCancel,
    UnknownWithdrawal,
    WithdrawalsNotSupported,
)
from wallet.payments.withdrawal_state import REJECTED, WithdrawalStatus

pytestmark = pytest.mark.django_db
ACCOUNTS = (AccountKind.ACCOUNT, AccountKind.HOLD, AccountKind.WITHDRAWALS)


def fund_alice() -> MethodVersion:
    """Give Alice 100.00 and return a method without fees."""
    open_alice()
    policy(0, 0)
    card = method(fee_fixed=0, fee_ppm=0)
    complete_deposit(card, 10_000)
    return card


def policy(automatic: int, second: int) -> None:
    methods.set_policy(
        operator=OPERATOR,
        currency="EUR",
        auto_approve_up_to=automatic,
        second_approval_above=second,
        actor="test",
        holds=UNPLAYED,
    )


def approve(withdrawal: UUID, staff: str = "staff:1") -> UUID | None:
    """Approve; return the change that waits for another person, if one has to agree."""
    waits = withdrawals.approve(withdrawal, staff=staff, metadata=METADATA)
    return None if waits is None else waits.pk


def apply_report(withdrawal: UUID, status: str, **changes: Any) -> str:
    provider_report = report(withdrawal, status, kind=PaymentKind.PAYOUT, **{"amount": 1000, **changes})
    return withdrawals.apply(provider_report, provider="sandbox")


@pytest.mark.parametrize("amount", [0, -1000])
def test_only_an_amount_above_zero_is_withdrawn(amount: int) -> None:
    card = fund_alice()
    with pytest.raises(AmountNotPositive):
        withdraw(card, amount)
    assert not Withdrawal.objects.exists()


def cancel(withdrawal: UUID, player: UUID = ALICE) -> WithdrawalStatus:
    return withdrawals.cancel(withdrawal, operator=OPERATOR, player=player, metadata=METADATA).status


def send_withdrawal(amount: int = 1000) -> UUID:
    card = fund_alice()
    policy(10_000, 10_000)
    withdrawal = withdraw(card, amount)
    assert withdrawals.send(withdrawal)
    return withdrawal


def balances() -> list[int]:
    return [balance_of(kind) for kind in ACCOUNTS]


def test_money_is_held_on_request_and_leaves_when_paid() -> None:
    withdrawal = send_withdrawal()
    assert balances() == [9000, 1000, 0]
    assert apply_report(withdrawal, "pending") == "no_change"
    assert apply_report(withdrawal, "completed") == "applied"
    assert balances() == [9000, 0, 1000]
    assert event_names(f"withdrawal-{withdrawal}") == ["WithdrawalRequested", "WithdrawalSent", "WithdrawalPaid"]
    assert apply_report(withdrawal, "completed") == "no_change"
    assert_consistent()


@pytest.mark.parametrize("statuses", [("failed",), ("completed", "reversed"), ("reversed", "completed")])
def test_returned_money_goes_back_to_the_player_whether_paid_or_not(statuses: tuple[str, ...]) -> None:
    withdrawal = send_withdrawal()
    for each in statuses:
        apply_report(withdrawal, each)
    assert balances() == [10_000, 0, 0]
    assert status(withdrawal, "wallet_withdrawal") == "returned"
    assert_consistent()


def test_the_policy_decides_whether_none_one_or_two_must_approve() -> None:
    card = fund_alice()
    assert approve(withdraw(card, 1)) is not None  # without a policy, two must approve everything
    policy(100, 1000)
    small, middling, large = withdraw(card, 100), withdraw(card, 1000), withdraw(card, 1001)
    assert status(small, "wallet_withdrawal") == "approved"
    assert (approve(middling), status(middling, "wallet_withdrawal")) == (None, "approved")
    change = approve(large)
    assert change is not None
    assert (withdrawals.send(large), status(large, "wallet_withdrawal")) == (False, "requested")
    with pytest.raises(ChangeAlreadyRequested):
        approve(large, "staff:2")
    with pytest.raises(ChangeNeedsSecondPerson):
        changes.confirm(change, by="staff:1")
    with pytest.raises(ChangeIsForTheAdmin):
        changes.confirm(change, operator=OPERATOR, by="staff:2")
    changes.confirm(change, by="staff:2")
    assert status(large, "wallet_withdrawal") == "approved"
    with pytest.raises(NotWaitingForReview):
        approve(large, "staff:3")
    assert_consistent()


def test_a_rejected_withdrawal_gives_the_money_back() -> None:
    withdrawal = withdraw(fund_alice())
    change = approve(withdrawal)
    assert change is not None
    with pytest.raises(HoldReasonMissing):
        withdrawals.reject(withdrawal, staff="staff:2", reason=" ", metadata=METADATA)
    withdrawals.reject(withdrawal, staff="staff:2", reason="who is this", metadata=METADATA)
    assert balances() == [10_000, 0, 0]
    row = Withdrawal.objects.get(pk=withdrawal)
    assert (row.reason, decrypt_text(row.note)) == (REJECTED, "who is this")
    assert status(withdrawal, "wallet_withdrawal") == "rejected"
    with pytest.raises(ChangeDecided):
        changes.confirm(change, by="staff:2")
    with pytest.raises(NotWaitingForReview):
        withdrawals.reject(withdrawal, staff="staff:2", reason="again", metadata=METADATA)
    assert apply_report(withdrawal, "completed") == "never_sent"
    assert_consistent()


def test_a_player_can_cancel_until_sending_and_cancelling_twice_is_no_error() -> None:
    card = fund_alice()
    withdrawal = withdraw(card)
    assert [cancel(withdrawal), cancel(withdrawal)] == [WithdrawalStatus.CANCELLED] * 2
    assert balances() == [10_000, 0, 0]
    assert not withdrawals.send(withdrawal)
    policy(10_000, 10_000)
    late = withdraw(card)
    withdrawals.send(late)
    with pytest.raises(TooLateToCancel):
        cancel(late)
    assert_consistent()


def test_a_player_cannot_cancel_anothers_withdrawal() -> None:
    withdrawal = withdraw(fund_alice())
    with pytest.raises(UnknownWithdrawal):
        cancel(withdrawal, BOB)
    with pytest.raises(UnknownWithdrawal):
        cancel(UUID(int=5))


def test_a_withdrawal_above_the_balance_is_refused() -> None:
    card = fund_alice()
    with pytest.raises(InsufficientFunds):
        withdraw(card, 10_001)
    with pytest.raises(WithdrawalsNotSupported):
        withdraw(method(supports_withdrawals=False), 1)
    assert balances() == [10_000, 0, 0]


@pytest.mark.parametrize(("automatic", "second"), [(2, 1), (-1, 1)])
def test_an_invalid_policy_is_refused(automatic: int, second: int) -> None:
    with pytest.raises(InvalidWithdrawalPolicy):
        policy(automatic, second)


def test_a_payout_refused_by_the_provider_is_returned() -> None:
    withdrawal = send_withdrawal()
    assert withdrawals.record_refusal(withdrawal, provider="sandbox", reason="no such card") == "applied"
    assert withdrawals.record_refusal(withdrawal, provider="sandbox", reason="no such card") == "no_change"
    assert balances() == [10_000, 0, 0]
    assert_consistent()
