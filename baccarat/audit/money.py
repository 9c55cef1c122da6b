"""The ledger against the events: each entry is derived anew and compared, a batch of events at a time."""

from collections.abc import Mapping, Sequence
from typing import Final

from baccarat.audit.findings import FindingCollector
from baccarat.audit.fold import ReplayedEvent
from baccarat.domain.postings import entry_for
from casino.events.sql import fetch
from wallet.ledger import audit as ledger
from wallet.ledger.entries import Entry, UnbalancedEntry
from wallet.ledger.postings import EVENTS as WALLET_EVENTS
from wallet.ledger.postings import entry_for as wallet_entry_for

UNBALANCED: Final = "event moves no balanced money"


def entries_sql(causes: str) -> str:
    """Write the statement that `Moved.judge` needs, for an array of causes that stands there as `causes`."""
    return ledger.BATCH_ENTRIES_SQL.replace("%s", causes)


class ExpectedEntries:
    """What a batch of events should have moved.

    `causes` are events beside those that were `followed`; `entries` are what they lead to (`ledger.audit.written`).
    """

    def __init__(
        self, followed: Sequence[ReplayedEvent], *, causes: Sequence[int] = (), entries: Mapping[int, str] | None = None
    ) -> None:
        self._causes = [*causes, *(cause for cause, _, _ in followed)]
        self._wanted = dict(entries or {})
        self._unbalanced: list[tuple[int, UnbalancedEntry]] = []
        for each in followed:
            self._derive(each)

    def _derive(self, followed: ReplayedEvent) -> None:
        try:
            entry = _entry(followed)
        except UnbalancedEntry as trouble:
            self._unbalanced.append((followed[0], trouble))
            return
        if entry is not None:
            self._wanted[entry.cause] = ledger.entry_text(entry)

    def causes(self) -> bytes:
        """Write all causes as PostgreSQL reads an array."""
        return f"{{{','.join(map(str, self._causes))}}}".encode()

    def check(self, count: int, text: str | None, notes: FindingCollector) -> None:
        """Note every difference from the stored entries, which are read only where `entries_of` tells one."""
        if not ledger.matches_expected(count, text, self._wanted):
            self.compare(notes)
        else:
            self._note_unbalanced(notes)

    def compare(self, notes: FindingCollector) -> None:
        """Read the stored entries and note every difference."""
        self._note_unbalanced(notes)
        for finding in ledger.compare_entries(ledger.load_entry_texts(self._causes), self._wanted):
            notes.add(finding.kind, finding.location, finding.expected, finding.actual)

    def _note_unbalanced(self, notes: FindingCollector) -> None:
        for cause, trouble in self._unbalanced:
            notes.add(UNBALANCED, f"event {cause}", "postings that sum to zero", trouble)


def _entry(followed: ReplayedEvent) -> Entry | None:
    cause, event, place = followed
    if type(event) in WALLET_EVENTS:
        return wallet_entry_for(event, cause)
    return None if place is None else entry_for(event, cause, place)


def check_ledger(notes: FindingCollector, *, since: int = 0) -> None:
    """Check the ledger against itself: sums, sequences, running balances, balances, account ids.

    With `since`, a position, only what was moved after it.
    """
    for finding in ledger.check(since=since):
        notes.add(finding.kind, finding.location, finding.expected, finding.actual)


def count_entries() -> int:
    """Count the ledger's entries."""
    return int(fetch("SELECT count(*) FROM wallet_entry")[0][0])
