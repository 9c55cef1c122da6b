"""Audit of erasures: the change behind each, and the rows."""

from collections.abc import Iterator
from uuid import UUID

from casino.compliance.erasure import ERASURES, KIND, PlayerErased, erasure_row, erasure_stream
from casino.events.hash_chain import CheckedEvent
from casino.events.records import RecordedEvent, SealedEvent
from casino.kernel.findings import Finding
from casino.operators.change_audit import ChangeTraces


class ErasureTraces:
    """Replays erasures."""

    def __init__(self) -> None:
        self._erased: dict[UUID, PlayerErased] = {}

    def replay(
        self, event: PlayerErased, row: CheckedEvent | SealedEvent | RecordedEvent, *, changes: ChangeTraces, where: str
    ) -> Iterator[Finding]:
        """Replay one event."""
        stream = erasure_stream(event.change)
        if (row.stream, row.version) != (stream, 1):
            yield Finding("event out of place", where, f"{stream} version 1", f"{row.stream} version {row.version}")
        yield from changes.check_effect(
            row,
            kind=KIND,
            subject=f"player:{event.player}",
            details={"reason": event.reason.value, "overrides_retention": event.overrides_retention},
            persons=event.agreed_by,
            change=event.change,
        )
        self._erased[event.change] = event

    def check_state(self, *, partial: bool = False) -> Iterator[Finding]:
        """Compare the rows with the events."""
        yield from ERASURES.compare(map(erasure_row, self._erased.values()), partial=partial)
