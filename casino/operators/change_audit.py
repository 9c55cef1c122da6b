"""Audit of changes that several persons agree on: each step is decided again from the steps before it."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final
from uuid import UUID

from casino.events.records import METADATA
from casino.events.sql import fetch
from casino.kernel.errors import Refusal
from casino.kernel.findings import Finding
from casino.operators import change as lifecycle
from casino.operators import changes
from casino.operators.change import (
    GOOD_FOR,
    ChangeAssigned,
    ChangeCancelled,
    ChangeConfirmed,
    ChangeDeclined,
    ChangeEvent,
    ChangeExpired,
    ChangeFailed,
    ChangeRequested,
    ChangeState,
    ChangeStatus,
    ChangeTookEffect,
    change_stream,
)
from casino.operators.models import Operator

_CAUSES: Final = f"""
    SELECT id, coalesce({METADATA}->>'causation', '') FROM events_event AS event WHERE id = ANY (%s::bigint[])
"""  # noqa: S608
ALONE: Final = "done without its change"


@dataclass(frozen=True, slots=True)
class Effect:
    """The change that an event has to be the effect of, as far as the event tells: what is None, it does not.

    It may not be `needed`, or be needed only `if_live`; an event that names a change is always compared with it.
    What a command does later, `at` a time, may be done until a day after its change took effect.
    """

    kind: str
    subject: str | None
    details: Mapping[str, Any]
    persons: tuple[str, ...] | None = None
    _: KW_ONLY
    operator: UUID | None = None
    change: UUID | None = None
    needed: bool = True
    if_live: bool = False
    at: datetime | None = None


def causes_of(events: Collection[int]) -> dict[int, str]:
    """Return the causes of events by their ids; checked events are read without their metadata."""
    return dict(fetch(_CAUSES, [list(events)])) if events else {}


class ChangeTraces:
    """Replays changes; inconsistent ones are reported and then left out."""

    def __init__(self) -> None:
        self._histories: dict[str, list[ChangeEvent]] = {}
        self._broken: set[UUID] = set()

    @cached_property
    def live(self) -> dict[UUID, datetime]:
        """The live operators, and since when they are."""
        return dict(Operator.objects.filter(sandbox=False).values_list("pk", "created_at"))

    def replay(self, event: ChangeEvent, *, stream: str, version: int, where: str) -> Iterator[Finding]:
        """Replay one event and yield contradictions to earlier ones."""
        own = change_stream(event.change)
        history = self._histories.setdefault(own, [])
        if stream != own:
            yield Finding("stream differs", where, own, stream)
        if isinstance(event, ChangeRequested) != (not history) or version != len(history) + 1:
            self._broken.add(event.change)
            yield Finding("event out of place", where, f"version {len(history) + 1}", f"version {version}")
        elif event.change not in self._broken:
            try:
                due = _decide(lifecycle.fold(history) if history else None, event)
            except Refusal as refusal:
                self._broken.add(event.change)
                yield Finding("change against its rule", where, refusal.code, type(event).__name__)
            else:
                if due != event:
                    self._broken.add(event.change)
                    yield Finding("change differs", where, str(due), str(event))
        history.append(event)

    def agreed(self, stream: str, *, at: datetime | None = None) -> ChangeState | None:
        """Return the change of a stream if as many as it needs agreed and it has not ended; else None.

        For what is done later, `at` that time, it may have taken effect.
        """
        history = self._histories.get(stream)
        if not history or history[0].change in self._broken:
            return None
        state = lifecycle.fold(history)
        is_good = at and state.effective_at and state.effective_at <= at <= state.effective_at + GOOD_FOR
        return state if state.status is (ChangeStatus.EFFECTIVE if is_good else ChangeStatus.CONFIRMED) else None

    def check_effect(self, effect: Effect, cause: str, where: str) -> Iterator[Finding]:
        """Check that what an event does, with this cause, is the effect of a change that enough persons confirmed."""
        is_needed = effect.needed and (not effect.if_live or effect.operator in self.live)
        if not is_needed and not cause.startswith(change_stream("")):
            return
        state = self.agreed(cause, at=effect.at)
        if state is None or effect.change not in {None, state.requested.change}:
            yield Finding(ALONE, where, f"a confirmed change {effect.kind}", cause)
            return
        asked = state.requested
        agreed = {name: asked.details.get(name) for name in effect.details}
        due = (asked.kind, asked.subject, asked.operator, agreed, (asked.requested_by, *state.confirmed_by))
        own = (
            effect.kind, effect.subject or asked.subject, effect.operator or asked.operator, effect.details,
            due[-1] if effect.persons is None else effect.persons,
        )  # fmt: skip
        if due != own:
            yield Finding("effect differs from its change", where, str(due), str(own))

    def check_state(self, *, partial: bool = False) -> Iterator[Finding]:
        """Compare the rows with the events."""
        sound = (history for history in self._histories.values() if history[0].change not in self._broken)
        rows = (changes.change_row(lifecycle.fold(history)) for history in sound)
        yield from changes.CHANGES.compare(rows, ignored=self._broken, partial=partial)


def _decide(state: ChangeState | None, event: ChangeEvent) -> ChangeEvent:
    """Return the event that the decision makes now. Raises what the decision refuses."""
    if isinstance(event, ChangeRequested):
        return lifecycle.request(
            event.change,
            operator=event.operator,
            kind=event.kind,
            subject=event.subject,
            summary=event.summary,
            details=event.details,
            persons=changes.persons_for(event.kind),
            by=event.requested_by,
            at=event.at,
        )
    if state is None:
        raise AssertionError("a change begins with its request")
    match event:
        case ChangeAssigned(owner=owner, by=by, at=at):
            return lifecycle.assign(state, owner=owner, by=by, at=at)
        case ChangeConfirmed(by=by, at=at, effective_at=effective_at):
            delay = at - at if effective_at is None else effective_at - at
            return lifecycle.confirm(state, by=by, at=at, delay=delay)
        case ChangeDeclined(by=by, at=at) | ChangeCancelled(by=by, at=at):
            end = lifecycle.decline if isinstance(event, ChangeDeclined) else lifecycle.cancel
            return end(state, by=by, at=at)
        case ChangeExpired(at=at):
            return lifecycle.expire(state, at=at) or ChangeExpired(event.change, state.requested.expires_at)
        case ChangeTookEffect(at=at) | ChangeFailed(at=at):
            lifecycle.require_due(state, at=at)
            return event
