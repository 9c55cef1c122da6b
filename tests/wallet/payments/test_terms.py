"""Terms of deposits and withdrawals: bounds, fees, quotes, and how many withdrawals may be pending."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import pytest
from django.db import connections, transaction
from hypothesis import given
from hypothesis import strategies as st

from casino.kernel.money import MoneyType
from casino.operators.services import create_operator
from tests.conftest import Database
from tests.support.acts import agreed
from tests.support.payouts import UNPLAYED
from tests.wallet.ledger.test_player_accounts import WAITING
from tests.wallet.ledger.world import ALICE, METADATA, OPERATOR
from tests.wallet.payments.counter import (
    assert_consistent,
    balance_of,
    complete_deposit,
    method,
    open_alice,
    report,
    withdraw,
)
from wallet.ledger.accounts import AccountKind
from wallet.ledger.player_accounts import credit_sandbox_player, register_player
from wallet.payments import methods, processor, withdrawals
from wallet.payments.methods import MethodVersion
from wallet.payments.provider_reports import PaymentKind
from wallet.payments.refusals import (
    AmountOutOfRange,
    FeeExceedsAmount,
    InvalidDepositMethod,
    InvalidWithdrawalPolicy,
    TooManyWithdrawals,
    WithdrawalTooLarge,
    WithdrawalTooSmall,
)
from wallet.payments.terms import (
    DepositTerms,
    Quote,
    WithdrawalTerms,
    parse_percent,
    percent,
    quote_deposit,
    quote_withdrawal,
    require_valid_terms,
)

CARD = DepositTerms("EUR", 1000, 200_000, 25, 15_000)


def test_a_fee_is_the_fixed_part_and_a_share_of_the_amount() -> None:
    assert quote_deposit(CARD, 5000) == Quote(5000, 100, 4900)


def test_a_fee_is_rounded_up_to_a_whole_minor_unit() -> None:
    assert quote_deposit(CARD, 1001).fee == 25 + 16


@pytest.mark.parametrize("amount", [999, 200_001])
def test_an_amount_out_of_range_is_refused_with_both_bounds(amount: int) -> None:
    with pytest.raises(AmountOutOfRange) as refused:
        quote_deposit(CARD, amount)
    assert (refused.value.facts["minimum"], refused.value.facts["maximum"]) == (1000, 200_000)


def test_a_fee_of_the_whole_amount_is_refused() -> None:
    with pytest.raises(FeeExceedsAmount):
        quote_deposit(DepositTerms("EUR", 1, 100, 50, 0), 50)


@given(amount=st.integers(1, 10**14), fixed=st.integers(0, 10**6), ppm=st.integers(0, 999_999))
def test_a_fee_is_the_exact_fee_rounded_up(amount: int, fixed: int, ppm: int) -> None:
    exact = fixed + Fraction(amount * ppm, 10**6)
    try:
        offered = quote_deposit(DepositTerms("EUR", 1, 10**14, fixed, ppm), amount)
    except FeeExceedsAmount:
        assert exact > amount - 1
        return
    assert 0 <= offered.fee - exact < 1
    assert offered.fee + offered.net_amount == amount


@given(ppm=st.integers(0, 999_999))
def test_parsing_a_formatted_percentage_returns_it(ppm: int) -> None:
    assert parse_percent(percent(ppm)) == ppm


@pytest.mark.parametrize("text", ["100", "-1", "1.23456", "1,5", "", "٣", "1e1", "01"])
def test_a_malformed_percentage_is_refused(text: str) -> None:
    with pytest.raises(InvalidDepositMethod):
        parse_percent(text)


@pytest.mark.parametrize(
    "terms",
    [
        DepositTerms("EUR", 0, 10, 0, 0),
        DepositTerms("EUR", 11, 10, 0, 0),
        DepositTerms("EUR", 1, 10**15, 0, 0),
        DepositTerms("EUR", 1, 10, -1, 0),
        DepositTerms("EUR", 1, 10, 0, 10**6),
    ],
)
def test_invalid_deposit_terms_are_refused(terms: DepositTerms) -> None:
    with pytest.raises(InvalidDepositMethod):
        require_valid_terms(terms)


ACCOUNTS = (AccountKind.ACCOUNT, AccountKind.HOLD, AccountKind.WITHDRAWALS, AccountKind.FEES)


def fund_alice(**terms: Any) -> MethodVersion:
    """Give Alice 100.00 and return a method; withdrawals have these terms and need no approval."""
    open_alice()
    card = method(fee_fixed=0, fee_ppm=0)
    complete_deposit(card, 10_000)
    withdrawal_terms = WithdrawalTerms(**terms)
    with agreed():
        methods.set_policy(
            operator=OPERATOR,
            currency="EUR",
            auto_approve_up_to=10**9,
            second_approval_above=10**9,
            actor="staff:1",
            holds=UNPLAYED,
            terms=withdrawal_terms,
        )
    return card


def apply_report(withdrawal: Any, status: str, amount: int) -> str:
    return withdrawals.apply(report(withdrawal, status, kind=PaymentKind.PAYOUT, amount=amount), provider="sandbox")


@pytest.mark.django_db
def test_amounts_out_of_bounds_are_refused_with_the_bound() -> None:
    card = fund_alice(minimum=500, maximum=3000)
    with pytest.raises(WithdrawalTooSmall) as small:
        withdraw(card, 499)
    with pytest.raises(WithdrawalTooLarge) as large:
        withdraw(card, 3001)
    assert (small.value.facts["minimum"], large.value.facts["maximum"]) == ("5.00", "30.00")
    assert (balance_of(AccountKind.ACCOUNT), balance_of(AccountKind.HOLD)) == (10_000, 0)
    withdraw(card, 500)
    withdraw(card, 3000)


@pytest.mark.django_db
def test_a_player_may_have_only_so_many_pending_withdrawals() -> None:
    card = fund_alice(max_pending=2)
    first = withdraw(card)
    withdraw(card)
    with pytest.raises(TooManyWithdrawals):
        withdraw(card)
    withdrawals.cancel(first, operator=OPERATOR, player=ALICE, metadata=METADATA)
    withdraw(card)
    assert withdrawals.count_pending(operator=OPERATOR, player=ALICE) == 2


def test_of_ten_concurrent_withdrawals_the_two_allowed_succeed(
    database: Database, in_threads: Callable[..., Any]
) -> None:
    card = fund_alice(max_pending=2)
    outcomes = in_threads(10, lambda _: withdraw(card, 100))
    assert sum(isinstance(outcome, TooManyWithdrawals) for outcome in outcomes) == 8
    assert balance_of(AccountKind.HOLD) == 200


def test_a_withdrawal_in_another_currency_waits_for_the_one_before_and_is_counted(database: Database) -> None:
    operator = create_operator(slug="lucky", name="Lucky", currencies=["EUR", "USD"], sandbox=True).id
    cards = {}
    for currency in ("EUR", "USD"):
        player = register_player(operator=operator, reference="a", nickname="", currency=currency, metadata=METADATA).id
        credit_sandbox_player(
            operator=operator, player=player, money_type=MoneyType.REAL, currency=currency, amount=10_000, sandbox=True,
            metadata=METADATA,
        )  # fmt: skip
        cards[currency] = method(operator, currency=currency, fee_fixed=0, fee_ppm=0)
        with agreed():
            methods.set_policy(
                operator=operator, currency=currency, auto_approve_up_to=0, second_approval_above=0, actor="staff:1",
                terms=WithdrawalTerms(max_pending=1),
            )  # fmt: skip

    def request(currency: str) -> None:
        withdrawals.request(
            operator=operator, player=player, currency=currency, method=cards[currency].id, amount=100,
            metadata=METADATA,
        )  # fmt: skip

    def request_dollars() -> None:
        try:
            request("USD")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        with database.owner() as owner, transaction.atomic():
            request("EUR")
            other = pool.submit(request_dollars)
            while not other.done() and not owner.execute(WAITING).fetchall():
                time.sleep(0.01)
        with pytest.raises(TooManyWithdrawals):
            other.result()
    assert withdrawals.count_pending(operator=operator, player=player) == 1


@pytest.mark.django_db
def test_the_fee_goes_to_the_operator_when_paid_and_back_when_returned() -> None:
    card = fund_alice(fee_fixed=50, fee_ppm=10_000)
    withdrawal = withdraw(card, 2000)
    assert withdrawals.send(withdrawal)
    assert [balance_of(kind) for kind in ACCOUNTS] == [8000, 2000, 0, 0]
    assert apply_report(withdrawal, "completed", 2000) == "amount_mismatch"
    assert apply_report(withdrawal, "completed", 1930) == "applied"
    assert [balance_of(kind) for kind in ACCOUNTS] == [8000, 0, 1930, 70]
    assert_consistent()
    assert apply_report(withdrawal, "reversed", 1930) == "applied"
    assert [balance_of(kind) for kind in ACCOUNTS] == [10_000, 0, 0, 0]
    assert_consistent()


@pytest.mark.django_db
def test_a_withdrawal_that_was_never_paid_costs_nothing() -> None:
    card = fund_alice(fee_fixed=50)
    withdrawal = withdraw(card, 2000)
    assert withdrawals.send(withdrawal)
    assert apply_report(withdrawal, "failed", 1950) == "applied"
    assert [balance_of(kind) for kind in ACCOUNTS] == [10_000, 0, 0, 0]
    assert_consistent()


@pytest.mark.django_db
def test_a_withdrawal_not_above_its_fee_is_refused() -> None:
    card = fund_alice(fee_fixed=500)
    with pytest.raises(FeeExceedsAmount):
        withdraw(card, 500)


@pytest.mark.django_db
def test_the_provider_is_asked_to_pay_out_the_net_amount() -> None:
    card = fund_alice(fee_fixed=50)
    withdrawal = withdraw(card, 2000)
    assert [due.amount for due in processor._lease(20) if due.payment == withdrawal] == [1950]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "terms",
    [
        {"minimum": 0}, {"minimum": 10, "maximum": 9}, {"max_pending": 0}, {"fee_fixed": -1}, {"fee_ppm": -1},
        {"fee_ppm": 1_000_000},
    ],
)  # fmt: skip
def test_invalid_withdrawal_terms_are_refused(terms: dict[str, int]) -> None:
    with pytest.raises(InvalidWithdrawalPolicy):
        methods.set_policy(
            operator=OPERATOR,
            currency="EUR",
            auto_approve_up_to=0,
            second_approval_above=0,
            actor="test",
            terms=WithdrawalTerms(**terms),
        )
    assert methods.policy(operator=OPERATOR, currency="EUR").version == 0


@given(st.integers(1, 10**9), st.integers(0, 10**6), st.integers(0, 999_999))
def test_fee_and_net_amount_add_up_and_the_fee_is_rounded_up_once(amount: int, fixed: int, ppm: int) -> None:
    terms = WithdrawalTerms(fee_fixed=fixed, fee_ppm=ppm)
    try:
        quote = quote_withdrawal(terms, amount, currency="EUR")
    except FeeExceedsAmount:
        assert fixed * 10**6 + amount * ppm > (amount - 1) * 10**6
        return
    assert quote.fee + quote.net_amount == amount
    assert 0 <= quote.fee * 10**6 - (fixed * 10**6 + amount * ppm) < 10**6
