"""Throw the rows of runs and differences away and make them again from their events."""

from wallet.ledger.relations import RebuildResult, rebuild, stream_histories, upsert_rows
from wallet.reconciliation.projection import DISCREPANCIES, RUNS, discrepancy_row, run_row
from wallet.reconciliation.state import fold


def rebuild_reconciliation(*, compare: bool = False) -> RebuildResult:
    """Make both projections again in one transaction, holding writers out."""
    return rebuild([RUNS, DISCREPANCIES], _make, compare=compare)


def _make() -> None:
    for some in stream_histories("ReconciliationCompleted"):
        upsert_rows(RUNS, [run_row(events[-1], len(events)) for events in some])
    for some in stream_histories("DiscrepancyFound"):
        upsert_rows(DISCREPANCIES, [discrepancy_row(fold(events), len(events)) for events in some])
