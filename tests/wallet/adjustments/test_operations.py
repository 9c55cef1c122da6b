"""Corrections by hand: one asks, another agrees, money moves once, and the player is told."""

from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError

from casino.events import store
from casino.events.sql import execute, fetch
from casino.kernel.money import AmountNotPositive, MoneyType
from tests.wallet.ledger.world import ALICE, BOB, METADATA, OPERATOR, account, fund
from tests.wallet.payments.counter import holds, open_alice
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

pytestmark = pytest.mark.django_db


def ask(direction: str = "credit", amount: int = 2000, **changes: Any) -> UUID:
    given: dict[str, Any] = {
        "operator": OPERATOR, "player": ALICE, "money_type": MoneyType.REAL, "currency": "EUR",
        "reason": AdjustmentReason.COMPLAINT, "note": "Ticket 4411.", "message": "Sorry!", "by": "staff:1",
    }  # fmt: skip
    return services.request(
        direction=AdjustmentDirection(direction), amount=amount, metadata=METADATA, **{**given, **changes}
    )


def agree(wanted: UUID, by: str = "staff:2", **more: Any) -> AdjustmentStatus:
    return services.approve(wanted, operator=OPERATOR, by=by, metadata=METADATA, **more).status


def refuse(wanted: UUID, by: str = "staff:2", answer: str = "Paid on Monday.") -> AdjustmentStatus:
    return services.reject(wanted, operator=OPERATOR, by=by, metadata=METADATA, answer=answer).status


def told(player: UUID = ALICE) -> list[notices.StoredNotice]:
    return notices.list_notices(operator=OPERATOR, player=player, unread=False, before=None, limit=50)


def corrections(money_type: MoneyType = MoneyType.REAL) -> int:
    name = operator_account(kind=AccountKind.ADJUSTMENTS, operator=OPERATOR, money_type=money_type, currency="EUR")
    return ledger.balances([name])[name]


def holds_of(name: AccountName) -> int:
    return ledger.balances([name])[name]


def test_nothing_moves_until_another_person_agrees_and_then_once() -> None:
    open_alice()
    wanted = ask()
    assert (holds(AccountKind.ACCOUNT), told()) == (0, [])
    with pytest.raises(AdjustmentRequiresSecondPerson):
        agree(wanted, by="staff:1")
    with pytest.raises(AdjustmentRequiresSecondPerson):
        refuse(wanted, by="staff:1")
    assert agree(wanted) is AdjustmentStatus.APPROVED
    assert (holds(AccountKind.ACCOUNT), corrections()) == (2000, -2000)
    for decide in (agree, refuse):
        with pytest.raises(AdjustmentDecided):
            decide(wanted, by="staff:3")
    assert holds(AccountKind.ACCOUNT) == 2000


def test_a_refused_adjustment_moves_nothing_and_tells_nobody() -> None:
    open_alice()
    wanted = ask()
    assert refuse(wanted) is AdjustmentStatus.REJECTED
    with pytest.raises(AdjustmentDecided):
        agree(wanted, by="staff:3")
    assert (holds(AccountKind.ACCOUNT), told()) == (0, [])
    assert queries.load_adjustment_texts([wanted])[wanted].answer == "Paid on Monday."


def test_a_debit_is_refused_with_what_is_there_or_becomes_a_debt_as_chosen() -> None:
    open_alice()
    fund(account(), 500)
    wanted = ask("debit")
    with pytest.raises(InsufficientFunds) as refused:
        agree(wanted)
    assert (refused.value.balance, refused.value.needed) == (500, 2000)


def test_a_debt_is_chosen_by_the_approver_and_stops_play_until_a_credit_pays_it() -> None:
    open_alice()
    fund(account(), 500)
    wanted = ask("debit")
    assert agree(wanted, as_debt=True) is AdjustmentStatus.APPROVED
    assert (holds(AccountKind.ACCOUNT), holds(AccountKind.DEBT), corrections()) == (0, -1500, 2000)
    with pytest.raises(DebtOutstanding):
        debts.available(account())
    assert told()[0].notice.details["owed"] == 1500
    agree(ask("credit", 2500))
    assert (holds(AccountKind.ACCOUNT), holds(AccountKind.DEBT)) == (1000, 0)


def test_play_money_is_corrected_beside_real_money_and_never_owed() -> None:
    open_alice()
    agree(ask("credit", 700, money_type=MoneyType.PLAY))
    assert (holds(AccountKind.ACCOUNT), holds_of(account(money_type=MoneyType.PLAY)), corrections(MoneyType.PLAY)) == (
        0,
        700,
        -700,
    )
    with pytest.raises(NoDebtInPlayMoney):
        agree(ask("debit", 800, money_type=MoneyType.PLAY), as_debt=True)
    agree(ask("debit", 700, money_type=MoneyType.PLAY), as_debt=True)
    assert holds_of(account(money_type=MoneyType.PLAY)) == 0


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"amount": 0}, AmountNotPositive),
        ({"amount": -5}, AmountNotPositive),
        ({"note": "  "}, AdjustmentNoteMissing),
        ({"note": "x" * 501}, AdjustmentNoteMissing),
        ({"player": BOB}, UnknownAccount),
        ({"currency": "USD"}, UnknownAccount),
        ({"operator": UUID(int=99)}, UnknownAccount),
    ],
)
def test_bad_input_is_refused_and_leaves_nothing(changes: dict[str, Any], refusal: type[Exception]) -> None:
    open_alice()
    with pytest.raises(refusal):
        ask(**changes)
    assert fetch("SELECT count(*) FROM wallet_adjustment")[0][0] == 0
    assert fetch("SELECT count(*) FROM wallet_adjustment_text")[0][0] == 0


def test_another_operator_knows_of_no_such_adjustment() -> None:
    open_alice()
    wanted = ask()
    for decide in (services.approve, services.reject):
        with pytest.raises(UnknownAdjustment):
            decide(wanted, operator=UUID(int=99), by="staff:2", metadata=METADATA, answer="no")
    with pytest.raises(UnknownAdjustment):
        queries.find(operator=UUID(int=99), adjustment=wanted)


def test_words_stay_out_of_events_and_who_asked_is_in_them() -> None:
    open_alice()
    wanted = ask()
    agree(wanted, answer="Fine by me.")
    events = store.read(f"adjustment-{wanted}")
    assert [event.type for event in events] == ["AdjustmentRequested", "AdjustmentApproved"]
    assert not any(word in bytes(event.data).decode() for event in events for word in ("Ticket", "Sorry", "Fine"))
    assert (b"staff:1" in events[0].data, b"staff:2" in events[1].data) == (True, True)


def test_the_table_itself_refuses_one_who_decides_what_they_asked_for() -> None:
    open_alice()
    ask()
    with pytest.raises(IntegrityError, match="wallet_adjustment_another"):
        execute("UPDATE wallet_adjustment SET status = 'approved', decided_by = requested_by")


def test_the_player_is_told_once_and_marks_it_read_once() -> None:
    open_alice()
    agree(ask())
    (given,) = told()
    assert (given.notice.kind, given.notice.message) == ("adjustment_credit", "Sorry!")
    assert (given.notice.details["amount"], given.notice.details["reason"]) == (2000, "complaint")
    notices.notify_player(given.notice)
    assert notices.count_unread(operator=OPERATOR, player=ALICE) == 1
    first = notices.mark_read(given.id, operator=OPERATOR, player=ALICE)
    again = notices.mark_read(given.id, operator=OPERATOR, player=ALICE)
    assert (first.read_at, notices.count_unread(operator=OPERATOR, player=ALICE)) == (again.read_at, 0)
    assert first.read_at is not None
    with pytest.raises(notices.UnknownNotice):
        notices.mark_read(given.id, operator=OPERATOR, player=BOB)


def test_a_report_adds_up_what_was_approved_by_reason() -> None:
    open_alice()
    agree(ask("credit", 2000))
    agree(ask("credit", 500))
    agree(ask("debit", 300, reason=AdjustmentReason.ABUSE))
    ask("credit", 9999)
    refuse(ask("credit", 8888))
    assert queries.totals_by_reason(operator=OPERATOR, since=None, until=None) == [
        AdjustmentTotal("abuse", "debit", "real", "EUR", 1, 300, 0),
        AdjustmentTotal("complaint", "credit", "real", "EUR", 2, 2500, 0),
    ]
    assert queries.totals_by_reason(operator=UUID(int=99), since=None, until=None) == []
    waiting = queries.list_adjustments(
        AdjustmentFilter(OPERATOR, status=AdjustmentStatus.REQUESTED), before=None, limit=10
    )
    assert [row.amount for row in waiting] == [9999]
