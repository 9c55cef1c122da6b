"""An adjustment's event, entry and row: written together, and rebuilt from the event."""

from typing import Final

from casino.events.codec import EventRegistry, EventType
from casino.events.projections import ProjectionTable, Row, stream_histories
from casino.events.rebuild import Events, Projector
from casino.events.store import Metadata
from wallet.adjustments.events import AdjustmentPosted, adjustment_stream, entry_for
from wallet.ledger.store import EventGroup
from wallet.models import Adjustment

ADJUSTMENT_EVENTS: Final = EventGroup(
    EventRegistry([EventType(AdjustmentPosted, omitted={"released_by": ()})]), entry_for
)
ADJUSTMENTS: Final = ProjectionTable.of(Adjustment)


def write(event: AdjustmentPosted, *, metadata: Metadata) -> None:
    """Record an adjustment, the entry that follows, and the row that results."""
    ADJUSTMENT_EVENTS.record(adjustment_stream(event.adjustment), version=0, events=[event], metadata=metadata)
    ADJUSTMENTS.upsert([adjustment_row(event)])


def adjustment_row(event: AdjustmentPosted) -> Row:
    """Return the row of an adjustment."""
    return ADJUSTMENTS.row(
        id=event.adjustment,
        operator_id=event.operator,
        player_id=event.player,
        money_type=event.money_type.value,
        currency=event.currency,
        direction=event.direction.value,
        amount=event.amount,
        reason=event.reason.value,
        note=event.note,
        message=event.message,
        requested_by=event.requested_by,
        approved_by=event.approved_by,
        posted_at=event.at,
        taken=event.taken,
        owed=event.owed,
    )


def _project(events: Events) -> None:
    histories = stream_histories(ADJUSTMENT_EVENTS.registry, events, AdjustmentPosted.__name__)
    ADJUSTMENTS.upsert([adjustment_row(event) for (event,) in histories])


PROJECTOR: Final = Projector({ADJUSTMENTS.table: "id"}, _project)
"""Derives the projection from the events."""
