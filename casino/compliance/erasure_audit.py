"""Audit of erasures: the change behind each, and the rows."""

from collections.abc import Iterator
from uuid import UUID

from casino.compliance.erasure import ERASURES, PlayerErased, erasure_row, erasure_stream
from casino.events.hash_chain import CheckedEvent
from casino.events.records import RecordedEvent, SealedEvent
from casino.kernel.findings import Finding


class ErasureTraces:
    """Replays erasures."""

    def __init__(self) -> None:
        self._erased: dict[UUID, PlayerErased] = {}

    def replay(
        self, event: PlayerErased, row: CheckedEvent | SealedEvent | RecordedEvent, *, where: str
    ) -> Iterator[Finding]:
        """Replay one event."""
        stream = erasure_stream(event.change)
        if (row.stream, row.version) != (stream, 1):
            yield Finding("event out of place", where, f"{stream} version 1", f"{row.stream} version {row.version}")
        self._erased[event.change] = event

    def check_state(self, *, partial: bool = False) -> Iterator[Finding]:
        """Compare the rows with the events."""
        yield from ERASURES.compare(map(erasure_row, self._erased.values()), partial=partial)
