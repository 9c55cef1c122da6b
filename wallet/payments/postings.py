"""The entries that follow from events of deposits, withdrawals and debts. Pure.

A deposit comes from outside; its fee goes to the operator and the rest to the player. A reversal returns the fee and
takes what the account holds; the rest becomes a debt. The fee of a withdrawal stays with the operator once it is paid
and returns to the player when the withdrawal does.
"""

from typing import Any
from uuid import UUID

from casino.kernel.money import MoneyType
from wallet.ledger.accounts import (
    AccountKind,
    AccountName,
    debt_account,
    hold_account,
    operator_account,
    player_account,
)
from wallet.ledger.entries import EntryKind, NewEntry, NewPosting, build_entry, transfer
from wallet.payments.events import (
    DebtCollected,
    DepositCompleted,
    DepositReversed,
    PaymentEvent,
    WithdrawalCancelled,
    WithdrawalPaid,
    WithdrawalRejected,
    WithdrawalRequested,
    WithdrawalReturned,
)


def entry_for(event: PaymentEvent, cause: int) -> NewEntry | None:
    """Return the entry that follows from an event with id `cause`, or None where no money moves."""
    entry: NewEntry | None = None
    match event:
        case DepositCompleted():
            entry = _deposit_completed(event, cause)
        case DepositReversed(credited=True):
            entry = _deposit_reversed(event, cause)
        case DebtCollected():
            entry = _moved("debt_collected", cause, _account(event), _debt(event), event.amount)
        case WithdrawalRequested():
            entry = _moved("withdrawal_held", cause, _account(event), _hold(event), event.amount)
        case WithdrawalRejected():
            entry = _moved("withdrawal_rejected", cause, _hold(event), _account(event), event.amount)
        case WithdrawalCancelled():
            entry = _moved("withdrawal_cancelled", cause, _hold(event), _account(event), event.amount)
        case WithdrawalPaid():
            entry = _withdrawal_paid(event, cause)
        case WithdrawalReturned():
            entry = _withdrawal_returned(event, cause)
        case _:
            pass
    return entry


def _deposit_completed(event: DepositCompleted, cause: int) -> NewEntry:
    postings = (
        NewPosting(_operator_account(AccountKind.DEPOSITS, event.operator, event.currency), -event.amount),
        NewPosting(_account(event), event.amount - event.fee),
        NewPosting(_operator_account(AccountKind.FEES, event.operator, event.currency), event.fee),
    )
    return build_entry(kind="deposit", cause=cause, postings=postings)


def _deposit_reversed(event: DepositReversed, cause: int) -> NewEntry:
    postings = (
        NewPosting(_operator_account(AccountKind.DEPOSITS, event.operator, event.currency), event.amount),
        NewPosting(_account(event), -event.taken),
        NewPosting(_debt(event), -event.owed),
        NewPosting(_operator_account(AccountKind.FEES, event.operator, event.currency), -event.fee),
    )
    return build_entry(kind="deposit_reversed", cause=cause, postings=postings)


def _withdrawal_paid(event: WithdrawalPaid, cause: int) -> NewEntry:
    postings = (
        NewPosting(_hold(event), -event.amount),
        NewPosting(
            _operator_account(AccountKind.WITHDRAWALS, event.operator, event.currency), event.amount - event.fee
        ),
        NewPosting(_operator_account(AccountKind.FEES, event.operator, event.currency), event.fee),
    )
    return build_entry(kind="withdrawal_paid", cause=cause, postings=postings)


def _withdrawal_returned(event: WithdrawalReturned, cause: int) -> NewEntry:
    kind: EntryKind = "withdrawal_returned"
    if not event.was_paid:
        return _moved(kind, cause, _hold(event), _account(event), event.amount)
    postings = (
        NewPosting(
            _operator_account(AccountKind.WITHDRAWALS, event.operator, event.currency), event.fee - event.amount
        ),
        NewPosting(_operator_account(AccountKind.FEES, event.operator, event.currency), -event.fee),
        NewPosting(_account(event), event.amount),
    )
    return build_entry(kind=kind, cause=cause, postings=postings)


def _moved(kind: EntryKind, cause: int, source: AccountName, target: AccountName, amount: int) -> NewEntry:
    return transfer(kind=kind, cause=cause, source=source, target=target, amount=amount)


def _operator_account(kind: AccountKind, operator: UUID, currency: str) -> AccountName:
    return operator_account(kind=kind, operator=operator, money_type=MoneyType.REAL, currency=currency)


def _account(event: Any) -> AccountName:
    return player_account(
        operator=event.operator, player=event.player, money_type=MoneyType.REAL, currency=event.currency
    )


def _hold(event: Any) -> AccountName:
    return hold_account(
        operator=event.operator, player=event.player, money_type=MoneyType.REAL, currency=event.currency
    )


def _debt(event: Any) -> AccountName:
    return debt_account(
        operator=event.operator, player=event.player, money_type=MoneyType.REAL, currency=event.currency
    )
