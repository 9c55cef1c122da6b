"""Request, approve, reject, cancel and send withdrawals, and apply providers' reports."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from casino.events.ids import new_id
from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.kernel import money
from casino.kernel.money import MoneyType
from casino.operators import changes, key_limits
from casino.operators.changes import ChangeKind
from casino.operators.key_limits import Movement
from casino.operators.models import Change, ChangeName
from wallet import acts, notices
from wallet.funding import services as funding
from wallet.funding.events import Funding
from wallet.ledger import store
from wallet.ledger.accounts import player_account
from wallet.ledger.refusals import InsufficientFunds
from wallet.models import Withdrawal
from wallet.notices import Notice, NoticeKind
from wallet.payments import debts, records, withdrawal_state
from wallet.payments.deposits import APPLIED, NO_CHANGE, UNKNOWN
from wallet.payments.events import (
    WithdrawalCancelled,
    WithdrawalRejected,
    WithdrawalRequested,
    WithdrawalReturned,
    withdrawal_stream,
)
from wallet.payments.methods import find_method, policy
from wallet.payments.provider_reports import ImplausibleReport, ProviderReport
from wallet.payments.refusals import (
    DepositMethodUnavailable,
    UnknownWithdrawal,
    WithdrawalRequiresSecondPerson,
    WithdrawalsNotSupported,
)
from wallet.payments.terms import quote_withdrawal, require_capacity
from wallet.payments.withdrawal_state import WithdrawalState

KIND: Final = ChangeName.WITHDRAWAL
Decide = Callable[[WithdrawalState, datetime], Sequence[Any]]
REFUNDING_EVENTS: Final = (WithdrawalRejected, WithdrawalCancelled, WithdrawalReturned)

_OWNER: Final = "SELECT operator_id, player_id, currency, provider FROM wallet_withdrawal WHERE id = %s"
_PENDING: Final = """SELECT count(*) FROM wallet_withdrawal
    WHERE player_id = %s AND operator_id = %s AND status IN ('requested', 'approved', 'sent')"""
_REFERENCE_IN_USE: Final = "SELECT FROM wallet_withdrawal WHERE provider = %s AND reference = %s AND id <> %s"


def request(
    *, operator: UUID, player: UUID, currency: str, method: UUID, amount: int, metadata: Metadata, key: str = ""
) -> UUID:
    """Hold minor units of the player's account and return the withdrawal's id.

    `key` is the API key that opened the player's session. Raises AmountNotPositive, UnknownDepositMethod,
    DepositMethodUnavailable, WithdrawalsNotSupported, UnknownAccount, WithdrawalTooSmall, WithdrawalTooLarge,
    FeeExceedsAmount, FundingDiffers, TooManyWithdrawals, DebtOutstanding, InsufficientFunds, KeyLimitReached.
    """
    if amount <= 0:
        raise money.AmountNotPositive(f"Got {money.format_amount(amount, currency)}.")
    version = find_method(operator=operator, method=method)
    if not version.offer.enabled or version.offer.terms.currency != currency:
        raise DepositMethodUnavailable
    if not version.offer.supports_withdrawals:
        raise WithdrawalsNotSupported
    store.require_open(player_account(operator=operator, player=player, money_type=MoneyType.REAL, currency=currency))
    current_policy = policy(operator=operator, currency=currency)
    fee = quote_withdrawal(current_policy.terms, amount, currency=currency).fee
    approvals = current_policy.approvals_required(amount)
    with transaction.atomic():
        funding.require(operator, Funding.HOUSE)
        account, at = records.lock_account(operator=operator, player=player, currency=currency)
        withdrawal, provider = new_id(at), version.offer.provider
        require_capacity(current_policy.terms, pending_count=count_pending(operator=operator, player=player))
        balance = debts.available(account)
        if balance < amount:
            raise InsufficientFunds(account=account, balance=balance, needed=amount)
        event = WithdrawalRequested(
            withdrawal, operator, player, version.id, version.version, provider, currency, amount, approvals, at, fee
        )
        records.write_withdrawal(None, version=0, events=[event], metadata=metadata)
        key_limits.count(key, Movement.WITHDRAWAL, amount, currency)
        records.wake_processor_on_commit()
    return withdrawal


def count_pending(*, operator: UUID, player: UUID) -> int:
    """Count a player's withdrawals that have not ended."""
    return int(fetch(_PENDING, [player, operator])[0][0])


def approve(withdrawal: UUID, *, staff: str, metadata: Metadata) -> Change | None:
    """Approve a withdrawal as a member of staff, so that it is sent.

    Where the policy asks for two, return the change that waits for another. Raises UnknownWithdrawal,
    NotWaitingForReview, DebtOutstanding, ChangeAlreadyRequested, ChangeNeedsSecondPerson.
    """
    try:
        _approve(withdrawal, (staff,), metadata)
    except WithdrawalRequiresSecondPerson:
        row = Withdrawal.objects.get(pk=withdrawal)
        return changes.request(
            operator=row.operator_id,
            kind=KIND,
            subject=f"withdrawal:{withdrawal}",
            summary=f"Pay out {money.format_amount(row.amount, row.currency)} {row.currency}",
            details={"player": str(row.player_id), "amount": row.amount, "currency": row.currency},
            by=staff,
        )
    return None


def register() -> None:
    """Register what two persons may do here."""
    changes.register(ChangeKind(KIND, acts.PAY_OUT, _apply_change, silent=True, alone=True))


def _apply_change(change: Change) -> None:
    withdrawal = UUID(change.subject.removeprefix("withdrawal:"))
    _approve(withdrawal, (change.requested_by, change.decided_by), changes.metadata(change))


def _approve(withdrawal: UUID, by: tuple[str, ...], metadata: Metadata) -> WithdrawalState:
    return _change(
        withdrawal, lambda state, at: withdrawal_state.approve(state, by=by, at=at), metadata, free_of_debt=True
    )


def reject(withdrawal: UUID, *, staff: str, reason: str, metadata: Metadata) -> WithdrawalState:
    """Reject a withdrawal and return the money. Raises UnknownWithdrawal, NotWaitingForReview."""
    with transaction.atomic():
        state = _end(
            withdrawal, lambda state, at: withdrawal_state.reject(state, staff=staff, reason=reason, at=at), metadata
        )
        requested, kind = state.requested, NoticeKind.WITHDRAWAL_REJECTED
        details = {"amount": requested.amount, "currency": requested.currency, "money_type": MoneyType.REAL.value}
        notices.notify_player(Notice(requested.operator, requested.player, kind, withdrawal, details))
        return state


def cancel(withdrawal: UUID, *, operator: UUID, player: UUID, metadata: Metadata) -> WithdrawalState:
    """Cancel a withdrawal before it is sent and return the money. Raises UnknownWithdrawal, TooLateToCancel."""
    rows = fetch(_OWNER, [withdrawal])
    if not rows or rows[0][:2] != (operator, player):
        raise UnknownWithdrawal
    return _end(withdrawal, lambda state, at: withdrawal_state.cancel(state, at=at), metadata)


@transaction.atomic
def _end(withdrawal: UUID, decide: Decide, metadata: Metadata) -> WithdrawalState:
    """Decide that nothing is paid out; what waits for another approval is cancelled first, in the order of locks."""
    waits = changes.waiting(KIND, f"withdrawal:{withdrawal}")
    if waits is not None:
        changes.cancel(waits.pk, by=metadata.actor)
    return _change(withdrawal, decide, metadata)


def send(withdrawal: UUID) -> bool:
    """Mark a withdrawal as sent and return whether the provider may be called. Commit before calling it.

    Raises UnknownWithdrawal, and DebtOutstanding while the player has a debt.
    """
    rows = fetch(_OWNER, [withdrawal])
    if not rows:
        raise UnknownWithdrawal
    metadata = records.system_metadata(rows[0][0], "system:payments")
    sent = _change(withdrawal, lambda state, at: withdrawal_state.send(state, at=at), metadata, free_of_debt=True)
    return sent.status is withdrawal_state.WithdrawalStatus.SENT


def apply(report: ProviderReport, *, provider: str) -> str:
    """Apply a provider's report, once however often it comes, and return the outcome.

    That is `applied`, `no_change`, `unknown_payment`, `reference_taken`, or the code of an implausible report.
    """
    with transaction.atomic(savepoint=False):
        if fetch(_REFERENCE_IN_USE, [provider, report.reference, report.payment]):
            return "reference_taken"
        return _apply(report.payment, provider, lambda state, at: withdrawal_state.apply_report(state, report, at=at))


def record_refusal(withdrawal: UUID, *, provider: str, reason: str) -> str:
    """Return a withdrawal that the provider refused to start."""
    with transaction.atomic():
        return _apply(
            withdrawal, provider, lambda state, at: withdrawal_state.record_refusal(state, reason=reason, at=at)
        )


def _apply(withdrawal: UUID, provider: str, decide: Decide) -> str:
    rows = fetch(_OWNER, [withdrawal])
    if not rows or rows[0][3] != provider:
        return UNKNOWN
    try:
        changed = _decide(withdrawal, rows[0], decide, records.system_metadata(rows[0][0], f"provider:{provider}"))[1]
    except ImplausibleReport as error:
        return error.code
    return APPLIED if changed else NO_CHANGE


def _change(withdrawal: UUID, decide: Decide, metadata: Metadata, *, free_of_debt: bool = False) -> WithdrawalState:
    """Decide and write; with `free_of_debt`, refuse a player with a debt."""
    with transaction.atomic():
        rows = fetch(_OWNER, [withdrawal])
        if not rows:
            raise UnknownWithdrawal
        state, changed = _decide(withdrawal, rows[0], decide, metadata, free_of_debt=free_of_debt)
        if changed:
            records.wake_processor_on_commit()
        return state


def _decide(
    withdrawal: UUID, owner: tuple[Any, ...], decide: Decide, metadata: Metadata, *, free_of_debt: bool = False
) -> tuple[WithdrawalState, bool]:
    """Decide under the lock of the player's account; returns the state and whether it changed."""
    operator, player, currency, _ = owner
    account, at = records.lock_account(operator=operator, player=player, currency=currency)
    if free_of_debt:
        debts.available(account)
    before = records.PAYMENT_EVENTS.history(withdrawal_stream(withdrawal))
    state = withdrawal_state.fold(before)
    events = decide(state, at)
    if not events:
        return state, False
    state = records.write_withdrawal(state, version=len(before), events=events, metadata=metadata)
    if any(isinstance(event, REFUNDING_EVENTS) for event in events):
        debts.collect(operator=operator, player=player, currency=currency, metadata=metadata)
    return state, True
