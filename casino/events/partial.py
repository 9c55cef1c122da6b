"""The log in pieces: some of its events, each against its own seal, and what the log as a whole lacks."""

from collections.abc import Iterator, Sequence
from typing import Final

from casino.events.digest import GENESIS
from casino.events.hash_chain import SEALED_COLUMNS, CheckedEvent, Head, check_chain, missing_positions
from casino.events.sql import Rows, RowStream, fetch
from casino.kernel.findings import Finding

SELECT_POSITIONS: Final = f"""
SELECT {SEALED_COLUMNS}, before.digest
FROM events_seal AS seal LEFT JOIN events_event AS event ON event.id = seal.event_id
LEFT JOIN events_seal AS before ON before.position = seal.position - 1
WHERE seal.position = ANY (%s::bigint[])
ORDER BY seal.position
"""  # noqa: S608  (constants)
_NOWHERE: Final = Head(-1, b"")
SELECT_MISSING_EVENTS: Final = """
SELECT position, event_id FROM events_seal LEFT JOIN events_event AS event ON event.id = event_id
WHERE position <= %s AND event.id IS NULL ORDER BY position
"""
GAPS: Final = """
SELECT before, position FROM (
    SELECT event_id, position, lag(position, 1, 0::bigint) OVER (ORDER BY position) AS before
    FROM events_seal WHERE position <= %s
) AS placed JOIN events_event AS event ON event.id = event_id
WHERE position <> before + 1 ORDER BY position
"""


def read_positions(positions: Sequence[int], *, findings: list[Finding]) -> list[CheckedEvent]:
    """Read the sealed events at some positions, ascending.

    Each is held against its own seal, which must follow from the one before it. One without any before it is not;
    that is for `find_missing` to tell.
    """
    return _held(fetch(SELECT_POSITIONS, [_array(positions)]), findings)


def stream_positions(
    positions: Sequence[int], *, stream: RowStream, chunk: int, findings: list[Finding]
) -> Iterator[list[CheckedEvent]]:
    """Do the same in batches of at most `chunk` that another connection reads ahead of us."""
    for rows in stream(SELECT_POSITIONS, [_array(positions)], chunk):
        yield _held(rows, findings)


def _held(rows: Rows, findings: list[Finding]) -> list[CheckedEvent]:
    before = {1: GENESIS} | {row[0]: row[-1] for row in rows if row[-1] is not None}
    batch, _ = check_chain(
        [row[:-1] for row in rows], _NOWHERE, findings=findings, jump=lambda _, position: before.get(position)
    )
    return batch


def _array(numbers: Sequence[int]) -> str:
    return f"{{{','.join(map(str, numbers))}}}"  # as text: the client's own way with a long list costs more


def find_missing(*, upto: int) -> Iterator[Finding]:
    """Yield the positions that lack and the events that are gone, of a log that is not read in one piece."""
    for position, event in fetch(SELECT_MISSING_EVENTS, [upto]):
        yield Finding("event missing", f"position {position}", f"event {event}", "nothing")
    for before, position in fetch(GAPS, [upto]):
        yield missing_positions(before, position)
