"""The ledger against the events: each entry is derived anew and compared, a batch of events at a time."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Final

from baccarat.audit.fold import Followed
from baccarat.audit.notes import Notes
from baccarat.derive import entry_for
from casino.events.rows import fetch
from wallet import audit as ledger
from wallet.derive import EVENTS as WALLET_EVENTS
from wallet.derive import entry_for as wallet_entry_for
from wallet.entries import Entry, Unbalanced

UNBALANCED: Final = "event moves no balanced money"


def compare(
    followed: Sequence[Followed], notes: Notes, *, causes: Sequence[int] = (), entries: Mapping[int, str] | None = None
) -> None:
    """This will note every difference between the entries of these events and those that are stored.

    `causes` are further events, and `entries` those they lead to, as `wallet.audit.written`.
    """
    wanted = dict(entries or {})
    for each in followed:
        try:
            entry = _entry(each)
        except Unbalanced as trouble:
            notes.add(UNBALANCED, f"event {each[0]}", "postings that sum to zero", trouble)
            continue
        if entry is not None:
            wanted[entry.cause] = ledger.entry_text(entry)
    stored = ledger.stored_entries(itertools.chain(causes, [cause for cause, _, _ in followed]))
    for finding in ledger.compare(stored, wanted):
        notes.add(finding.what, finding.where, finding.expected, finding.found)


def _entry(followed: Followed) -> Entry | None:
    cause, event, place = followed
    if type(event) in WALLET_EVENTS:
        return wallet_entry_for(event, cause)
    return None if place is None else entry_for(event, cause, place)


def check_itself(notes: Notes, *, since: int = 0) -> None:
    """This will check the ledger against itself: sums, sequences, running balances, balances, account ids.

    With `since`, a position, only what was moved after it.
    """
    for finding in ledger.check(since=since):
        notes.add(finding.what, finding.where, finding.expected, finding.found)


def entries() -> int:
    """This will count the ledger's entries."""
    return int(fetch("SELECT count(*) FROM wallet_entry")[0][0])
