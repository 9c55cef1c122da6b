"""Compares the ledger with the events: derives each entry again, a batch of events at a time."""

from collections.abc import Sequence
from typing import Final

from baccarat.audit.findings import FindingCollector
from baccarat.audit.fold import ReplayedEvent
from baccarat.domain.postings import entry_for
from casino.events.sql import fetch
from wallet.audit.registry import EVENTS as WALLET_EVENTS
from wallet.audit.registry import entry_for as wallet_entry_for
from wallet.ledger import audit as ledger
from wallet.ledger.entries import NewEntry, UnbalancedEntry

UNBALANCED: Final = "event moves no balanced money"


def compare_entries(replayed: Sequence[ReplayedEvent], notes: FindingCollector) -> None:
    """Record every difference between the stored entries of some events and the derived ones."""
    derived = []
    for each in replayed:
        try:
            entry = _entry(each)
        except UnbalancedEntry as trouble:
            notes.add(UNBALANCED, f"event {each[0]}", "postings that sum to zero", trouble)
            continue
        if entry is not None:
            derived.append(entry)
    for finding in ledger.compare_batch([cause for cause, _, _ in replayed], derived):
        notes.add(finding.kind, finding.location, finding.expected, finding.actual)


def _entry(followed: ReplayedEvent) -> NewEntry | None:
    cause, event, place = followed
    if type(event) in WALLET_EVENTS:
        return wallet_entry_for(event, cause)
    return None if place is None else entry_for(event, cause, place)


def check_ledger(notes: FindingCollector, *, since: int = 0) -> None:
    """Check the ledger against itself: sums, sequences, running balances, balances, account ids.

    With a position `since`, check only what moved after it.
    """
    for finding in ledger.check(since=since):
        notes.add(finding.kind, finding.location, finding.expected, finding.actual)


def count_entries() -> int:
    return int(fetch("SELECT count(*) FROM wallet_entry")[0][0])
