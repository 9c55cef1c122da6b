"""What an audit since a position reads: the tables that anything has happened to after it, from their first event on.

A table's rounds belong to it, as its guests' balances follow from them. Which rounds a table has, the read model says:
one that it lacks is missed by its number, one too many by its table. What is no table's is read whole.
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
    """Tables by id, and their streams with those of their rounds; `since` is the position before which they are read.

    A table counts as well where a round waits too long or is set aside, or where a void left a debt that may be
    collected since.
    """

    since: int
    tables: tuple[str, ...]
    streams: tuple[str, ...]


def changed_since(position: int, *, max_wait: float) -> IncrementalScope:
    """Tell what was touched by events after a position, sealed or not; `oldest` is in seconds."""
    streams = [stream for (stream,) in fetch(_STREAMS, [position])]
    tables = [table for (table,) in fetch(_TABLES, [streams, streams, max_wait]) if table is not None]
    rounds = [stream for (stream,) in fetch(_ROUNDS, [tables])]
    own = {f"table-{table}" for table in tables}
    return IncrementalScope(position, tuple(sorted(tables)), tuple(sorted(own.union(rounds, streams))))


def read_history(touched: IncrementalScope, *, findings: list[Finding]) -> Iterator[list[CheckedEvent]]:
    """Yield what happened to it up to the position, each event held against its own seal."""
    rows = fetch(_POSITIONS, [touched.since, list(touched.streams), touched.since, TABLE_EVENT_TYPES])
    positions = [position for (position,) in rows]
    for start in range(0, len(positions), BATCH_SIZE):
        yield read_positions(positions[start : start + BATCH_SIZE], findings=findings)
