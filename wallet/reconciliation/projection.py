"""Runs and differences as rows, derived from their events alone."""

from typing import Final

from wallet.ledger.relations import ProjectionTable, Row
from wallet.reconciliation.events import ReconciliationCompleted
from wallet.reconciliation.state import DiscrepancyState

RUNS: Final = ProjectionTable(
    "wallet_reconciliation",
    (
        ("id", "uuid"), ("operator_id", "uuid"), ("provider", "text"), ("currency", "text"), ("day", "date"),
        ("since", "timestamptz"), ("until", "timestamptz"), ("ours", "int"), ("theirs", "int"), ("matched", "int"),
        ("amount", "bigint"), ("discrepancies", "int"), ("compared_at", "timestamptz"), ("version", "int"),
    ),
)  # fmt: skip
DISCREPANCIES: Final = ProjectionTable(
    "wallet_discrepancy",
    (
        ("id", "uuid"), ("run_id", "uuid"), ("operator_id", "uuid"), ("provider", "text"), ("currency", "text"),
        ("day", "date"), ("kind", "text"), ("payment", "text"), ("reference", "text"), ("type", "text"),
        ("our_amount", "bigint"), ("our_status", "text"), ("their_amount", "bigint"), ("their_currency", "text"),
        ("their_status", "text"), ("status", "text"), ("owner", "text"), ("resolution", "text"),
        ("resolved_by", "text"), ("found_at", "timestamptz"), ("ended_at", "timestamptz"), ("version", "int"),
    ),
)  # fmt: skip


def run_row(last: ReconciliationCompleted, version: int) -> Row:
    """Turn the last event of a run, at its version, into a row of RUNS."""
    counted = (last.ours, last.theirs, last.matched, last.amount, last.discrepancies)
    whose = (last.run, last.operator, last.provider, last.currency, last.day, last.since, last.until)
    return (*whose, *counted, last.at, version)


def discrepancy_row(state: DiscrepancyState, version: int) -> Row:
    """Turn a difference at a version of its stream into a row of DIFFERENCES."""
    found = state.latest
    return (
        found.discrepancy,
        found.run,
        found.operator,
        found.provider,
        found.currency,
        found.day,
        found.kind,
        found.payment,
        found.reference,
        found.type.value,
        found.our_amount,
        found.our_status,
        found.their_amount,
        found.their_currency,
        found.their_status,
        state.status.value,
        state.owner,
        None if state.resolution is None else state.resolution.value,
        state.resolved_by,
        state.first_detected_at,
        state.ended_at,
        version,
    )
