"""The ledger against the events: each entry is derived anew and compared, a batch of events at a time."""

from collections.abc import Mapping, Sequence
from typing import Final

from baccarat.audit.findings import Notes
from baccarat.audit.fold import Followed
from baccarat.domain.postings import entry_for
from casino.events.sql import fetch
from wallet.ledger import audit as ledger
from wallet.ledger.entries import Entry, Unbalanced
from wallet.ledger.postings import EVENTS as WALLET_EVENTS
from wallet.ledger.postings import entry_for as wallet_entry_for

UNBALANCED: Final = "event moves no balanced money"


def entries_of(causes: str) -> str:
    """Write the statement that `Moved.judge` needs, for an array of causes that stands there as `causes`."""
    return ledger.BATCH.replace("%s", causes)


class Moved:
    """What a batch of events should have moved.

    `causes` are events beside those that were `followed`; `entries` are what they lead to (`ledger.audit.written`).
    """

    def __init__(
        self, followed: Sequence[Followed], *, causes: Sequence[int] = (), entries: Mapping[int, str] | None = None
    ) -> None:
        self._causes = [*causes, *(cause for cause, _, _ in followed)]
        self._wanted = dict(entries or {})
        self._unbalanced: list[tuple[int, Unbalanced]] = []
        for each in followed:
            self._derive(each)

    def _derive(self, followed: Followed) -> None:
        try:
            entry = _entry(followed)
        except Unbalanced as trouble:
            self._unbalanced.append((followed[0], trouble))
            return
        if entry is not None:
            self._wanted[entry.cause] = ledger.entry_text(entry)

    def causes(self) -> bytes:
        """Write all causes as PostgreSQL reads an array."""
        return f"{{{','.join(map(str, self._causes))}}}".encode()

    def judge(self, count: int, text: str | None, notes: Notes) -> None:
        """Note every difference from the stored entries, which are read only where `entries_of` tells one."""
        if not ledger.are_just(count, text, self._wanted):
            self.compare(notes)
        else:
            self._note_unbalanced(notes)

    def compare(self, notes: Notes) -> None:
        """Read the stored entries and note every difference."""
        self._note_unbalanced(notes)
        for finding in ledger.compare(ledger.stored_entries(self._causes), self._wanted):
            notes.add(finding.what, finding.where, finding.expected, finding.found)

    def _note_unbalanced(self, notes: Notes) -> None:
        for cause, trouble in self._unbalanced:
            notes.add(UNBALANCED, f"event {cause}", "postings that sum to zero", trouble)


def _entry(followed: Followed) -> Entry | None:
    cause, event, place = followed
    if type(event) in WALLET_EVENTS:
        return wallet_entry_for(event, cause)
    return None if place is None else entry_for(event, cause, place)


def check_itself(notes: Notes, *, since: int = 0) -> None:
    """Check the ledger against itself: sums, sequences, running balances, balances, account ids.

    With `since`, a position, only what was moved after it.
    """
    for finding in ledger.check(since=since):
        notes.add(finding.what, finding.where, finding.expected, finding.found)


def entries() -> int:
    """Count the ledger's entries."""
    return int(fetch("SELECT count(*) FROM wallet_entry")[0][0])
