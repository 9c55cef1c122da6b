"""Questions about the log that PostgreSQL answers in one statement each, every one on a snapshot of its own."""

from collections.abc import Iterator, Sequence
from typing import Final

from casino.events.sql import fetch
from casino.kernel.findings import Finding

_ONLY: Final = "WITH events_event AS (SELECT * FROM events_event WHERE stream = ANY (%s::text[]))"
"""Stands before a question and takes the place of all events."""

CUT: Final = """
SELECT 'headmark', position FROM events_chainhead WHERE position > (SELECT coalesce(max(position), 0) FROM events_seal)
UNION ALL
SELECT 'subscription ' || name, position FROM events_subscription
WHERE position > (SELECT coalesce(max(position), 0) FROM events_seal)
ORDER BY 2
"""

MARKS: Final = """
SELECT mark.position, mark.digest, seal.digest
FROM events_chainhead AS mark JOIN events_seal AS seal USING (position)
WHERE mark.digest <> seal.digest
ORDER BY mark.position
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

STREAMS: Final = """
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


def inspect(*, max_wait_seconds: float = 30.0, streams: Sequence[str] | None = None) -> Iterator[Finding]:
    """Yield what is wrong with positions, queue and streams, without recomputing a digest.

    `oldest` is how many seconds, by the database's clock, an event may wait for its seal. With `streams`, events are
    looked at in these only.
    """
    only = "" if streams is None else _ONLY
    given = [] if streams is None else [list(streams)]
    yield from _ends()
    yield from _never_sealed(only, given)
    yield from _queue(max_wait_seconds)
    yield from _streams(only, given)


def _ends() -> Iterator[Finding]:
    """A head that was noted once, by the sealer or by a subscriber, can't be ahead of the log."""
    for who, position in fetch(CUT):
        yield Finding("tail cut", who, f"a seal at position {position}", "the log ends before it")
    for position, marked, found in fetch(MARKS):
        yield Finding("chain rewritten", f"position {position}", marked.hex(), found.hex())


def _never_sealed(only: str, given: list[list[str]]) -> Iterator[Finding]:
    for event, stream, version in fetch(only + NEVER_SEALED, given):
        yield Finding(
            "never sealed", f"event {event}, {stream} version {version}", "a seal or a place in the queue", "-"
        )


def _queue(oldest: float) -> Iterator[Finding]:
    for event, gone, position, age in fetch(QUEUE, [oldest]):
        if gone:
            yield Finding("event missing", f"queue, event {event}", f"event {event}", "nothing")
        elif position is not None:
            yield Finding("sealed and queued", f"event {event}", "one of the two", f"position {position} and queued")
        else:
            yield Finding("unsealed too long", f"event {event}", f"at most {oldest:g} s", f"{age:.0f} s")


def _streams(only: str, given: list[list[str]]) -> Iterator[Finding]:
    for stream, count, first, last in fetch(only + STREAMS, given):
        found = f"{count} events, versions {first} to {last}"
        yield Finding("version missing", stream, "versions 1, 2, 3 … without a gap", found)
    for stream, version, position, before in fetch(only + ORDER, given):
        where = f"position {position}, {stream} version {version}"
        yield Finding("order differs", where, f"a position after {before}", str(position))
