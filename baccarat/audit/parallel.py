"""The whole audit by several processes on one snapshot: tables in groups, all else beside them, each with its links.

The findings are those of one pass, in the same order, whatever the number of processes.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from itertools import chain
from multiprocessing import get_context
from typing import Any, Final
from uuid import UUID

import django
from django.conf import settings
from django.db import connections

from baccarat.audit import comparison, partitions, pending, snapshot
from baccarat.audit.findings import FindingCollector
from baccarat.audit.partial import OtherStreamsReplay, TableGroupReplay, accounts_by_stream
from baccarat.audit.partitions import LogPartition
from baccarat.audit.rows import Row
from casino.checkpoints import audit as checkpoints
from casino.checkpoints import replicas
from casino.events.partial import find_missing
from casino.kernel.findings import Finding

_PARENTS: Final[list[Any]] = []
"""Connections of the process that we were forked from: never to be used, nor closed, which would end its sessions."""


def set_up_process(databases: dict[str, dict[str, Any]]) -> None:
    """Set Django up on the databases of the process that shares its work, with connections of our own."""
    settings.DATABASES = databases
    django.setup()
    for alias in databases:
        connections.settings[alias]["OPTIONS"].pop("pool", None)
        _PARENTS.append(connections[alias])
        del connections[alias]


GROUPS_PER_PROCESS: Final = 3
"""Groups of tables for each process: the last ones to end are short."""

MIN_EVENTS_FOR_PROCESSES: Final = 100_000
"""Sealed events from which on several processes are worth the sharing out: a second or so of work for each.

One process works while PostgreSQL does, so that two cores are busy with it. On two cores, 135,000 events took two
processes the same processor time in all, and longer by the clock, as the sharing out comes before. They gain where
cores are free beside those two.
"""

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class AuditContext:
    """What every part is told: the shared snapshot's name, the position of its head, and how long what may wait."""

    snapshot: str
    head: int
    max_wait: float
    replicas: replicas.UnknownCopies


@dataclass(slots=True)
class PartialAudit:
    """What one part came to. `playing` are the shoes in play, `used` those ever used, as numbers.

    `seconds` is when its log was done.
    """

    chain_findings: list[Finding] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    rounds: int = 0
    events: int = 0
    shoes_in_play: frozenset[UUID] = frozenset()
    used_shoes: frozenset[int] = frozenset()
    seconds: float = 0.0


Task = Callable[[AuditContext], PartialAudit]


@dataclass(frozen=True, slots=True)
class TableGroupTask:
    """One group of tables: their rounds followed, their money and rows compared."""

    partition: LogPartition

    def __call__(self, scene: AuditContext) -> PartialAudit:
        """Follow and judge them."""
        notes, chain = FindingCollector(), list[Finding]()
        fold = TableGroupReplay(notes, disputed=snapshot.disputed_streams())
        _follow(fold, self.partition, chain, scene)
        playing = frozenset(comparison.check_tables(fold, notes, max_wait=scene.max_wait))
        return PartialAudit(chain, notes.findings, fold.rounds, fold.events, playing, fold.used_shoes())


@dataclass(frozen=True, slots=True)
class OtherStreamsTask:
    """Wallets, payments, chats and switches."""

    partition: LogPartition

    def __call__(self, scene: AuditContext) -> PartialAudit:
        """Follow and judge them."""
        notes, chain = FindingCollector(), list[Finding]()
        fold = OtherStreamsReplay(notes, accounts=accounts_by_stream(snapshot.disputed_streams()))
        _follow(fold, self.partition, chain, scene)
        comparison.check_other_streams(fold, notes)
        return PartialAudit(chain, notes.findings, events=fold.events)


@dataclass(frozen=True, slots=True)
class DatabaseTask:
    """What needs no event to be read: what the log lacks, the ledger against itself, the checkpoints."""

    def __call__(self, scene: AuditContext) -> PartialAudit:
        notes = FindingCollector()
        notes.findings.extend(checkpoints.check(scene.replicas, now=snapshot.snapshot_time()[0]))
        comparison.check_database(notes, max_wait=scene.max_wait)
        return PartialAudit(list(find_missing(upto=scene.head)), notes.findings)


def start_processes(jobs: int) -> Executor:
    """Start so many processes of our own on this one's databases.

    Where they can be forked they have all that was loaded; loading it again takes each as long as 30,000 events do.
    Call it while no other thread runs.
    """
    databases = {"default": dict(connections.settings["default"])}
    context = get_context("fork" if sys.platform == "linux" else "spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=set_up_process, initargs=(databases,))
    pool.submit(os.getpid).result()  # the first task starts them all
    return pool


def split_tasks(jobs: int, *, head: int) -> list[Task]:
    """Share the work out for so many processes, the longest first."""
    others, tables = partitions.partition_log(GROUPS_PER_PROCESS * jobs, upto=head)
    tables.sort(key=lambda share: -len(share.positions))
    return [DatabaseTask(), *map(TableGroupTask, tables), OtherStreamsTask(others)]


def run_task(task: Task, scene: AuditContext) -> PartialAudit:
    """Do one task in this process, on the shared snapshot."""
    with snapshot.shared_snapshot(scene.snapshot):
        return task(scene)


def run_tasks(
    scene: AuditContext, *, jobs: int, pool: Executor, progress: Progress | None = None
) -> list[PartialAudit]:
    """Have the pool do all of it, and return the parts, in no order."""
    shared = [pool.submit(run_task, task, scene) for task in split_tasks(jobs, head=scene.head)]
    parts: list[PartialAudit] = []
    for done in as_completed(shared):
        parts.append(done.result())
        if progress is not None:
            progress(scene.head * len(parts) // len(shared), scene.head)
    return parts


def merge(parts: Sequence[PartialAudit]) -> PartialAudit | None:
    """Put parts together; None when two of them used one shoe, which only one pass can put in order."""
    used = frozenset[int]().union(*(part.used_shoes for part in parts))
    if len(used) != sum(len(part.used_shoes) for part in parts):
        return None
    playing = frozenset[UUID]().union(*(part.shoes_in_play for part in parts))
    notes = FindingCollector()
    pending.check_unused_secrets(playing, notes)
    return PartialAudit(
        chain_findings=[each for part in parts for each in part.chain_findings],
        findings=[*notes.findings, *(each for part in parts for each in part.findings)],
        rounds=sum(part.rounds for part in parts),
        events=sum(part.events for part in parts),
    )


def _follow(
    fold: TableGroupReplay | OtherStreamsReplay, share: LogPartition, findings: list[Finding], scene: AuditContext
) -> None:
    """Follow a share of the log, then what waits, and compare money and ended rounds."""
    sealed = partitions.read_sealed(share, snapshot=scene.snapshot, findings=findings)
    batches: Iterator[Sequence[Row]] = chain(sealed, [partitions.read_unsealed(share)])
    for rows in batches:
        comparison.compare_batch(fold, fold.replay(rows), fold.collector)
