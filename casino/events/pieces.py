"""The log in pieces: some of its events, each against its own seal, and what the log as a whole lacks."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from casino.events.digest import GENESIS
from casino.events.links import COLUMNS, Forms, Head, Read, Seen, check, gap
from casino.events.rows import Rows, fetch
from casino.kernel.findings import Finding

SOME: Final = f"""
SELECT {COLUMNS}
FROM events_seal AS seal LEFT JOIN events_event AS event ON event.id = seal.event_id
WHERE seal.position = ANY (%s::bigint[])
ORDER BY seal.position
"""  # noqa: S608  (constants)
GONE: Final = """
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


def read_some(forms: Forms, positions: Sequence[int], *, findings: list[Finding]) -> Read:
    """This will read the sealed events at some positions.

    Each is held against its own seal, which must follow from the one before it. One without any before it is not;
    that is for `lacking` to tell.
    """
    batch: list[Seen] = []
    values: list[Any] = []
    runs = list(_runs(fetch(SOME, [_array(positions)])))
    sought = "SELECT position, digest FROM events_seal WHERE position = ANY (%s::bigint[])"
    before = {0: GENESIS, **dict(fetch(sought, [_array([run[0][0] - 1 for run in runs])]))}
    for run in runs:
        link = Head(run[0][0] - 1, before.get(run[0][0] - 1, b""))
        if link.digest:
            check(run, link, batch, values, forms, findings)
        else:  # nothing to hold the first against; the others follow from it
            check(run[:1], Head(link.position, GENESIS), batch, values, forms, [])
            check(run[1:], Head(*run[0][:2]), batch, values, forms, findings)
    return batch, values


def _runs(rows: Rows) -> Iterator[Rows]:
    """The rows in runs of positions one after the other."""
    start = 0
    for place in range(1, len(rows) + 1):
        if place == len(rows) or rows[place][0] != rows[place - 1][0] + 1:
            yield rows[start:place]
            start = place


def _array(numbers: Sequence[int]) -> str:
    return f"{{{','.join(map(str, numbers))}}}"  # as text: the client's own way with a long list costs more


def lacking(*, upto: int) -> Iterator[Finding]:
    """This will yield the positions that lack and the events that are gone, of a log that is not read in one piece."""
    for position, event in fetch(GONE, [upto]):
        yield Finding("event missing", f"position {position}", f"event {event}", "nothing")
    for before, position in fetch(GAPS, [upto]):
        yield gap(before, position)
