"""An adjustment's events, entry and row: written together, and rebuilt from the events."""

from typing import Final

from casino.events.projections import ProjectionTable, Row, stream_histories
from casino.events.rebuild import Events, Projector
from casino.events.store import Metadata
from wallet.adjustments.events import AdjustmentEvent, adjustment_stream, entry_for
from wallet.adjustments.state import AdjustmentState, fold
from wallet.ledger.store import event_group
from wallet.models import Adjustment

ADJUSTMENT_EVENTS: Final = event_group(AdjustmentEvent, entry_for)
ADJUSTMENTS: Final = ProjectionTable.of(Adjustment)


def write(
    before: AdjustmentState | None, event: AdjustmentEvent, *, version: int, metadata: Metadata
) -> AdjustmentState:
    """Record an event after `version` of its stream, the entry that follows, and the row that results."""
    after = fold([event], before)
    ADJUSTMENT_EVENTS.record(adjustment_stream(event.adjustment), version=version, events=[event], metadata=metadata)
    ADJUSTMENTS.upsert([adjustment_row(after, version + 1)])
    return after


def adjustment_row(state: AdjustmentState, version: int) -> Row:
    """Return the row of an adjustment at a version of its stream."""
    requested = state.requested
    return ADJUSTMENTS.row(
        id=requested.adjustment,
        operator_id=requested.operator,
        player_id=requested.player,
        money_type=requested.money_type.value,
        currency=requested.currency,
        direction=requested.direction.value,
        amount=requested.amount,
        reason=requested.reason.value,
        status=state.status.value,
        requested_by=requested.requested_by,
        requested_at=requested.at,
        decided_by=state.decided_by,
        decided_at=state.decided_at,
        taken=state.taken,
        owed=state.owed,
        version=version,
    )


def _project(events: Events) -> None:
    histories = stream_histories(ADJUSTMENT_EVENTS.registry, events, "AdjustmentRequested")
    ADJUSTMENTS.upsert([adjustment_row(fold(history), len(history)) for history in histories])


PROJECTOR: Final = Projector({ADJUSTMENTS.table: "id"}, _project)
"""Derives the projection from the events."""
