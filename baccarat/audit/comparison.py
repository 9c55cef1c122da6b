"""What the events have led to by now, against what the database holds: tables, all else, the database itself."""

from collections.abc import Collection, Sequence
from typing import Final
from uuid import UUID

from baccarat.audit import money, pending, read_models, rules_versions, snapshot
from baccarat.audit.findings import FindingCollector
from baccarat.audit.fold import LogReplay, ReplayedEvent
from baccarat.audit.incremental import IncrementalScope
from baccarat.audit.plain import states
from baccarat.audit.plain.tracing import traced
from casino.events.inspection import inspect
from casino.events.prefetch import send_query

STATEMENT: Final = f"""
SELECT * FROM ({states.STATEMENT}) AS rows CROSS JOIN ({money.entries_sql("$2")}) AS moved
"""  # noqa: S608  (constants)
"""What is asked about a batch, in one row: about the rows of its usual rounds, $1, and about its entries."""


class BatchComparison:
    """Batches of events, judged when the next one is there: PostgreSQL looks up what one moved while we follow that.

    With `behind` false each is judged at once: for those who ask for other things in between.
    """

    def __init__(self, notes: FindingCollector, *, deferred: bool) -> None:
        self._notes = notes
        self._behind = deferred
        self._asked: PendingBatch | None = None

    def add(self, fold: LogReplay, followed: Sequence[ReplayedEvent]) -> None:
        """Judge what the last batch moved and the rows of the rounds that ended in it, and ask about this."""
        self.finish()
        self._asked = PendingBatch(fold, followed)
        if not self._behind:
            self.finish()

    def finish(self) -> None:
        """Judge the batch that was asked about; then the connection is free."""
        if self._asked is not None:
            self._asked.compare(self._notes)
        self._asked = None


class PendingBatch:
    """A batch of events, and PostgreSQL at work on what it should have moved."""

    def __init__(self, fold: LogReplay, followed: Sequence[ReplayedEvent]) -> None:
        plain = fold.plain
        self._ended, self._usual = list(fold.ended), states.Due(plain.ended)
        self._moved = money.ExpectedEntries(followed, causes=fold.causes, entries=plain.entries)
        self._answer = send_query(STATEMENT, [self._usual.ids(), self._moved.causes()])

    def compare(self, notes: FindingCollector) -> None:
        """Wait for the answer, and look closely where anything is not as it should be."""
        ((*rows, entries, moved),) = self._answer()
        self._moved.check(entries, moved, notes)
        differ = () if self._usual.are(*rows) else map(traced, self._usual.rounds)
        read_models.compare_rounds([*self._ended, *differ], notes)


def check_tables(fold: LogReplay, notes: FindingCollector, *, max_wait: float) -> Collection[UUID]:
    """Judge tables, the rounds that are not over, and their secrets; returns the shoes in play."""
    now, _ = snapshot.snapshot_time()
    fold.finish()
    read_models.compare_rounds([*fold.running.values(), *fold.disputed_rounds.values()], notes)
    read_models.compare_tables(list(fold.tables.values()), notes)
    notes.findings.extend(fold.switches.check_tables(fold.tables.values()))
    notes.findings.extend(rules_versions.compare_versions(fold.tables.values()))
    pending.check_rounds(fold, notes, now=now, max_wait=max_wait)
    return pending.check_secrets(fold, notes)


def check_other_streams(fold: LogReplay, notes: FindingCollector) -> None:
    """Judge wallets, chats and switches."""
    read_models.compare_switches(fold.switches.rows.values(), notes)
    fold.wallets.check_state()
    for finding in fold.chats.check_state():
        notes.add(finding.kind, finding.location, finding.expected, finding.actual)


def check_database(notes: FindingCollector, *, max_wait: float, scope: IncrementalScope | None = None) -> None:
    """Ask the database what needs no event to be read: queue and streams, rows of nothing, the ledger.

    With `touched`, of streams and accounts only these, and nothing of rows that no event stands behind.
    """
    _, age = snapshot.snapshot_time()
    if scope is not None:
        notes.findings.extend(inspect(max_wait_seconds=max_wait + age, streams=scope.streams))
        money.check_ledger(notes, since=scope.since)
        return
    notes.findings.extend(inspect(max_wait_seconds=max_wait + age))
    read_models.find_extra(notes)
    money.check_ledger(notes)
