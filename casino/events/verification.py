"""Check the log against itself: every digest recomputed, every position, stream and queue entry accounted for.

`walk` recomputes the chain while it yields the events, so that one read serves replay and verification;
`read_positions` and `stream_positions` do the same for some of the events; `inspect` and `find_missing` ask the
database what needs no digest; `verify` does it all.

If the owner of the tables cuts off their ends, or rewrites the chain from some position on, only a copy of the head
that is kept elsewhere shows it. Keep `current_head()` outside the database and pass it as `expected`.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from casino.events.hash_chain import GENESIS, SEALED_COLUMNS, CheckedEvent, Head, check_chain, missing_positions
from casino.events.netting import in_parts, run_checks
from casino.events.sql import Rows, RowStream, fetch
from casino.kernel.findings import Finding

__all__ = [
    "Head",
    "LogRange",
    "compare_head",
    "current_head",
    "find_missing",
    "head_at",
    "inspect",
    "inspect_range",
    "range_between",
    "range_from",
    "read_positions",
    "stream_positions",
    "verify",
    "walk",
]

_CHAIN: Final = """
SELECT {columns}
FROM (SELECT position, digest, event_id FROM events_seal
      WHERE position > %s AND position <= %s ORDER BY position {limit}) AS seal
LEFT JOIN events_event AS event ON event.id = seal.event_id
ORDER BY seal.position
"""
ALL: Final = _CHAIN.format(columns=SEALED_COLUMNS, limit="")
SELECT_BATCH: Final = _CHAIN.format(columns=SEALED_COLUMNS, limit="LIMIT %s")
SELECT_POSITIONS: Final = f"""
SELECT {SEALED_COLUMNS}, before.digest
FROM events_seal AS seal LEFT JOIN events_event AS event ON event.id = seal.event_id
LEFT JOIN events_seal AS before ON before.position = seal.position - 1
WHERE seal.position = ANY (%s::bigint[])
ORDER BY seal.position
"""  # noqa: S608  (constants)
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
_NO_HEAD: Final = Head(-1, b"")
_ONLY_STREAMS: Final = "WITH events_event AS (SELECT * FROM events_event WHERE stream = ANY (%s::text[]))"
"""Prefix that restricts a query to the events of some streams."""

CUT: Final = """
SELECT 'recorded head', position FROM events_chainhead
WHERE position > (SELECT coalesce(max(position), 0) FROM events_seal)
UNION ALL
SELECT 'subscription ' || name, position FROM events_subscription
WHERE position > (SELECT coalesce(max(position), 0) FROM events_seal)
ORDER BY 2
"""
CHANGED_HEADS: Final = """
SELECT head.position, head.digest, seal.digest
FROM events_chainhead AS head JOIN events_seal AS seal USING (position)
WHERE head.digest <> seal.digest
ORDER BY head.position
"""
NEVER_SEALED: Final = """
SELECT event.id, event.stream, event.version
FROM events_event AS event
WHERE NOT EXISTS (SELECT FROM events_seal WHERE event_id = event.id)
  AND NOT EXISTS (SELECT FROM events_unsealed WHERE event_id = event.id)
ORDER BY event.id
"""
QUEUE: Final = """
SELECT queued.event_id, event.id IS NULL, seal.position,
       extract(epoch FROM clock_timestamp() - event.recorded_at)::float8
FROM events_unsealed AS queued
LEFT JOIN events_event AS event ON event.id = queued.event_id
LEFT JOIN events_seal AS seal ON seal.event_id = queued.event_id
WHERE event.id IS NULL OR seal.position IS NOT NULL
   OR event.recorded_at < clock_timestamp() - make_interval(secs => %s)
ORDER BY queued.event_id
"""
VERSIONS: Final = """
SELECT stream, count(*), min(version), max(version)
FROM events_event
GROUP BY stream
HAVING min(version) <> 1 OR max(version) <> count(*)
ORDER BY stream
"""
ORDER: Final = """
SELECT stream, version, position, before
FROM (
    SELECT event.stream, event.version, seal.position,
           max(seal.position) OVER (
               PARTITION BY event.stream ORDER BY event.version ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
           ) AS before
    FROM events_seal AS seal JOIN events_event AS event ON event.id = seal.event_id
) AS placed
WHERE before > position
ORDER BY position
"""
# The sealer places the events of a transaction one after another: what is between them, or not there, was changed.
TORN: Final = """
SELECT event.transaction, min(seal.position), max(seal.position), count(*)
FROM events_seal AS seal JOIN events_event AS event ON event.id = seal.event_id
WHERE seal.position > %s AND seal.position <= %s
GROUP BY event.transaction
HAVING max(seal.position) - min(seal.position) >= count(*)
ORDER BY 2
"""

# Of the range, so that its cost is that of the range: an event must follow the one before it in its stream, which lies
# in the range or was sealed before it.
RANGE_ORDER: Final = """
WITH placed AS MATERIALIZED (
    SELECT event.stream, event.version, seal.position,
           lag(event.version) OVER (PARTITION BY event.stream ORDER BY seal.position) AS before
    FROM events_seal AS seal JOIN events_event AS event ON event.id = seal.event_id
    WHERE seal.position > %s AND seal.position <= %s
)
SELECT placed.stream, placed.version, placed.position, coalesce(placed.before, earlier.version, 0)
FROM placed LEFT JOIN LATERAL (
    SELECT event.version FROM events_event AS event JOIN events_seal AS seal ON seal.event_id = event.id
    WHERE placed.before IS NULL AND event.stream = placed.stream AND event.version = placed.version - 1
      AND seal.position <= %s
) AS earlier ON true
WHERE placed.version <> coalesce(placed.before, earlier.version, 0) + 1
ORDER BY placed.position
"""
RANGE_NEVER_SEALED: Final = f"""
WITH events_event AS (SELECT * FROM events_event WHERE id > %s AND id <= %s) {NEVER_SEALED}
"""  # noqa: S608  (constants)
EDGE: Final = "SELECT event_id FROM events_seal WHERE position = %s"
LOWEST_ABOVE: Final = """
SELECT min(id) - 1 FROM (SELECT event_id AS id FROM events_seal WHERE position > %s
                         UNION ALL SELECT event_id FROM events_unsealed) AS later
"""
_LAST_ID: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class LogRange:
    """The positions above `since`, up to `upto`; and the ids above `first_id`, up to `last_id`.

    Ids ascend only roughly with positions. Ranges that adjoin by position adjoin by id, too, so that no row is in none.
    """

    since: int
    upto: int
    first_id: int
    last_id: int

    @property
    def is_open(self) -> bool:
        """Return whether the range reaches to the end of the log."""
        return self.last_id == _LAST_ID


def range_between(since: int, upto: int) -> LogRange:
    """Return the range between two positions that have a seal, or from 0."""
    first, last = (fetch(EDGE, [position]) for position in (since, upto))
    return LogRange(since, upto, first[0][0] if first else 0, last[0][0] if last else _LAST_ID)


def range_from(since: int) -> LogRange:
    """Return the range from a position to the end of the log, with everything that is not sealed yet."""
    edge, lowest = fetch(EDGE, [since]), fetch(LOWEST_ABOVE, [since])[0][0]
    first = edge[0][0] if edge else 0
    return LogRange(since, current_head().position, first if lowest is None else min(first, lowest), _LAST_ID)


def current_head() -> Head:
    """Return the head of the chain, to keep outside the database and to compare a later log with."""
    rows = fetch("SELECT position, digest FROM events_seal ORDER BY position DESC LIMIT 1")
    return Head(*rows[0]) if rows else Head(0, GENESIS)


def head_at(position: int) -> Head:
    """Return the head that the chain had at a position; without a seal there, with no digest."""
    rows = fetch("SELECT position, digest FROM events_seal WHERE position = %s", [position])
    return Head(*rows[0]) if rows else Head(position, b"")


def verify(
    *, from_position: int = 0, expected: Head | None = None, chunk: int = 5000, max_wait_seconds: float = 30.0
) -> Iterator[Finding]:
    """Yield everything that is wrong with the log.

    The chain is recomputed above `from_position`; everything else is checked for the whole log. `expected` is a head
    kept outside. An event may wait `max_wait_seconds` for its seal.
    """
    findings: list[Finding] = []
    for _ in walk(findings=findings, from_position=from_position, expected=expected, chunk=chunk):
        yield from findings
        findings.clear()
    yield from findings
    yield from inspect(max_wait_seconds=max_wait_seconds)


def walk(
    *,
    findings: list[Finding],
    from_position: int = 0,
    upto: int | None = None,
    expected: Head | None = None,
    chunk: int = 5000,
    stream: RowStream | None = None,
) -> Iterator[list[CheckedEvent]]:
    """Yield the sealed events above `from_position` in batches and add to `findings` what breaks the chain.

    Each digest is checked against the one stored before it, so one changed row is one finding, not a finding for every
    row after it. The walk ends at `upto`, or at the head of the log when it began. The connection is free between
    batches; `stream` reads the rows on another connection instead, ahead of the check.
    """
    if expected is not None:
        findings.extend(compare_head(expected))
    last, head = current_head().position if upto is None else upto, _start(from_position, findings)
    after = head.position
    batches = _read_batches(after, last, chunk) if stream is None else stream(ALL, [after, last], chunk)

    def report_gap(before: int, position: int) -> None:
        findings.append(missing_positions(before, position))

    for rows in batches:
        events, head = check_chain(rows, head, findings=findings, on_gap=report_gap)
        yield events


def _read_batches(after: int, last: int, chunk: int) -> Iterator[Rows]:
    while rows := fetch(SELECT_BATCH, [after, last, chunk]):
        after = rows[-1][0]
        yield rows


def compare_head(expected: Head) -> Iterator[Finding]:
    """Yield what contradicts a head kept outside."""
    if not expected.position:
        return
    rows = fetch("SELECT digest FROM events_seal WHERE position = %s", [expected.position])
    where = f"position {expected.position}"
    if not rows:
        head = current_head()
        yield Finding("tail cut", where, expected.digest.hex(), f"nothing; the log ends at {head.position}")
    elif rows[0][0] != expected.digest:
        yield Finding("chain rewritten", where, expected.digest.hex(), rows[0][0].hex())


def _start(position: int, findings: list[Finding]) -> Head:
    if not position:
        return Head(0, GENESIS)
    rows = fetch("SELECT position, digest FROM events_seal WHERE position = %s", [position])
    if not rows:
        findings.append(Finding("position missing", f"position {position}", "a seal", "nothing"))
    return Head(*rows[0]) if rows else Head(position, GENESIS)


def read_positions(positions: Sequence[int], *, findings: list[Finding]) -> list[CheckedEvent]:
    """Read the sealed events at some positions, ascending, and check each against the seal before it.

    An event without a seal before it is not checked; `find_missing` reports that gap.
    """
    events: list[CheckedEvent] = []

    def read(some: Sequence[int]) -> list[Finding]:
        found: list[Finding] = []
        events.extend(_check_positions(fetch(SELECT_POSITIONS, [_array(some)]), found))
        return found

    findings.extend(in_parts(positions, read, lambda position: f"position {position}"))
    return events


def stream_positions(
    positions: Sequence[int], *, stream: RowStream, chunk: int, findings: list[Finding]
) -> Iterator[list[CheckedEvent]]:
    """Do as `read_positions`, in batches of at most `chunk` that another connection reads ahead."""
    for rows in stream(SELECT_POSITIONS, [_array(positions)], chunk):
        yield _check_positions(rows, findings)


def _check_positions(rows: Rows, findings: list[Finding]) -> list[CheckedEvent]:
    before = {1: GENESIS} | {row[0]: row[-1] for row in rows if row[-1] is not None}
    events, _ = check_chain(
        [row[:-1] for row in rows], _NO_HEAD, findings=findings, on_gap=lambda _, position: before.get(position)
    )
    return events


def _array(numbers: Sequence[int]) -> str:
    return f"{{{','.join(map(str, numbers))}}}"  # as text: psycopg takes longer to adapt a long list


def find_missing(*, upto: int) -> Iterator[Finding]:
    """Yield the missing positions and events of a log that is not read in one piece."""
    for position, event in fetch(SELECT_MISSING_EVENTS, [upto]):
        yield Finding("event missing", f"position {position}", f"event {event}", "nothing")
    for before, position in fetch(GAPS, [upto]):
        yield missing_positions(before, position)


def inspect(*, max_wait_seconds: float = 30.0, streams: Sequence[str] | None = None) -> Iterator[Finding]:
    """Yield what is wrong with positions, queue and streams, without recomputing a digest.

    An event may wait `max_wait_seconds`, by the database's clock, for its seal. With `streams`, only the events of
    these are checked. Each query sees a snapshot of its own.
    """
    only = "" if streams is None else _ONLY_STREAMS
    parameters = [] if streams is None else [list(streams)]
    yield from run_checks(
        ("heads", _check_heads),
        ("seals", lambda: _check_all_queued(only, parameters)),
        ("queue", lambda: _check_queue(max_wait_seconds)),
        ("streams", lambda: _check_streams(only, parameters)),
        ("transactions", lambda: _check_transactions(0, _LAST_ID) if streams is None else ()),
    )


def inspect_range(log: LogRange, *, max_wait_seconds: float) -> Iterator[Finding]:
    """Yield what is wrong with the positions and streams of a range, and at the end of the log with heads and queue."""
    of_end = (("heads", _check_heads), ("queue", lambda: _check_queue(max_wait_seconds))) if log.is_open else ()
    yield from run_checks(
        *of_end,
        ("seals", lambda: itertools.starmap(_never_sealed, fetch(RANGE_NEVER_SEALED, [log.first_id, log.last_id]))),
        ("streams", lambda: _check_order(log)),
        ("transactions", lambda: _check_transactions(log.since, log.upto)),
    )


def _check_order(log: LogRange) -> Iterator[Finding]:
    for stream, version, position, before in fetch(RANGE_ORDER, [log.since, log.upto, log.since]):
        where = f"position {position}, {stream} version {version}"
        yield Finding("order differs", where, f"version {before + 1}", f"version {version}")


def _check_transactions(since: int, upto: int) -> Iterator[Finding]:
    for transaction, first, last, count in fetch(TORN, [since, upto]):
        where = f"transaction {transaction}, positions {first} to {last}"
        yield Finding("transaction torn", where, f"{last - first + 1} events", str(count))


def _never_sealed(event: int, stream: str, version: int) -> Finding:
    where = f"event {event}, {stream} version {version}"
    return Finding("never sealed", where, "a seal or a place in the queue", "-")


def _check_heads() -> Iterator[Finding]:
    """Yield the heads that the sealer or a subscriber recorded and the log does not have."""
    for name, position in fetch(CUT):
        yield Finding("tail cut", name, f"a seal at position {position}", "the log ends before it")
    for position, expected, actual in fetch(CHANGED_HEADS):
        yield Finding("chain rewritten", f"position {position}", expected.hex(), actual.hex())


def _check_all_queued(only: str, parameters: list[list[str]]) -> Iterator[Finding]:
    for event, stream, version in fetch(only + NEVER_SEALED, parameters):
        yield _never_sealed(event, stream, version)


def _check_queue(max_wait_seconds: float) -> Iterator[Finding]:
    for event, missing, position, age in fetch(QUEUE, [max_wait_seconds]):
        if missing:
            yield Finding("event missing", f"queue, event {event}", f"event {event}", "nothing")
        elif position is not None:
            yield Finding("sealed and queued", f"event {event}", "one of the two", f"position {position} and queued")
        else:
            yield Finding("unsealed too long", f"event {event}", f"at most {max_wait_seconds:g} s", f"{age:.0f} s")


def _check_streams(only: str, parameters: list[list[str]]) -> Iterator[Finding]:
    for stream, count, first, last in fetch(only + VERSIONS, parameters):
        actual = f"{count} events, versions {first} to {last}"
        yield Finding("version missing", stream, "versions 1, 2, 3 … without a gap", actual)
    for stream, version, position, before in fetch(only + ORDER, parameters):
        where = f"position {position}, {stream} version {version}"
        yield Finding("order differs", where, f"a position after {before}", str(position))
