"""Payloads that left the database with an archived month: whoever reads events gets them from the archive.

Such an event keeps its row, and its `data` is the JSON `null`, which no event has otherwise. Python fills what it has
read; SQL reads a temporary view of the events, filled with the payloads of the streams that it is about.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from casino.events.sql import Rows, execute, fetch
from casino.kernel.errors import Refusal, RefusalKind
from casino.kernel.findings import Finding

ABSENT: Final = "null"
UNAVAILABLE: Final = "archive is unavailable"
CHUNK: Final = 2000
"""Payloads that are written to the temporary table at once."""
_ANY_DROPPED: Final = """
SELECT EXISTS (SELECT FROM events_event WHERE type = 'MonthDropped' AND "left"(stream, 6) <> ALL ('{round-,table-}'))
"""
_DROPPED: Final = "SELECT id FROM events_event WHERE stream IN ({}) AND data::text = 'null' ORDER BY id"
_TABLE: Final = """
CREATE TEMPORARY TABLE IF NOT EXISTS events_payload (id bigint PRIMARY KEY, data json NOT NULL) ON COMMIT DROP
"""
_VIEW: Final = """
CREATE OR REPLACE TEMPORARY VIEW events_event AS
SELECT id, transaction, recorded_at, version, schema, stream, type, coalesce(payload.data, event.data) AS data, metadata
  FROM public.events_event AS event LEFT JOIN pg_temp.events_payload AS payload USING (id)
"""
_INSERT: Final = """
INSERT INTO pg_temp.events_payload SELECT id, data FROM json_to_recordset(%s::json) AS given (id bigint, data json)
    ON CONFLICT DO NOTHING
"""


class ArchiveUnavailable(Refusal):
    code = "archive_unavailable"
    kind = RefusalKind.UNAVAILABLE
    title = "The archive of that month can't be read now"
    remedy = "Repeat the request later; what is asked for is too old to be in the database."


Source = Callable[[Sequence[int]], Mapping[int, str]]
"""Returns the payloads of events by id, without those that it does not have. Raises ArchiveUnavailable."""
_sources: Final[list[Source]] = []
_streams: Final[dict[str, str]] = {}


def register_source(source: Source) -> None:
    """Have payloads read from an archive; call it in AppConfig.ready()."""
    _sources.append(source)


def register_streams(**statements: str) -> None:
    """Name the statements that find the archived streams of an `operator` in an interval, and of a `player`."""
    _streams.update(statements)


def fill(rows: Rows, *, event: int, data: int) -> Rows:
    """Return rows with their payloads; `event` and `data` are the places of the id and of the payload's text.

    Raises ArchiveUnavailable.
    """
    absent = [row[event] for row in rows if row[data] == ABSENT]
    return _filled(rows, find(absent), event, data) if absent else rows


def fill_known(rows: Rows, *, event: int, data: int, findings: list[Finding]) -> Rows:
    """Do as `fill`, and add to `findings` if the archive can't be read; then the rows stay as they are."""
    try:
        return fill(rows, event=event, data=data)
    except ArchiveUnavailable as error:
        absent = [row[event] for row in rows if row[data] == ABSENT]
        findings.append(Finding(UNAVAILABLE, f"events {absent[0]} to {absent[-1]}", "their payloads", error.detail))
        return rows


def find(events: Sequence[int]) -> Mapping[int, str]:
    """Return the payloads of dropped events, by id. Raises ArchiveUnavailable if one of them is nowhere."""
    found: dict[int, str] = {}
    for source in _sources:
        found.update(source(events))
    missing = [each for each in events if each not in found]
    if missing:
        raise ArchiveUnavailable(f"Event {missing[0]} is in no archive.")
    return found


def show_in_sql(scope: str, parameters: Mapping[str, Any]) -> None:
    """Let the SQL of this transaction read the dropped payloads of an `operator` in an interval, or of a `player`.

    Call it before the transaction becomes read only. Raises ArchiveUnavailable.
    """
    if scope not in _streams or not fetch(_ANY_DROPPED)[0][0]:
        return
    absent = [event for (event,) in fetch(_DROPPED.format(_streams[scope]), parameters)]
    if not absent:
        return
    execute(_TABLE)
    execute(_VIEW)
    for start in range(0, len(absent), CHUNK):
        execute(_INSERT, [as_json(find(absent[start : start + CHUNK]).items())])
    execute("SET LOCAL search_path = pg_temp, public")


def as_json(payloads: Iterable[tuple[int, str]]) -> str:
    """Return payloads as a JSON array of objects with `id` and `data`, each text as it is."""
    rows = [{"id": event, "data": msgspec.Raw(data.encode())} for event, data in payloads]
    return msgspec.json.encode(rows).decode()


def _filled(rows: Rows, found: Mapping[int, str], event: int, data: int) -> Rows:
    return [(*row[:data], found[row[event]], *row[data + 1 :]) if row[data] == ABSENT else row for row in rows]
