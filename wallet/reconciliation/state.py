"""The state of a discrepancy and the decisions about it. Pure."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from wallet.reconciliation.events import (
    DiscrepancyAssigned,
    DiscrepancyCleared,
    DiscrepancyDetected,
    DiscrepancyEvent,
    DiscrepancyResolution,
    DiscrepancyResolved,
)
from wallet.reconciliation.refusals import DiscrepancyClosed, OwnPayment


class DiscrepancyStatus(StrEnum):
    """Status of a discrepancy; `cleared` when a later comparison no longer found it."""

    OPEN = "open"
    ASSIGNED = "assigned"
    RESOLVED = "resolved"
    CLEARED = "cleared"


CLOSED = frozenset({DiscrepancyStatus.RESOLVED, DiscrepancyStatus.CLEARED})


@dataclass(frozen=True, slots=True)
class DiscrepancyState:
    """A discrepancy with its latest detection."""

    latest: DiscrepancyDetected
    first_detected_at: datetime
    status: DiscrepancyStatus = DiscrepancyStatus.OPEN
    owner: str | None = None
    assigned_by: str = ""
    resolution: DiscrepancyResolution | None = None
    resolved_by: str | None = None
    ended_at: datetime | None = None


def fold(events: Iterable[DiscrepancyEvent], before: DiscrepancyState | None = None) -> DiscrepancyState:
    """Rebuild a discrepancy from its events, or from those after `before`. Raises TypeError without its detection."""
    state = before
    for event in events:
        state = _begin(event) if state is None else evolve(state, event)
    if state is None:
        raise TypeError("A discrepancy begins with its detection.")
    return state


def _begin(event: DiscrepancyEvent) -> DiscrepancyState:
    if not isinstance(event, DiscrepancyDetected):
        raise TypeError(f"A discrepancy begins with its detection, not with {type(event).__name__}.")
    return DiscrepancyState(event, event.at)


def evolve(state: DiscrepancyState, event: DiscrepancyEvent) -> DiscrepancyState:
    """Apply one event; a new detection reopens the discrepancy and keeps its owner, who has yet to take it over."""
    match event:
        case DiscrepancyDetected():
            status = DiscrepancyStatus.OPEN if state.owner is None else DiscrepancyStatus.ASSIGNED
            return DiscrepancyState(event, state.first_detected_at, status, state.owner)
        case DiscrepancyCleared():
            return replace(state, status=DiscrepancyStatus.CLEARED, ended_at=event.at)
        case DiscrepancyAssigned():
            return replace(state, status=DiscrepancyStatus.ASSIGNED, owner=event.owner, assigned_by=event.by)
        case DiscrepancyResolved():
            owner = state.owner or event.by
            resolved = replace(state, status=DiscrepancyStatus.RESOLVED, owner=owner, resolution=event.resolution)
            return replace(resolved, resolved_by=event.by, ended_at=event.at)


def record_discrepancy(
    state: DiscrepancyState | None, detected: DiscrepancyDetected
) -> tuple[DiscrepancyDetected, ...]:
    """Return the events when a comparison detects it: none if it is known and unchanged."""
    if state is None:
        return (detected,)
    same = replace(detected, at=state.latest.at) == state.latest
    return () if same and state.status is not DiscrepancyStatus.CLEARED else (detected,)


def record_cleared(state: DiscrepancyState, *, at: datetime) -> tuple[DiscrepancyCleared, ...]:
    """Return the events when a comparison no longer detects it; a resolved one stays resolved."""
    if state.status in CLOSED:
        return ()
    return (DiscrepancyCleared(state.latest.discrepancy, state.latest.operator, at),)


def assign(state: DiscrepancyState, *, owner: str, by: str, at: datetime) -> tuple[DiscrepancyAssigned, ...]:
    """Assign it to an owner; the same one again only if it is detected anew. Raises DiscrepancyClosed."""
    _require_open(state)
    if state.owner == owner and state.assigned_by:
        return ()
    return (DiscrepancyAssigned(state.latest.discrepancy, state.latest.operator, owner, by, at),)


def resolve(
    state: DiscrepancyState, *, resolution: DiscrepancyResolution, by: str, decided_by: Collection[str], at: datetime
) -> tuple[DiscrepancyResolved, ...]:
    """Resolve it as none of those who decided about the payment. Raises DiscrepancyClosed, OwnPayment."""
    _require_open(state)
    if by in decided_by:
        raise OwnPayment
    return (DiscrepancyResolved(state.latest.discrepancy, state.latest.operator, resolution, by, at),)


def _require_open(state: DiscrepancyState) -> None:
    if state.status in CLOSED:
        raise DiscrepancyClosed(f"The discrepancy is {state.status}.", current_status=state.status.value)
