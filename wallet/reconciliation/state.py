"""One difference: what its events have made of it, and what a comparison or a person does to it. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from wallet.reconciliation.events import (
    DifferenceAssigned,
    DifferenceEvent,
    DifferenceFound,
    DifferenceGone,
    DifferenceResolved,
    Resolution,
)
from wallet.reconciliation.refusals import DifferenceClosed


class DifferenceStatus(StrEnum):
    """How a difference stands; `gone` is one that a later comparison no longer finds."""

    OPEN = "open"
    ASSIGNED = "assigned"
    RESOLVED = "resolved"
    GONE = "gone"


CLOSED = frozenset({DifferenceStatus.RESOLVED, DifferenceStatus.GONE})


@dataclass(frozen=True, slots=True)
class Differing:
    """A difference as it stands, with what was found last."""

    found: DifferenceFound
    first_at: datetime
    status: DifferenceStatus = DifferenceStatus.OPEN
    owner: str | None = None
    resolution: Resolution | None = None
    resolved_by: str | None = None
    ended_at: datetime | None = None


def fold(events: Iterable[DifferenceEvent]) -> Differing:
    """Rebuild a difference from its events. Raises TypeError when the first is not what was found."""
    first, *rest = events
    if not isinstance(first, DifferenceFound):
        raise TypeError(f"A difference begins with being found, not with {type(first).__name__}.")
    state = Differing(first, first.at)
    for event in rest:
        state = evolve(state, event)
    return state


def evolve(state: Differing, event: DifferenceEvent) -> Differing:
    """Apply one event; what is found anew is open again, and stays its owner's."""
    match event:
        case DifferenceFound():
            status = DifferenceStatus.OPEN if state.owner is None else DifferenceStatus.ASSIGNED
            return Differing(event, state.first_at, status, state.owner)
        case DifferenceGone():
            return replace(state, status=DifferenceStatus.GONE, ended_at=event.at)
        case DifferenceAssigned():
            return replace(state, status=DifferenceStatus.ASSIGNED, owner=event.owner)
        case DifferenceResolved():
            owner = state.owner or event.by
            resolved = replace(state, status=DifferenceStatus.RESOLVED, owner=owner, resolution=event.resolution)
            return replace(resolved, resolved_by=event.by, ended_at=event.at)


def seen(state: Differing | None, found: DifferenceFound) -> tuple[DifferenceFound, ...]:
    """Return what follows when a comparison finds it: nothing where that is known, whatever was decided."""
    if state is None:
        return (found,)
    same = replace(found, at=state.found.at) == state.found
    return () if same and state.status is not DifferenceStatus.GONE else (found,)


def unseen(state: Differing, *, at: datetime) -> tuple[DifferenceGone, ...]:
    """Return what follows when a comparison no longer finds it; what was resolved stays so."""
    if state.status in CLOSED:
        return ()
    return (DifferenceGone(state.found.difference, state.found.operator, at),)


def assign(state: Differing, *, owner: str, by: str, at: datetime) -> tuple[DifferenceAssigned, ...]:
    """Give it to an owner; to the same one again changes nothing. Raises DifferenceClosed."""
    _require_open(state)
    if state.owner == owner:
        return ()
    return (DifferenceAssigned(state.found.difference, state.found.operator, owner, by, at),)


def resolve(state: Differing, *, resolution: Resolution, by: str, at: datetime) -> tuple[DifferenceResolved, ...]:
    """Say what became of it. Raises DifferenceClosed."""
    _require_open(state)
    return (DifferenceResolved(state.found.difference, state.found.operator, resolution, by, at),)


def _require_open(state: Differing) -> None:
    if state.status in CLOSED:
        raise DifferenceClosed(f"The difference is {state.status}.", status=state.status.value)
