"""What can be done about withdrawals: ask, agree, refuse, cancel, send, and apply what a provider says."""

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
from wallet.ledger import store
from wallet.ledger.accounts import player_account
from wallet.ledger.refusals import InsufficientFunds
from wallet.payments import debts, records, wakeups, withdrawal_state
from wallet.payments.events import (
    WithdrawalCancelled,
    WithdrawalRejected,
    WithdrawalRequested,
    WithdrawalReturned,
    withdrawal_stream,
)
from wallet.payments.methods import find_method, policy
from wallet.payments.provider_reports import ImplausibleReport, ProviderReport
from wallet.payments.refusals import DepositMethodUnavailable, UnknownWithdrawal, WithdrawalsNotSupported
from wallet.payments.withdrawal_state import WithdrawalState
from wallet.payments.withdrawal_terms import quote, require_capacity

Decide = Callable[[WithdrawalState, datetime], Sequence[Any]]
UNKNOWN: Final = "unknown_payment"
NO_CHANGE: Final = "no_change"
APPLIED: Final = "applied"
REFUNDING_EVENTS: Final = (WithdrawalRejected, WithdrawalCancelled, WithdrawalReturned)

_WHOSE: Final = "SELECT operator_id, player_id, currency, provider FROM wallet_withdrawal WHERE id = %s"
_UNDER_WAY: Final = """SELECT count(*) FROM wallet_withdrawal
    WHERE player_id = %s AND operator_id = %s AND status IN ('requested', 'approved', 'sent')"""
_TAKEN: Final = "SELECT FROM wallet_withdrawal WHERE provider = %s AND reference = %s AND id <> %s"


def request(*, operator: UUID, player: UUID, currency: str, method: UUID, amount: int, metadata: Metadata) -> UUID:
    """Hold minor units of the player's account at once and return the withdrawal's id.

    Raises AmountNotPositive, UnknownMethod, MethodClosed, PayoutNotOffered, UnknownAccount, WithdrawalTooSmall,
    WithdrawalTooLarge, NothingArrives, TooManyWithdrawals, DebtOutstanding, InsufficientFunds.
    """
    if amount <= 0:
        raise money.AmountNotPositive(f"Got {money.format_amount(amount, currency)}.")
    chosen = find_method(operator=operator, method=method)
    if not chosen.offer.enabled or chosen.offer.terms.currency != currency:
        raise DepositMethodUnavailable
    if not chosen.offer.supports_withdrawals:
        raise WithdrawalsNotSupported
    store.require_open(player_account(operator=operator, player=player, money_type=MoneyType.REAL, currency=currency))
    rules = policy(operator=operator)
    fee = quote(rules.terms, amount, currency=currency).fee
    approvals = rules.approvals_required(amount)
    withdrawal, provider = new_id(), chosen.offer.provider
    with transaction.atomic():
        account, at = records.lock_account(operator=operator, player=player, currency=currency)
        require_capacity(rules.terms, pending_count=count_pending(operator=operator, player=player))
        held = debts.available(account)
        if held < amount:
            raise InsufficientFunds(account=account, balance=held, needed=amount)
        asked = WithdrawalRequested(
            withdrawal, operator, player, chosen.id, chosen.version, provider, currency, amount, approvals, at, fee
        )
        records.write_withdrawal(None, version=0, events=[asked], metadata=metadata)
        wakeups.on_commit()
    return withdrawal


def count_pending(*, operator: UUID, player: UUID) -> int:
    """Count a player's withdrawals that are neither paid nor back."""
    return int(fetch(_UNDER_WAY, [player, operator])[0][0])


def approve(withdrawal: UUID, *, staff: str, metadata: Metadata) -> WithdrawalState:
    """Record that a member of staff agrees; it is sent when enough of them do.

    Raises UnknownWithdrawal, NotWaitingForReview, MakerIsChecker, DebtOutstanding.
    """
    return _change(
        withdrawal,
        lambda state, at: withdrawal_state.approve(state, staff=staff, at=at),
        metadata,
        free_of_debt=True,
    )


def reject(withdrawal: UUID, *, staff: str, reason: str, metadata: Metadata) -> WithdrawalState:
    """Refuse a withdrawal and give the money back. Raises UnknownWithdrawal, NotWaitingForReview."""
    return _change(
        withdrawal, lambda state, at: withdrawal_state.reject(state, staff=staff, reason=reason, at=at), metadata
    )


def cancel(withdrawal: UUID, *, operator: UUID, player: UUID, metadata: Metadata) -> WithdrawalState:
    """Give a player's money back before it is sent. Raises UnknownWithdrawal, TooLateToCancel."""
    rows = fetch(_WHOSE, [withdrawal])
    if not rows or rows[0][:2] != (operator, player):
        raise UnknownWithdrawal
    return _change(withdrawal, lambda state, at: withdrawal_state.cancel(state, at=at), metadata)


def send(withdrawal: UUID) -> bool:
    """Record that the provider is about to be asked; says whether it may be. Commit before it is asked.

    Raises UnknownWithdrawal, DebtOutstanding: money that is owed is not sent out.
    """
    rows = fetch(_WHOSE, [withdrawal])
    if not rows:
        raise UnknownWithdrawal
    remembered = records.system_metadata(rows[0][0], "system:payments")
    sent = _change(withdrawal, lambda state, at: withdrawal_state.send(state, at=at), remembered, free_of_debt=True)
    return sent.status is withdrawal_state.WithdrawalStatus.SENT


def apply(report: ProviderReport, *, provider: str) -> str:
    """Apply a provider's report, once however often it comes, and say what became of it.

    That is `applied`, `no_change`, `unknown_payment`, `reference_taken`, or how the report is implausible.
    """
    with transaction.atomic(savepoint=False):
        if fetch(_TAKEN, [provider, report.reference, report.payment]):
            return "reference_taken"
        return _judged(report.payment, provider, lambda state, at: withdrawal_state.apply_report(state, report, at=at))


def record_refusal(withdrawal: UUID, *, provider: str, reason: str) -> str:
    """Return a withdrawal that the provider would not take on."""
    with transaction.atomic():
        return _judged(
            withdrawal, provider, lambda state, at: withdrawal_state.record_refusal(state, reason=reason, at=at)
        )


def _judged(withdrawal: UUID, provider: str, decide: Decide) -> str:
    rows = fetch(_WHOSE, [withdrawal])
    if not rows or rows[0][3] != provider:
        return UNKNOWN
    try:
        changed = _decide(withdrawal, rows[0], decide, records.system_metadata(rows[0][0], f"provider:{provider}"))[1]
    except ImplausibleReport as trouble:
        return trouble.code
    return APPLIED if changed else NO_CHANGE


def _change(withdrawal: UUID, decide: Decide, metadata: Metadata, *, free_of_debt: bool = False) -> WithdrawalState:
    """Decides and writes; with `free_of_debt` a player who owes is refused."""
    with transaction.atomic():
        rows = fetch(_WHOSE, [withdrawal])
        if not rows:
            raise UnknownWithdrawal
        state, changed = _decide(withdrawal, rows[0], decide, metadata, free_of_debt=free_of_debt)
        if changed:
            wakeups.on_commit()
        return state


def _decide(
    withdrawal: UUID, whose: tuple[Any, ...], decide: Decide, metadata: Metadata, *, free_of_debt: bool = False
) -> tuple[WithdrawalState, bool]:
    """The withdrawal after what was decided under the lock of its player's account, and whether that was anything."""
    operator, player, currency, _ = whose
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
