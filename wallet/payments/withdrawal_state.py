"""The state of a withdrawal and the decisions of staff, player and provider about it. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from wallet.payments.events import (
    WithdrawalApproved,
    WithdrawalCancelled,
    WithdrawalEvent,
    WithdrawalPaid,
    WithdrawalRejected,
    WithdrawalRequested,
    WithdrawalReturned,
    WithdrawalSent,
)
from wallet.payments.provider_reports import ImplausibleReport, ProviderReport, ProviderStatus, require_matching
from wallet.payments.refusals import NotWaitingForReview, TooLateToCancel, WithdrawalRequiresSecondPerson


class WithdrawalStatus(StrEnum):
    """The status that a player sees; `requested` waits for approval, `approved` to be sent."""

    REQUESTED = "requested"
    APPROVED = "approved"
    SENT = "sent"
    PAID = "paid"
    RETURNED = "returned"
    REJECTED = "rejected"
    CANCELLED = "cancelled"


_WITH_PROVIDER: Final = (WithdrawalStatus.SENT, WithdrawalStatus.PAID, WithdrawalStatus.RETURNED)
_STATUS_OF: Final = {
    ProviderStatus.PENDING: WithdrawalStatus.SENT,
    ProviderStatus.COMPLETED: WithdrawalStatus.PAID,
    ProviderStatus.FAILED: WithdrawalStatus.RETURNED,
    ProviderStatus.REVERSED: WithdrawalStatus.RETURNED,
}


@dataclass(frozen=True, slots=True)
class WithdrawalState:
    """A withdrawal; `approved_by` are the members of staff who approved it."""

    requested: WithdrawalRequested
    status: WithdrawalStatus
    approved_by: tuple[str, ...] = ()
    rejected_by: str | None = None
    reference: str | None = None
    reason: str = ""
    ended_at: datetime | None = None


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
            return replace(state, status=WithdrawalStatus.APPROVED, approved_by=approved_by)
        case WithdrawalRejected():
            return replace(
                _ended(state, WithdrawalStatus.REJECTED, event.reason, event.at), rejected_by=event.rejected_by
            )
        case WithdrawalCancelled():
            return _ended(state, WithdrawalStatus.CANCELLED, "", event.at)
        case WithdrawalSent():
            return replace(state, status=WithdrawalStatus.SENT)
        case WithdrawalPaid():
            return replace(_ended(state, WithdrawalStatus.PAID, "", event.at), reference=event.reference)
        case WithdrawalReturned():
            reference = event.reference or state.reference
            return replace(_ended(state, WithdrawalStatus.RETURNED, event.reason, event.at), reference=reference)
        case WithdrawalRequested():
            raise ValueError("A withdrawal is requested once.")


def approve(state: WithdrawalState, *, by: tuple[str, ...], at: datetime) -> tuple[WithdrawalEvent, ...]:
    """Approve as these members of staff. Raises NotWaitingForReview, WithdrawalRequiresSecondPerson."""
    _require_waiting(state)
    if len(by) < state.requested.approvals_required:
        raise WithdrawalRequiresSecondPerson
    return (WithdrawalApproved(state.requested.withdrawal, by, at),)


def reject(state: WithdrawalState, *, staff: str, reason: str, at: datetime) -> tuple[WithdrawalEvent, ...]:
    """Reject as a member of staff. Raises NotWaitingForReview."""
    _require_waiting(state)
    requested = state.requested
    return (
        WithdrawalRejected(
            requested.withdrawal,
            requested.operator,
            requested.player,
            requested.currency,
            requested.amount,
            staff,
            reason,
            at,
        ),
    )


def cancel(state: WithdrawalState, *, at: datetime) -> tuple[WithdrawalEvent, ...]:
    """Cancel for the player; a second time changes nothing. Raises TooLateToCancel."""
    if state.status is WithdrawalStatus.CANCELLED:
        return ()
    if state.status not in {WithdrawalStatus.REQUESTED, WithdrawalStatus.APPROVED}:
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


def apply_report(state: WithdrawalState, report: ProviderReport, *, at: datetime) -> tuple[WithdrawalEvent, ...]:
    """Return the events that follow from a report, none if it adds nothing. Raises ImplausibleReport."""
    requested = state.requested
    if state.status not in _WITH_PROVIDER:
        raise ImplausibleReport("never_sent")
    require_matching(
        report, reference=state.reference, amount=requested.amount - requested.fee, currency=requested.currency
    )
    reported = _STATUS_OF[report.status]
    if _WITH_PROVIDER.index(reported) <= _WITH_PROVIDER.index(state.status):
        return ()
    if reported is WithdrawalStatus.RETURNED:
        return _returned(state, reference=report.reference, reason=report.reason, at=at)
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


def record_refusal(state: WithdrawalState, *, reason: str, at: datetime) -> tuple[WithdrawalEvent, ...]:
    """Return the events that follow when the provider refuses to start the withdrawal."""
    if state.status is not WithdrawalStatus.SENT:
        return ()
    return _returned(state, reference="", reason=reason, at=at)


def _returned(state: WithdrawalState, *, reference: str, reason: str, at: datetime) -> tuple[WithdrawalEvent, ...]:
    requested = state.requested
    was_paid = state.status is WithdrawalStatus.PAID
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


def _require_waiting(state: WithdrawalState) -> None:
    if state.status is not WithdrawalStatus.REQUESTED:
        raise NotWaitingForReview(f"The withdrawal is {state.status}.", current_status=state.status.value)


def _ended(state: WithdrawalState, status: WithdrawalStatus, reason: str, at: datetime) -> WithdrawalState:
    return replace(state, status=status, reason=reason, ended_at=at)
