"""The state of a withdrawal and the decisions of staff, player and provider about it. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from wallet.payments.events import (
    WithdrawalApproved,
    WithdrawalAssigned,
    WithdrawalCancelled,
    WithdrawalEvent,
    WithdrawalHeld,
    WithdrawalPaid,
    WithdrawalRejected,
    WithdrawalReleased,
    WithdrawalRequested,
    WithdrawalReturned,
    WithdrawalSent,
)
from wallet.payments.provider_reports import ImplausibleReport, ProviderReport, ProviderStatus, require_matching
from wallet.payments.refusals import NotWaitingForReview, TooLateToCancel, WithdrawalRequiresSecondPerson


class WithdrawalStatus(StrEnum):
    """The status: `requested` waits for approval, `held` for compliance, `approved` to be sent."""

    REQUESTED = "requested"
    HELD = "held"
    APPROVED = "approved"
    SENT = "sent"
    PAID = "paid"
    RETURNED = "returned"
    REJECTED = "rejected"
    CANCELLED = "cancelled"


IN_REVIEW: Final = "in_review"
"""What a player sees of a withdrawal that waits for somebody, whoever that is."""
REJECTED: Final = "refused in review"
"""What a player reads of every rejected withdrawal: the reasons are for staff."""
_WITH_PROVIDER: Final = (WithdrawalStatus.SENT, WithdrawalStatus.PAID, WithdrawalStatus.RETURNED)
_STATUS_OF: Final = {
    ProviderStatus.PENDING: WithdrawalStatus.SENT,
    ProviderStatus.COMPLETED: WithdrawalStatus.PAID,
    ProviderStatus.FAILED: WithdrawalStatus.RETURNED,
    ProviderStatus.REVERSED: WithdrawalStatus.RETURNED,
}


@dataclass(frozen=True, slots=True)
class WithdrawalState:
    """A withdrawal; `approved_by` are the staff who approved it, and `was_sent` says that the provider may have it.

    The `owner`, if any, is who was asked to review it; `note` is why it was rejected, for staff.
    """

    requested: WithdrawalRequested
    status: WithdrawalStatus
    owner: str | None = None
    approved_by: tuple[str, ...] = ()
    rejected_by: str | None = None
    reference: str | None = None
    reason: str = ""
    note: str = ""
    ended_at: datetime | None = None
    was_sent: bool = False

    @property
    def is_open(self) -> bool:
        """Return whether its money has neither left nor gone back."""
        return self.ended_at is None


def shown_status(status: str) -> str:
    """Return what a player and an operator's server see of a status: for either reason that it waits, the same."""
    return IN_REVIEW if status in {WithdrawalStatus.REQUESTED, WithdrawalStatus.HELD} else status


def fold(events: Iterable[WithdrawalEvent], before: WithdrawalState | None = None) -> WithdrawalState:
    """Rebuild a withdrawal from its events, or from those after `before`. Raises TypeError without its request."""
    state = before
    for event in events:
        state = _begin(event) if state is None else evolve(state, event)
    if state is None:
        raise TypeError("A withdrawal begins with its request.")
    return state


def _begin(event: WithdrawalEvent) -> WithdrawalState:
    """Approve a withdrawal at once where nobody has to agree."""
    if not isinstance(event, WithdrawalRequested):
        raise TypeError(f"A withdrawal begins with its request, not with {type(event).__name__}.")
    status = WithdrawalStatus.REQUESTED if event.approvals_required else WithdrawalStatus.APPROVED
    return WithdrawalState(event, status)


def evolve(state: WithdrawalState, event: WithdrawalEvent) -> WithdrawalState:
    """Apply one event. Raises ValueError for a second request."""
    match event:
        case WithdrawalApproved(approved_by=approved_by):
            after = replace(state, status=WithdrawalStatus.APPROVED, approved_by=approved_by)
        case WithdrawalAssigned(owner=owner):
            after = replace(state, owner=owner)
        case WithdrawalHeld():
            reference = event.reference or state.reference
            after = replace(state, status=WithdrawalStatus.HELD, reference=reference, reason=event.reason)
        case WithdrawalReleased():
            is_approved = len(state.approved_by) >= state.requested.approvals_required
            after = replace(state, status=WithdrawalStatus.APPROVED if is_approved else WithdrawalStatus.REQUESTED)
        case WithdrawalSent():
            after = replace(state, status=WithdrawalStatus.SENT, was_sent=True)
        case WithdrawalRequested():
            raise ValueError("A withdrawal is requested once.")
        case _:
            after = _end(state, event)
    return after


def _end(
    state: WithdrawalState, event: WithdrawalRejected | WithdrawalCancelled | WithdrawalPaid | WithdrawalReturned
) -> WithdrawalState:
    match event:
        case WithdrawalRejected():
            after = _ended(state, WithdrawalStatus.REJECTED, event.reason, event.at)
            return replace(after, rejected_by=event.rejected_by, note=event.note)
        case WithdrawalCancelled():
            return _ended(state, WithdrawalStatus.CANCELLED, "", event.at)
        case WithdrawalPaid():
            return replace(_ended(state, WithdrawalStatus.PAID, "", event.at), reference=event.reference)
        case WithdrawalReturned():
            reference = event.reference or state.reference
            return replace(_ended(state, WithdrawalStatus.RETURNED, event.reason, event.at), reference=reference)


def approve(state: WithdrawalState, *, by: tuple[str, ...], at: datetime) -> tuple[WithdrawalEvent, ...]:
    """Approve as these members of staff. Raises NotWaitingForReview, WithdrawalRequiresSecondPerson."""
    _require_status(state, WithdrawalStatus.REQUESTED)
    if len(by) < state.requested.approvals_required:
        raise WithdrawalRequiresSecondPerson
    return (WithdrawalApproved(state.requested.withdrawal, by, at),)


def assign(state: WithdrawalState, *, owner: str, by: str, at: datetime) -> tuple[WithdrawalEvent, ...]:
    """Hand it over to who is to review it; no event if it is theirs. Raises NotWaitingForReview."""
    _require_status(state, WithdrawalStatus.REQUESTED)
    return () if state.owner == owner else (WithdrawalAssigned(state.requested.withdrawal, owner, by, at),)


def hold(state: WithdrawalState, *, hold: UUID, at: datetime) -> tuple[WithdrawalEvent, ...]:
    """Hold it; no event where the provider may have it, as it is then held on its return."""
    if state.status not in {WithdrawalStatus.REQUESTED, WithdrawalStatus.APPROVED}:
        return ()
    return (WithdrawalHeld(state.requested.withdrawal, hold, on_return=False, reference="", reason="", at=at),)


def release(state: WithdrawalState, *, hold: UUID, at: datetime) -> tuple[WithdrawalEvent, ...]:
    """Let it go on; what was held on its return goes back to the player. No event where the provider has it."""
    if state.status is not WithdrawalStatus.HELD:
        return ()
    if state.was_sent:
        return _returned(state, reference=state.reference or "", reason=state.reason, at=at)
    return (WithdrawalReleased(state.requested.withdrawal, hold, at),)


def reject(
    state: WithdrawalState, *, staff: str, at: datetime, note: str = "", held: bool = False
) -> tuple[WithdrawalEvent, ...]:
    """Reject as a member of staff what waits for approval, or what is `held`. Raises NotWaitingForReview."""
    _require_status(state, WithdrawalStatus.HELD if held else WithdrawalStatus.REQUESTED)
    requested = state.requested
    return (
        WithdrawalRejected(
            requested.withdrawal,
            requested.operator,
            requested.player,
            requested.currency,
            requested.amount,
            staff,
            REJECTED,
            note,
            at,
        ),
    )


def cancel(state: WithdrawalState, *, at: datetime, kept: bool = False) -> tuple[WithdrawalEvent, ...]:
    """Cancel for the player, unless it is `kept`; a second time changes nothing. Raises TooLateToCancel."""
    if state.status is WithdrawalStatus.CANCELLED:
        return ()
    is_waiting = state.status in {WithdrawalStatus.REQUESTED, WithdrawalStatus.APPROVED, WithdrawalStatus.HELD}
    if is_waiting and (kept or state.was_sent):
        raise TooLateToCancel(current_status=IN_REVIEW)
    if not is_waiting:
        raise TooLateToCancel(f"The withdrawal is {state.status}.", current_status=state.status.value)
    requested = state.requested
    return (
        WithdrawalCancelled(
            requested.withdrawal, requested.operator, requested.player, requested.currency, requested.amount, at
        ),
    )


def send(state: WithdrawalState, *, at: datetime) -> tuple[WithdrawalEvent, ...]:
    """Send an approved withdrawal to the provider; no event for any other."""
    if state.status is not WithdrawalStatus.APPROVED:
        return ()
    return (WithdrawalSent(state.requested.withdrawal, at),)


def apply_report(
    state: WithdrawalState, report: ProviderReport, *, at: datetime, hold: UUID | None = None
) -> tuple[WithdrawalEvent, ...]:
    """Return the events that follow from a report, none if it adds nothing. Raises ImplausibleReport.

    With a `hold`, what the provider does not pay out is held.
    """
    requested = state.requested
    if not state.was_sent:
        raise ImplausibleReport("never_sent")
    require_matching(
        report, reference=state.reference, amount=requested.amount - requested.fee, currency=requested.currency
    )
    reported = _STATUS_OF[report.status]
    if state.status is WithdrawalStatus.HELD and reported is not WithdrawalStatus.PAID:
        return ()
    if state.status in _WITH_PROVIDER and _WITH_PROVIDER.index(reported) <= _WITH_PROVIDER.index(state.status):
        return ()
    if state.status in {WithdrawalStatus.REJECTED, WithdrawalStatus.CANCELLED}:
        return ()
    if reported is WithdrawalStatus.RETURNED:
        return _returned(state, reference=report.reference, reason=report.reason, at=at, hold=hold)
    return (
        WithdrawalPaid(
            requested.withdrawal,
            requested.operator,
            requested.player,
            requested.currency,
            requested.amount,
            report.reference,
            at,
            requested.fee,
        ),
    )


def record_refusal(
    state: WithdrawalState, *, reason: str, at: datetime, hold: UUID | None = None
) -> tuple[WithdrawalEvent, ...]:
    """Return the events that follow when the provider refuses to start the withdrawal."""
    if state.status is not WithdrawalStatus.SENT:
        return ()
    return _returned(state, reference="", reason=reason, at=at, hold=hold)


def _returned(
    state: WithdrawalState, *, reference: str, reason: str, at: datetime, hold: UUID | None = None
) -> tuple[WithdrawalEvent, ...]:
    """Give the money back; with a `hold`, keep what the provider never paid out."""
    requested = state.requested
    was_paid = state.status is WithdrawalStatus.PAID
    if hold is not None and not was_paid:
        return (WithdrawalHeld(requested.withdrawal, hold, on_return=True, reference=reference, reason=reason, at=at),)
    return (
        WithdrawalReturned(
            requested.withdrawal,
            requested.operator,
            requested.player,
            requested.currency,
            requested.amount,
            was_paid,
            reference,
            reason,
            at,
            requested.fee,
        ),
    )


def _require_status(state: WithdrawalState, status: WithdrawalStatus) -> None:
    if state.status is not status:
        raise NotWaitingForReview(f"The withdrawal is {state.status}.", current_status=state.status.value)


def _ended(state: WithdrawalState, status: WithdrawalStatus, reason: str, at: datetime) -> WithdrawalState:
    return replace(state, status=status, reason=reason, ended_at=at)
