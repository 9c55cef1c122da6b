"""Partitions the log in PostgreSQL: groups of tables, each with its rounds, and one partition for the rest.

An event's partition follows from its type and its stream's first event, so tampered events are in exactly one partition
too. All partitions read switches; the partition of the wallets also reads wagers and voids.
"""

from array import array
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, get_args

from baccarat.audit.rows import BATCH_SIZE
from baccarat.audit.steps import CONFIRMED, ROUND_STEPS, SWITCH_KINDS, TABLE_STEPS
from casino.events.hash_chain import CheckedEvent
from casino.events.partial import stream_positions
from casino.events.prefetch import open_prefetch_stream
from casino.events.records import RecordedEvent
from casino.events.sql import fetch
from casino.events.store import to_recorded_events
from casino.kernel.findings import Finding
from wallet.responsible_gaming.events import PlayerRestrictionEvent

TABLE_EVENT_TYPES: Final = sorted({*ROUND_STEPS, *TABLE_STEPS, "RoundOpened", "TableOpened"})
SHARED_EVENT_TYPES: Final = sorted([CONFIRMED, "RoundVoided"])
"""Events of rounds that the partition of the wallets reads: who wagered when, and who owes after a void."""
RESPONSIBLE_GAMING_EVENT_TYPES: Final = sorted(kind.__name__ for kind in get_args(PlayerRestrictionEvent))
"""That partition reads wagers only of players with one of these events, which may forbid them."""
POSITIONS_PER_QUERY: Final = 100_000
"""Positions partitioned at once."""

_PROTECTED: Final = "SELECT DISTINCT data->>'player' FROM events_event WHERE type = ANY (%s::text[])"
_SHARED: Final = """
SELECT part, array_agg(position ORDER BY position) FILTER (WHERE of_table),
       array_agg(position ORDER BY position) FILTER (WHERE shown OR NOT of_table),
       array_agg(position ORDER BY position) FILTER (WHERE of_all AND NOT of_table)
FROM (
    SELECT seal.position, event.type = ANY (%s::text[]) AS of_table, event.type = ANY (%s::text[])
               AND (event.type = 'RoundVoided' OR event.data->>'player' = ANY (%s::text[])) AS shown,
           event.type = ANY (%s::text[]) AS of_all,
           abs(hashtext(coalesce(opened.data->>'table', event.stream))::bigint) %% %s AS part
    FROM events_seal AS seal JOIN events_event AS event ON event.id = seal.event_id
    LEFT JOIN events_event AS opened ON opened.stream = event.stream AND opened.version = 1
    WHERE seal.position > %s AND seal.position <= %s
) AS placed
GROUP BY part
"""
_WAITING: Final = """
SELECT event.id, event.stream, event.version, event.type, event.schema, event.data::text, event.metadata::text,
       event.recorded_at
FROM events_unsealed AS queued JOIN events_event AS event ON event.id = queued.event_id
WHERE ({mine})
ORDER BY event.id
"""
_TABLE: Final = """
(event.type = ANY (%s::text[]) AND abs(hashtext(coalesce((
    SELECT opened.data->>'table' FROM events_event AS opened WHERE opened.stream = event.stream AND opened.version = 1
), event.stream))::bigint) %% %s = %s)
"""


class LogPartition(NamedTuple):
    """One of `groups` of tables, or the rest without groups; with the positions of its sealed events."""

    groups: int
    group: int
    positions: "array[int]"


def partition_log(groups: int, *, upto: int) -> tuple[LogPartition, list[LogPartition]]:
    """Partition the log up to a position: the rest, and one partition for each group of tables."""
    others, tables = array("q"), [array("q") for _ in range(groups)]
    protected = [player for (player,) in fetch(_PROTECTED, [RESPONSIBLE_GAMING_EVENT_TYPES])]
    for start in range(0, upto, POSITIONS_PER_QUERY):
        asked = [
            TABLE_EVENT_TYPES,
            SHARED_EVENT_TYPES,
            protected,
            sorted(SWITCH_KINDS),
            groups,
            start,
            min(upto, start + POSITIONS_PER_QUERY),
        ]
        elsewhere: list[int] = []
        switches: list[int] = []
        for group, of_table, of_others, of_all in fetch(_SHARED, asked):
            tables[group].extend(of_table or ())
            elsewhere += of_others or ()
            switches += of_all or ()
        others.extend(sorted(elsewhere))
        for each in tables if switches else ():
            each[:] = array("q", sorted([*each, *switches]))
    return LogPartition(0, 0, others), [LogPartition(groups, number, each) for number, each in enumerate(tables)]


def read_sealed(share: LogPartition, *, snapshot: str, findings: list[Finding]) -> Iterator[list[CheckedEvent]]:
    """Yield the partition's sealed events in order, each checked against its own seal. Prefetches the next ones.

    `snapshot` is the name of the shared one.
    """
    with open_prefetch_stream(snapshot=snapshot) as stream:
        yield from stream_positions(share.positions, stream=stream, chunk=BATCH_SIZE, findings=findings)


def read_unsealed(share: LogPartition) -> list[RecordedEvent]:
    """Return the partition's committed events that are not sealed yet, oldest first."""
    mine, parameters = _mine(share)
    return to_recorded_events(fetch(_WAITING.format(mine=mine), parameters))


def _mine(share: LogPartition) -> tuple[str, list[Any]]:
    if not share.groups:
        return "event.type <> ALL (%s::text[]) OR event.type = ANY (%s::text[])", [
            TABLE_EVENT_TYPES,
            SHARED_EVENT_TYPES,
        ]
    return f"{_TABLE} OR event.type = ANY (%s::text[])", [
        TABLE_EVENT_TYPES,
        share.groups,
        share.group,
        sorted(SWITCH_KINDS),
    ]
