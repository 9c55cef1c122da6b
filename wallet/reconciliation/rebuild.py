"""Throw the rows of runs and differences away and make them again from their events."""

from wallet.ledger.relations import Rebuilt, histories, rebuild, save
from wallet.reconciliation.projection import DIFFERENCES, RUNS, difference_row, run_row
from wallet.reconciliation.state import fold


def rebuild_reconciliation(*, compare: bool = False) -> Rebuilt:
    """Make both projections again in one transaction, holding writers out."""
    return rebuild([RUNS, DIFFERENCES], _make, compare=compare)


def _make() -> None:
    for some in histories("ReconciliationRun"):
        save(RUNS, [run_row(events[-1], len(events)) for events in some])
    for some in histories("DifferenceFound"):
        save(DIFFERENCES, [difference_row(fold(events), len(events)) for events in some])
