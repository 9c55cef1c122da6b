"""What withdrawals may be and cost: bounds, fees and how many at once, shown before and held when asked for."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Database
from tests.wallet.ledger.world import ALICE, METADATA, OPERATOR
from tests.wallet.payments.counter import agree, funded, holds, method, open_alice, report, withdraw
from wallet.ledger.accounts import AccountKind
from wallet.payments import methods, processor, withdrawals
from wallet.payments.methods import MethodVersion
from wallet.payments.provider_reports import PaymentKind
from wallet.payments.refusals import (
    FeeExceedsAmount,
    InvalidWithdrawalPolicy,
    TooManyWithdrawals,
    WithdrawalTooLarge,
    WithdrawalTooSmall,
)
from wallet.payments.withdrawal_terms import WithdrawalTerms, quote

HOUSES = (AccountKind.ACCOUNT, AccountKind.HOLD, AccountKind.WITHDRAWALS, AccountKind.FEES)


def wealthy(**terms: Any) -> MethodVersion:
    """Alice with 100.00, and a house with these terms in which nobody looks at withdrawals."""
    open_alice()
    card = method(fee_fixed=0, fee_ppm=0)
    funded(card, 10_000)
    given_terms = WithdrawalTerms(**terms)
    methods.set_policy(
        operator=OPERATOR, auto_approve_up_to=10**9, second_approval_above=10**9, actor="test", terms=given_terms
    )
    return card


def tell(withdrawal: Any, said: str, amount: int) -> str:
    return withdrawals.apply(report(withdrawal, said, kind=PaymentKind.PAYOUT, amount=amount), provider="sandbox")


@pytest.mark.django_db
def test_amounts_out_of_bounds_are_refused_with_the_bound_and_hold_nothing() -> None:
    card = wealthy(minimum=500, maximum=3000)
    with pytest.raises(WithdrawalTooSmall) as small:
        withdraw(card, 499)
    with pytest.raises(WithdrawalTooLarge) as large:
        withdraw(card, 3001)
    assert (small.value.facts["minimum"], large.value.facts["maximum"]) == ("5.00", "30.00")
    assert (holds(AccountKind.ACCOUNT), holds(AccountKind.HOLD)) == (10_000, 0)
    withdraw(card, 500)
    withdraw(card, 3000)


@pytest.mark.django_db
def test_only_so_many_are_under_way_at_once() -> None:
    card = wealthy(max_pending=2)
    first = withdraw(card)
    withdraw(card)
    with pytest.raises(TooManyWithdrawals):
        withdraw(card)
    withdrawals.cancel(first, operator=OPERATOR, player=ALICE, metadata=METADATA)
    withdraw(card)
    assert withdrawals.count_pending(operator=OPERATOR, player=ALICE) == 2


def test_ten_asked_for_at_once_leave_room_for_two(database: Database, in_threads: Callable[..., Any]) -> None:
    card = wealthy(max_pending=2)
    outcomes = in_threads(10, lambda _: withdraw(card, 100))
    assert sum(isinstance(outcome, TooManyWithdrawals) for outcome in outcomes) == 8
    assert holds(AccountKind.HOLD) == 200


@pytest.mark.django_db
def test_a_fee_is_the_operators_when_it_is_paid_and_the_players_when_it_comes_back() -> None:
    card = wealthy(fee_fixed=50, fee_ppm=10_000)
    made = withdraw(card, 2000)
    assert withdrawals.send(made)
    assert [holds(kind) for kind in HOUSES] == [8000, 2000, 0, 0]
    assert tell(made, "completed", 2000) == "amount_mismatch"
    assert tell(made, "completed", 1930) == "applied"
    assert [holds(kind) for kind in HOUSES] == [8000, 0, 1930, 70]
    agree()
    assert tell(made, "reversed", 1930) == "applied"
    assert [holds(kind) for kind in HOUSES] == [10_000, 0, 0, 0]
    agree()


@pytest.mark.django_db
def test_a_withdrawal_that_was_never_paid_costs_nothing() -> None:
    card = wealthy(fee_fixed=50)
    made = withdraw(card, 2000)
    assert withdrawals.send(made)
    assert tell(made, "failed", 1950) == "applied"
    assert [holds(kind) for kind in HOUSES] == [10_000, 0, 0, 0]
    agree()


@pytest.mark.django_db
def test_what_the_fee_would_eat_is_refused() -> None:
    card = wealthy(fee_fixed=500)
    with pytest.raises(FeeExceedsAmount):
        withdraw(card, 500)


@pytest.mark.django_db
def test_the_provider_is_asked_to_pay_out_what_is_left_of_it() -> None:
    card = wealthy(fee_fixed=50)
    made = withdraw(card, 2000)
    assert [due.amount for due in processor._lease(20) if due.payment == made] == [1950]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "terms",
    [
        {"minimum": 0}, {"minimum": 10, "maximum": 9}, {"max_pending": 0}, {"fee_fixed": -1}, {"fee_ppm": -1},
        {"fee_ppm": 1_000_000},
    ],
)  # fmt: skip
def test_terms_that_can_not_be_are_refused(terms: dict[str, int]) -> None:
    with pytest.raises(InvalidWithdrawalPolicy):
        methods.set_policy(
            operator=OPERATOR,
            auto_approve_up_to=0,
            second_approval_above=0,
            actor="test",
            terms=WithdrawalTerms(**terms),
        )
    assert methods.policy(operator=OPERATOR).version == 0


@given(st.integers(1, 10**9), st.integers(0, 10**6), st.integers(0, 999_999))
def test_fee_and_arrival_make_up_the_amount_and_the_fee_is_rounded_up_once(amount: int, fixed: int, ppm: int) -> None:
    terms = WithdrawalTerms(fee_fixed=fixed, fee_ppm=ppm)
    try:
        found = quote(terms, amount, currency="EUR")
    except FeeExceedsAmount:
        assert fixed * 10**6 + amount * ppm > (amount - 1) * 10**6
        return
    assert found.fee + found.net_amount == amount
    assert 0 <= found.fee * 10**6 - (fixed * 10**6 + amount * ppm) < 10**6
