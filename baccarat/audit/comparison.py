"""Compares the replayed state with the database: tables, other streams, and the database by itself."""

from collections.abc import Collection, Sequence
from uuid import UUID

from baccarat.audit import money, pending, read_models, rules_versions, snapshot
from baccarat.audit.findings import FindingCollector
from baccarat.audit.fold import LogReplay, ReplayedEvent
from baccarat.audit.incremental import IncrementalScope
from casino.events.inspection import inspect


def compare_batch(fold: LogReplay, replayed: Sequence[ReplayedEvent], notes: FindingCollector) -> None:
    """Compare the ledger entries of a batch of events, and the rows of rounds that ended in it."""
    money.compare_entries(replayed, notes)
    read_models.compare_rounds(fold.ended, notes)


def check_tables(fold: LogReplay, notes: FindingCollector, *, max_wait: float) -> Collection[UUID]:
    """Check tables, unfinished rounds and their secrets; return the shoes in play."""
    now, _ = snapshot.snapshot_time()
    read_models.compare_rounds([*fold.running.values(), *fold.disputed_rounds.values()], notes)
    read_models.compare_tables(list(fold.tables.values()), notes)
    notes.findings.extend(fold.switches.check_tables(fold.tables.values()))
    notes.findings.extend(rules_versions.compare_versions(fold.tables.values()))
    pending.check_rounds(fold, notes, now=now, max_wait=max_wait)
    return pending.check_secrets(fold, notes)


def check_other_streams(fold: LogReplay, notes: FindingCollector) -> None:
    """Check wallets, chats and kill switches."""
    read_models.compare_switches(fold.switches.rows.values(), notes)
    fold.wallets.check_state()
    for finding in fold.chats.check_state():
        notes.add(finding.kind, finding.location, finding.expected, finding.actual)


def check_database(notes: FindingCollector, *, max_wait: float, scope: IncrementalScope | None = None) -> None:
    """Check what needs no replay: queue and streams, orphaned rows, the ledger.

    With a `scope`, check only its streams and accounts, and no orphaned rows.
    """
    _, age = snapshot.snapshot_time()
    if scope is not None:
        notes.findings.extend(inspect(max_wait_seconds=max_wait + age, streams=scope.streams))
        money.check_ledger(notes, since=scope.since)
        return
    notes.findings.extend(inspect(max_wait_seconds=max_wait + age))
    read_models.find_extra(notes)
    money.check_ledger(notes)
