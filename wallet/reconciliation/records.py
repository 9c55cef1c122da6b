"""Reconciliations and discrepancies: their events, the rows derived from these, and the rebuild."""

from typing import Final

from casino.events.projections import ProjectionTable, Row, stream_histories
from casino.events.rebuild import Events, Projector
from wallet.ledger.store import event_group
from wallet.models import Discrepancy, Reconciliation
from wallet.reconciliation.events import ReconciliationCompleted, ReconciliationEvent
from wallet.reconciliation.state import DiscrepancyState, fold

RECONCILIATION_EVENTS: Final = event_group(ReconciliationEvent, lambda _event, _cause: None)
RECONCILIATIONS: Final = ProjectionTable.of(Reconciliation)
DISCREPANCIES: Final = ProjectionTable.of(Discrepancy)


def reconciliation_row(latest: ReconciliationCompleted, version: int) -> Row:
    """Return the row of a reconciliation from its last event, at that event's version."""
    return RECONCILIATIONS.row(
        id=latest.run,
        operator_id=latest.operator,
        provider=latest.provider,
        currency=latest.currency,
        day=latest.day,
        since=latest.since,
        until=latest.until,
        ours=latest.ours,
        theirs=latest.theirs,
        matched=latest.matched,
        amount=latest.amount,
        discrepancies=latest.discrepancies,
        compared_at=latest.at,
        version=version,
    )


def discrepancy_row(state: DiscrepancyState, version: int) -> Row:
    """Return the row of a discrepancy at a version of its stream."""
    latest = state.latest
    return DISCREPANCIES.row(
        id=latest.discrepancy,
        run_id=latest.run,
        operator_id=latest.operator,
        provider=latest.provider,
        currency=latest.currency,
        day=latest.day,
        kind=latest.kind,
        payment=latest.payment,
        reference=latest.reference,
        type=latest.type.value,
        our_amount=latest.our_amount,
        our_status=latest.our_status,
        their_amount=latest.their_amount,
        their_currency=latest.their_currency,
        their_status=latest.their_status,
        status=state.status.value,
        owner=state.owner,
        resolution=None if state.resolution is None else state.resolution.value,
        resolved_by=state.resolved_by,
        found_at=state.first_detected_at,
        ended_at=state.ended_at,
        version=version,
    )


def _project(events: Events) -> None:
    registry = RECONCILIATION_EVENTS.registry
    compared = stream_histories(registry, events, "ReconciliationCompleted")
    RECONCILIATIONS.upsert([reconciliation_row(history[-1], len(history)) for history in compared])
    detected = stream_histories(registry, events, "DiscrepancyDetected")
    DISCREPANCIES.upsert([discrepancy_row(fold(history), len(history)) for history in detected])


PROJECTOR: Final = Projector({RECONCILIATIONS.table: "id", DISCREPANCIES.table: "id"}, _project)
"""Derives both projections from the events."""
