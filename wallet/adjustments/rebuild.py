"""Throw the rows of adjustments away and make them again from their events."""

from wallet.adjustments.projection import ADJUSTMENTS, adjustment_row
from wallet.adjustments.state import fold
from wallet.ledger.relations import RebuildResult, rebuild, stream_histories, upsert_rows


def rebuild_adjustments(*, compare: bool = False) -> RebuildResult:
    """Make the projection again in one transaction, holding writers out."""
    return rebuild([ADJUSTMENTS], _make, compare=compare)


def _make() -> None:
    for some in stream_histories("AdjustmentRequested"):
        upsert_rows(ADJUSTMENTS, [adjustment_row(fold(events), len(events)) for events in some])
