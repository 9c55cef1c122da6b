"""One pass over everything: log, rounds, ledger and read models, on one snapshot of the database."""

import itertools
import time
from collections.abc import Callable
from typing import Final

from baccarat.audit import money, pending, read_models, reading, versioning
from baccarat.audit.fold import Fold
from baccarat.audit.notes import Notes
from baccarat.audit.report import Report
from casino.checkpoints import audit as checkpoints
from casino.checkpoints import outside
from casino.checkpoints.document import Checkpoint
from casino.events.verification import Head, head_mark, inspect

OLDEST = 60.0
"""Seconds that anything may wait for its seal, its cards or a person."""

INCREMENTAL: Final = """
An audit since a checkpoint says: the checkpoint is signed by a trusted key and agrees with its copy outside, and the
tree that is kept has its root; every event sealed after it follows by chain, tree and rules, and its entry is the one
that it leads to; rounds that ended after it or run still have the rows they should; and, as in full, the whole ledger
agrees with itself, and tables, seats, payments and limits with all events. It can't say that events, seals and
entries from before the checkpoint, and the rows of rounds that ended before, are still what a full audit found: for
that, audit in full.
"""
"""Said by the command as well."""

Progress = Callable[[int, int], object]


def run(
    *,
    since: int = 0,
    checkpoint: Checkpoint | None = None,
    expected: Head | None = None,
    oldest: float = OLDEST,
    progress: Progress | None = None,
    log_only: bool = False,
) -> Report:
    """This will audit the database that Django is connected to, read only and undisturbed by what is written meanwhile.

    The log is held against its checkpoints too, those in the database and those outside.

    Events up to position `since`, or that of a good `checkpoint`, are followed but not checked: see `INCREMENTAL`.
    `expected` is a head kept from an earlier audit. `oldest` is in seconds. `progress(done, total)` is told about
    events. With `log_only`, events are checked against the chain and the rules, and nothing else. Call it outside of
    any transaction.
    """
    start = time.monotonic()
    since = max(since, 0 if checkpoint is None else checkpoint.position)
    notes = Notes()
    kept = outside.beyond()  # before the snapshot, which then holds what was signed for them
    with reading.without_collector(), reading.snapshot():
        fold = Fold(notes, disputed=reading.disputed())
        head = head_mark()
        _log(fold, since=min(since, head.position), expected=expected, head=head, progress=progress, log_only=log_only)
        log_seconds = time.monotonic() - start
        if not log_only:
            notes.findings.extend(checkpoints.check(kept, now=reading.now()[0], since=checkpoint))
            _state(fold, oldest=oldest)
        entries = 0 if log_only else money.entries()
    return Report(
        rounds=fold.rounds,
        events=fold.events,
        entries=entries,
        findings=tuple(notes.findings),
        seconds=time.monotonic() - start,
        log_seconds=log_seconds,
        head=(head.position, head.digest.hex()),
    )


def _log(
    fold: Fold, *, since: int, expected: Head | None, head: Head, progress: Progress | None, log_only: bool
) -> None:
    """Follow the sealed log, then what is not sealed yet."""
    notes, chain = fold.notes, Notes()
    for batch in itertools.chain(
        reading.before(since), reading.sealed(since=since, findings=chain.findings, expected=expected)
    ):
        notes.on = batch[-1].position > since if batch else notes.on
        followed = fold.follow(batch)
        if notes.on and not log_only:
            money.compare(followed, notes)
            read_models.compare_rounds(fold.ended, notes)
        fold.ended.clear()
        if progress is not None:
            progress(fold.events, head.position)
    notes.on = True
    notes.findings[:0] = chain.findings
    followed = fold.follow(reading.waiting())
    if not log_only:
        money.compare(followed, notes)
        read_models.compare_rounds(fold.ended, notes)
        fold.ended.clear()


def _state(fold: Fold, *, oldest: float) -> None:
    """What the events have led to by now, against what the database holds."""
    notes = fold.notes
    now, age = reading.now()
    notes.findings.extend(inspect(oldest=oldest + age))
    read_models.compare_rounds([*fold.running.values(), *fold.held.values()], notes)
    read_models.compare_tables(list(fold.tables.values()), notes)
    read_models.compare_switches(fold.switches.rows.values(), notes)
    notes.findings.extend(fold.switches.check_tables(fold.tables.values()))
    notes.findings.extend(versioning.compare(fold.tables.values()))
    read_models.find_extra(notes)
    money.check_itself(notes)
    fold.wallets.check_state()
    for finding in fold.chats.check_state():
        notes.add(finding.what, finding.where, finding.expected, finding.found)
    pending.check_rounds(fold, notes, now=now, oldest=oldest)
    pending.check_secrets(fold, notes)
