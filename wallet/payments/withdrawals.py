"""Request, approve, reject, cancel and send withdrawals, and apply providers' reports.

The gate is asked at each step that brings money nearer to leaving, under the lock of the player's account.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

from django.db import transaction

from casino.crypto import crypto_shredding
from casino.events.ids import new_id
from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.kernel import money
from casino.kernel.money import MoneyType
from casino.kernel.text import require
from casino.operators import changes, daily_caps, key_limits
from casino.operators.changes import ChangeKind
from casino.operators.daily_caps import CapKind
from casino.operators.key_limits import Movement
from casino.operators.models import Change, ChangeName
from casino.significant import recorder
from wallet import acts, notices
from wallet.funding import services as funding
from wallet.funding.events import Funding
from wallet.ledger import store
from wallet.ledger.accounts import AccountName, player_account
from wallet.ledger.player_accounts import lock_player
from wallet.ledger.refusals import InsufficientFunds
from wallet.models import Withdrawal
from wallet.notices import Notice, NoticeKind
from wallet.payments import debts, gate, gate_facts, hold_state, records, withdrawal_state
from wallet.payments.deposits import APPLIED, NO_CHANGE, UNKNOWN
from wallet.payments.events import (
    HoldPlaced,
    WithdrawalCancelled,
    WithdrawalEvent,
    WithdrawalRejected,
    WithdrawalRequested,
    WithdrawalReturned,
    hold_stream,
    withdrawal_stream,
)
from wallet.payments.methods import find_method, policy
from wallet.payments.provider_reports import ImplausibleReport, ProviderReport
from wallet.payments.refusals import (
    DepositMethodUnavailable,
    HoldReasonMissing,
    PaymentHeld,
    UnknownWithdrawal,
    WithdrawalRequiresSecondPerson,
    WithdrawalsNotSupported,
)
from wallet.payments.terms import quote_withdrawal, require_capacity
from wallet.payments.withdrawal_state import WithdrawalState, WithdrawalStatus

KIND: Final = ChangeName.WITHDRAWAL
MAX_REASON_LENGTH: Final = 500
Decide = Callable[[WithdrawalState, datetime, UUID | None], Sequence[WithdrawalEvent]]
"""Decides about a provider's answer; with the id of a hold, what comes back is held."""
REFUNDING_EVENTS: Final = (WithdrawalRejected, WithdrawalCancelled, WithdrawalReturned)
_TOLD: Final = {
    WithdrawalStatus.REQUESTED: NoticeKind.IN_REVIEW,
    WithdrawalStatus.HELD: NoticeKind.IN_REVIEW,
    WithdrawalStatus.REJECTED: NoticeKind.WITHDRAWAL_REJECTED,
}
"""What the player is told of a status. Of one that is held, no more than of one that waits for a cashier."""
_REVIEWED: Final = frozenset(
    {WithdrawalStatus.REQUESTED, WithdrawalStatus.APPROVED, WithdrawalStatus.SENT, WithdrawalStatus.HELD}
)

_OWNER: Final = "SELECT operator_id, player_id, currency, provider FROM wallet_withdrawal WHERE id = %s"
_PENDING: Final = """SELECT count(*) FROM wallet_withdrawal
    WHERE player_id = %s AND operator_id = %s AND status IN ('requested', 'held', 'approved', 'sent')"""
_OPEN_HOLD: Final = "SELECT id FROM wallet_hold WHERE withdrawal_id = %s AND status = 'open'"
_RELEASED_BY: Final = "SELECT decided_by FROM wallet_hold WHERE withdrawal_id = %s AND status = 'released'"
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
        lock_player(player)  # withdrawals pending in all currencies are counted, and each locks its own account alone
        account, at = records.lock_account(operator=operator, player=player, currency=currency)
        withdrawal, provider = new_id(at), version.offer.provider
        require_capacity(current_policy.terms, pending_count=count_pending(operator=operator, player=player))
        balance = debts.available(account)
        if balance < amount:
            raise InsufficientFunds(account=account, balance=balance, needed=amount)
        event = WithdrawalRequested(
            withdrawal, operator, player, version.id, version.version, provider, currency, amount, approvals, at, fee
        )
        locked = Locked(withdrawal_state.fold([event]), 1, at, metadata)
        found = _causes(locked)
        held = _place(locked, found) if found else ()
        _tell(records.write_withdrawal(None, version=0, events=[event, *held], metadata=metadata))
        key_limits.count(key, Movement.WITHDRAWAL, amount, currency)
        records.wake_processor_on_commit()
    return withdrawal


def count_pending(*, operator: UUID, player: UUID) -> int:
    """Count a player's withdrawals that have not ended."""
    return int(fetch(_PENDING, [player, operator])[0][0])


def approve(withdrawal: UUID, *, staff: str, metadata: Metadata) -> Change | None:
    """Approve a withdrawal as a member of staff, so that it is sent.

    Where the policy asks for two, return the change that waits for another. What the gate holds is held then. Raises
    UnknownWithdrawal, NotWaitingForReview, PaymentHeld, DebtOutstanding, ReleasedByItsApprover, ChangeAlreadyRequested,
    ChangeNeedsSecondPerson.
    """
    if review(withdrawal):
        raise PaymentHeld
    try:
        _approve(withdrawal, (staff,), metadata)
    except WithdrawalRequiresSecondPerson:
        row = Withdrawal.objects.get(pk=withdrawal)
        return changes.request(
            operator=row.operator_id,
            kind=KIND,
            subject=subject_of(withdrawal),
            summary=f"Pay out {money.format_amount(row.amount, row.currency)} {row.currency}",
            details={"player": str(row.player_id), "amount": row.amount, "currency": row.currency},
            by=staff,
        )
    return None


def register() -> None:
    """Register what two persons may do here."""
    changes.register(ChangeKind(KIND, acts.PAY_OUT, _apply_change, silent=True, alone=True))


def subject_of(withdrawal: UUID) -> str:
    """Return the subject of changes that pay a withdrawal out."""
    return f"withdrawal:{withdrawal}"


def _apply_change(change: Change) -> None:
    withdrawal = UUID(change.subject.removeprefix("withdrawal:"))
    _approve(withdrawal, (change.requested_by, change.decided_by), changes.metadata(change))


@transaction.atomic
def _approve(withdrawal: UUID, by: tuple[str, ...], metadata: Metadata) -> None:
    locked = lock(withdrawal, metadata)
    debts.available(locked.account)
    events = withdrawal_state.approve(locked.state, by=by, at=locked.at)
    hold_state.require_apart(filter(None, by), released_by(withdrawal))
    if _causes(locked):
        raise PaymentHeld
    write(locked, events)


def assign(withdrawal: UUID, *, owner: str, by: str, metadata: Metadata) -> WithdrawalState:
    """Hand a withdrawal over to who is to review it; others still may.

    Raises UnknownWithdrawal, NotWaitingForReview.
    """
    with transaction.atomic():
        locked = lock(withdrawal, metadata)
        return write(locked, withdrawal_state.assign(locked.state, owner=owner, by=by, at=locked.at))


def reject(withdrawal: UUID, *, staff: str, reason: str, metadata: Metadata) -> WithdrawalState:
    """Reject a withdrawal with a reason for staff, and return the money.

    Raises UnknownWithdrawal, NotWaitingForReview, HoldReasonMissing.
    """
    text = require_reason(reason)
    with transaction.atomic():
        cancel_waiting(KIND, subject_of(withdrawal), metadata)
        locked = lock(withdrawal, metadata)
        note = crypto_shredding.encrypt_text(locked.state.requested.player, text)
        return write(locked, withdrawal_state.reject(locked.state, staff=staff, note=note, at=locked.at))


def require_reason(reason: str) -> str:
    """Return why a payment is rejected, or an account frozen, as it is stored. Raises HoldReasonMissing."""
    return require(reason, limit=MAX_REASON_LENGTH, refusal=HoldReasonMissing)


def cancel(withdrawal: UUID, *, operator: UUID, player: UUID, metadata: Metadata) -> WithdrawalState:
    """Cancel a withdrawal before it is sent and return the money; not while a case is open, nor a frozen player's.

    Raises UnknownWithdrawal, TooLateToCancel.
    """
    rows = fetch(_OWNER, [withdrawal])
    if not rows or rows[0][:2] != (operator, player):
        raise UnknownWithdrawal
    with transaction.atomic():
        for kind, subject in ((KIND, subject_of(withdrawal)), (ChangeName.RELEASE_PAYMENT, f"payment:{withdrawal}")):
            cancel_waiting(kind, subject, metadata)
        locked = lock(withdrawal, metadata)
        kept = locked.state.is_open and gate.keeps_from_cancelling(_causes(locked))
        return write(locked, withdrawal_state.cancel(locked.state, at=locked.at, kept=kept))


def cancel_waiting(kind: ChangeName, subject: str, metadata: Metadata) -> None:
    """Cancel what waits for another person about a payment that ends, before its player is locked."""
    waits = changes.waiting(kind, subject)
    if waits is not None:
        changes.cancel(waits.pk, by=metadata.actor)


def send(withdrawal: UUID) -> bool:
    """Mark a withdrawal as sent and return whether the provider may be called. Commit before calling it.

    What the gate or the cap of the day does not allow is held instead. Raises UnknownWithdrawal, and DebtOutstanding
    while the player has a debt.
    """
    with transaction.atomic():
        locked = lock(withdrawal, _by_system(withdrawal, "system:payments"))
        debts.available(locked.account)
        events = withdrawal_state.send(locked.state, at=locked.at)
        found = (_causes(locked) or _over_cap(locked)) if events else ()
        state = write(locked, _place(locked, found) if found else events)
    return state.status is WithdrawalStatus.SENT


def review(withdrawal: UUID) -> bool:
    """Ask the gate about a withdrawal that is open, and return whether it is held now. Raises UnknownWithdrawal.

    What the provider may have already is held if it comes back.
    """
    with transaction.atomic():
        locked = lock(withdrawal, _by_system(withdrawal, "system:gate"))
        if locked.state.status not in _REVIEWED:
            return False
        found = _causes(locked)
        if found:
            locked_state = write(locked, _place(locked, found))
            return locked_state.status is WithdrawalStatus.HELD
        return locked.state.status is WithdrawalStatus.HELD


def apply(report: ProviderReport, *, provider: str) -> str:
    """Apply a provider's report, once however often it comes, and return the outcome.

    That is `applied`, `no_change`, `unknown_payment`, `reference_taken`, or the code of an implausible report.
    """
    with transaction.atomic(savepoint=False):
        if fetch(_REFERENCE_IN_USE, [provider, report.reference, report.payment]):
            return "reference_taken"
        return _apply(
            report.payment,
            provider,
            lambda state, at, hold: withdrawal_state.apply_report(state, report, at=at, hold=hold),
        )


def record_refusal(withdrawal: UUID, *, provider: str, reason: str) -> str:
    """Return a withdrawal that the provider refused to start."""
    with transaction.atomic():
        return _apply(
            withdrawal,
            provider,
            lambda state, at, hold: withdrawal_state.record_refusal(state, reason=reason, at=at, hold=hold),
        )


def _apply(withdrawal: UUID, provider: str, decide: Decide) -> str:
    rows = fetch(_OWNER, [withdrawal])
    if not rows or rows[0][3] != provider:
        return UNKNOWN
    locked = lock(withdrawal, records.system_metadata(rows[0][0], f"provider:{provider}"))
    try:
        events = decide(locked.state, locked.at, None)
        if any(isinstance(event, WithdrawalReturned) and not event.was_paid for event in events):
            events = _on_return(locked, decide) or events
    except ImplausibleReport as error:
        return error.code
    write(locked, events)
    return APPLIED if events else NO_CHANGE


def _on_return(locked: "Locked", decide: Decide) -> Sequence[WithdrawalEvent]:
    """Hold what the provider did not pay out, if the gate holds it or did so while the provider was asked."""
    found = _causes(locked)
    _place(locked, found)
    hold = open_hold(locked.withdrawal)
    return () if hold is None else decide(locked.state, locked.at, hold)


@dataclass(frozen=True, slots=True)
class Locked:
    """A withdrawal under the lock of its player's account: its state, the version of its stream, and the time."""

    state: WithdrawalState
    version: int
    at: datetime
    metadata: Metadata

    @property
    def withdrawal(self) -> UUID:
        return self.state.requested.withdrawal

    @property
    def account(self) -> AccountName:
        """The player's account."""
        of = self.state.requested
        return player_account(operator=of.operator, player=of.player, money_type=MoneyType.REAL, currency=of.currency)


def lock(withdrawal: UUID, metadata: Metadata) -> Locked:
    """Lock a withdrawal until the transaction ends. Raises UnknownWithdrawal."""
    rows = fetch(_OWNER, [withdrawal])
    if not rows:
        raise UnknownWithdrawal
    operator, player, currency, _ = rows[0]
    _, at = records.lock_account(operator=operator, player=player, currency=currency)
    history = records.PAYMENT_EVENTS.history(withdrawal_stream(withdrawal))
    return Locked(withdrawal_state.fold(history), len(history), at, metadata)


def write(locked: Locked, events: Sequence[WithdrawalEvent]) -> WithdrawalState:
    """Write what follows for a withdrawal; its hold ends with it, and money that came back pays debts."""
    if not events:
        return locked.state
    state = records.write_withdrawal(locked.state, version=locked.version, events=events, metadata=locked.metadata)
    _tell(state)
    if not state.is_open:
        _close_hold(locked, state)
    if any(isinstance(event, REFUNDING_EVENTS) for event in events):
        of = state.requested
        debts.collect(operator=of.operator, player=of.player, currency=of.currency, metadata=locked.metadata)
    records.wake_processor_on_commit()
    return state


def _tell(state: WithdrawalState) -> None:
    """Tell the player, once, that a withdrawal is reviewed, whoever does, and that it was rejected."""
    kind = _TOLD.get(state.status)
    if kind is not None:
        of = state.requested
        details = {"amount": of.amount, "currency": of.currency, "money_type": MoneyType.REAL.value}
        notices.notify_player(Notice(of.operator, of.player, kind, of.withdrawal, details))


def open_hold(withdrawal: UUID) -> UUID | None:
    """Return the hold that keeps a withdrawal, if any."""
    rows = fetch(_OPEN_HOLD, [withdrawal])
    return rows[0][0] if rows else None


def released_by(withdrawal: UUID) -> list[str]:
    """Return who released holds of a withdrawal."""
    return [by for (names,) in fetch(_RELEASED_BY, [withdrawal]) for by in names.split(",")]


def _over_cap(locked: Locked) -> tuple[str, ...]:
    """Count what is about to leave; return what holds it, uncounted, if that is beyond the cap and not released."""
    of = locked.state.requested
    count = partial(
        daily_caps.count,
        CapKind.PAYOUTS,
        operator=of.operator,
        currency=of.currency,
        amount=of.amount,
        at=locked.at,
    )
    if count():
        return ()
    found = _causes(locked, over_cap=True)
    if found:
        daily_caps.tell(CapKind.PAYOUTS, operator=of.operator, currency=of.currency)
    else:
        count(anyway=True)
    return found


def _causes(locked: Locked, *, over_cap: bool = False) -> tuple[str, ...]:
    of = locked.state.requested
    return gate_facts.causes(
        operator=of.operator,
        player=of.player,
        currency=of.currency,
        amount=of.amount,
        terms=policy(operator=of.operator, currency=of.currency).holds,
        withdrawal=of.withdrawal,
        over_cap=over_cap,
    )


def _place(locked: Locked, found: tuple[str, ...]) -> tuple[WithdrawalEvent, ...]:
    """Place a hold, or add causes to the one there is; return what follows for the withdrawal."""
    of, hold = locked.state.requested, open_hold(locked.withdrawal)
    if hold is not None:
        history = records.PAYMENT_EVENTS.history(hold_stream(hold))
        state = hold_state.fold(history)
        added = hold_state.add_causes(state, found, at=locked.at)
        if added:
            records.write_hold(state, version=len(history), events=added, metadata=locked.metadata)
        return ()
    if not found:
        return ()
    hold, hours = new_id(locked.at), policy(operator=of.operator, currency=of.currency).holds.hours
    due_at = hold_state.due_at(locked.at, hours)
    placed = HoldPlaced(hold, of.operator, of.player, of.withdrawal, of.currency, of.amount, found, due_at, locked.at)
    records.write_hold(None, version=0, events=[placed], metadata=locked.metadata)
    recorder.record(
        kind=recorder.SignificantEventKind.PAYMENT_HELD,
        operator=of.operator,
        subject=f"hold:{hold}",
        actor=locked.metadata.actor,
        reason="A withdrawal is held: "
        + ", ".join(sorted({gate.CAUSE_LABELS[gate.kind_of(cause)] for cause in found})),
        amount=of.amount,
        currency=of.currency,
    )
    return withdrawal_state.hold(locked.state, hold=hold, at=locked.at)


def _close_hold(locked: Locked, state: WithdrawalState) -> None:
    """End a hold whose payment has ended without compliance; that it was paid although held, compliance is told."""
    hold = open_hold(locked.withdrawal)
    if hold is None:
        return
    history = records.PAYMENT_EVENTS.history(hold_stream(hold))
    before = hold_state.fold(history)
    events = hold_state.close(before, outcome=state.status.value, at=locked.at)
    records.write_hold(before, version=len(history), events=events, metadata=locked.metadata)
    if state.status is WithdrawalStatus.PAID:
        recorder.record(
            kind=recorder.SignificantEventKind.HOLD_WAITS,
            operator=state.requested.operator,
            subject=f"hold:{hold}",
            actor=locked.metadata.actor,
            reason="The provider had the withdrawal before it was held, and has paid it.",
            amount=state.requested.amount,
            currency=state.requested.currency,
        )


def _by_system(withdrawal: UUID, actor: str) -> Metadata:
    rows = fetch(_OWNER, [withdrawal])
    if not rows:
        raise UnknownWithdrawal
    return records.system_metadata(rows[0][0], actor)
