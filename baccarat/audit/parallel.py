"""Runs a full audit in several processes on one snapshot: tables in groups, other streams, the database.

Findings and their order are those of one pass, whatever the number of processes.
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
"""Connections inherited through fork: neither used nor closed, because closing would end the parent's sessions."""


def set_up_process(databases: dict[str, dict[str, Any]]) -> None:
    """Set up Django in a worker process, with connections of its own to the parent's databases."""
    settings.DATABASES = databases
    django.setup()
    for alias in databases:
        connections.settings[alias]["OPTIONS"].pop("pool", None)
        _PARENTS.append(connections[alias])
        del connections[alias]


GROUPS_PER_PROCESS: Final = 3
"""Groups of tables per process; small groups at the end balance the load."""

MIN_EVENTS_FOR_PROCESSES: Final = 100_000
"""Number of sealed events from which several processes are worth starting: about a second of work each.

One process works while PostgreSQL does, which occupies two cores. On two cores, 135,000 events took two processes the
same processor time in total and more wall-clock time, because of the partitioning. More processes pay off with further
free cores.
"""

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class AuditContext:
    """Shared by all parts: the snapshot's name, the position of its head, and the maximum wait."""

    snapshot: str
    head: int
    max_wait: float
    replicas: replicas.UnknownCopies


@dataclass(slots=True)
class PartialAudit:
    """Result of one part. `playing` are the shoes in play, `used` those ever used, as numbers.

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
    """Audits one group of tables: replays their rounds, compares their money and rows."""

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
    """Audits wallets, payments, chats and kill switches."""

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
    """Checks what needs no replay: gaps in the log, the ledger against itself, the checkpoints."""

    def __call__(self, scene: AuditContext) -> PartialAudit:
        notes = FindingCollector()
        notes.findings.extend(checkpoints.check(scene.replicas, now=snapshot.snapshot_time()[0]))
        comparison.check_database(notes, max_wait=scene.max_wait)
        return PartialAudit(list(find_missing(upto=scene.head)), notes.findings)


def start_processes(jobs: int) -> Executor:
    """Start this many worker processes on this process's databases.

    Forked processes share loaded modules; loading them again costs as much as 30,000 events per process. Call it while
    no other thread runs.
    """
    databases = {"default": dict(connections.settings["default"])}
    context = get_context("fork" if sys.platform == "linux" else "spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=set_up_process, initargs=(databases,))
    pool.submit(os.getpid).result()  # the first task starts all processes
    return pool


def split_tasks(jobs: int, *, head: int) -> list[Task]:
    """Split the work for this many processes, longest tasks first."""
    others, tables = partitions.partition_log(GROUPS_PER_PROCESS * jobs, upto=head)
    tables.sort(key=lambda share: -len(share.positions))
    return [DatabaseTask(), *map(TableGroupTask, tables), OtherStreamsTask(others)]


def run_task(task: Task, scene: AuditContext) -> PartialAudit:
    """Run one task in this process, on the shared snapshot."""
    with snapshot.shared_snapshot(scene.snapshot):
        return task(scene)


def run_tasks(
    scene: AuditContext, *, jobs: int, pool: Executor, progress: Progress | None = None
) -> list[PartialAudit]:
    """Run all tasks in the pool, and return the parts in any order."""
    shared = [pool.submit(run_task, task, scene) for task in split_tasks(jobs, head=scene.head)]
    parts: list[PartialAudit] = []
    for done in as_completed(shared):
        parts.append(done.result())
        if progress is not None:
            progress(scene.head * len(parts) // len(shared), scene.head)
    return parts


def merge(parts: Sequence[PartialAudit]) -> PartialAudit | None:
    """Merge the parts; None if two of them used the same shoe, which only a single pass can put in order."""
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
    """Replay a share of the log, check what waits, and compare money and ended rounds."""
    sealed = partitions.read_sealed(share, snapshot=scene.snapshot, findings=findings)
    batches: Iterator[Sequence[Row]] = chain(sealed, [partitions.read_unsealed(share)])
    for rows in batches:
        comparison.compare_batch(fold, fold.replay(rows), fold.collector)
