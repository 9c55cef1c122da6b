"""Adjustments: one person requests, another approves, money moves once, and the player is notified."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError

from casino.events import store
from casino.events.sql import execute, fetch
from casino.kernel.money import MAX_AMOUNT, AmountNotPositive, AmountTooLarge, MoneyType
from tests.conftest import Database
from tests.wallet.ledger.world import ALICE, BOB, METADATA, OPERATOR, account, fund
from tests.wallet.payments.counter import balance_of, open_alice
from wallet.adjustments import notices, queries, services
from wallet.adjustments.events import AdjustmentDirection, AdjustmentReason
from wallet.adjustments.queries import AdjustmentFilter, AdjustmentTotal
from wallet.adjustments.refusals import (
    AdjustmentDecided,
    AdjustmentNoteMissing,
    AdjustmentRequiresSecondPerson,
    NoDebtInPlayMoney,
    UnknownAdjustment,
)
from wallet.adjustments.state import AdjustmentStatus
from wallet.ledger import store as ledger
from wallet.ledger.accounts import AccountKind, AccountName, operator_account
from wallet.ledger.refusals import DebtOutstanding, InsufficientFunds, UnknownAccount
from wallet.payments import debts


def request_adjustment(direction: str = "credit", amount: int = 2000, **changes: Any) -> UUID:
    defaults: dict[str, Any] = {
        "operator": OPERATOR, "player": ALICE, "money_type": MoneyType.REAL, "currency": "EUR",
        "reason": AdjustmentReason.COMPLAINT, "note": "Ticket 4411.", "message": "Sorry!", "by": "staff:1",
    }  # fmt: skip
    return services.request(
        direction=AdjustmentDirection(direction), amount=amount, metadata=METADATA, **{**defaults, **changes}
    )


def approve(adjustment: UUID, by: str = "staff:2", **more: Any) -> AdjustmentStatus:
    return services.approve(adjustment, operator=OPERATOR, by=by, metadata=METADATA, **more).status


def reject(adjustment: UUID, by: str = "staff:2", answer: str = "Paid on Monday.") -> AdjustmentStatus:
    return services.reject(adjustment, operator=OPERATOR, by=by, metadata=METADATA, answer=answer).status


def list_notices(player: UUID = ALICE) -> list[notices.StoredNotice]:
    return notices.list_notices(operator=OPERATOR, player=player, unread=False, before=None, limit=50)


def adjusted(money_type: MoneyType = MoneyType.REAL) -> int:
    name = operator_account(kind=AccountKind.ADJUSTMENTS, operator=OPERATOR, money_type=money_type, currency="EUR")
    return ledger.balances([name])[name]


def balance_of_account(name: AccountName) -> int:
    return ledger.balances([name])[name]


@pytest.mark.django_db
def test_money_moves_once_and_only_after_another_person_approves() -> None:
    open_alice()
    adjustment = request_adjustment()
    assert (balance_of(AccountKind.ACCOUNT), list_notices()) == (0, [])
    with pytest.raises(AdjustmentRequiresSecondPerson):
        approve(adjustment, by="staff:1")
    with pytest.raises(AdjustmentRequiresSecondPerson):
        reject(adjustment, by="staff:1")
    assert approve(adjustment) is AdjustmentStatus.APPROVED
    assert (balance_of(AccountKind.ACCOUNT), adjusted()) == (2000, -2000)
    for decide in (approve, reject):
        with pytest.raises(AdjustmentDecided):
            decide(adjustment, by="staff:3")
    assert balance_of(AccountKind.ACCOUNT) == 2000


@pytest.mark.django_db
def test_a_rejected_adjustment_moves_nothing_and_notifies_nobody() -> None:
    open_alice()
    adjustment = request_adjustment()
    assert reject(adjustment) is AdjustmentStatus.REJECTED
    with pytest.raises(AdjustmentDecided):
        approve(adjustment, by="staff:3")
    assert (balance_of(AccountKind.ACCOUNT), list_notices()) == (0, [])
    assert queries.load_adjustment_texts([adjustment])[adjustment].answer == "Paid on Monday."


@pytest.mark.django_db
def test_a_debit_above_the_balance_is_refused() -> None:
    open_alice()
    fund(account(), 500)
    adjustment = request_adjustment("debit")
    with pytest.raises(InsufficientFunds) as refused:
        approve(adjustment)
    assert (refused.value.balance, refused.value.needed) == (500, 2000)


@pytest.mark.django_db
def test_the_approver_can_turn_a_debit_into_a_debt_that_stops_play() -> None:
    open_alice()
    fund(account(), 500)
    adjustment = request_adjustment("debit")
    assert approve(adjustment, as_debt=True) is AdjustmentStatus.APPROVED
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
        approve(request_adjustment("debit", 800, money_type=MoneyType.PLAY), as_debt=True)
    approve(request_adjustment("debit", 700, money_type=MoneyType.PLAY), as_debt=True)
    assert balance_of_account(account(money_type=MoneyType.PLAY)) == 0


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "refusal"),
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
def test_bad_input_is_refused_and_leaves_nothing(changes: dict[str, Any], refusal: type[Exception]) -> None:
    open_alice()
    with pytest.raises(refusal):
        request_adjustment(**changes)
    assert fetch("SELECT count(*) FROM wallet_adjustment")[0][0] == 0
    assert fetch("SELECT count(*) FROM wallet_adjustment_text")[0][0] == 0


@pytest.mark.django_db
def test_an_adjustment_is_unknown_to_another_operator() -> None:
    open_alice()
    adjustment = request_adjustment()
    for decide in (services.approve, services.reject):
        with pytest.raises(UnknownAdjustment):
            decide(adjustment, operator=UUID(int=99), by="staff:2", metadata=METADATA, answer="no")
    with pytest.raises(UnknownAdjustment):
        queries.find(operator=UUID(int=99), adjustment=adjustment)


@pytest.mark.django_db
def test_events_contain_the_requester_but_no_texts() -> None:
    open_alice()
    adjustment = request_adjustment()
    approve(adjustment, answer="Fine by me.")
    events = store.read(f"adjustment-{adjustment}")
    assert [event.type for event in events] == ["AdjustmentRequested", "AdjustmentApproved"]
    assert not any(word in bytes(event.data).decode() for event in events for word in ("Ticket", "Sorry", "Fine"))
    assert (b"staff:1" in events[0].data, b"staff:2" in events[1].data) == (True, True)


@pytest.mark.django_db
def test_the_database_refuses_a_decision_by_the_requester() -> None:
    open_alice()
    request_adjustment()
    with pytest.raises(IntegrityError, match="wallet_adjustment_another"):
        execute("UPDATE wallet_adjustment SET status = 'approved', decided_by = requested_by")


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
def test_totals_by_reason_contain_approved_adjustments_only() -> None:
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
    waiting = queries.list_adjustments(
        AdjustmentFilter(OPERATOR, status=AdjustmentStatus.REQUESTED), before=None, limit=10
    )
    assert [row.amount for row in waiting] == [9999]


def test_ten_concurrent_approvals_move_the_money_once(database: Database, in_threads: Callable[..., Any]) -> None:
    open_alice()
    adjustment = request_adjustment()
    outcomes = in_threads(10, lambda number: approve(adjustment, by=f"staff:{number + 2}"))
    assert outcomes.count(AdjustmentStatus.APPROVED) == 1
    assert sum(isinstance(outcome, AdjustmentDecided) for outcome in outcomes) == 9
    assert balance_of(AccountKind.ACCOUNT) == 2000
    assert len(list_notices()) == 1


def test_concurrent_debits_never_take_an_account_below_zero(database: Database, in_threads: Callable[..., Any]) -> None:
    open_alice()
    fund(account(), 5000)
    adjustment = [request_adjustment("debit", 2000) for _ in range(6)]
    outcomes = in_threads(6, lambda number: approve(adjustment[number]))
    assert outcomes.count(AdjustmentStatus.APPROVED) == 2
    assert sum(isinstance(outcome, InsufficientFunds) for outcome in outcomes) == 4
    assert balance_of(AccountKind.ACCOUNT) == 1000
