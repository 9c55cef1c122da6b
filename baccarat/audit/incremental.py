"""Selects what an audit since a position reads: tables changed after it, replayed from their first event.

A table includes its rounds, because its players' balances follow from them. The read model lists a table's rounds: the
audit detects a missing one by its number, an extra one by its table. Streams of no table are read whole.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from baccarat.audit.partitions import TABLE_EVENT_TYPES
from baccarat.audit.rows import BATCH_SIZE
from casino.events.hash_chain import CheckedEvent
from casino.events.partial import read_positions
from casino.events.sql import fetch
from casino.kernel.findings import Finding

_STREAMS: Final = """
SELECT DISTINCT event.stream FROM events_event AS event
WHERE event.id IN (SELECT event_id FROM events_seal WHERE position > %s UNION ALL SELECT event_id FROM events_unsealed)
"""
_TABLES: Final = """
SELECT substr(stream, 7) FROM unnest(%s::text[]) AS touched (stream) WHERE stream LIKE 'table-%%'
UNION
SELECT data->>'table' FROM events_event WHERE stream = ANY (%s::text[]) AND version = 1 AND type = 'RoundOpened'
UNION
SELECT id::text FROM baccarat_table
WHERE suspension_reason IS NOT NULL OR due_at < now() - make_interval(secs => %s)
UNION
SELECT opened.data->>'table' FROM events_event AS voided
JOIN events_event AS opened ON opened.stream = voided.stream AND opened.version = 1
WHERE voided.type = 'RoundVoided' AND jsonb_path_exists(voided.data, '$.seats[*].owed ? (@ > 0)')
"""
_ROUNDS: Final = "SELECT 'round-' || id FROM baccarat_round WHERE table_id::text = ANY (%s::text[])"

_SEALED: Final = """
SELECT seal.position FROM events_event AS event JOIN events_seal AS seal ON seal.event_id = event.id
WHERE seal.position <= %s AND """
_POSITIONS: Final = f"""
{_SEALED} event.stream = ANY (%s::text[]) UNION {_SEALED} event.type <> ALL (%s::text[]) ORDER BY 1
"""


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
    """Return what changed by events after a position, sealed or not; `oldest` is in seconds."""
    streams = [stream for (stream,) in fetch(_STREAMS, [position])]
    tables = [table for (table,) in fetch(_TABLES, [streams, streams, max_wait]) if table is not None]
    rounds = [stream for (stream,) in fetch(_ROUNDS, [tables])]
    own = {f"table-{table}" for table in tables}
    return IncrementalScope(position, tuple(sorted(tables)), tuple(sorted(own.union(rounds, streams))))


def read_history(touched: IncrementalScope, *, findings: list[Finding]) -> Iterator[list[CheckedEvent]]:
    """Yield the scope's events up to the position, each checked against its own seal."""
    rows = fetch(_POSITIONS, [touched.since, list(touched.streams), touched.since, TABLE_EVENT_TYPES])
    positions = [position for (position,) in rows]
    for start in range(0, len(positions), BATCH_SIZE):
        yield read_positions(positions[start : start + BATCH_SIZE], findings=findings)
