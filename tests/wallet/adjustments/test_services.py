"""Adjustments: one person requests, another confirms, money moves once, and the player is notified."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError

from casino.events import store
from casino.events.sql import execute, fetch
from casino.kernel.money import MAX_AMOUNT, AmountNotPositive, AmountTooLarge, MoneyType
from casino.operators import changes
from casino.operators.refusals import ChangeDecided, ChangeNeedsSecondPerson, UnknownChange
from tests.conftest import Database
from tests.wallet.ledger.world import ALICE, BOB, METADATA, OPERATOR, account, fund
from tests.wallet.payments.counter import balance_of, open_alice
from wallet import notices
from wallet.adjustments import queries, services
from wallet.adjustments.events import AdjustmentDirection, AdjustmentReason
from wallet.adjustments.queries import AdjustmentFilter, AdjustmentTotal
from wallet.adjustments.refusals import (
    AdjustmentNoteMissing,
    NoDebtInPlayMoney,
    UnknownAdjustment,
)
from wallet.ledger import store as ledger
from wallet.ledger.accounts import AccountKind, AccountName, operator_account
from wallet.ledger.refusals import DebtOutstanding, InsufficientFunds, UnknownAccount
from wallet.payments import debts


def request_adjustment(direction: str = "credit", amount: int = 2000, **differences: Any) -> UUID:
    """Request an adjustment and return the change's id, which is the adjustment's."""
    defaults: dict[str, Any] = {
        "operator": OPERATOR, "player": ALICE, "money_type": MoneyType.REAL, "currency": "EUR",
        "reason": AdjustmentReason.COMPLAINT, "note": "Ticket 4411.", "message": "Sorry!",
        "metadata": replace(METADATA, actor="staff:1"),
    }  # fmt: skip
    return services.request(direction=AdjustmentDirection(direction), amount=amount, **{**defaults, **differences}).pk


def approve(adjustment: UUID, by: str = "staff:2") -> str:
    return changes.confirm(adjustment, by=by).status


def reject(adjustment: UUID, by: str = "staff:2") -> str:
    return changes.decline(adjustment, by=by).status


def list_notices(player: UUID = ALICE) -> list[notices.StoredNotice]:
    return notices.list_notices(operator=OPERATOR, player=player, unread=False, before=None, limit=50)


def adjusted(money_type: MoneyType = MoneyType.REAL) -> int:
    name = operator_account(kind=AccountKind.ADJUSTMENTS, operator=OPERATOR, money_type=money_type, currency="EUR")
    return ledger.balances([name])[name]


def balance_of_account(name: AccountName) -> int:
    return ledger.balances([name])[name]


@pytest.mark.django_db
def test_money_moves_once_and_only_after_another_person_confirms() -> None:
    open_alice()
    adjustment = request_adjustment()
    assert (balance_of(AccountKind.ACCOUNT), list_notices()) == (0, [])
    with pytest.raises(ChangeNeedsSecondPerson):
        approve(adjustment, by="staff:1")
    assert approve(adjustment) == "effective"
    assert (balance_of(AccountKind.ACCOUNT), adjusted()) == (2000, -2000)
    for decide in (approve, reject):
        with pytest.raises(ChangeDecided):
            decide(adjustment, by="staff:3")
    assert balance_of(AccountKind.ACCOUNT) == 2000


@pytest.mark.django_db
def test_a_declined_adjustment_moves_nothing_and_notifies_nobody() -> None:
    open_alice()
    adjustment = request_adjustment()
    assert reject(adjustment) == "declined"
    with pytest.raises(ChangeDecided):
        approve(adjustment, by="staff:3")
    assert (balance_of(AccountKind.ACCOUNT), list_notices()) == (0, [])


@pytest.mark.django_db
def test_a_debit_above_the_balance_is_refused_when_it_is_requested_and_when_it_is_confirmed() -> None:
    open_alice()
    fund(account(), 500)
    with pytest.raises(InsufficientFunds) as refused:
        request_adjustment("debit")
    assert (refused.value.balance, refused.value.needed) == (500, 2000)
    first, second = (request_adjustment("debit", 300) for _ in range(2))
    approve(first)
    with pytest.raises(InsufficientFunds):
        approve(second)


@pytest.mark.django_db
def test_two_persons_can_turn_a_debit_into_a_debt_that_stops_play() -> None:
    open_alice()
    fund(account(), 500)
    approve(request_adjustment("debit", as_debt=True))
    assert (balance_of(AccountKind.ACCOUNT), balance_of(AccountKind.DEBT), adjusted()) == (0, -1500, 2000)
    with pytest.raises(DebtOutstanding):
        debts.available(account())
    assert list_notices()[0].notice.details["owed"] == 1500
    approve(request_adjustment("credit", 2500))
    assert (balance_of(AccountKind.ACCOUNT), balance_of(AccountKind.DEBT)) == (1000, 0)


@pytest.mark.django_db
def test_play_money_is_adjusted_apart_from_real_money_and_never_owed() -> None:
    open_alice()
    approve(request_adjustment("credit", 700, money_type=MoneyType.PLAY))
    assert (
        balance_of(AccountKind.ACCOUNT),
        balance_of_account(account(money_type=MoneyType.PLAY)),
        adjusted(MoneyType.PLAY),
    ) == (
        0,
        700,
        -700,
    )
    with pytest.raises(NoDebtInPlayMoney):
        request_adjustment("debit", 800, money_type=MoneyType.PLAY, as_debt=True)
    approve(request_adjustment("debit", 700, money_type=MoneyType.PLAY, as_debt=True))
    assert balance_of_account(account(money_type=MoneyType.PLAY)) == 0


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("differences", "refusal"),
    [
        ({"amount": 0}, AmountNotPositive),
        ({"amount": -5}, AmountNotPositive),
        ({"amount": MAX_AMOUNT}, AmountTooLarge),
        ({"note": "  "}, AdjustmentNoteMissing),
        ({"note": "x" * 501}, AdjustmentNoteMissing),
        ({"player": BOB}, UnknownAccount),
        ({"operator": UUID(int=99)}, UnknownAccount),
    ],
)
def test_bad_input_is_refused_and_leaves_nothing(differences: dict[str, Any], refusal: type[Exception]) -> None:
    open_alice()
    with pytest.raises(refusal):
        request_adjustment(**differences)
    assert fetch("SELECT count(*) FROM operators_change")[0][0] == 0


@pytest.mark.django_db
def test_an_adjustment_is_unknown_to_another_operator() -> None:
    open_alice()
    adjustment = request_adjustment()
    with pytest.raises(UnknownChange):
        changes.confirm(adjustment, operator=UUID(int=99), by="staff:2")
    approve(adjustment)
    with pytest.raises(UnknownAdjustment):
        queries.find(operator=UUID(int=99), adjustment=adjustment)


@pytest.mark.django_db
def test_the_event_names_both_persons_and_holds_texts_only_encrypted() -> None:
    open_alice()
    adjustment = request_adjustment()
    approve(adjustment)
    (event,) = store.read(f"adjustment-{adjustment}")
    steps = store.read(f"change-{adjustment}")
    assert event.type == "AdjustmentPosted"
    assert (b"staff:1" in event.data, b"staff:2" in event.data) == (True, True)
    assert not any(word in bytes(each.data).decode() for each in (event, *steps) for word in ("Ticket", "Sorry"))
    row = queries.find(operator=OPERATOR, adjustment=adjustment)
    assert (row.note, row.message) == ("Ticket 4411.", "Sorry!")


@pytest.mark.django_db
def test_the_database_refuses_an_adjustment_by_one_person() -> None:
    open_alice()
    approve(request_adjustment())
    with pytest.raises(IntegrityError, match="wallet_adjustment_another"):
        execute("UPDATE wallet_adjustment SET approved_by = requested_by")


@pytest.mark.django_db
def test_the_player_is_notified_once_and_marks_the_notice_read_once() -> None:
    open_alice()
    approve(request_adjustment())
    (stored,) = list_notices()
    assert (stored.notice.kind, stored.notice.message) == ("adjustment_credit", "Sorry!")
    assert (stored.notice.details["amount"], stored.notice.details["reason"]) == (2000, "complaint")
    notices.notify_player(stored.notice)
    assert notices.count_unread(operator=OPERATOR, player=ALICE) == 1
    first = notices.mark_read(stored.id, operator=OPERATOR, player=ALICE)
    again = notices.mark_read(stored.id, operator=OPERATOR, player=ALICE)
    assert (first.read_at, notices.count_unread(operator=OPERATOR, player=ALICE)) == (again.read_at, 0)
    assert first.read_at is not None
    with pytest.raises(notices.UnknownNotice):
        notices.mark_read(stored.id, operator=OPERATOR, player=BOB)


@pytest.mark.django_db
def test_totals_by_reason_contain_what_was_posted_only() -> None:
    open_alice()
    approve(request_adjustment("credit", 2000))
    approve(request_adjustment("credit", 500))
    approve(request_adjustment("debit", 300, reason=AdjustmentReason.ABUSE))
    request_adjustment("credit", 9999)
    reject(request_adjustment("credit", 8888))
    assert queries.totals_by_reason(operator=OPERATOR, since=None, until=None) == [
        AdjustmentTotal("abuse", "debit", "real", "EUR", 1, 300, 0),
        AdjustmentTotal("complaint", "credit", "real", "EUR", 2, 2500, 0),
    ]
    assert queries.totals_by_reason(operator=UUID(int=99), since=None, until=None) == []
    posted = queries.list_adjustments(AdjustmentFilter(OPERATOR), before=None, limit=10)
    assert [row.amount for row in posted] == [300, 500, 2000]


def test_fifty_concurrent_confirmations_move_the_money_once(database: Database, in_threads: Callable[..., Any]) -> None:
    open_alice()
    adjustment = request_adjustment()
    outcomes = in_threads(50, lambda number: approve(adjustment, by=f"staff:{number + 2}"))
    assert outcomes.count("effective") == 1
    assert sum(isinstance(outcome, ChangeDecided) for outcome in outcomes) == 49
    assert balance_of(AccountKind.ACCOUNT) == 2000
    assert len(list_notices()) == 1


def test_concurrent_debits_never_take_an_account_below_zero(database: Database, in_threads: Callable[..., Any]) -> None:
    open_alice()
    fund(account(), 5000)
    adjustment = [request_adjustment("debit", 2000) for _ in range(6)]
    outcomes = in_threads(6, lambda number: approve(adjustment[number]))
    assert outcomes.count("effective") == 2
    assert sum(isinstance(outcome, InsufficientFunds) for outcome in outcomes) == 4
    assert balance_of(AccountKind.ACCOUNT) == 1000
