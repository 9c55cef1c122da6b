"""A change that several persons agree on: its events, its state, and the decisions about it. Pure.

Stream: `change-{id}`. One person requests it; others confirm it until as many agree as it needs; then it takes effect,
some only after a delay. `persons` counts the one who requests, unless that was by a command. What is applied is in
`details`; what must stay secret is in neither of the events. What takes effect has an event of its own, which the
change names.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from casino.kernel.persons import is_another_person, is_person, is_shell
from casino.operators.refusals import ChangeDecided, ChangeNeedsSecondPerson

LIFETIME: Final = timedelta(hours=72)
"""How long a request waits for others."""

GOOD_FOR: Final = timedelta(days=1)
"""How long one that a command carries out is good for, once it took effect."""


@dataclass(frozen=True, slots=True)
class ChangeRequested:
    """A person requested a change, for which `persons` have to agree before `expires_at`."""

    change: UUID
    operator: UUID | None
    kind: str
    subject: str
    summary: str
    details: dict[str, Any]
    persons: int
    requested_by: str
    at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class ChangeAssigned:
    """Somebody handed the request over to `owner`, who is to decide it; others still may."""

    change: UUID
    owner: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ChangeConfirmed:
    """Another person agreed. With the last of them, `effective_at` says when it takes effect."""

    change: UUID
    by: str
    at: datetime
    effective_at: datetime | None


@dataclass(frozen=True, slots=True)
class ChangeDeclined:
    """Somebody declined the request: nothing changes."""

    change: UUID
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ChangeCancelled:
    """Somebody cancelled it before it took effect: nothing changes."""

    change: UUID
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ChangeExpired:
    """Nobody else agreed in time: nothing changes."""

    change: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class ChangeTookEffect:
    """It was applied."""

    change: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class ChangeFailed:
    """It could not be applied when its time had come; `code` is the refusal's."""

    change: UUID
    code: str
    at: datetime


ChangeEvent = (
    ChangeRequested
    | ChangeAssigned
    | ChangeConfirmed
    | ChangeDeclined
    | ChangeCancelled
    | ChangeExpired
    | ChangeTookEffect
    | ChangeFailed
)


class ChangeStatus(StrEnum):
    """The status of a change; `confirmed` waits until it takes effect."""

    REQUESTED = "requested"
    CONFIRMED = "confirmed"
    EFFECTIVE = "effective"
    DECLINED = "declined"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ChangeState:
    """A change; `confirmed_by` are those who agreed, in their order, `decided_by` who took the last step.

    `version` counts its events.
    """

    requested: ChangeRequested
    version: int = 1
    status: ChangeStatus = ChangeStatus.REQUESTED
    owner: str = ""
    confirmed_by: tuple[str, ...] = ()
    decided_by: str = ""
    decided_at: datetime | None = None
    effective_at: datetime | None = None


def change_stream(change: UUID | str) -> str:
    """Return the stream of a change."""
    return f"change-{change}"


def fold(events: Iterable[ChangeEvent]) -> ChangeState:
    """Rebuild a change from its events. Raises TypeError without its request."""
    first, *rest = events
    if not isinstance(first, ChangeRequested):
        raise TypeError(f"A change begins with its request, not with {type(first).__name__}.")
    state = ChangeState(first)
    for event in rest:
        state = evolve(state, event)
    return state


def evolve(state: ChangeState, event: ChangeEvent) -> ChangeState:
    """Apply one event. Raises TypeError for a second request."""
    state = replace(state, version=state.version + 1)
    match event:
        case ChangeAssigned(owner=owner):
            return replace(state, owner=owner)
        case ChangeConfirmed(by=by, at=at, effective_at=effective_at):
            status = ChangeStatus.REQUESTED if effective_at is None else ChangeStatus.CONFIRMED
            return replace(
                state, status=status, confirmed_by=(*state.confirmed_by, by), decided_by=by, decided_at=at,
                effective_at=effective_at,
            )  # fmt: skip
        case ChangeDeclined(by=by, at=at) | ChangeCancelled(by=by, at=at):
            status = ChangeStatus.DECLINED if isinstance(event, ChangeDeclined) else ChangeStatus.CANCELLED
            return replace(state, status=status, decided_by=by, decided_at=at, effective_at=None)
        case ChangeExpired():
            return replace(state, status=ChangeStatus.EXPIRED)
        case ChangeTookEffect(at=at):
            return replace(state, status=ChangeStatus.EFFECTIVE, effective_at=at)
        case ChangeFailed():
            return replace(state, status=ChangeStatus.FAILED, effective_at=None)
        case ChangeRequested():
            raise TypeError("A change is requested once.")


def request(
    change: UUID,
    *,
    operator: UUID | None,
    kind: str,
    subject: str,
    summary: str,
    details: dict[str, Any],
    persons: int,
    by: str,
    at: datetime,
) -> ChangeRequested:
    """Request a change as a person or by a command. Raises ChangeNeedsSecondPerson for any other actor."""
    if not is_person(by) and not is_shell(by):
        raise ChangeNeedsSecondPerson
    return ChangeRequested(change, operator, kind, subject, summary, details, persons, by, at, at + LIFETIME)


def confirm(state: ChangeState, *, by: str, at: datetime, delay: timedelta) -> ChangeConfirmed:
    """Agree, as a person who has no part in it yet. Raises ChangeDecided, ChangeNeedsSecondPerson."""
    require_status(state, ChangeStatus.REQUESTED)
    requested = state.requested
    if at >= requested.expires_at:
        raise ChangeDecided("The request has expired.", current_status=ChangeStatus.EXPIRED.value)
    if not is_new_person(state, by):
        raise ChangeNeedsSecondPerson
    agreed = len(agreed_by(state)) + 1 >= requested.persons
    return ChangeConfirmed(requested.change, by, at, at + delay if agreed else None)


def agreed_by(state: ChangeState) -> tuple[str, ...]:
    """Return the persons who agreed so far; a command is none."""
    return tuple(each for each in (state.requested.requested_by, *state.confirmed_by) if is_person(each))


def is_new_person(state: ChangeState, by: str) -> bool:
    """Return whether somebody is certainly nobody who agreed, nor the one whom the change concerns."""
    is_another = is_person(by) and all(is_another_person(by, each) for each in agreed_by(state))
    return is_another and by != state.requested.subject


def assign(state: ChangeState, *, owner: str, by: str, at: datetime) -> ChangeAssigned:
    """Hand a request over to a person who may still agree. Raises ChangeDecided, ChangeNeedsSecondPerson."""
    require_status(state, ChangeStatus.REQUESTED)
    if not is_new_person(state, owner):
        raise ChangeNeedsSecondPerson
    return ChangeAssigned(state.requested.change, owner, by, at)


def decline(state: ChangeState, *, by: str, at: datetime) -> ChangeDeclined:
    """Decline a request. Raises ChangeDecided."""
    require_status(state, ChangeStatus.REQUESTED)
    return ChangeDeclined(state.requested.change, by, at)


def cancel(state: ChangeState, *, by: str, at: datetime) -> ChangeCancelled:
    """Cancel a change before it takes effect, for which one is enough. Raises ChangeDecided."""
    require_status(state, ChangeStatus.REQUESTED, ChangeStatus.CONFIRMED)
    return ChangeCancelled(state.requested.change, by, at)


def expire(state: ChangeState, *, at: datetime) -> ChangeExpired | None:
    """End a request whose time is over, and nothing else."""
    if state.status is not ChangeStatus.REQUESTED or at < state.requested.expires_at:
        return None
    return ChangeExpired(state.requested.change, at)


def is_due(state: ChangeState, at: datetime) -> bool:
    """Return whether it takes effect now."""
    return state.status is ChangeStatus.CONFIRMED and state.effective_at is not None and state.effective_at <= at


def require_due(state: ChangeState, *, at: datetime) -> None:
    """Raise ChangeDecided unless it takes effect now."""
    if not is_due(state, at):
        raise ChangeDecided(f"The change is {state.status}.", current_status=state.status.value)


def require_status(state: ChangeState, *allowed: ChangeStatus) -> None:
    """Raise ChangeDecided in any other state."""
    if state.status not in allowed:
        raise ChangeDecided(f"The change is {state.status}.", current_status=state.status.value)
