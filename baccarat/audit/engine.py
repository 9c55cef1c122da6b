"""The audit of everything: log, rounds, ledger and read models, on one snapshot, by one pass or by many processes."""

import contextlib
import itertools
import re
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Final

from django.db import connection

from baccarat.audit import comparison, incremental, money, parallel, pending, snapshot
from baccarat.audit.findings import FindingCollector
from baccarat.audit.fold import LogReplay
from baccarat.audit.parallel import AuditContext, PartialAudit, Progress
from baccarat.audit.report import AuditReport
from baccarat.audit.rows import Row
from casino.checkpoints import audit as checkpoints
from casino.checkpoints import replicas
from casino.checkpoints.document import CheckpointDocument
from casino.events.verification import Head, compare_head, current_head
from casino.kernel.findings import Finding

_NUMBER: Final = re.compile(r"(\d+)")


def sort_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings by where they are, numbers as numbers, then by what they say; each is there once."""
    return sorted(dict.fromkeys(findings), key=_key)


def _key(finding: Finding) -> tuple[object, ...]:
    parts = _NUMBER.split(finding.location)
    where = tuple((int(part), "") if place % 2 else (0, part) for place, part in enumerate(parts))
    return where, finding.kind, finding.expected, finding.actual


MIN_EVENTS_FOR_SECOND_CONNECTION = 20_000
"""Sealed events from which on a second connection is worth its start."""
MAX_WAIT_SECONDS = 60.0
"""Seconds that anything may wait for its seal, its cards or a person."""

INCREMENTAL_SCOPE: Final = """
An audit since a checkpoint says: the checkpoint is signed by a trusted key and agrees with its copy outside, and the
tree that is kept has its root; every event sealed after it follows by chain and tree; each table that anything has
happened to since then, in it or in one of its rounds, follows by the rules from its first event on, each event agrees
with its own seal, its money moved as it says, and all its rows are as they should be; so do wallets, payments, limits
and chats; and the accounts that were moved since then agree with their postings, from the first on. What it does not
read: tables that nothing has happened to, their rounds, rows and entries, accounts that were not moved, rows that no
event stands behind, and links of the chain before the checkpoint. For that, audit in full.
"""
"""Said by the command as well."""


def run_audit(
    *,
    since: int = 0,
    checkpoint: CheckpointDocument | None = None,
    expected: Head | None = None,
    max_wait: float = MAX_WAIT_SECONDS,
    progress: Progress | None = None,
    log_only: bool = False,
    jobs: int = 1,
    pool: Executor | None = None,
) -> AuditReport:
    """Audit the database that Django is connected to, read only and undisturbed by what is written meanwhile.

    The log is held against its checkpoints too, those in the database and those outside.

    With a position `since`, or that of a good `checkpoint`, it reads what was touched after it: `INCREMENTAL_SCOPE`.
    `expected` is a head kept from an earlier audit. `max_wait` is in seconds. `progress(done, total)` is told about
    events. With `log_only`, events are checked against the chain and the rules, and nothing else. A `pool` of `jobs`
    processes (`parallel.start_processes`) shares the work of a full audit, and finds the same. Call it outside of any
    transaction.
    """
    start = time.monotonic()
    since = max(since, 0 if checkpoint is None else checkpoint.position)
    kept = replicas.read_unknown_copies()  # before the snapshot, which then holds what was signed for them
    with snapshot.snapshot():
        head, part = current_head(), None
        scene = AuditContext(snapshot.export_snapshot(), head.position, max_wait, kept)
        if pool is not None and not since and not log_only:
            part = parallel.merge(parallel.run_tasks(scene, jobs=jobs, pool=pool, progress=progress))
        if part is None:
            with _beside(scene, full=not since and not log_only) as database:
                part = _alone(scene, since=min(since, head.position), whole=not log_only, progress=progress)
            part.findings.extend(database())
            part.seconds -= start
            if not log_only:
                part.findings.extend(checkpoints.check(kept, now=snapshot.snapshot_time()[0], since=checkpoint))
        part.chain_findings.extend(() if expected is None else compare_head(expected))
        entries = 0 if log_only else money.count_entries()
    return AuditReport(
        rounds=part.rounds,
        events=part.events,
        entries=entries,
        findings=(*sort_findings(part.chain_findings), *sort_findings(part.findings)),
        seconds=time.monotonic() - start,
        log_seconds=part.seconds,
        head=(head.position, head.digest.hex()),
        since=min(since, head.position),
    )


@contextlib.contextmanager
def _beside(scene: AuditContext, *, full: bool) -> Generator[Callable[[], list[Finding]]]:
    """What a full audit asks of the database alone: PostgreSQL works on it while we follow a log that takes a while.

    Yields what waits for the findings, to be called afterwards.
    """
    if not full:
        yield list
    elif scene.head < MIN_EVENTS_FOR_SECOND_CONNECTION:
        yield lambda: _database(scene)
    else:
        with ThreadPoolExecutor(1, "audit-database") as pool:
            yield pool.submit(_database_apart, scene).result


def _database_apart(scene: AuditContext) -> list[Finding]:
    """The same by a connection of this thread's own, on the shared snapshot."""
    try:
        with snapshot.shared_snapshot(scene.snapshot):
            return _database(scene)
    finally:
        connection.close()


def _database(scene: AuditContext) -> list[Finding]:
    notes = FindingCollector()
    comparison.check_database(notes, max_wait=scene.max_wait)
    return notes.findings


def _alone(scene: AuditContext, *, since: int, whole: bool, progress: Progress | None) -> PartialAudit:
    """One pass over the log and then, unless only the log is wanted, over all that follows from it."""
    part, seen = PartialAudit(), incremental.changed_since(since, max_wait=scene.max_wait) if since else None
    streams = None if seen is None else seen.streams
    fold = LogReplay(FindingCollector(), disputed=snapshot.disputed_streams(streams))
    batches: Iterator[Sequence[Row]] = itertools.chain(
        () if seen is None else incremental.read_history(seen, findings=part.chain_findings),
        snapshot.read_sealed(since=since, findings=part.chain_findings),
        [snapshot.read_unsealed()],
    )
    for rows in batches:
        replayed = fold.replay(rows)
        if whole:
            comparison.compare_batch(fold, replayed, fold.collector)
        if progress is not None:
            progress(min(fold.events, scene.head), scene.head)
    part.seconds = time.monotonic()
    if whole:
        playing = comparison.check_tables(fold, fold.collector, max_wait=scene.max_wait)
        if seen is None:
            pending.check_unused_secrets(playing, fold.collector)
        else:
            comparison.check_database(fold.collector, max_wait=scene.max_wait, scope=seen)
        comparison.check_other_streams(fold, fold.collector)
    part.findings, part.rounds, part.events = fold.collector.findings, fold.rounds, fold.events
    return part
