"""What compliance does about held payments: own, release and reject them; and the clock that tells of those that wait.

Money never moves by the clock. A release above the policy's second amount takes two persons, none of whom approved it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from casino.crypto import crypto_shredding
from casino.events.periods import period_conditions
from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.kernel import money
from casino.operators import changes
from casino.operators.changes import ChangeKind
from casino.operators.models import Change, ChangeName
from casino.significant import act_log, recorder
from wallet import acts
from wallet.models import Hold, Withdrawal
from wallet.payments import hold_state, records, withdrawal_state, withdrawals
from wallet.payments.events import HoldEvent, hold_stream
from wallet.payments.hold_state import HoldState, HoldStatus
from wallet.payments.methods import policy
from wallet.payments.refusals import UnknownHold
from wallet.payments.withdrawals import Locked

KIND: Final = ChangeName.RELEASE_PAYMENT
_BATCH: Final = 500
_OPEN: Final = """
    SELECT withdrawal.id FROM wallet_withdrawal AS withdrawal
     WHERE status IN ('requested', 'approved', 'sent', 'held') ORDER BY id DESC LIMIT %s
"""
_DUE: Final = "SELECT id FROM wallet_hold WHERE tell_at <= clock_timestamp() ORDER BY tell_at LIMIT %s"
Decide = Callable[[HoldState, datetime], Sequence[HoldEvent]]


@dataclass(frozen=True, slots=True)
class HoldFilter:
    """Holds of an operator; with a status, of a player, or placed in a period, where given."""

    operator: UUID
    status: HoldStatus | None = None
    player: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None


def list_holds(where: HoldFilter, *, before: UUID | None, limit: int) -> list[Hold]:
    """List holds, newest first. Raises PeriodReversed."""
    chosen = {"operator_id": where.operator, "player_id": where.player, "status": where.status}
    conditions = period_conditions("placed_at", since=where.since, until=where.until, before=before)
    rows = Hold.objects.filter(**{name: value for name, value in chosen.items() if value is not None}, **conditions)
    return list(rows.order_by("-id")[:limit])


def find(hold: UUID, *, operator: UUID | None = None) -> Hold:
    """Find a hold, of this operator or of any. Raises UnknownHold."""
    rows = Hold.objects.filter(pk=hold) if operator is None else Hold.objects.filter(pk=hold, operator_id=operator)
    row = rows.first()
    if row is None:
        raise UnknownHold
    return row


def open_hold_of(withdrawal: UUID) -> Hold | None:
    """Return the hold that keeps a withdrawal, if any."""
    return Hold.objects.filter(withdrawal_id=withdrawal, status=HoldStatus.OPEN).first()


def assign(hold: UUID, *, owner: str, by: str, metadata: Metadata) -> Hold:
    """Give an open hold to an owner. Raises UnknownHold, HoldDecided."""
    with transaction.atomic():
        locked, _ = _lock(hold, metadata)
        _write(locked, hold, lambda state, at: hold_state.assign(state, owner=owner, by=by, at=at))
    return find(hold)


def release(hold: UUID, *, by: str, metadata: Metadata) -> Change | None:
    """Release a held withdrawal as a member of compliance, so that it goes on.

    Where the policy asks for two, return the change that waits for another. Raises UnknownHold, HoldDecided,
    ReleasedByItsApprover, ChangeAlreadyRequested, ChangeNeedsSecondPerson.
    """
    row = find(hold)
    persons = policy(operator=row.operator_id, currency=row.currency).releases_required(row.amount)
    if persons > 1:
        return changes.request(
            operator=row.operator_id,
            kind=KIND,
            subject=f"payment:{row.withdrawal_id}",
            summary=f"Release a held withdrawal of {money.format_amount(row.amount, row.currency)} {row.currency}",
            details={"hold": str(hold)},
            by=by,
        )
    with transaction.atomic():
        _release(hold, (by,), metadata)
        _record(row, acts.DECIDE_HOLD.name, "Released", by=by)
    return None


def reject(hold: UUID, *, by: str, reason: str, metadata: Metadata) -> Hold:
    """Reject a held withdrawal with a reason for staff; the money is the player's again.

    Raises UnknownHold, HoldDecided, HoldReasonMissing.
    """
    text = withdrawals.require_reason(reason)
    row = find(hold)
    with transaction.atomic():
        withdrawals.cancel_waiting(KIND, f"payment:{row.withdrawal_id}", metadata)
        locked, history = _lock(hold, metadata)
        stored = crypto_shredding.encrypt_text(row.player_id, text)
        before = hold_state.fold(history)
        events = hold_state.reject(before, by=by, reason=stored, at=locked.at)
        records.write_hold(before, version=len(history), events=events, metadata=metadata)
        if locked.state.status is withdrawal_state.WithdrawalStatus.HELD:
            withdrawals.write(locked, withdrawal_state.reject(locked.state, staff=by, at=locked.at, held=True))
        _record(row, acts.DECIDE_HOLD.name, "Rejected", by=by, tightens=True)
    return find(hold)


def register() -> None:
    """Register what two persons may do here."""
    changes.register(ChangeKind(KIND, acts.DECIDE_HOLD, _apply_change, silent=True, alone=True))


def watch() -> int:
    """Ask the gate about the newest open payments, and tell of holds that wait; return how many were told of.

    So a case holds what was requested before it, and what the provider has already is held if it comes back.
    """
    for (withdrawal,) in fetch(_OPEN, [_BATCH]):
        withdrawals.review(withdrawal)
    due = [hold for (hold,) in fetch(_DUE, [_BATCH])]
    for hold in due:
        _tell(hold)
    return len(due)


def review_player(*, operator: UUID, player: UUID) -> None:
    """Ask the gate about a player's open payments, after something about the player has changed."""
    open_ones = Withdrawal.objects.filter(
        operator_id=operator, player_id=player, status__in=["requested", "approved", "sent", "held"]
    )
    for withdrawal in open_ones.order_by("pk").values_list("pk", flat=True):
        withdrawals.review(withdrawal)


def _tell(hold: UUID) -> None:
    """Tell compliance that a hold still waits."""
    row = find(hold)
    with transaction.atomic():
        locked, _ = _lock(hold, records.system_metadata(row.operator_id, "system:holds"))
        if _write(locked, hold, lambda state, at: hold_state.tell(state, at=at)):
            recorder.record(
                kind=recorder.SignificantEventKind.HOLD_WAITS,
                operator=row.operator_id,
                subject=f"hold:{hold}",
                actor="system:holds",
                reason="The time to decide is over." if locked.at >= row.due_at else "Half of the time is over.",
                amount=row.amount,
                currency=row.currency,
            )


def _apply_change(change: Change) -> None:
    hold = UUID(change.details["hold"])
    by = tuple(filter(None, (change.requested_by, change.decided_by)))
    _release(hold, by, changes.metadata(change))
    if change.decided_by:
        _record(find(hold), "", "Released", by=change.requested_by, authorised_by=change.decided_by)


def _release(hold: UUID, by: tuple[str, ...], metadata: Metadata) -> None:
    locked, history = _lock(hold, metadata)
    before = hold_state.fold(history)
    events = hold_state.release(before, by=by, approved_by=locked.state.approved_by, at=locked.at)
    records.write_hold(before, version=len(history), events=events, metadata=metadata)
    withdrawals.write(locked, withdrawal_state.release(locked.state, hold=hold, at=locked.at))


def _lock(hold: UUID, metadata: Metadata) -> tuple[Locked, list[HoldEvent]]:
    """Lock the withdrawal of a hold, and return it with the hold's events. Raises UnknownHold."""
    locked = withdrawals.lock(find(hold).withdrawal_id, metadata)
    return locked, records.PAYMENT_EVENTS.history(hold_stream(hold))


def _write(locked: Locked, hold: UUID, decide: Decide) -> bool:
    history = records.PAYMENT_EVENTS.history(hold_stream(hold))
    before = hold_state.fold(history)
    events = decide(before, locked.at)
    if events:
        records.write_hold(before, version=len(history), events=events, metadata=locked.metadata)
    return bool(events)


def _record(row: Hold, act: str, step: str, *, by: str, authorised_by: str = "", tightens: bool = False) -> None:
    """Record a decision; the act itself, where no change does that."""
    facts: dict[str, Any] = {
        "kind": recorder.SignificantEventKind.PAYMENT_HELD,
        "operator": row.operator_id,
        "subject": f"hold:{row.pk}",
        "actor": by,
        "authorised_by": authorised_by,
        "reason": step,
        "amount": row.amount,
        "currency": row.currency,
    }
    if act:
        act_log.done(act, tightens=tightens, **facts)
    else:
        recorder.record(**facts)
