"""The audit of everything: log, rounds, ledger and read models, on one snapshot, by one pass or by many processes."""

import contextlib
import itertools
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Final

from django.db import connection

from baccarat.audit import comparison, incremental, money, parallel, pending, snapshot
from baccarat.audit.finding_order import in_order
from baccarat.audit.findings import Notes
from baccarat.audit.fold import Fold, Followed
from baccarat.audit.parallel import Part, Progress, Scene
from baccarat.audit.report import Report
from baccarat.audit.rows import Batch
from casino.checkpoints import audit as checkpoints
from casino.checkpoints import replicas
from casino.checkpoints.document import Checkpoint
from casino.events.verification import Head, against, head_mark
from casino.kernel.findings import Finding

BESIDE = 20_000
"""Sealed events from which on a second connection is worth its start."""
OLDEST = 60.0
"""Seconds that anything may wait for its seal, its cards or a person."""

INCREMENTAL: Final = """
An audit since a checkpoint says: the checkpoint is signed by a trusted key and agrees with its copy outside, and the
tree that is kept has its root; every event sealed after it follows by chain and tree; each table that anything has
happened to since then, in it or in one of its rounds, follows by the rules from its first event on, each event agrees
with its own seal, its money moved as it says, and all its rows are as they should be; so do wallets, payments, limits
and chats; and the accounts that were moved since then agree with their postings, from the first on. What it does not
read: tables that nothing has happened to, their rounds, rows and entries, accounts that were not moved, rows that no
event stands behind, and links of the chain before the checkpoint. For that, audit in full.
"""
"""Said by the command as well."""


def run(
    *,
    since: int = 0,
    checkpoint: Checkpoint | None = None,
    expected: Head | None = None,
    oldest: float = OLDEST,
    progress: Progress | None = None,
    log_only: bool = False,
    jobs: int = 1,
    pool: Executor | None = None,
) -> Report:
    """Audit the database that Django is connected to, read only and undisturbed by what is written meanwhile.

    The log is held against its checkpoints too, those in the database and those outside.

    With a position `since`, or that of a good `checkpoint`, it reads what was touched after it: see `INCREMENTAL`.
    `expected` is a head kept from an earlier audit. `oldest` is in seconds. `progress(done, total)` is told about
    events. With `log_only`, events are checked against the chain and the rules, and nothing else. A `pool` of `jobs`
    processes (`parallel.processes`) shares the work of a full audit, and finds the same. Call it outside of any
    transaction.
    """
    start = time.monotonic()
    since = max(since, 0 if checkpoint is None else checkpoint.position)
    kept = replicas.beyond()  # before the snapshot, which then holds what was signed for them
    with snapshot.without_collector(), snapshot.snapshot():
        head, part = head_mark(), None
        scene = Scene(snapshot.share(), head.position, oldest, kept)
        if pool is not None and not since and not log_only:
            part = parallel.merge(parallel.run(scene, jobs=jobs, pool=pool, progress=progress))
        if part is None:
            with _beside(scene, full=not since and not log_only) as database:
                part = _alone(scene, since=min(since, head.position), whole=not log_only, progress=progress)
            part.findings.extend(database())
            part.seconds -= start
            if not log_only:
                part.findings.extend(checkpoints.check(kept, now=snapshot.now()[0], since=checkpoint))
        part.chain.extend(() if expected is None else against(expected))
        entries = 0 if log_only else money.entries()
    return Report(
        rounds=part.rounds,
        events=part.events,
        entries=entries,
        findings=(*in_order(part.chain), *in_order(part.findings)),
        seconds=time.monotonic() - start,
        log_seconds=part.seconds,
        head=(head.position, head.digest.hex()),
        since=min(since, head.position),
    )


@contextlib.contextmanager
def _beside(scene: Scene, *, full: bool) -> Generator[Callable[[], list[Finding]]]:
    """What a full audit asks of the database alone: PostgreSQL works on it while we follow a log that takes a while.

    Yields what waits for the findings, to be called afterwards.
    """
    if not full:
        yield list
    elif scene.head < BESIDE:
        yield lambda: _database(scene)
    else:
        with ThreadPoolExecutor(1, "audit-database") as pool:
            yield pool.submit(_database_apart, scene).result


def _database_apart(scene: Scene) -> list[Finding]:
    """The same by a connection of this thread's own, on the shared snapshot."""
    try:
        with snapshot.shared_snapshot(scene.snapshot):
            return _database(scene)
    finally:
        connection.close()


def _database(scene: Scene) -> list[Finding]:
    notes = Notes()
    comparison.judge_database(notes, oldest=scene.oldest)
    return notes.findings


def _alone(scene: Scene, *, since: int, whole: bool, progress: Progress | None) -> Part:
    """One pass over the log and then, unless only the log is wanted, over all that follows from it."""
    part, seen = Part(), incremental.after(since, oldest=scene.oldest) if since else None
    streams = None if seen is None else seen.streams
    fold = Fold(Notes(), disputed=snapshot.disputed(streams), whole=whole)
    batches = itertools.chain(
        () if seen is None else incremental.history(seen, findings=part.chain),
        snapshot.sealed(since=since, findings=part.chain),
        [(snapshot.waiting(), None)],
    )
    judged = comparison.Batches(fold.notes, behind=seen is None)
    for due in _followed(fold, batches, progress=progress, head=scene.head):
        if whole:
            judged.add(fold, due)
        fold.forget()
    judged.finish()
    part.seconds = time.monotonic()
    if whole:
        playing = comparison.judge_tables(fold, fold.notes, oldest=scene.oldest)
        if seen is None:
            pending.check_unused(playing, fold.notes)
        else:
            comparison.judge_database(fold.notes, oldest=scene.oldest, touched=seen)
        comparison.judge_others(fold, fold.notes)
    part.findings, part.rounds, part.events = fold.notes.findings, fold.rounds, fold.events
    return part


def _followed(
    fold: Fold, batches: Iterable[Batch], *, progress: Progress | None, head: int
) -> Iterator[list[Followed]]:
    """Follow all, and hand out what is to be judged before it is forgotten, some thousand events at a time."""
    due: list[Followed] = []
    judged = 0
    for rows, forms in batches:
        due.extend(fold.follow(rows, forms))
        if fold.events - judged >= parallel.LOT:
            yield due
            due, judged = [], fold.events
        if progress is not None:
            progress(min(fold.events, head), head)
    yield due
