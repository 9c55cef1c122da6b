"""Check the log against itself: every digest recomputed, every position, stream and queue entry accounted for.

`walk` recomputes the chain while it hands out the events, so that one read serves replay and verification;
`inspect` asks the database the questions that need no digest; `verify` does both.

What only a copy of the head kept elsewhere can tell: whether an owner cut the tail of every table, or rewrote the whole
chain from some position on. Keep `head_mark()` outside and give it back as `expected`.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from casino.events.canonical import recanonical, recanonical_seen
from casino.events.digest import GENESIS, microseconds, seal
from casino.events.drafts import Sealed
from casino.events.inspection import inspect
from casino.events.rows import Ask, Rows, fetch, later
from casino.kernel.findings import Finding

__all__ = ["Head", "against", "head_mark", "inspect", "verify", "walk"]

CHUNK: Final = """
SELECT seal.position, seal.digest, seal.event_id, event.stream, event.version, event.type, event.schema,
       event.data::text, event.metadata::text, event.recorded_at
FROM (SELECT position, digest, event_id FROM events_seal
      WHERE position > %s AND position <= %s ORDER BY position LIMIT %s) AS seal
LEFT JOIN events_event AS event ON event.id = seal.event_id
ORDER BY seal.position
"""


class Head(NamedTuple):
    """The end of the chain at one moment; position 0 has the genesis digest."""

    position: int
    digest: bytes


def head_mark() -> Head:
    """This will return the head of the chain, to keep outside of the database and to compare a later log with."""
    rows = fetch("SELECT position, digest FROM events_seal ORDER BY position DESC LIMIT 1")
    return Head(*rows[0]) if rows else Head(0, GENESIS)


def verify(
    *, from_position: int = 0, expected: Head | None = None, chunk: int = 5000, oldest: float = 30.0
) -> Iterator[Finding]:
    """This will yield all that is wrong with the log; nothing if all is well.

    The chain is recomputed above `from_position`; everything else is looked at whole. `expected` is a head kept
    outside. `oldest` is how many seconds an event may wait for its seal.
    """
    findings: list[Finding] = []
    for _ in walk(findings=findings, from_position=from_position, expected=expected, chunk=chunk):
        yield from findings
        findings.clear()
    yield from findings
    yield from inspect(oldest=oldest)


def walk(
    *,
    findings: list[Finding],
    from_position: int = 0,
    upto: int | None = None,
    expected: Head | None = None,
    chunk: int = 5000,
    ask: Ask = later,
) -> Iterator[list[Sealed]]:
    """This will yield the sealed events above `from_position` in batches and add to `findings` what breaks the chain.

    Each link is checked against the digest stored before it, so one changed row is one finding, not a finding for every
    row after it. It ends at `upto`, or at the head that stood when it began. The connection is free between batches;
    `ask` may have the next batch read meanwhile.
    """
    if expected is not None:
        findings.extend(against(expected))
    last, link = head_mark().position if upto is None else upto, _start(from_position, findings)
    answer = ask(CHUNK, [link.position, last, chunk])
    while rows := answer():
        answer = ask(CHUNK, [rows[-1][0], last, chunk])
        batch: list[Sealed] = []
        link = _check(rows, link, batch, findings)
        yield batch


def against(expected: Head) -> Iterator[Finding]:
    """This will yield what contradicts a head kept outside."""
    if not expected.position:
        return
    rows = fetch("SELECT digest FROM events_seal WHERE position = %s", [expected.position])
    where = f"position {expected.position}"
    if not rows:
        head = head_mark()
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


def _check(rows: Rows, link: Head, batch: list[Sealed], findings: list[Finding]) -> Head:
    """The rows' links, each to the digest stored before it. Written for speed: this is the audit's inner loop."""
    before, previous = link
    moment, recorded, metadata, about = None, 0, None, b""  # what events of one command share is worked out once
    make, keep = tuple.__new__, batch.append
    for position, stored, event, stream, version, kind, schema, data, said, when in rows:
        if stream is None:
            findings.append(Finding("event missing", f"position {position}", f"event {event}", "nothing"))
        else:
            if when != moment:
                moment, recorded = when, microseconds(when)
            if said != metadata:
                metadata, about = said, recanonical_seen(said)
            body = recanonical(data)
            computed = seal(
                position, event, version, schema, recorded, stream.encode(), kind.encode(), body, about, previous
            )
            if position != before + 1:
                findings.append(_gap(before, position))
            elif computed != stored:
                where = f"position {position}, {stream} version {version}, {kind}"
                findings.append(Finding("digest differs", where, stored.hex(), computed.hex()))
            keep(make(Sealed, (position, stored, event, stream, version, kind, schema, body, about, when)))
        before, previous = position, stored
    return Head(before, previous)


def _gap(before: int, position: int) -> Finding:
    missing = f"position {before + 1}" if position == before + 2 else f"positions {before + 1} to {position - 1}"
    return Finding("position missing", missing, "a seal", "nothing")
