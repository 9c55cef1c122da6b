"""Audit of changes that several persons agree on: each step is decided again from the steps before it."""

from collections.abc import Iterator
from typing import Any, Final
from uuid import UUID

from casino.events.hash_chain import CheckedEvent
from casino.events.records import METADATA, RecordedEvent, SealedEvent
from casino.events.sql import fetch
from casino.kernel.errors import Refusal
from casino.kernel.findings import Finding
from casino.operators import change as lifecycle
from casino.operators import changes
from casino.operators.change import (
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

_CAUSE: Final = f"SELECT coalesce({METADATA}->>'causation', '') FROM events_event AS event WHERE id = %s"  # noqa: S608
ALONE: Final = "done without its change"


class ChangeTraces:
    """Replays changes; inconsistent ones are reported and then left out."""

    def __init__(self) -> None:
        self._histories: dict[str, list[ChangeEvent]] = {}
        self._broken: set[UUID] = set()

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

    def agreed(self, stream: str) -> ChangeState | None:
        """Return the change of a stream if as many as it needs agreed and it has not ended; else None."""
        history = self._histories.get(stream)
        state = lifecycle.fold(history) if history and history[0].change not in self._broken else None
        return state if state is not None and state.status is ChangeStatus.CONFIRMED else None

    def check_effect(
        self, row: RecordedEvent | SealedEvent | CheckedEvent, *, kind: str, subject: str, details: dict[str, Any],
        persons: tuple[str, ...], change: UUID | None = None,
    ) -> Iterator[Finding]:  # fmt: skip
        """Check that an event is the effect of a confirmed change of these persons, with these of its details.

        `change` is the one that the event names, if it does.
        """
        ((cause,),) = fetch(_CAUSE, [row.id])  # checked events are read without their metadata
        state = self.agreed(cause)
        if state is None or change not in {None, state.requested.change}:
            yield Finding(ALONE, f"{row.stream} version {row.version}", f"a confirmed change {kind}", cause)
            return
        asked = state.requested
        agreed = {name: asked.details.get(name) for name in details}
        due = (asked.kind, asked.subject, agreed, (asked.requested_by, *state.confirmed_by))
        if due != (kind, subject, details, persons):
            actual = str((kind, subject, details, persons))
            yield Finding("effect differs from its change", f"{row.stream} version {row.version}", str(due), actual)

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
        case ChangeConfirmed(by=by, at=at, effective_at=effective_at):
            delay = at - at if effective_at is None else effective_at - at
            return lifecycle.confirm(state, by=by, at=at, delay=delay)
        case ChangeDeclined(by=by, at=at):
            return lifecycle.decline(state, by=by, at=at)
        case ChangeCancelled(by=by, at=at):
            return lifecycle.cancel(state, by=by, at=at)
        case ChangeExpired(at=at):
            return lifecycle.expire(state, at=at) or ChangeExpired(event.change, state.requested.expires_at)
        case ChangeTookEffect(at=at) | ChangeFailed(at=at):
            lifecycle.require_due(state, at=at)
            return event
