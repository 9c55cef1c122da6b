"""Read the log and the database in one snapshot: all of the log, what changed since a position, or partitions of it.

An incremental audit replays every table that changed after the position from its first event, with all its rounds,
because its players' balances follow from them. The read model lists a table's rounds: the audit detects a missing one
by its number, an extra one by its table. Streams of no table are read whole.

Partitions are groups of tables, each with its rounds, and one partition for the rest. An event's partition follows from
its type and its stream's first event, so tampered events are in exactly one partition too. All partitions read kill
switches; the partition of the wallets also reads wagers and voids.
"""

import contextlib
from array import array
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple, get_args

from django.db import transaction

from baccarat.audit.effects import EFFECTS
from baccarat.audit.log_replay import CONFIRMED, ROUND_STEPS, STOP_EVENT_TYPES, TABLE_STEPS
from baccarat.audit.saved_state import PlayState
from baccarat.chat.events import FilterEvent
from casino.events.hash_chain import CheckedEvent
from casino.events.netting import run_checks
from casino.events.rebuild import keep_projections
from casino.events.records import METADATA, RecordedEvent
from casino.events.sql import accept_any_timestamp, execute, fetch, open_prefetch_stream
from casino.events.store import to_recorded_events
from casino.events.verification import (
    LogRange,
    current_head,
    find_missing,
    read_positions,
    stream_positions,
    walk,
)
from casino.kernel.findings import Finding, failure
from wallet.funding.events import FundingChanged
from wallet.ledger.events import PlayerAccountOpened
from wallet.responsible_gaming.events import OperatorLimitSet, PlayerRestrictionEvent, PlayMoneyCapSet

BATCH_SIZE: Final = 1000
"""Number of events read, replayed and compared with the database at once."""

_UNSEALED: Final = f"""
SELECT event.id, event.transaction, event.stream, event.version, event.type, event.schema, event.data::text,
       {METADATA}::text, event.recorded_at
FROM events_unsealed AS queued JOIN events_event AS event ON event.id = queued.event_id
"""  # noqa: S608  (constants)

_DISPUTED: Final = """
SELECT DISTINCT stream FROM events_event WHERE type = 'RoundVoided'
"""
_STREAMS: Final = """
SELECT DISTINCT event.stream FROM events_event AS event
WHERE event.id IN (SELECT event_id FROM events_seal WHERE position > %s UNION ALL SELECT event_id FROM events_unsealed)
"""
_TABLES: Final = """
SELECT substr(stream, 7) FROM unnest(%s::text[]) AS touched (stream) WHERE stream LIKE 'table-%%'
UNION
SELECT data->>'table' FROM events_event WHERE stream = ANY (%s::text[]) AND version = 1 AND type = 'RoundOpened'
UNION
SELECT id::text FROM baccarat_table WHERE suspension_reason IS NOT NULL
UNION
SELECT table_id::text FROM baccarat_duetable WHERE due_at < now() - make_interval(secs => %s)
UNION
SELECT opened.data->>'table' FROM events_event AS voided
JOIN events_event AS opened ON opened.stream = voided.stream AND opened.version = 1
WHERE voided.type = 'RoundVoided' AND jsonb_path_exists(voided.data::jsonb, '$.seats[*].owed ? (@ > 0)')
"""
_ROUNDS: Final = "SELECT 'round-' || id FROM baccarat_round WHERE table_id::text = ANY (%s::text[])"

# `events_event_context` is an index of the streams of no table.
OF_NO_TABLE: Final = "\"left\"(event.stream, 6) <> ALL ('{round-,table-}'::text[])"
_IN_RANGE: Final = """
event.id IN (SELECT event_id FROM events_seal WHERE position > %s AND position <= %s
             UNION ALL SELECT event_id FROM events_unsealed WHERE %s)
"""
_OTHER_STREAMS: Final = f"SELECT DISTINCT stream FROM events_event AS event WHERE {_IN_RANGE} AND {OF_NO_TABLE}"  # noqa: S608
_ASKED: Final = f"SELECT DISTINCT stream FROM events_event AS event WHERE {_IN_RANGE} AND type = 'RoundVoided'"  # noqa: S608
_FLAGGED: Final = "SELECT 'round-' || id FROM baccarat_round WHERE flag IS NOT NULL"
_OPENED_BEFORE: Final = """
SELECT DISTINCT event.data->>'table' FROM events_event AS event JOIN events_seal AS seal ON seal.event_id = event.id
WHERE event.stream = ANY (%s::text[]) AND event.version = 1 AND seal.position <= %s
"""
_HISTORY: Final = f"""
SELECT seal.position FROM events_event AS event JOIN events_seal AS seal ON seal.event_id = event.id
WHERE seal.position <= %s AND event.stream = ANY (%s::text[])
UNION
SELECT seal.position FROM events_event AS event JOIN events_seal AS seal ON seal.event_id = event.id
WHERE seal.position <= %s AND {OF_NO_TABLE} AND event.type = ANY (%s::text[])
ORDER BY 1
"""  # noqa: S608  (constants)
_SEALED: Final = """
SELECT seal.position FROM events_event AS event JOIN events_seal AS seal ON seal.event_id = event.id
WHERE seal.position <= %s AND """
_POSITIONS: Final = f"""
{_SEALED} event.stream = ANY (%s::text[]) UNION {_SEALED} event.type <> ALL (%s::text[]) ORDER BY 1
"""
TABLE_EVENT_TYPES: Final = sorted({*ROUND_STEPS, *TABLE_STEPS, "RoundOpened", "TableOpened"})
SHARED_EVENT_TYPES: Final = sorted({CONFIRMED, *EFFECTS} & {*TABLE_EVENT_TYPES})
"""Events of tables that the partition of the wallets reads: who wagered when, who owes after a void, who agreed."""
RESPONSIBLE_GAMING_EVENT_TYPES: Final = sorted(kind.__name__ for kind in get_args(PlayerRestrictionEvent))
"""That partition reads wagers only of players with one of these events, which may forbid them."""
CONTEXT_EVENT_TYPES: Final = sorted({
    *RESPONSIBLE_GAMING_EVENT_TYPES, *STOP_EVENT_TYPES,
    *(kind.__name__ for kind in (PlayerAccountOpened, FundingChanged, OperatorLimitSet, PlayMoneyCapSet)),
    *(kind.__name__ for kind in get_args(FilterEvent)),
})  # fmt: skip
"""Events of no table on which others depend that are in other streams: an audit that continues reads all of them."""
POSITIONS_PER_QUERY: Final = 100_000
"""Positions partitioned at once."""

_RESTRICTED_PLAYERS: Final = "SELECT DISTINCT data->>'player' FROM events_event WHERE type = ANY (%s::text[])"
_PARTITION: Final = """
SELECT part, array_agg(position ORDER BY position) FILTER (WHERE of_table),
       array_agg(position ORDER BY position) FILTER (WHERE shown OR NOT of_table),
       array_agg(position ORDER BY position) FILTER (WHERE of_all AND NOT of_table)
FROM (
    SELECT seal.position, event.type = ANY (%s::text[]) AS of_table, event.type = ANY (%s::text[])
               AND (event.type <> 'WagerConfirmed' OR event.data::text = 'null'
                    OR event.data->>'player' = ANY (%s::text[])) AS shown,
           event.type = ANY (%s::text[]) AS of_all,
           abs(hashtext(coalesce(opened.data->>'table', event.stream))::bigint) %% %s AS part
    FROM events_seal AS seal JOIN events_event AS event ON event.id = seal.event_id
    LEFT JOIN events_event AS opened ON opened.stream = event.stream AND opened.version = 1
    WHERE seal.position > %s AND seal.position <= %s
) AS placed
GROUP BY part
"""
_NEXT: Final = "SELECT position FROM events_seal WHERE position > %s AND position <= %s ORDER BY position LIMIT %s"
_END: Final = f"SELECT max(position) FROM ({_NEXT}) AS following"  # noqa: S608  (a constant)
_IN_GROUP: Final = """
(event.type = ANY (%s::text[]) AND abs(hashtext(coalesce((
    SELECT opened.data->>'table' FROM events_event AS opened WHERE opened.stream = event.stream AND opened.version = 1
), event.stream))::bigint) %% %s = %s)
"""


@contextlib.contextmanager
def snapshot() -> Generator[None]:
    """Hold one read-only snapshot of the database.

    Call it outside of any transaction.
    """
    with accept_any_timestamp(), transaction.atomic(durable=True):
        execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        keep_projections()
        yield


@contextlib.contextmanager
def shared_snapshot(name: str) -> Generator[None]:
    """Use the snapshot that another connection exported under that name, read only."""
    with accept_any_timestamp(), transaction.atomic(durable=True):
        execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        execute(f"SET TRANSACTION SNAPSHOT '{name}'")
        yield


def export_snapshot() -> str:
    """Export this connection's snapshot and return its name."""
    return str(fetch("SELECT pg_export_snapshot()")[0][0])


def snapshot_time() -> tuple[datetime, float]:
    """Return when this snapshot was taken, by the database's clock, and its age in seconds.

    Compare waiting times with the first, so that a long audit does not make them look longer.
    """
    moment, age = fetch("SELECT now(), extract(epoch FROM clock_timestamp() - now())::float8")[0]
    return moment, age


def read_unsealed() -> list[RecordedEvent]:
    """Return committed events that are not sealed yet, oldest first."""
    return to_recorded_events(fetch(f"{_UNSEALED} ORDER BY event.id"))


def disputed_streams(among: Sequence[str] | None = None) -> frozenset[str]:
    """Return the streams of voided rounds, sealed or not; of all, or `among` some."""
    rows = fetch(_DISPUTED) if among is None else fetch(f"{_DISPUTED} AND stream = ANY (%s::text[])", [list(among)])
    return frozenset(stream for (stream,) in rows)


def read_sealed(*, since: int, findings: list[Finding], upto: int | None = None) -> Iterator[list[CheckedEvent]]:
    """Yield the sealed events above position `since`, and check the chain. Prefetches the next ones."""
    read, end = since, current_head().position if upto is None else upto
    try:
        with open_prefetch_stream(snapshot=export_snapshot()) as stream:
            for rows in walk(findings=findings, from_position=since, upto=end, chunk=BATCH_SIZE, stream=stream):
                read = rows[-1].position if rows else read
                yield rows
    except Exception as error:  # noqa: BLE001  (the rest is read in parts, down to the rows that can't be)
        findings.append(failure(f"the log above position {read}", error))
        findings.extend(run_checks(("positions", lambda: find_missing(upto=end))))
        while positions := [position for (position,) in fetch(_NEXT, [read, end, BATCH_SIZE])]:
            yield read_positions(positions, findings=findings)
            read = positions[-1]


@dataclass(frozen=True, slots=True)
class IncrementalScope:
    """Tables by id, with their streams and those of their rounds; they are replayed up to position `since`.

    Includes tables where a round is suspended or waits too long, or where a void left a debt that may still be
    collected.
    """

    since: int
    tables: tuple[str, ...]
    streams: tuple[str, ...]


def changed_since(position: int, *, max_wait: float) -> IncrementalScope:
    """Return what changed by events after a position, sealed or not; `max_wait` is in seconds."""
    streams = [stream for (stream,) in fetch(_STREAMS, [position])]
    tables = [table for (table,) in fetch(_TABLES, [streams, streams, max_wait]) if table is not None]
    rounds = [stream for (stream,) in fetch(_ROUNDS, [tables])]
    own = {f"table-{table}" for table in tables}
    return IncrementalScope(position, tuple(sorted(tables)), tuple(sorted(own.union(rounds, streams))))


def read_history(scope: IncrementalScope, *, findings: list[Finding]) -> Iterator[list[CheckedEvent]]:
    """Yield the scope's events up to the position, each checked against its own seal."""
    rows = fetch(_POSITIONS, [scope.since, list(scope.streams), scope.since, TABLE_EVENT_TYPES])
    positions = [position for (position,) in rows]
    for start in range(0, len(positions), BATCH_SIZE):
        yield read_positions(positions[start : start + BATCH_SIZE], findings=findings)


@dataclass(frozen=True, slots=True)
class History:
    """What an audit that continues from a state reads of the log before it.

    `tables` (their streams) are replayed from their first event on, because a round of theirs that had ended was
    voided afterwards; `streams` are these with their rounds, and the streams of no table with events in the range.
    `disputed` are the voided rounds.
    """

    tables: frozenset[str]
    streams: tuple[str, ...]
    disputed: frozenset[str]


def history_of(log: LogRange, *, state: PlayState | None, with_others: bool) -> History:
    """Return what must be read before a range; `with_others` those streams of no table that have events in it."""
    known = [] if state is None else [*state.running, *state.disputed]
    asked = {stream for (stream,) in fetch(_ASKED, _ids(log))}
    flagged = disputed_streams([stream for (stream,) in fetch(_FLAGGED)])
    late = [table for (table,) in fetch(_OPENED_BEFORE, [sorted(asked.difference(known)), log.since])]
    own = [f"table-{table}" for table in late]
    rounds = [stream for (stream,) in fetch(_ROUNDS, [late])] if late else []
    others = [stream for (stream,) in fetch(_OTHER_STREAMS, _ids(log))] if with_others else []
    return History(frozenset(own), (*own, *rounds, *others), frozenset(asked | flagged))


def read_history_of(
    history: History, log: LogRange, *, with_others: bool, findings: list[Finding]
) -> Iterator[list[CheckedEvent]]:
    """Yield these events up to the range, each checked against its own seal."""
    context = CONTEXT_EVENT_TYPES if with_others else []
    rows = fetch(_HISTORY, [log.since, list(history.streams), log.since, context])
    positions = [position for (position,) in rows]
    for start in range(0, len(positions), BATCH_SIZE):
        yield read_positions(positions[start : start + BATCH_SIZE], findings=findings)


def _ids(log: LogRange) -> list[object]:
    return [log.since, log.upto, log.is_open]


class LogPartition(NamedTuple):
    """One of `groups` of tables, or the rest without groups; with the positions of its sealed events."""

    groups: int
    group: int
    positions: "array[int]"


def partition_log(groups: int, *, upto: int, of_tables: bool = True) -> tuple[LogPartition, list[LogPartition]]:
    """Partition the log up to a position: the rest, and one partition for each group of tables.

    Unless `of_tables`, those of the groups stay empty.
    """
    others, tables = array("q"), [array("q") for _ in range(groups)]
    restricted = [player for (player,) in fetch(_RESTRICTED_PLAYERS, [RESPONSIBLE_GAMING_EVENT_TYPES])]
    last = 0
    while (end := fetch(_END, [last, upto, POSITIONS_PER_QUERY])[0][0]) is not None:
        parameters = [
            TABLE_EVENT_TYPES,
            SHARED_EVENT_TYPES,
            restricted,
            sorted(STOP_EVENT_TYPES),
            groups,
            last,
            end,
        ]
        last = end
        elsewhere: list[int] = []
        switches: list[int] = []
        for group, own, of_others, of_all in fetch(_PARTITION, parameters):
            tables[group].extend(own if own and of_tables else ())
            elsewhere += of_others or ()
            switches += of_all or ()
        others.extend(sorted(elsewhere))
        for each in tables if switches else ():
            each[:] = array("q", sorted([*each, *switches]))
    return LogPartition(0, 0, others), [LogPartition(groups, number, each) for number, each in enumerate(tables)]


def partition_others(*, upto: int) -> LogPartition:
    """Return the partition of the rest, as `partition_log` does; in less memory."""
    return partition_log(1, upto=upto, of_tables=False)[0]


def read_partition(partition: LogPartition, *, snapshot: str, findings: list[Finding]) -> Iterator[list[CheckedEvent]]:
    """Yield the partition's sealed events in order, each checked against its own seal. Prefetches the next ones.

    `snapshot` is the name of the shared one.
    """
    with open_prefetch_stream(snapshot=snapshot) as stream:
        yield from stream_positions(partition.positions, stream=stream, chunk=BATCH_SIZE, findings=findings)


def read_unsealed_partition(partition: LogPartition) -> list[RecordedEvent]:
    """Return the partition's committed events that are not sealed yet, oldest first."""
    condition, parameters = _is_in(partition)
    return to_recorded_events(fetch(f"{_UNSEALED} WHERE {condition} ORDER BY event.id", parameters))


def _is_in(partition: LogPartition) -> tuple[str, list[Any]]:
    if not partition.groups:
        return "event.type <> ALL (%s::text[]) OR event.type = ANY (%s::text[])", [
            TABLE_EVENT_TYPES,
            SHARED_EVENT_TYPES,
        ]
    return f"{_IN_GROUP} OR event.type = ANY (%s::text[])", [
        TABLE_EVENT_TYPES,
        partition.groups,
        partition.group,
        sorted(STOP_EVENT_TYPES),
    ]
