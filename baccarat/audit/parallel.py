"""The whole audit by several processes on one snapshot: tables in groups, all else beside them, each with its links.

The findings are those of one pass, in the same order, whatever the number of processes.
"""

import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from itertools import chain
from multiprocessing import get_context
from typing import Final
from uuid import UUID

from django.db import connections

from baccarat.audit import comparison, partitions, pending, snapshot
from baccarat.audit.child_process import begin
from baccarat.audit.findings import Notes
from baccarat.audit.fold import Followed
from baccarat.audit.partial import OthersPart, TablesPart, places_of
from baccarat.audit.partitions import Share
from casino.checkpoints import audit as checkpoints
from casino.checkpoints import replicas
from casino.events.partial import lacking
from casino.kernel.findings import Finding

LOT: Final = 1000
"""Events whose entries and rows are asked for at once."""
PARTS: Final = 3
"""Groups of tables for each process: the last ones to end are short."""

WORTH: Final = 100_000
"""Sealed events from which on several processes are worth the sharing out: a second or so of work for each.

One process works while PostgreSQL does, so that two cores are busy with it. On two cores, 135,000 events took two
processes the same processor time in all, and longer by the clock, as the sharing out comes before. They gain where
cores are free beside those two.
"""

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class Scene:
    """What every part is told: the shared snapshot's name, the position of its head, and how long what may wait."""

    snapshot: str
    head: int
    oldest: float
    kept: replicas.Beyond


@dataclass(slots=True)
class Part:
    """What one part came to. `playing` are the shoes in play, `used` those ever used, as numbers.

    `seconds` is when its log was done.
    """

    chain: list[Finding] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    rounds: int = 0
    events: int = 0
    playing: frozenset[UUID] = frozenset()
    used: frozenset[int] = frozenset()
    seconds: float = 0.0


Task = Callable[[Scene], Part]


@dataclass(frozen=True, slots=True)
class Tables:
    """One group of tables: their rounds followed, their money and rows compared."""

    share: Share

    def __call__(self, scene: Scene) -> Part:
        """Follow and judge them."""
        notes, chain = Notes(), list[Finding]()
        fold = TablesPart(notes, disputed=snapshot.disputed())
        events = _follow(fold, self.share, chain, scene)
        playing = frozenset(comparison.judge_tables(fold, notes, oldest=scene.oldest))
        return Part(chain, notes.findings, fold.rounds, events, playing, fold.used())


@dataclass(frozen=True, slots=True)
class Others:
    """Wallets, payments, chats and switches."""

    share: Share

    def __call__(self, scene: Scene) -> Part:
        """Follow and judge them."""
        notes, chain = Notes(), list[Finding]()
        fold = OthersPart(notes, places=places_of(snapshot.disputed()))
        events = _follow(fold, self.share, chain, scene)
        comparison.judge_others(fold, notes)
        return Part(chain, notes.findings, events=events)


@dataclass(frozen=True, slots=True)
class Database:
    """What needs no event to be read: what the log lacks, the ledger against itself, the checkpoints."""

    def __call__(self, scene: Scene) -> Part:
        notes = Notes()
        notes.findings.extend(checkpoints.check(scene.kept, now=snapshot.now()[0]))
        comparison.judge_database(notes, oldest=scene.oldest)
        return Part(list(lacking(upto=scene.head)), notes.findings)


def processes(jobs: int) -> Executor:
    """Start so many processes of our own on this one's databases.

    Where they can be forked they have all that was loaded; loading it again takes each as long as 30,000 events do.
    Call it while no other thread runs.
    """
    databases = {"default": dict(connections.settings["default"])}
    context = get_context("fork" if sys.platform == "linux" else "spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=begin, initargs=(databases,))
    pool.submit(os.getpid).result()  # the first task starts them all
    return pool


def tasks(jobs: int, *, head: int) -> list[Task]:
    """Share the work out for so many processes, the longest first."""
    others, tables = partitions.share_out(PARTS * jobs, upto=head)
    tables.sort(key=lambda share: -len(share.positions))
    return [Database(), *map(Tables, tables), Others(others)]


def work(task: Task, scene: Scene) -> Part:
    """Do one task in this process, on the shared snapshot."""
    with snapshot.without_collector(), snapshot.shared_snapshot(scene.snapshot):
        return task(scene)


def run(scene: Scene, *, jobs: int, pool: Executor, progress: Progress | None = None) -> list[Part]:
    """Have the pool do all of it, and return the parts, in no order."""
    shared = [pool.submit(work, task, scene) for task in tasks(jobs, head=scene.head)]
    parts: list[Part] = []
    for done in as_completed(shared):
        parts.append(done.result())
        if progress is not None:
            progress(scene.head * len(parts) // len(shared), scene.head)
    return parts


def merge(parts: Sequence[Part]) -> Part | None:
    """Put parts together; None when two of them used one shoe, which only one pass can put in order."""
    used = frozenset[int]().union(*(part.used for part in parts))
    if len(used) != sum(len(part.used) for part in parts):
        return None
    playing = frozenset[UUID]().union(*(part.playing for part in parts))
    notes = Notes()
    pending.check_unused(playing, notes)
    return Part(
        chain=[each for part in parts for each in part.chain],
        findings=[*notes.findings, *(each for part in parts for each in part.findings)],
        rounds=sum(part.rounds for part in parts),
        events=sum(part.events for part in parts),
    )


def _follow(fold: TablesPart | OthersPart, share: Share, findings: list[Finding], scene: Scene) -> int:
    """Follow a share of the log, then what waits, and compare money and ended rounds; returns how many were its own."""
    events, asked = 0, 0
    followed: list[Followed] = []
    judged = comparison.Batches(fold.notes, behind=True)
    sealed = partitions.sealed(share, snapshot=scene.snapshot, findings=findings)
    for rows, forms in chain(sealed, [(partitions.waiting(share), None)]):
        followed += [
            each
            for each in fold.follow(rows, forms if fold.usual else None)
            if type(each[1]).__name__ not in fold.strange
        ]
        events += sum(row.type not in fold.strange for row in rows)
        if fold.events - asked >= LOT:
            judged.add(fold, followed)
            asked, followed = fold.events, []
            fold.forget()
    judged.add(fold, followed)
    judged.finish()
    fold.forget()
    return events
