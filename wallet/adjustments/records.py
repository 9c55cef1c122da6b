"""An adjustment's events, entry and row: written together, and rebuilt from the events."""

from typing import Any, Final

from casino.events.projections import ProjectionTable, RebuildResult, Row, rebuild, stream_histories
from casino.events.store import Metadata
from wallet.adjustments.events import AdjustmentApproved, AdjustmentDirection, AdjustmentEvent, adjustment_stream
from wallet.adjustments.state import AdjustmentState, fold
from wallet.ledger.accounts import AccountKind, debt_account, operator_account, player_account
from wallet.ledger.entries import NewEntry, NewPosting, build_entry, transfer
from wallet.ledger.recording import event_group
from wallet.models import Adjustment


def entry_for(event: AdjustmentEvent, cause: int) -> NewEntry | None:
    """Return the entry that follows from an event with id `cause`, or None where no money moves.

    Of a debit, what the account does not hold becomes a debt.
    """
    if not isinstance(event, AdjustmentApproved):
        return None
    name: dict[str, Any] = {"operator": event.operator, "money_type": event.money_type, "currency": event.currency}
    adjustments = operator_account(kind=AccountKind.ADJUSTMENTS, **name)
    account = player_account(player=event.player, **name)
    if event.direction is AdjustmentDirection.CREDIT:
        return transfer(kind="adjustment_credit", cause=cause, source=adjustments, target=account, amount=event.amount)
    postings = (
        NewPosting(account, -event.taken),
        NewPosting(debt_account(player=event.player, **name), -event.owed),
        NewPosting(adjustments, event.amount),
    )
    return build_entry(kind="adjustment_debit", cause=cause, postings=postings)


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


def rebuild_adjustments(*, compare: bool = False) -> RebuildResult:
    """Rebuild the projection in one transaction, holding writers out."""
    return rebuild({ADJUSTMENTS.table: "id"}, _fill, compare=compare)


def _fill() -> None:
    for chunk in stream_histories(ADJUSTMENT_EVENTS.registry, "AdjustmentRequested"):
        ADJUSTMENTS.upsert([adjustment_row(fold(events), len(events)) for events in chunk])
