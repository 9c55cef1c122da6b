"""Audits of a part of the log that begin from a saved state: since a checkpoint, or a range replayed again.

Their cost is that of the part, however long the log is.
"""

import itertools
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from baccarat.audit import beside_log, comparison, log_reader, parallel, pending, saved_state
from baccarat.audit.engine import MAX_WAIT_SECONDS, SaveState, compare_schema, save_state, split
from baccarat.audit.log_reader import TABLE_EVENT_TYPES
from baccarat.audit.log_replay import LogReplay
from baccarat.audit.parallel import AuditContext, OtherStreamsTask, TableGroupReplay
from baccarat.audit.report import AuditReport, FindingCollector, Row, sort_findings
from casino.checkpoints import replicas
from casino.checkpoints.records import SignedCheckpoint
from casino.events.netting import net
from casino.events.verification import Head, LogRange, current_head, head_at, range_between, range_from
from casino.kernel.findings import Finding, Findings

STATE_DIFFERS: Final = "state after a range differs"
NOT_READ_SINCE: Final = (
    "rounds that ended before the checkpoint, with their events, rows and entries, unless they were voided since",
    "shoes used before the checkpoint, which none may repeat",
    "wallets, payments and chats that nothing has happened to since",
    "links of the chain and checkpoints before it",
    "rows that only manifests made before the checkpoint hold",
)
"""What an audit that continues from a checkpoint does not look at."""
NOT_READ_IN_RANGE: Final = ("events outside of the range", "shoes used outside of the range, which none may repeat")
NOT_READ_OF_OTHERS: Final = ("tables and rounds",)

Replay = TypeVar("Replay", bound=LogReplay)


@dataclass(frozen=True, slots=True)
class AuditStart:
    """The state of all tables at the position of a trusted checkpoint, from signed bytes."""

    checkpoint: SignedCheckpoint
    state: bytes


def audit_since(
    start: AuditStart, *, save_at: int = 0, save: SaveState | None = None, max_wait: float = MAX_WAIT_SECONDS
) -> AuditReport:
    """Audit what happened since a state; call `save` when the position `save_at` is reached.

    Everything that is now is compared with it: tables, balances, secrets, rights, schema. Call it outside of any
    transaction.
    """
    began, checkpoint = time.monotonic(), start.checkpoint
    kept = replicas.read_unknown_copies()  # before the snapshot, which then contains the checkpoints
    with log_reader.snapshot():
        head, log, chain, notes = current_head(), range_from(checkpoint.size), Findings(), FindingCollector()
        replay = _continue(LogReplay(notes), log, start.state, with_others=True, chain=chain)
        for rows in _batches(log, chain, split_at=save_at):
            comparison.compare_batch(replay, replay.replay(rows), notes)
            save_state(replay, rows, at=save_at, save=save)
        replayed = time.monotonic()
        playing = comparison.check_tables(replay, notes, max_wait=max_wait)
        with net(notes.findings, "secrets of shoes"):
            pending.check_unused_secrets(playing, notes)
        comparison.check_range(notes, log, max_wait=max_wait)
        comparison.check_balances(notes)
        comparison.check_other_streams(replay, notes, only=log)
        now, _ = log_reader.snapshot_time()
        not_compared = compare_schema(notes)
        findings = [*notes.findings, *beside_log.check(kept, now=now, since=checkpoint)]
        entries = comparison.count_entries(log)
    return _report(
        replay, chain, findings, began=began, replayed=replayed, entries=entries, head=head, since=checkpoint.size,
        not_read=(*NOT_READ_SINCE, *not_compared),
    )  # fmt: skip


def advance(since: int, upto: int, *, state: bytes | None, save: SaveState) -> AuditReport:
    """Audit a range of an old log for the first time, from the state at its beginning, None for that of the log.

    Check the chain, the rules and money of all streams, the rows of rounds that ended in the range, and the entries;
    call `save` at its end. Call it outside of any transaction.
    """
    began = time.monotonic()
    with log_reader.snapshot():
        log, chain, notes = range_between(since, upto), Findings(), FindingCollector()
        replay = _continue(LogReplay(notes), log, state, with_others=True, chain=chain)
        for rows in _batches(log, chain):
            comparison.compare_batch(replay, replay.replay(rows), notes)
        save(upto, saved_state.dump(replay.play_state()))
        replayed = time.monotonic()
        comparison.check_range(notes, log)
        entries, head = comparison.count_entries(log), head_at(upto)
    return _report(
        replay, chain, notes.findings, began=began, replayed=replayed, entries=entries, head=head, since=since,
        not_read=NOT_READ_IN_RANGE,
    )  # fmt: skip


def replay_range(since: int, upto: int, *, state: bytes | None, end: bytes) -> AuditReport:
    """Replay the tables in a range of the log from the state at its beginning, None for the beginning of the log.

    Check the chain, rules and money; the rows of rounds that ended in the range; the entries; and that the range leads
    to the state at its `end`. Call it outside of any transaction.
    """
    began = time.monotonic()
    with log_reader.snapshot():
        log, chain, notes = range_between(since, upto), Findings(), FindingCollector()
        replay = _continue(TableGroupReplay(notes), log, state, with_others=False, chain=chain)
        for rows in _batches(log, chain):
            of_tables = [row for row in rows if row.type in TABLE_EVENT_TYPES]
            comparison.compare_batch(replay, replay.replay(of_tables), notes)
        replayed = time.monotonic()
        comparison.check_range(notes, log)
        _compare_states(saved_state.load(end, notes).summary(), replay.play_state().summary(), upto, notes)
        entries, head = comparison.count_entries(log), head_at(upto)
    return _report(
        replay, chain, notes.findings, began=began, replayed=replayed, entries=entries, head=head, since=since,
        not_read=NOT_READ_IN_RANGE,
    )  # fmt: skip


def unreadable(since: int, upto: int, finding: Finding) -> AuditReport:
    """Return the report of a range that can't be replayed."""
    return AuditReport(0, 0, 0, (finding,), 0.0, 0.0, (upto, head_at(upto).digest.hex()), since, NOT_READ_IN_RANGE)


def audit_other_streams(*, max_wait: float = MAX_WAIT_SECONDS) -> AuditReport:
    """Replay wallets, payments, limits and chats from their first events, and check the tree of all digests.

    Call it outside of any transaction.
    """
    began = time.monotonic()
    kept = replicas.read_unknown_copies()
    with log_reader.snapshot():
        head = current_head()
        context = AuditContext(log_reader.export_snapshot(), head.position, max_wait, kept)
        part = OtherStreamsTask(log_reader.partition_others(upto=head.position))(context)
        replayed, notes = time.monotonic(), FindingCollector()
        comparison.find_extra(notes, of_rounds=False)
        now, _ = log_reader.snapshot_time()
        findings = [*part.findings, *notes.findings, *beside_log.check(kept, now=now)]
    return _report(
        part, part.chain_findings, findings, began=began, replayed=replayed, entries=0, head=head, since=0,
        not_read=NOT_READ_OF_OTHERS,
    )  # fmt: skip


def _continue(replay: Replay, log: LogRange, state: bytes | None, *, with_others: bool, chain: list[Finding]) -> Replay:
    """Bring a new replay to the beginning of a range; also the streams of no table if `with_others`."""
    before = None if state is None else saved_state.load(state, replay.collector)
    history = log_reader.history_of(log, state=before, with_others=with_others)
    replay.disputed |= history.disputed
    for rows in log_reader.read_history_of(history, log, with_others=with_others, findings=chain):
        replay.replay(rows)
    if before is not None:
        replay.resume(before, without=history.tables)
    return replay


def _batches(log: LogRange, chain: list[Finding], *, split_at: int = 0) -> Iterator[Sequence[Row]]:
    """Yield the events of a range; one batch ends at the position `split_at`."""
    sealed: Iterable[Sequence[Row]] = log_reader.read_sealed(since=log.since, upto=log.upto, findings=chain)
    unsealed: Iterable[Sequence[Row]] = [log_reader.read_unsealed()] if log.is_open else ()
    return itertools.chain(split(sealed, split_at), unsealed)


def _compare_states(expected: dict[str, object], actual: dict[str, object], upto: int, notes: FindingCollector) -> None:
    for stream in sorted(expected.keys() | actual.keys()):
        due, found = expected.get(stream), actual.get(stream)
        if due != found:
            notes.add(STATE_DIFFERS, f"{stream} at position {upto}", due, found)


def _report(
    replayed_part: LogReplay | parallel.PartialAudit,
    chain: list[Finding],
    findings: Iterable[Finding],
    *,
    began: float,
    replayed: float,
    entries: int,
    head: Head,
    since: int,
    not_read: Sequence[str],
) -> AuditReport:
    return AuditReport(
        rounds=replayed_part.rounds,
        events=replayed_part.events,
        entries=entries,
        findings=sort_findings(chain, findings),
        seconds=time.monotonic() - began,
        log_seconds=replayed - began,
        head=(head.position, head.digest.hex()),
        since=since,
        not_read=tuple(not_read),
    )
