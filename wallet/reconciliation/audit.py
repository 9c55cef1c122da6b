"""Audit of reconciliation: ids computed from names, order of events, and rows."""

from collections.abc import Iterator, Mapping
from typing import Final
from uuid import UUID

from casino.kernel.findings import Finding
from wallet.reconciliation.events import (
    DiscrepancyDetected,
    DiscrepancyEvent,
    DiscrepancyType,
    ReconciliationCompleted,
    ReconciliationEvent,
    discrepancy_id,
    run_id,
    stream_of,
)
from wallet.reconciliation.records import DISCREPANCIES, RECONCILIATIONS, discrepancy_row, reconciliation_row
from wallet.reconciliation.state import fold

_OPEN: Final = frozenset({"DiscrepancyDetected", "DiscrepancyAssigned"})
ALLOWED_PREDECESSORS: Final[Mapping[str, frozenset[str | None]]] = {
    "DiscrepancyDetected": frozenset(
        {None, "DiscrepancyDetected", "DiscrepancyCleared", "DiscrepancyAssigned", "DiscrepancyResolved"}
    ),
    "DiscrepancyCleared": _OPEN,
    "DiscrepancyAssigned": _OPEN,
    "DiscrepancyResolved": _OPEN,
}
"""The events that each one may follow in its stream."""


class ReconciliationTraces:
    """Replays every reconciliation and discrepancy."""

    def __init__(self) -> None:
        self._runs: dict[UUID, tuple[ReconciliationCompleted, int]] = {}
        self._discrepancies: dict[UUID, list[DiscrepancyEvent]] = {}
        self._broken: set[UUID] = set()

    def replay(self, event: ReconciliationEvent, *, stream: str, version: int, where: str) -> Iterator[Finding]:
        """Replay one event and yield contradictions to earlier events or within it."""
        if stream != stream_of(event):
            yield Finding("stream differs", where, stream_of(event), stream)
        if isinstance(event, ReconciliationCompleted):
            yield from self._replay_run(event, version, where)
        else:
            yield from self._replay_discrepancy(event, version, where)

    def check_state(self, *, partial: bool = False) -> Iterator[Finding]:
        """Compare the rows with the result of the events."""
        reconciliations = (reconciliation_row(event, version) for event, version in self._runs.values())
        yield from RECONCILIATIONS.compare(reconciliations, partial=partial)
        sound = (events for key, events in self._discrepancies.items() if key not in self._broken)
        discrepancies = (discrepancy_row(fold(events), len(events)) for events in sound)
        yield from DISCREPANCIES.compare(discrepancies, ignored=self._broken, partial=partial)

    def _replay_run(self, event: ReconciliationCompleted, version: int, where: str) -> Iterator[Finding]:
        due = run_id(operator=event.operator, provider=event.provider, currency=event.currency, day=event.day)
        if event.run != due:
            yield Finding("id is not that of its name", where, str(due), str(event.run))
        before = self._runs.get(event.run, (None, 0))[1]
        if version != before + 1:
            yield Finding("event out of place", where, f"version {before + 1}", f"version {version}")
        if not (
            event.since < event.until and 0 <= event.matched <= min(event.ours + event.discrepancies, event.theirs)
        ):
            yield Finding("reconciliation differs", where, "matches that both sides have", str(event.matched))
        self._runs[event.run] = event, version

    def _replay_discrepancy(self, event: DiscrepancyEvent, version: int, where: str) -> Iterator[Finding]:
        history = self._discrepancies.setdefault(event.discrepancy, [])
        last = type(history[-1]).__name__ if history else None
        if last not in ALLOWED_PREDECESSORS[type(event).__name__] or version != len(history) + 1:
            self._broken.add(event.discrepancy)
            yield Finding("event out of place", where, "an allowed predecessor", str(last))
        history.append(event)
        if isinstance(event, DiscrepancyDetected):
            yield from _check_detection(event, where)


def _check_detection(event: DiscrepancyDetected, where: str) -> Iterator[Finding]:
    due = discrepancy_id(run=event.run, kind=event.kind, payment=event.payment, discrepancy_type=event.type)
    if event.discrepancy != due:
        yield Finding("id is not that of its name", where, str(due), str(event.discrepancy))
    ours, theirs = event.our_status is not None, event.their_status is not None
    sides = {DiscrepancyType.MISSING_OURS: (False, True), DiscrepancyType.MISSING_THEIRS: (True, False)}
    expected = sides.get(event.type, (True, True))
    if (ours, theirs) != expected and event.type is not DiscrepancyType.MESSAGE_UNAPPLIED:
        yield Finding("discrepancy without its sides", where, str(expected), str((ours, theirs)))
