"""Adjustments as rows, derived from their events alone."""

from typing import Final

from wallet.adjustments.state import AdjustmentState
from wallet.ledger.relations import ProjectionTable, Row

ADJUSTMENTS: Final = ProjectionTable(
    "wallet_adjustment",
    (
        ("id", "uuid"), ("operator_id", "uuid"), ("player_id", "uuid"), ("money_type", "text"), ("currency", "text"),
        ("direction", "text"), ("amount", "bigint"), ("reason", "text"), ("status", "text"), ("requested_by", "text"),
        ("requested_at", "timestamptz"), ("decided_by", "text"), ("decided_at", "timestamptz"), ("taken", "bigint"),
        ("owed", "bigint"), ("version", "int"),
    ),
)  # fmt: skip


def adjustment_row(state: AdjustmentState, version: int) -> Row:
    """Turn an adjustment at a version of its stream into a row of ADJUSTMENTS."""
    asked = state.requested
    return (
        asked.adjustment,
        asked.operator,
        asked.player,
        asked.money_type.value,
        asked.currency,
        asked.direction.value,
        asked.amount,
        asked.reason.value,
        state.status.value,
        asked.requested_by,
        asked.at,
        state.decided_by,
        state.decided_at,
        state.taken,
        state.owed,
        version,
    )
