"""A withdrawal from its request to its end: held, reviewed, sent, paid or back."""

from typing import Any
from uuid import UUID

import pytest

from tests.wallet.ledger.world import ALICE, BOB, METADATA, OPERATOR
from tests.wallet.payments.counter import (
    agree,
    funded,
    holds,
    method,
    names,
    open_alice,
    report,
    status,
    withdraw,
)
from wallet.ledger.accounts import AccountKind
from wallet.ledger.refusals import InsufficientFunds
from wallet.payments import methods, withdrawals
from wallet.payments.methods import MethodVersion
from wallet.payments.provider_reports import PaymentKind
from wallet.payments.refusals import (
    InvalidWithdrawalPolicy,
    NotWaitingForReview,
    TooLateToCancel,
    UnknownWithdrawal,
    WithdrawalRequiresSecondPerson,
    WithdrawalsNotSupported,
)
from wallet.payments.withdrawal_state import WithdrawalStatus

pytestmark = pytest.mark.django_db
ACCOUNTS = (AccountKind.ACCOUNT, AccountKind.HOLD, AccountKind.WITHDRAWALS)


def wealthy() -> MethodVersion:
    """Alice with 100.00, and a method without fees."""
    open_alice()
    card = method(fee_fixed=0, fee_ppm=0)
    funded(card, 10_000)
    return card


def policy(automatic: int, second: int) -> None:
    methods.set_policy(operator=OPERATOR, auto_approve_up_to=automatic, second_approval_above=second, actor="test")


def approve(withdrawal: UUID, staff: str = "staff:1") -> WithdrawalStatus:
    return withdrawals.approve(withdrawal, staff=staff, metadata=METADATA).status


def tell(withdrawal: UUID, said: str, **changes: Any) -> str:
    told = report(withdrawal, said, kind=PaymentKind.PAYOUT, **{"amount": 1000, **changes})
    return withdrawals.apply(told, provider="sandbox")


def cancel(withdrawal: UUID, player: UUID = ALICE) -> WithdrawalStatus:
    return withdrawals.cancel(withdrawal, operator=OPERATOR, player=player, metadata=METADATA).status


def sent(amount: int = 1000) -> UUID:
    policy(10_000, 10_000)
    made = withdraw(wealthy(), amount)
    assert withdrawals.send(made)
    return made


def where() -> list[int]:
    return [holds(kind) for kind in ACCOUNTS]


def test_money_is_held_at_once_and_is_gone_when_it_is_paid() -> None:
    made = sent()
    assert where() == [9000, 1000, 0]
    assert tell(made, "pending") == "no_change"
    assert tell(made, "completed") == "applied"
    assert where() == [9000, 0, 1000]
    assert names(f"withdrawal-{made}") == ["WithdrawalRequested", "WithdrawalSent", "WithdrawalPaid"]
    assert tell(made, "completed") == "no_change"
    agree()


@pytest.mark.parametrize("said", [("failed",), ("completed", "reversed"), ("reversed", "completed")])
def test_money_that_is_returned_is_the_players_again_whether_it_was_paid_or_not(said: tuple[str, ...]) -> None:
    made = sent()
    for each in said:
        tell(made, each)
    assert where() == [10_000, 0, 0]
    assert status(made, "wallet_withdrawal") == "returned"
    agree()


def test_nobody_two_or_one_have_to_agree_as_the_policy_says() -> None:
    card = wealthy()
    assert approve(withdraw(card, 1)) is WithdrawalStatus.REQUESTED  # without a policy, two look at everything
    policy(100, 1000)
    small, middling, large = withdraw(card, 100), withdraw(card, 1000), withdraw(card, 1001)
    assert status(small, "wallet_withdrawal") == "approved"
    assert approve(middling) is WithdrawalStatus.APPROVED
    assert approve(large) is WithdrawalStatus.REQUESTED
    assert not withdrawals.send(large)
    with pytest.raises(WithdrawalRequiresSecondPerson):
        approve(large)
    assert approve(large, "staff:2") is WithdrawalStatus.APPROVED
    with pytest.raises(NotWaitingForReview):
        approve(large, "staff:3")
    agree()


def test_a_rejected_withdrawal_gives_the_money_back() -> None:
    made = withdraw(wealthy())
    approve(made)
    withdrawals.reject(made, staff="staff:2", reason="who is this", metadata=METADATA)
    assert where() == [10_000, 0, 0]
    assert status(made, "wallet_withdrawal") == "rejected"
    with pytest.raises(NotWaitingForReview):
        withdrawals.reject(made, staff="staff:2", reason="again", metadata=METADATA)
    assert tell(made, "completed") == "never_sent"
    agree()


def test_a_player_may_cancel_until_it_is_sent_and_cancelling_twice_is_no_error() -> None:
    card = wealthy()
    made = withdraw(card)
    assert [cancel(made), cancel(made)] == [WithdrawalStatus.CANCELLED] * 2
    assert where() == [10_000, 0, 0]
    assert not withdrawals.send(made)
    policy(10_000, 10_000)
    late = withdraw(card)
    withdrawals.send(late)
    with pytest.raises(TooLateToCancel):
        cancel(late)
    agree()


def test_one_player_cannot_cancel_what_is_anothers() -> None:
    made = withdraw(wealthy())
    with pytest.raises(UnknownWithdrawal):
        cancel(made, BOB)
    with pytest.raises(UnknownWithdrawal):
        cancel(UUID(int=5))


def test_what_is_not_there_is_not_held() -> None:
    card = wealthy()
    with pytest.raises(InsufficientFunds):
        withdraw(card, 10_001)
    with pytest.raises(WithdrawalsNotSupported):
        withdraw(method(supports_withdrawals=False), 1)
    assert where() == [10_000, 0, 0]


@pytest.mark.parametrize(("automatic", "second"), [(2, 1), (-1, 1)])
def test_a_policy_that_cannot_be_is_refused(automatic: int, second: int) -> None:
    with pytest.raises(InvalidWithdrawalPolicy):
        policy(automatic, second)


def test_a_provider_that_refuses_returns_the_money() -> None:
    made = sent()
    assert withdrawals.record_refusal(made, provider="sandbox", reason="no such card") == "applied"
    assert withdrawals.record_refusal(made, provider="sandbox", reason="no such card") == "no_change"
    assert where() == [10_000, 0, 0]
    agree()
