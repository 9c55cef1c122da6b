"""Audit log, rounds, ledger and read models on one snapshot, in one pass or by several processes."""

import contextlib
import itertools
import logging
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Final

from django.db import connection

from baccarat.audit import beside_log, comparison, log_reader, parallel, pending, saved_state
from baccarat.audit.log_reader import IncrementalScope
from baccarat.audit.log_replay import LogReplay
from baccarat.audit.parallel import AuditContext, PartialAudit, Progress
from baccarat.audit.report import NOT_READ, AuditReport, FindingCollector, Row, sort_findings
from casino.checkpoints import replicas
from casino.checkpoints.records import SignedCheckpoint
from casino.events import schema
from casino.events.hash_chain import CheckedEvent
from casino.events.netting import net, run_checks
from casino.events.verification import Head, compare_head, current_head
from casino.kernel.findings import Finding

logger = logging.getLogger(__name__)

SaveState = Callable[[int, bytes], None]
"""Takes a position and the state of all tables there."""


MIN_EVENTS_FOR_SECOND_CONNECTION = 20_000
"""Number of sealed events from which a second connection is worth opening."""
MAX_WAIT_SECONDS = 60.0
"""Seconds that anything may wait to be sealed, to be dealt or for a person."""

INCREMENTAL_SCOPE: Final = f"""
An audit since a checkpoint says: the checkpoint is signed by a trusted key and agrees with its copy outside, and the
tree that is kept has its root; every event sealed after it follows by chain and tree; each table that anything has
happened to since then, in it or in one of its rounds, follows by the rules from its first event on, each event agrees
with its own seal, its money moved as it says, and all its rows are as they should be; so do wallets, payments, limits
and chats; the accounts that were moved since then agree with their postings, from the first on; every manifest is
signed, agrees with its event and its copy, and with its rows if it was made since; members of staff, keys, settings
and texts agree with their newest digests; and the whole schema is what migrations made. What it does not read:
{"; ".join(NOT_READ)}.
For that, audit in full.
"""
"""Also printed by the command."""


def run_audit(
    *,
    since: int = 0,
    checkpoint: SignedCheckpoint | None = None,
    expected: Head | None = None,
    max_wait: float = MAX_WAIT_SECONDS,
    progress: Progress | None = None,
    log_only: bool = False,
    with_schema: bool = False,
    jobs: int = 1,
    pool: Executor | None = None,
    save_at: int = 0,
    save: SaveState | None = None,
) -> AuditReport:
    """Audit the connected database, read only, without blocking writers.

    The log is also compared with its checkpoints, in the database and in external storage.

    With a position `since`, or that of a good `checkpoint`, audit only what changed after it: `INCREMENTAL_SCOPE`.
    `expected` is a head kept from an earlier audit. `max_wait` is in seconds. `progress(done, total)` counts events.
    With `log_only`, check events against the chain and the rules, and nothing else. With `with_schema`, compare
    the whole schema with what migrations made, too. A `pool` of `jobs` processes
    (`parallel.start_processes`) shares the work of a full audit, with the same findings. A full audit in one process
    calls `save` when the position `save_at` is reached. Call it outside of any transaction.
    """
    start = time.monotonic()
    kept = replicas.read_unknown_copies()  # before the snapshot, which then contains the checkpoints
    with log_reader.snapshot():
        head, part = current_head(), None
        failed = FindingCollector()
        since = min(max(since, 0 if checkpoint is None else checkpoint.size), head.position)
        context = AuditContext(log_reader.export_snapshot(), head.position, max_wait, kept)
        if pool is not None and not since and not log_only:
            with net(failed.findings, "processes; audited in one pass instead"):
                part = parallel.merge(parallel.run_tasks(context, jobs=jobs, pool=pool, progress=progress))
        if part is None:
            scope = _scope(since, max_wait, failed)
            since = 0 if scope is None else since
            with _database_checks(context, full=not since and not log_only) as database:
                part = _replay_log(
                    context, scope=scope, whole=not log_only, progress=progress, save_at=save_at, save=save
                )
            part.findings.extend(run_checks(("the database", database)))
            part.seconds -= start
            if not log_only:
                part.findings.extend(beside_log.check(kept, now=log_reader.snapshot_time()[0], since=checkpoint))
        part.chain_findings.extend(() if expected is None else compare_head(expected))
        not_compared = compare_schema(failed) if with_schema and not log_only else ()
        part.findings.extend(failed.findings)
        entries = 0 if log_only else comparison.count_entries()
    not_read = (*(NOT_READ if since else ()), *not_compared)
    return _report(part, head, since=since, entries=entries, start=start, not_read=not_read)


def compare_schema(notes: FindingCollector) -> tuple[str, ...]:
    """Compare the whole schema, and return what could not be compared."""
    with net(notes.findings, "the schema"):
        compared = schema.check()
        notes.findings.extend(compared.findings)
        return compared.not_compared
    return ("the schema",)


def _scope(since: int, max_wait: float, notes: FindingCollector) -> IncrementalScope | None:
    """Return what changed since a position; None if everything is to be audited, or if that can't be said."""
    if since:
        with net(notes.findings, f"what changed since position {since}; audited in full instead"):
            return log_reader.changed_since(since, max_wait=max_wait)
    return None


def _report(
    part: PartialAudit, head: Head, *, since: int, entries: int, start: float, not_read: tuple[str, ...]
) -> AuditReport:
    return AuditReport(
        rounds=part.rounds,
        events=part.events,
        entries=entries,
        findings=sort_findings(part.chain_findings, part.findings),
        seconds=time.monotonic() - start,
        log_seconds=part.seconds,
        head=(head.position, head.digest.hex()),
        since=since,
        not_read=not_read,
    )


@contextlib.contextmanager
def _database_checks(context: AuditContext, *, full: bool) -> Generator[Callable[[], Iterable[Finding]]]:
    """Run the checks that need only the database while the log is replayed, if the log is long.

    Yields a function to call afterwards, which returns the findings.
    """
    if not full:
        yield list
    elif context.head < MIN_EVENTS_FOR_SECOND_CONNECTION:
        yield lambda: _database(context)
    else:
        with ThreadPoolExecutor(1, "audit-database") as pool:
            yield pool.submit(_database_apart, context).result


def _database_apart(context: AuditContext) -> Iterable[Finding]:
    """Run the checks of the database on this thread's own connection to the shared snapshot."""
    try:
        with log_reader.shared_snapshot(context.snapshot):
            return _database(context)
    finally:
        connection.close()


def _database(context: AuditContext) -> Iterable[Finding]:
    notes = FindingCollector()
    comparison.check_database(notes, max_wait=context.max_wait)
    return notes.findings


def split(batches: Iterable[Sequence[Row]], position: int) -> Iterator[Sequence[Row]]:
    """Yield batches of sealed events, one of which ends at a position."""
    for rows in batches:
        last = rows[-1].position if rows and isinstance(rows[-1], CheckedEvent) else 0
        count = len(rows) - (last - position) if last > position > last - len(rows) else len(rows)
        yield from filter(None, (rows[:count], rows[count:]))


def save_state(replay: LogReplay, rows: Sequence[Row], *, at: int, save: SaveState | None) -> None:
    """Call `save` if a batch that was replayed ends at the position."""
    if save is not None and rows and isinstance(rows[-1], CheckedEvent) and rows[-1].position == at:
        with net(replay.collector.findings, f"state at position {at}"):
            save(at, saved_state.dump(replay.play_state()))


def _replay_log(
    context: AuditContext,
    *,
    scope: IncrementalScope | None,
    whole: bool,
    progress: Progress | None,
    save_at: int = 0,
    save: SaveState | None = None,
) -> PartialAudit:
    """Audit in one pass over the log; then check the derived state, unless `log_only`."""
    part, since = PartialAudit(), 0 if scope is None else scope.since
    streams = None if scope is None else scope.streams
    replay = LogReplay(FindingCollector(), disputed=log_reader.disputed_streams(streams))
    batches: Iterator[Sequence[Row]] = itertools.chain(
        () if scope is None else log_reader.read_history(scope, findings=part.chain_findings),
        split(log_reader.read_sealed(since=since, findings=part.chain_findings), save_at),
        [log_reader.read_unsealed()],
    )
    for rows in batches:
        replayed = replay.replay(rows)
        if whole:
            comparison.compare_batch(replay, replayed, replay.collector)
        save_state(replay, rows, at=save_at, save=save)
        if progress is not None:
            progress(min(replay.events, context.head), context.head)
    part.seconds = time.monotonic()
    if whole:
        playing = comparison.check_tables(replay, replay.collector, max_wait=context.max_wait)
        if scope is None:
            with net(replay.collector.findings, "secrets of shoes"):
                pending.check_unused_secrets(playing, replay.collector)
        else:
            comparison.check_database(replay.collector, max_wait=context.max_wait, scope=scope)
        comparison.check_other_streams(replay, replay.collector)
    part.findings, part.rounds, part.events = replay.collector.findings, replay.rounds, replay.events
    return part
