"""Run a full audit in several processes on one snapshot: tables in groups, other streams, the database.

Findings and their order are those of one pass, whatever the number of processes.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from multiprocessing import get_context
from typing import Any, ClassVar, Final
from uuid import UUID

import django
from django.conf import settings
from django.db import connections

from baccarat.audit import beside_log, comparison, log_reader, pending
from baccarat.audit.log_reader import SHARED_EVENT_TYPES, LogPartition
from baccarat.audit.log_replay import STOP_EVENT_TYPES, LogReplay
from baccarat.audit.report import FindingCollector, Row
from baccarat.audit.wallets import WalletTraces
from baccarat.domain.postings import TableAccounts
from baccarat.domain.rounds.events import RoundOpened, RoundVoided
from baccarat.domain.tables.events import TableOpened
from baccarat.storage.event_registry import CATALOGUE
from casino.checkpoints import replicas
from casino.events import store
from casino.events.codec import MalformedEvent, UnknownEvent
from casino.events.netting import net, run_checks
from casino.events.verification import find_missing
from casino.kernel.findings import Finding, Findings


class _IgnoredWallets(WalletTraces):
    """Stands in for wallets that another part replays."""

    def check_may_wager(self, player: UUID, *, at: datetime, row: Row) -> None:
        """Do nothing: the part with the wallets checks this."""

    def record_debt(self, *, operator: UUID, player: UUID, currency: str, amount: int) -> None:
        """Do nothing: the part with the wallets records this."""


class TableGroupReplay(LogReplay):
    """Some tables with their rounds. Replays switches to check the tables, without checking the switches."""

    wallets_class: ClassVar = _IgnoredWallets
    effects: ClassVar = {}
    foreign_types: ClassVar = STOP_EVENT_TYPES

    def used_shoes(self) -> frozenset[int]:
        """Return the shoes and commitments of this part, as numbers made of their last characters."""
        return frozenset(int.from_bytes(each[-16:].encode()) for each in self._shoes)

    def _other(self, row: Row, event: Any) -> TableAccounts | None:
        if row.type not in STOP_EVENT_TYPES:
            return super()._other(row, event)
        list(self.switches.replay(event, stream=row.stream, version=row.version, where=""))
        return None


class OtherStreamsReplay(LogReplay):
    """Wallets, chats and switches; of rounds, only wagers and debts after voids."""

    foreign_types: ClassVar = frozenset(SHARED_EVENT_TYPES)

    def __init__(self, notes: FindingCollector, *, accounts: Mapping[str, TableAccounts]) -> None:
        super().__init__(notes)
        self._accounts = accounts

    def _round(self, row: Row, event: Any, step: Any) -> TableAccounts | None:
        del step
        if isinstance(event, RoundVoided):
            accounts = self._accounts.get(row.stream)
            if accounts is not None:
                self._debts(event, accounts)
        else:
            self.wallets.check_may_wager(event.player, at=event.confirmed_at, row=row)
        return None

    def _table(self, row: Row, event: Any) -> None:
        """Do nothing: the groups of tables replay these, whose changes are checked here."""

    def _open_table(self, row: Row, event: TableOpened) -> None:
        """Do nothing, too."""


def accounts_by_stream(streams: Iterable[str]) -> dict[str, TableAccounts]:
    """Return the accounts of rounds, by the first events of their streams and of their tables."""
    opened = {stream: _first(rows, RoundOpened) for stream, rows in store.read_many(list(streams)).items()}
    tables = {each.table: f"table-{each.table}" for each in opened.values() if each is not None}
    first = {stream: _first(rows, TableOpened) for stream, rows in store.read_many(list(tables.values())).items()}
    accounts = {}
    for stream, round_ in opened.items():
        table = None if round_ is None else first[tables[round_.table]]
        if table is not None:
            accounts[stream] = TableAccounts(table.operator, table.table, table.rules.decoded.currency)
    return accounts


def _first(rows: Sequence[Row], kind: type) -> Any:
    """Return a stream's first event if it is of that type and can be decoded, else None."""
    for row in rows[:1]:
        try:
            event = CATALOGUE.decode(row.type, row.schema, row.data)
        except (MalformedEvent, UnknownEvent):  # a finding of the part that replays it
            return None
        return event if isinstance(event, kind) else None
    return None


_PARENT_CONNECTIONS: Final[list[Any]] = []
"""Connections inherited through fork: neither used nor closed, because closing would end the parent's sessions."""


def set_up_process(databases: dict[str, dict[str, Any]]) -> None:
    """Set up Django in a worker process, with connections of its own to the parent's databases."""
    settings.DATABASES = databases
    django.setup()
    for alias in databases:
        connections.settings[alias]["OPTIONS"].pop("pool", None)
        _PARENT_CONNECTIONS.append(connections[alias])
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
    """Result of one part. `used_shoes` are those ever used, as numbers.

    `seconds` is when its replay ended.
    """

    chain_findings: Findings = field(default_factory=Findings)
    findings: Findings = field(default_factory=Findings)
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

    def __call__(self, context: AuditContext) -> PartialAudit:
        """Replay the group and check it against the database."""
        notes, broken = FindingCollector(), Findings()
        replay = TableGroupReplay(notes, disputed=log_reader.disputed_streams())
        _replay(replay, self.partition, broken, context)
        playing = frozenset(comparison.check_tables(replay, notes, max_wait=context.max_wait))
        return PartialAudit(broken, notes.findings, replay.rounds, replay.events, playing, replay.used_shoes())


@dataclass(frozen=True, slots=True)
class OtherStreamsTask:
    """Audits wallets, payments, chats and kill switches."""

    partition: LogPartition

    def __call__(self, context: AuditContext) -> PartialAudit:
        """Replay the group and check it against the database."""
        notes, broken = FindingCollector(), Findings()
        replay = OtherStreamsReplay(notes, accounts=accounts_by_stream(log_reader.disputed_streams()))
        _replay(replay, self.partition, broken, context)
        comparison.check_other_streams(replay, notes)
        return PartialAudit(broken, notes.findings, events=replay.events)


@dataclass(frozen=True, slots=True)
class DatabaseTask:
    """Checks what needs no replay: gaps in the log, the ledger against itself, the checkpoints."""

    def __call__(self, context: AuditContext) -> PartialAudit:
        notes = FindingCollector()
        notes.findings.extend(beside_log.check(context.replicas, now=log_reader.snapshot_time()[0]))
        comparison.check_database(notes, max_wait=context.max_wait)
        missing = Findings(run_checks(("positions", lambda: find_missing(upto=context.head))))
        return PartialAudit(missing, notes.findings)


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
    others, tables = log_reader.partition_log(GROUPS_PER_PROCESS * jobs, upto=head)
    tables.sort(key=lambda partition: -len(partition.positions))
    return [DatabaseTask(), *map(TableGroupTask, tables), OtherStreamsTask(others)]


def run_task(task: Task, context: AuditContext) -> PartialAudit:
    """Run one task in this process, on the shared snapshot."""
    with log_reader.shared_snapshot(context.snapshot):
        return task(context)


def run_tasks(
    context: AuditContext, *, jobs: int, pool: Executor, progress: Progress | None = None
) -> list[PartialAudit]:
    """Run all tasks in the pool, and return the parts in any order."""
    futures = [pool.submit(run_task, task, context) for task in split_tasks(jobs, head=context.head)]
    parts: list[PartialAudit] = []
    for future in as_completed(futures):
        parts.append(future.result())
        if progress is not None:
            progress(context.head * len(parts) // len(futures), context.head)
    return parts


def merge(parts: Sequence[PartialAudit]) -> PartialAudit | None:
    """Merge the parts; None if two of them used the same shoe, which only a single pass can put in order."""
    used = frozenset[int]().union(*(part.used_shoes for part in parts))
    if len(used) != sum(len(part.used_shoes) for part in parts):
        return None
    playing = frozenset[UUID]().union(*(part.shoes_in_play for part in parts))
    notes = FindingCollector()
    with net(notes.findings, "secrets of shoes"):
        pending.check_unused_secrets(playing, notes)
    return PartialAudit(
        chain_findings=Findings(found for part in parts for found in part.chain_findings),
        findings=Findings(chain(notes.findings, *(part.findings for part in parts))),
        rounds=sum(part.rounds for part in parts),
        events=sum(part.events for part in parts),
    )


def _replay(
    replay: TableGroupReplay | OtherStreamsReplay,
    partition: LogPartition,
    findings: list[Finding],
    context: AuditContext,
) -> None:
    """Replay a share of the log, check what waits, and compare money and ended rounds."""
    sealed = log_reader.read_partition(partition, snapshot=context.snapshot, findings=findings)
    batches: Iterator[Sequence[Row]] = chain(sealed, [log_reader.read_unsealed_partition(partition)])
    for rows in batches:
        comparison.compare_batch(replay, replay.replay(rows), replay.collector)
