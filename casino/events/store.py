"""Append events to streams and read them back. No lock is taken: two who write the same version find out by it.

Callers that append to several streams inside one transaction should give streams in one order everywhere, as with any
rows that two transactions may both want.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final

import msgspec
from django.db import IntegrityError
from psycopg.errors import UniqueViolation

from casino.events.records import Append, Metadata, NewEvent, RecordedEvent, VersionConflict
from casino.events.sql import fetch
from casino.events.wakeups import UNSEALED, wake_on_commit

__all__ = ["Append", "Metadata", "NewEvent", "RecordedEvent", "VersionConflict", "append", "read", "read_many"]

# One JSON parameter instead of arrays: escaping arrays in the client cost more than the server's work.
APPEND: Final = """
WITH part AS MATERIALIZED (
    SELECT stream, expected, metadata, events, place
    FROM ROWS FROM (jsonb_to_recordset(%s::jsonb) AS (stream text, expected int, metadata jsonb, events jsonb))
        WITH ORDINALITY AS given (stream, expected, metadata, events, place)
), behind AS MATERIALIZED (
    SELECT part.stream, part.expected, coalesce(last.version, 0) AS actual
    FROM part
    LEFT JOIN LATERAL (
        SELECT version FROM events_event WHERE stream = part.stream ORDER BY version DESC LIMIT 1
    ) AS last ON true
    WHERE coalesce(last.version, 0) <> part.expected
), added AS (
    INSERT INTO events_event (stream, version, type, schema, data, metadata)
    SELECT part.stream, part.expected + draft.number, draft.type, draft.schema, draft.data, part.metadata
    FROM part
    CROSS JOIN LATERAL ROWS FROM (jsonb_to_recordset(part.events) AS (type text, schema smallint, data jsonb))
        WITH ORDINALITY AS draft (type, schema, data, number)
    WHERE NOT EXISTS (SELECT FROM behind)
    ORDER BY part.place, draft.number
    RETURNING id
), queued AS (
    INSERT INTO events_unsealed (event_id) SELECT id FROM added
)
SELECT id, NULL, NULL, NULL FROM added
UNION ALL
SELECT NULL, stream, expected, actual FROM behind
"""

# The same for one stream: a leaner plan, all or nothing without looking twice.
APPEND_TO_ONE: Final = """
WITH added AS (
    INSERT INTO events_event (stream, version, type, schema, data, metadata)
    SELECT %s, %s + draft.number, draft.type, draft.schema, draft.data, %s::jsonb
    FROM ROWS FROM (jsonb_to_recordset(%s::jsonb) AS (type text, schema smallint, data jsonb))
        WITH ORDINALITY AS draft (type, schema, data, number)
    WHERE coalesce((SELECT version FROM events_event WHERE stream = %s ORDER BY version DESC LIMIT 1), 0) = %s
    ORDER BY draft.number
    RETURNING id
), queued AS (
    INSERT INTO events_unsealed (event_id) SELECT id FROM added
)
SELECT id FROM added
"""

# And for one event, as most commands write: no JSON to take apart, nothing to sort.
APPEND_ONE_EVENT: Final = """
WITH added AS (
    INSERT INTO events_event (stream, version, type, schema, data, metadata)
    SELECT stream, expected + 1, type, schema, data, metadata
    FROM (VALUES (%s::text, %s::integer, %s::text, %s::smallint, %s::jsonb, %s::jsonb))
        AS given (stream, expected, type, schema, data, metadata)
    WHERE expected = coalesce(
        (SELECT version FROM events_event AS last WHERE last.stream = given.stream ORDER BY version DESC LIMIT 1), 0
    )
    RETURNING id
)
INSERT INTO events_unsealed (event_id) SELECT id FROM added RETURNING event_id
"""
_ACTUAL: Final = "SELECT coalesce(max(version), 0) FROM events_event WHERE stream = %s"

COLUMNS: Final = "id, stream, version, type, schema, data::text, metadata::text, recorded_at"

_encode: Final = msgspec.json.Encoder().encode


def append(appends: Sequence[Append]) -> list[tuple[int, ...]]:
    """Record events on one or several streams, all or none, in one statement; the sealer is woken on commit.

    Returns the event ids of each Append, in the order given; ids ascend with the version within a stream. Raises
    VersionConflict when a stream is not exactly at `expected` (inside a transaction this may have broken it: let it
    roll back), ValueError for an Append without events or two Appends to one stream.
    """
    _judge(appends)
    try:
        ids = _append_to_one(appends[0]) if len(appends) == 1 else _append_to_many(appends)
    except IntegrityError as trouble:
        raise _race_lost(appends, trouble) from trouble
    wake_on_commit(UNSEALED)
    rest = iter(sorted(ids))
    return [tuple(islice(rest, len(each.events))) for each in appends]


def _append_to_one(one: Append) -> list[int]:
    rows = _append_one_event(one) if len(one.events) == 1 else _append_events(one)
    if not rows:
        raise VersionConflict(one.stream, one.expected_version, fetch(_ACTUAL, [one.stream])[0][0])
    return [row[0] for row in rows]


def _append_one_event(one: Append) -> list[tuple[int]]:
    (draft,) = one.events
    metadata = _encode(one.metadata).decode()
    given = [one.stream, one.expected_version, draft.type, draft.schema, draft.data.decode(), metadata]
    return fetch(APPEND_ONE_EVENT, given)


def _append_events(one: Append) -> list[tuple[int]]:
    drafts = _encode([_draft(draft) for draft in one.events]).decode()
    metadata = _encode(one.metadata).decode()
    return fetch(APPEND_TO_ONE, [one.stream, one.expected_version, metadata, drafts, one.stream, one.expected_version])


def _append_to_many(appends: Sequence[Append]) -> list[int]:
    rows = fetch(APPEND, [_parameter(appends)])
    for _, stream, expected, actual in rows:
        if stream is not None:
            raise VersionConflict(stream, expected, actual)
    return [row[0] for row in rows]


def read(stream: str, *, after: int = 0) -> list[RecordedEvent]:
    """Return a stream's events with versions above `after`, in order; none if there is no such stream."""
    return to_recorded_events(
        fetch(
            f"SELECT {COLUMNS} FROM events_event WHERE stream = %s AND version > %s ORDER BY version",  # noqa: S608
            [stream, after],
        )
    )


def read_many(streams: Sequence[str]) -> dict[str, list[RecordedEvent]]:
    """Return the events of several streams in one round trip; a stream without events has an empty list."""
    found: dict[str, list[RecordedEvent]] = {stream: [] for stream in streams}
    rows = fetch(
        f"SELECT {COLUMNS} FROM events_event WHERE stream = ANY(%s::text[]) ORDER BY stream, version",  # noqa: S608
        [list(found)],
    )
    for event in to_recorded_events(rows):
        found[event.stream].append(event)
    return found


def to_recorded_events(rows: Iterable[tuple[Any, ...]]) -> list[RecordedEvent]:
    """Make events of rows of COLUMNS."""
    return [
        RecordedEvent(key, stream, version, kind, schema, data.encode(), metadata.encode(), moment)
        for key, stream, version, kind, schema, data, metadata, moment in rows
    ]


def _judge(appends: Sequence[Append]) -> None:
    if not all(each.events for each in appends):
        raise ValueError("An append without events says nothing.")
    if len({each.stream for each in appends}) != len(appends):
        raise ValueError("Give one Append for each stream, with all of its events.")


def _parameter(appends: Sequence[Append]) -> str:
    return _encode(
        [
            {
                "stream": each.stream,
                "expected": each.expected_version,
                "metadata": each.metadata,
                "events": [_draft(draft) for draft in each.events],
            }
            for each in appends
        ]
    ).decode()


def _draft(draft: NewEvent) -> dict[str, Any]:
    return {"type": draft.type, "schema": draft.schema, "data": msgspec.Raw(draft.data)}


def _race_lost(appends: Sequence[Append], trouble: IntegrityError) -> VersionConflict | IntegrityError:
    """Another transaction took the version first: PostgreSQL names the pair; at least that version is there now."""
    cause = trouble.__cause__
    if not isinstance(cause, UniqueViolation) or cause.diag.constraint_name != "events_event_stream_version":
        return trouble
    detail = cause.diag.message_detail or ""
    for each in appends:
        for version in range(each.expected_version + 1, each.expected_version + len(each.events) + 1):
            if f"({each.stream}, {version})" in detail:
                return VersionConflict(each.stream, each.expected_version, version)
    return VersionConflict(appends[0].stream, appends[0].expected_version, appends[0].expected_version + 1)
