"""The state of a deposit and the decisions about it. Pure.

Reports arrive late, twice and in any order. Each only moves a deposit forward (pending, failed, completed, reversed),
so the result does not depend on the order.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from wallet.payments.events import (
    DepositCompleted,
    DepositEvent,
    DepositFailed,
    DepositRequested,
    DepositReversed,
    DepositSent,
)
from wallet.payments.provider_reports import ProviderReport, ProviderStatus, require_matching


class DepositStatus(StrEnum):
    """The status that a player sees."""

    PENDING = "pending"
    FAILED = "failed"
    COMPLETED = "completed"
    REVERSED = "reversed"


_ORDER: Final = tuple(DepositStatus)
_STATUS_OF: Final = {ProviderStatus(status.value): status for status in DepositStatus}


@dataclass(frozen=True, slots=True)
class DepositState:
    """A deposit; `debt_created` is the debt that a reversal left, in minor units."""

    requested: DepositRequested
    status: DepositStatus = DepositStatus.PENDING
    reference: str | None = None
    reason: str = ""
    debt_created: int = 0
    ended_at: datetime | None = None


def fold(events: Iterable[DepositEvent], before: DepositState | None = None) -> DepositState:
    """Rebuild a deposit from its events, or from those after `before`. Raises TypeError without its request."""
    state = before
    for event in events:
        state = _begin(event) if state is None else evolve(state, event)
    if state is None:
        raise TypeError("A deposit begins with its request.")
    return state


def _begin(event: DepositEvent) -> DepositState:
    if not isinstance(event, DepositRequested):
        raise TypeError(f"A deposit begins with its request, not with {type(event).__name__}.")
    return DepositState(event)


def evolve(state: DepositState, event: DepositEvent) -> DepositState:
    """Apply one event. Raises ValueError for a second request."""
    match event:
        case DepositSent():
            return replace(state, reference=event.reference)
        case DepositFailed():
            return replace(state, status=DepositStatus.FAILED, reason=event.reason, ended_at=event.at)
        case DepositCompleted():
            return replace(
                state, status=DepositStatus.COMPLETED, reference=event.reference, reason="", ended_at=event.at
            )
        case DepositReversed():
            return replace(
                state,
                status=DepositStatus.REVERSED,
                reference=event.reference,
                reason=event.reason,
                debt_created=event.owed,
                ended_at=event.at,
            )
        case DepositRequested():
            raise ValueError("A deposit is requested once.")


def apply_report(
    state: DepositState, report: ProviderReport, *, available: int, at: datetime
) -> tuple[DepositEvent, ...]:
    """Return the events that follow from a report, none if it adds nothing.

    `available` is the balance of the player's account: a reversal takes at most that. Raises ImplausibleReport.
    """
    requested = state.requested
    require_matching(report, reference=state.reference, amount=requested.amount, currency=requested.currency)
    sent: tuple[DepositEvent, ...] = ()
    if state.reference is None:
        sent = (DepositSent(requested.deposit, report.reference, at),)
    if _ORDER.index(_STATUS_OF[report.status]) <= _ORDER.index(state.status):
        return sent
    match report.status:
        case ProviderStatus.FAILED:
            return (*sent, DepositFailed(requested.deposit, report.reason, at))
        case ProviderStatus.COMPLETED:
            return (*sent, _completed(requested, report, at))
        case _:
            credited = state.status is DepositStatus.COMPLETED
            return (*sent, _reversed(requested, report, credited=credited, available=available, at=at))


def record_refusal(state: DepositState, *, reason: str, at: datetime) -> tuple[DepositEvent, ...]:
    """Return the events that follow when the provider refuses to start the deposit."""
    if state.status is not DepositStatus.PENDING or state.reference is not None:
        return ()
    return (DepositFailed(state.requested.deposit, reason, at),)


def _completed(requested: DepositRequested, report: ProviderReport, at: datetime) -> DepositCompleted:
    return DepositCompleted(
        requested.deposit,
        requested.operator,
        requested.player,
        requested.currency,
        requested.amount,
        requested.fee,
        report.reference,
        at,
    )


def _reversed(
    requested: DepositRequested, report: ProviderReport, *, credited: bool, available: int, at: datetime
) -> DepositReversed:
    net_amount = requested.amount - requested.fee if credited else 0
    taken = min(net_amount, available)
    return DepositReversed(
        requested.deposit,
        requested.operator,
        requested.player,
        requested.currency,
        requested.amount,
        requested.fee,
        credited,
        taken,
        net_amount - taken,
        report.reference,
        report.reason,
        at,
    )
