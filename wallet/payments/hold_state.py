"""The state of a hold and the decisions of compliance about it. Pure."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from casino.kernel.persons import is_another_person
from wallet.payments.events import (
    HoldAssigned,
    HoldCausesAdded,
    HoldClosed,
    HoldEvent,
    HoldPlaced,
    HoldRejected,
    HoldReleased,
    HoldReminded,
)
from wallet.payments.refusals import HoldDecided, ReleasedByItsApprover


class HoldStatus(StrEnum):
    """The status of a hold; `closed` ended without a decision of compliance."""

    OPEN = "open"
    RELEASED = "released"
    REJECTED = "rejected"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class HoldState:
    """A hold; `told` counts how often compliance was told that it waits."""

    placed: HoldPlaced
    causes: tuple[str, ...]
    status: HoldStatus = HoldStatus.OPEN
    owner: str | None = None
    told: int = 0
    decided_by: tuple[str, ...] = ()
    reason: str = ""
    ended_at: datetime | None = None

    @property
    def tell_at(self) -> datetime | None:
        """Return when compliance is told next: after half of its time, and at its end. None if it never is."""
        if self.status is not HoldStatus.OPEN or self.told > 1:
            return None
        placed = self.placed
        return placed.due_at if self.told else placed.at + (placed.due_at - placed.at) / 2


def fold(events: Iterable[HoldEvent], before: HoldState | None = None) -> HoldState:
    """Rebuild a hold from its events, or from those after `before`. Raises TypeError if it was not placed."""
    state = before
    for event in events:
        state = _begin(event) if state is None else evolve(state, event)
    if state is None:
        raise TypeError("A hold begins when it is placed.")
    return state


def _begin(event: HoldEvent) -> HoldState:
    if not isinstance(event, HoldPlaced):
        raise TypeError(f"A hold begins when it is placed, not with {type(event).__name__}.")
    return HoldState(event, event.causes)


def evolve(state: HoldState, event: HoldEvent) -> HoldState:
    """Apply one event. Raises ValueError if it is placed again."""
    match event:
        case HoldCausesAdded(causes=causes):
            return replace(state, causes=(*state.causes, *causes))
        case HoldAssigned(owner=owner):
            return replace(state, owner=owner)
        case HoldReminded(overdue=overdue):
            return replace(state, told=2 if overdue else 1)
        case HoldReleased(by=by, at=at):
            return replace(state, status=HoldStatus.RELEASED, decided_by=by, ended_at=at)
        case HoldRejected(by=by, reason=reason, at=at):
            return replace(state, status=HoldStatus.REJECTED, decided_by=(by,), reason=reason, ended_at=at)
        case HoldClosed(outcome=outcome, at=at):
            return replace(state, status=HoldStatus.CLOSED, reason=outcome, ended_at=at)
        case HoldPlaced():
            raise ValueError("A hold is placed once.")


def due_at(at: datetime, hours: int) -> datetime:
    """Return by when compliance has to decide on a hold that is placed now."""
    return at + timedelta(hours=hours)


def add_causes(state: HoldState, causes: Iterable[str], *, at: datetime) -> tuple[HoldEvent, ...]:
    """Add what is new among these causes to an open hold."""
    new = tuple(cause for cause in causes if cause not in state.causes)
    return (HoldCausesAdded(state.placed.hold, new, at),) if new and state.status is HoldStatus.OPEN else ()


def assign(state: HoldState, *, owner: str, by: str, at: datetime) -> tuple[HoldEvent, ...]:
    """Give it to an owner; no event if it is theirs. Raises HoldDecided."""
    require_open(state)
    return () if state.owner == owner else (HoldAssigned(state.placed.hold, owner, by, at),)


def tell(state: HoldState, *, at: datetime) -> tuple[HoldEvent, ...]:
    """Tell that it still waits, if that is due. After a long outage, its end is told and not the half."""
    if state.tell_at is None or at < state.tell_at:
        return ()
    return (HoldReminded(state.placed.hold, at >= state.placed.due_at, at),)


def release(
    state: HoldState, *, by: tuple[str, ...], approved_by: Collection[str], at: datetime
) -> tuple[HoldEvent, ...]:
    """Release it as these persons, none of whom approved the payment. Raises HoldDecided, ReleasedByItsApprover."""
    require_open(state)
    require_apart(by, approved_by)
    return (HoldReleased(state.placed.hold, state.causes, by, at),)


def require_apart(releasing: Iterable[str], approving: Collection[str]) -> None:
    """Check that nobody both releases and approves. Raises ReleasedByItsApprover."""
    if not all(is_another_person(one, other) for one in releasing for other in approving):
        raise ReleasedByItsApprover


def reject(state: HoldState, *, by: str, reason: str, at: datetime) -> tuple[HoldEvent, ...]:
    """Reject the payment. Raises HoldDecided."""
    require_open(state)
    return (HoldRejected(state.placed.hold, by, reason, at),)


def close(state: HoldState, *, outcome: str, at: datetime) -> tuple[HoldEvent, ...]:
    """End an open hold whose payment has ended otherwise."""
    return (HoldClosed(state.placed.hold, outcome, at),) if state.status is HoldStatus.OPEN else ()


def require_open(state: HoldState) -> None:
    """Raise HoldDecided if it has ended."""
    if state.status is not HoldStatus.OPEN:
        raise HoldDecided(current_status=state.status.value)
