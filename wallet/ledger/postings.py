"""The one place that says what a wallet event moves: used when it happens and again by the audit."""

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from casino.kernel.money import MoneyType
from wallet.adjustments import events as ae
from wallet.ledger.accounts import (
    AccountKind,
    AccountName,
    debt_account,
    hold_account,
    operator_account,
    player_account,
)
from wallet.ledger.entries import NewEntry, NewPosting, build_entry, sandbox_credit, transfer
from wallet.ledger.events import PlayerAccountOpened, PlayMoneyToppedUp, SandboxCredited, TableLimitSet
from wallet.payments import events as pe
from wallet.reconciliation import events as rec
from wallet.responsible_gaming import events as pro


def entry_for(event: object, cause: int) -> NewEntry | None:
    """Return the entry that follows from a wallet event with id `cause`, or None where no money moves.

    Raises TypeError for an event of another part.
    """
    if type(event) in _STILL:
        return None
    build = _BUILD.get(type(event))
    if build is None:
        raise TypeError(f"{type(event).__name__} is not an event of the wallet.")
    return build(event, cause)


def _sandbox_credited(event: SandboxCredited, cause: int) -> NewEntry:
    return sandbox_credit(
        cause=cause,
        operator=event.operator,
        player=event.player,
        money_type=event.money_type,
        currency=event.currency,
        amount=event.amount,
    )


def _play_money_topped_up(event: PlayMoneyToppedUp, cause: int) -> NewEntry:
    outside = operator_account(
        kind=AccountKind.SANDBOX, operator=event.operator, money_type=MoneyType.PLAY, currency=event.currency
    )
    own = player_account(
        operator=event.operator, player=event.player, money_type=MoneyType.PLAY, currency=event.currency
    )
    return transfer(kind="play_money", cause=cause, source=outside, target=own, amount=event.amount)


def _deposit_completed(event: pe.DepositCompleted, cause: int) -> NewEntry:
    """What the player paid comes from outside; the fee is the operator's, the rest the player's."""
    postings = (
        NewPosting(_house(AccountKind.DEPOSITS, event.operator, event.currency), -event.amount),
        NewPosting(_account(event), event.amount - event.fee),
        NewPosting(_house(AccountKind.FEES, event.operator, event.currency), event.fee),
    )
    return build_entry(kind="deposit", cause=cause, postings=postings)


def _deposit_reversed(event: pe.DepositReversed, cause: int) -> NewEntry | None:
    """The way back of a deposit: what is no longer on the account becomes a debt, the fee is given back."""
    if not event.credited:
        return None
    postings = (
        NewPosting(_house(AccountKind.DEPOSITS, event.operator, event.currency), event.amount),
        NewPosting(_account(event), -event.taken),
        NewPosting(_debt(event), -event.owed),
        NewPosting(_house(AccountKind.FEES, event.operator, event.currency), -event.fee),
    )
    return build_entry(kind="deposit_reversed", cause=cause, postings=postings)


def _debt_collected(event: pe.DebtCollected, cause: int) -> NewEntry:
    return transfer(
        kind="debt_collected", cause=cause, source=_account(event), target=_debt(event), amount=event.amount
    )


def _withdrawal_requested(event: pe.WithdrawalRequested, cause: int) -> NewEntry:
    return transfer(
        kind="withdrawal_held", cause=cause, source=_account(event), target=_hold(event), amount=event.amount
    )


def _withdrawal_given_back(event: pe.WithdrawalRejected | pe.WithdrawalCancelled, cause: int) -> NewEntry:
    kind = "withdrawal_rejected" if isinstance(event, pe.WithdrawalRejected) else "withdrawal_cancelled"
    return transfer(kind=kind, cause=cause, source=_hold(event), target=_account(event), amount=event.amount)


def _withdrawal_paid(event: pe.WithdrawalPaid, cause: int) -> NewEntry:
    """What the provider paid out leaves the hold, and the fee with it."""
    postings = (
        NewPosting(_hold(event), -event.amount),
        NewPosting(_house(AccountKind.WITHDRAWALS, event.operator, event.currency), event.amount - event.fee),
        NewPosting(_house(AccountKind.FEES, event.operator, event.currency), event.fee),
    )
    return build_entry(kind="withdrawal_paid", cause=cause, postings=postings)


def _withdrawal_returned(event: pe.WithdrawalReturned, cause: int) -> NewEntry:
    """All of it is the player's again; the fee is given back with what came back."""
    kind = "withdrawal_returned"
    if not event.was_paid:
        return transfer(kind=kind, cause=cause, source=_hold(event), target=_account(event), amount=event.amount)
    postings = (
        NewPosting(_house(AccountKind.WITHDRAWALS, event.operator, event.currency), event.fee - event.amount),
        NewPosting(_house(AccountKind.FEES, event.operator, event.currency), -event.fee),
        NewPosting(_account(event), event.amount),
    )
    return build_entry(kind=kind, cause=cause, postings=postings)


def _adjusted(event: ae.AdjustmentApproved, cause: int) -> NewEntry:
    """A correction is between the player and the operator's adjustments; what a debit finds missing is a debt."""
    whose: dict[str, Any] = {"operator": event.operator, "money_type": event.money_type, "currency": event.currency}
    house = operator_account(kind=AccountKind.ADJUSTMENTS, **whose)
    account = player_account(player=event.player, **whose)
    if event.direction is ae.Direction.CREDIT:
        return transfer(kind="adjustment_credit", cause=cause, source=house, target=account, amount=event.amount)
    postings = (
        NewPosting(account, -event.taken),
        NewPosting(debt_account(player=event.player, **whose), -event.owed),
        NewPosting(house, event.amount),
    )
    return build_entry(kind="adjustment_debit", cause=cause, postings=postings)


def _house(kind: AccountKind, operator: UUID, currency: str) -> AccountName:
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


_BUILD: Final[dict[type, Callable[[Any, int], NewEntry | None]]] = {
    SandboxCredited: _sandbox_credited,
    PlayMoneyToppedUp: _play_money_topped_up,
    pe.DepositCompleted: _deposit_completed,
    pe.DepositReversed: _deposit_reversed,
    pe.DebtCollected: _debt_collected,
    pe.WithdrawalRequested: _withdrawal_requested,
    pe.WithdrawalRejected: _withdrawal_given_back,
    pe.WithdrawalCancelled: _withdrawal_given_back,
    pe.WithdrawalPaid: _withdrawal_paid,
    pe.WithdrawalReturned: _withdrawal_returned,
    ae.AdjustmentApproved: _adjusted,
}
_STILL: Final = frozenset(
    {
        PlayerAccountOpened,
        TableLimitSet,
        pe.DepositRequested,
        pe.DepositSent,
        pe.DepositFailed,
        pe.WithdrawalApproved,
        pe.WithdrawalSent,
        pro.PlayLimitSet,
        pro.PlayLimitIncreaseRequested,
        pro.PlayLimitIncreased,
        pro.PlayLimitIncreaseCancelled,
        pro.CoolingOffStarted,
        pro.SelfExcluded,
        pro.SelfExclusionEnded,
        pro.RealityCheckSet,
        pro.PlayerBlocked,
        pro.PlayerUnblocked,
        pro.OperatorLimitSet,
        pro.PlayMoneyCapSet,
        ae.AdjustmentRequested,
        ae.AdjustmentRejected,
        rec.ReconciliationCompleted,
        rec.DiscrepancyFound,
        rec.DiscrepancyCleared,
        rec.DiscrepancyAssigned,
        rec.DiscrepancyResolved,
    }
)
EVENTS: Final = frozenset(_BUILD) | _STILL
"""Every class of event that the wallet writes."""
