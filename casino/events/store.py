"""Append events to streams and read them back. Concurrency is optimistic: of two writers of a version, one fails.

Callers that append to several streams in one transaction should use the same order of streams everywhere, to avoid
deadlocks.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

import msgspec
from django.db import IntegrityError
from psycopg.errors import UniqueViolation

from casino.events.records import METADATA, Append, Metadata, NewEvent, RecordedEvent, VersionConflict
from casino.events.sql import Rows, fetch
from casino.events.wakeups import UNSEALED, wake_on_commit

__all__ = ["Append", "Metadata", "NewEvent", "RecordedEvent", "VersionConflict", "append", "read", "read_many"]

# One JSON parameter instead of arrays: adapting arrays in the client took longer than the server's work.
APPEND: Final = """
WITH part AS MATERIALIZED (
    SELECT stream, expected, metadata, events, place
    FROM ROWS FROM (json_to_recordset(%s::json) AS (stream text, expected int, metadata json, events json))
        WITH ORDINALITY AS input (stream, expected, metadata, events, place)
), behind AS MATERIALIZED (
    SELECT part.stream, part.expected, coalesce(last.version, 0) AS actual
    FROM part
    LEFT JOIN LATERAL (
        SELECT version FROM events_event WHERE stream = part.stream ORDER BY version DESC LIMIT 1
    ) AS last ON true
    WHERE coalesce(last.version, 0) <> part.expected
), added AS (
    INSERT INTO events_event (transaction, stream, version, type, schema, data, metadata)
    SELECT (SELECT nextval('events_transaction')), part.stream, part.expected + event.number, event.type,
           event.schema, event.data, CASE event.number WHEN 1 THEN part.metadata END
    FROM part
    CROSS JOIN LATERAL ROWS FROM (json_to_recordset(part.events) AS (type text, schema smallint, data json))
        WITH ORDINALITY AS event (type, schema, data, number)
    WHERE NOT EXISTS (SELECT FROM behind)
    ORDER BY part.place, event.number
    RETURNING id, transaction
), queued AS (
    INSERT INTO events_unsealed (event_id, transaction) SELECT id, transaction FROM added
)
SELECT id, NULL, NULL, NULL FROM added
UNION ALL
SELECT NULL, stream, expected, actual FROM behind
"""

# The same for one stream: a leaner plan without the separate version check. A subquery is evaluated once.
APPEND_TO_ONE: Final = """
WITH added AS (
    INSERT INTO events_event (transaction, stream, version, type, schema, data, metadata)
    SELECT (SELECT nextval('events_transaction')), %s, %s + event.number, event.type, event.schema, event.data,
           CASE event.number WHEN 1 THEN %s::json END
    FROM ROWS FROM (json_to_recordset(%s::json) AS (type text, schema smallint, data json))
        WITH ORDINALITY AS event (type, schema, data, number)
    WHERE coalesce((SELECT version FROM events_event WHERE stream = %s ORDER BY version DESC LIMIT 1), 0) = %s
    ORDER BY event.number
    RETURNING id, transaction
), queued AS (
    INSERT INTO events_unsealed (event_id, transaction) SELECT id, transaction FROM added
)
SELECT id FROM added
"""

# The same for a single event, the most common case: no JSON to parse, nothing to sort; its transaction is the default.
APPEND_ONE_EVENT: Final = """
WITH added AS (
    INSERT INTO events_event (stream, version, type, schema, data, metadata)
    SELECT stream, expected + 1, type, schema, data, metadata
    FROM (VALUES (%s::text, %s::integer, %s::text, %s::smallint, %s::json, %s::json))
        AS input (stream, expected, type, schema, data, metadata)
    WHERE expected = coalesce(
        (SELECT version FROM events_event AS last WHERE last.stream = input.stream ORDER BY version DESC LIMIT 1), 0
    )
    RETURNING id, transaction
)
INSERT INTO events_unsealed (event_id, transaction) SELECT id, transaction FROM added RETURNING event_id
"""
_ACTUAL_VERSION: Final = "SELECT coalesce(max(version), 0) FROM events_event WHERE stream = %s"

COLUMNS: Final = f"id, transaction, stream, version, type, schema, data::text, {METADATA}::text, recorded_at"
"""Of events_event as `event`."""

_encode: Final = msgspec.json.Encoder(order="sorted").encode


def append(appends: Sequence[Append]) -> list[tuple[int, ...]]:
    """Record events on one or several streams, all or none, in one statement; wake the sealer on commit.

    Return the event ids of each Append, in the order given; ids ascend with the version within a stream. Raises
    VersionConflict when a stream is not at its expected version (let an enclosing transaction roll back: it may be
    broken), ValueError for an Append without events or two Appends to one stream.
    """
    _validate(appends)
    try:
        ids = _append_to_one(appends[0]) if len(appends) == 1 else _append_to_many(appends)
    except IntegrityError as error:
        raise _as_conflict(appends, error) from error
    wake_on_commit(UNSEALED)
    ascending = iter(sorted(ids))
    return [tuple(islice(ascending, len(each.events))) for each in appends]


def _append_to_one(append: Append) -> list[int]:
    stream, expected, metadata = append.stream, append.expected_version, _encode(_as_object(append.metadata)).decode()
    if len(append.events) == 1:
        (event,) = append.events
        rows = fetch(APPEND_ONE_EVENT, [stream, expected, event.type, event.schema, event.data.decode(), metadata])
    else:
        events = _encode([_as_json(event) for event in append.events]).decode()
        rows = fetch(APPEND_TO_ONE, [stream, expected, metadata, events, stream, expected])
    if not rows:
        raise VersionConflict(stream, expected, fetch(_ACTUAL_VERSION, [stream])[0][0])
    return [row[0] for row in rows]


def _append_to_many(appends: Sequence[Append]) -> list[int]:
    rows = fetch(APPEND, [_as_json_text(appends)])
    for _, stream, expected, actual in rows:
        if stream is not None:
            raise VersionConflict(stream, expected, actual)
    return [row[0] for row in rows]


def read(stream: str, *, after: int = 0) -> list[RecordedEvent]:
    """Return a stream's events with versions above `after`, in order; an unknown stream has none."""
    return to_recorded_events(
        fetch(
            f"SELECT {COLUMNS} FROM events_event AS event WHERE stream = %s AND version > %s ORDER BY version",  # noqa: S608
            [stream, after],
        )
    )


def read_many(streams: Sequence[str]) -> dict[str, list[RecordedEvent]]:
    """Return the events of several streams in one round trip; a stream without events has an empty list."""
    histories: dict[str, list[RecordedEvent]] = {stream: [] for stream in streams}
    rows = fetch(
        f"SELECT {COLUMNS} FROM events_event AS event WHERE stream = ANY(%s::text[]) ORDER BY stream, version",  # noqa: S608
        [list(histories)],
    )
    for event in to_recorded_events(rows):
        histories[event.stream].append(event)
    return histories


def to_recorded_events(rows: Rows) -> list[RecordedEvent]:
    """Convert rows of COLUMNS to events."""
    return [
        RecordedEvent._make((*facts, data.encode(), metadata.encode(), recorded_at))
        for *facts, data, metadata, recorded_at in rows
    ]


def _validate(appends: Sequence[Append]) -> None:
    if not all(each.events for each in appends):
        raise ValueError("An Append must have events.")
    if len({each.stream for each in appends}) != len(appends):
        raise ValueError("Give one Append for each stream, with all of its events.")


def _as_json_text(appends: Sequence[Append]) -> str:
    return _encode(
        [
            {
                "stream": each.stream,
                "expected": each.expected_version,
                "metadata": _as_object(each.metadata),
                "events": [_as_json(event) for event in each.events],
            }
            for each in appends
        ]
    ).decode()


def _as_object(metadata: Metadata) -> dict[str, str]:
    return {name: value for name in Metadata.__slots__ if (value := getattr(metadata, name))}


def _as_json(event: NewEvent) -> dict[str, Any]:
    return {"type": event.type, "schema": event.schema, "data": msgspec.Raw(event.data)}


def _as_conflict(appends: Sequence[Append], error: IntegrityError) -> VersionConflict | IntegrityError:
    """Return a VersionConflict if another transaction took a version first; PostgreSQL names stream and version."""
    cause = error.__cause__
    if not isinstance(cause, UniqueViolation) or cause.diag.constraint_name != "events_event_stream_version":
        return error
    detail = cause.diag.message_detail or ""
    for each in appends:
        for version in range(each.expected_version + 1, each.expected_version + len(each.events) + 1):
            if f"({each.stream}, {version})" in detail:
                return VersionConflict(each.stream, each.expected_version, version)
    return VersionConflict(appends[0].stream, appends[0].expected_version, appends[0].expected_version + 1)
