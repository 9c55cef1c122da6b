"""Check the log against itself: every digest recomputed, every position, stream and queue entry accounted for.

`walk` recomputes the chain while it hands out the events, so that one read serves replay and verification;
`inspect` asks the database the questions that need no digest; `verify` does both.

What only a copy of the head kept elsewhere can tell: whether an owner cut the tail of every table, or rewrote the whole
chain from some position on. Keep `head_mark()` outside and give it back as `expected`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from casino.events.canonical import recanonical
from casino.events.digest import GENESIS, seal
from casino.events.inspection import inspect
from casino.events.rows import Rows, Stream, fetch
from casino.kernel.findings import Finding

__all__ = ["Head", "against", "head_mark", "inspect", "verify", "walk"]

_COLUMNS: Final = """seal.position, seal.digest, seal.event_id, event.stream, event.version, event.type, event.schema,
       event.data::text, event.metadata::text, (date_part('epoch', event.recorded_at) * 1000000)::bigint"""
_LINKS: Final = """
SELECT {columns}
FROM (SELECT position, digest, event_id FROM events_seal
      WHERE position > %s AND position <= %s ORDER BY position {limit}) AS seal
LEFT JOIN events_event AS event ON event.id = seal.event_id
ORDER BY seal.position
"""
ALL: Final = _LINKS.format(columns=_COLUMNS, limit="")
LOT: Final = _LINKS.format(columns=_COLUMNS, limit="LIMIT %s")
SOME: Final = f"""
SELECT {_COLUMNS}, before.digest
FROM events_seal AS seal
LEFT JOIN events_event AS event ON event.id = seal.event_id
LEFT JOIN events_seal AS before ON before.position = seal.position - 1
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

Forms = Mapping[tuple[str, int], Callable[[str | bytes], Any]]
"""Reads some events, by name and schema, into structs that, written again, give the canonical bytes.

So their fields stand in canonical order, none may lack or be too many, and none is converted when it is read, but to
an enum of texts. They raise msgspec.DecodeError for any other data.
"""


class Seen(msgspec.Struct, gc=False):
    """A sealed event whose link was recomputed, as far as it is still wanted; the data is canonical."""

    position: int
    id: int
    stream: str
    version: int
    type: str
    schema: int
    data: bytes


Read = tuple[Sequence[Seen], Sequence[Any]]
"""Events, and as many values: what their forms have read of them, None where there is no form."""

_write: Final = msgspec.json.Encoder(order="deterministic").encode


class About(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """The metadata of an event, as such a struct."""

    actor: str
    causation: str
    correlation: str
    operator: str
    request: str


_metadata: Final = msgspec.json.Decoder(About).decode


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
    stream: Stream | None = None,
) -> Iterator[list[Seen]]:
    """This will yield the sealed events above `from_position` in batches, as `read` does, without reading any.

    It adds to `findings` what breaks the chain.
    """
    about: dict[str, Any] = {"from_position": from_position, "upto": upto, "expected": expected}
    for batch, _ in read({}, findings=findings, chunk=chunk, stream=stream, **about):
        yield list(batch)


def read(
    forms: Forms,
    *,
    findings: list[Finding],
    from_position: int = 0,
    upto: int | None = None,
    expected: Head | None = None,
    chunk: int = 5000,
    stream: Stream | None = None,
) -> Iterator[Read]:
    """This will yield the sealed events above `from_position` in batches and add to `findings` what breaks the chain.

    Each link is checked against the digest stored before it, so one changed row is one finding, not a finding for every
    row after it. It ends at `upto`, or at the head that stood when it began. The connection is free between batches;
    `stream` reads all of it by another one, ahead of us.
    """
    if expected is not None:
        findings.extend(against(expected))
    last, link = head_mark().position if upto is None else upto, _start(from_position, findings)
    after = link.position
    lots = _lots(after, last, chunk) if stream is None else stream(ALL, [after, last], chunk)
    for rows in lots:
        batch: list[Seen] = []
        values: list[Any] = []
        link = _check(rows, link, batch, values, forms, findings)
        yield batch, values


def read_some(forms: Forms, positions: Sequence[int], *, findings: list[Finding]) -> Read:
    """This will read the sealed events at some positions.

    Each is held against its own seal, which must follow from the one before it. One without any before it is not;
    that is for `lacking` to tell.
    """
    batch: list[Seen] = []
    values: list[Any] = []
    for *row, before in fetch(SOME, [f"{{{','.join(map(str, positions))}}}"]):
        link = Head(row[0] - 1, before or GENESIS)
        followed = before is not None or row[0] == 1
        _check([tuple(row)], link, batch, values, forms, findings if followed else [])
    return batch, values


def lacking(*, upto: int) -> Iterator[Finding]:
    """This will yield the positions that lack and the events that are gone, of a log that is not read in one piece."""
    for position, event in fetch(GONE, [upto]):
        yield Finding("event missing", f"position {position}", f"event {event}", "nothing")
    for before, position in fetch(GAPS, [upto]):
        yield _gap(before, position)


def _lots(after: int, last: int, chunk: int) -> Iterator[Rows]:
    while rows := fetch(LOT, [after, last, chunk]):
        after = rows[-1][0]
        yield rows


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


def _check(  # noqa: PLR0917  (by position: the inner loop's only caller)
    rows: Rows, link: Head, batch: list[Seen], values: list[Any], forms: Forms, findings: list[Finding]
) -> Head:
    """The rows' links, each to the digest stored before it. Written for speed: this is the audit's inner loop."""
    before, previous = link
    metadata, about = None, b""  # events of one command share it
    keep, add, form_of, write = batch.append, values.append, forms.get, _write
    for position, stored, event, stream, version, kind, schema, data, said, recorded in rows:
        if stream is None:
            findings.append(Finding("event missing", f"position {position}", f"event {event}", "nothing"))
            before, previous = position, stored
            continue
        if said != metadata:
            metadata, about = said, _about(said)
        value, form = None, form_of((kind, schema))
        if form is None:
            body = recanonical(data)
        else:
            try:
                value = form(data)
                body = write(value)
            except msgspec.DecodeError:
                body = recanonical(data)
        name, sort = stream.encode(), kind.encode()
        computed = seal(position, event, version, schema, recorded, name, sort, body, about, previous)
        if position != before + 1:
            findings.append(_gap(before, position))
        elif computed != stored:
            where = f"position {position}, {stream} version {version}, {kind}"
            findings.append(Finding("digest differs", where, stored.hex(), computed.hex()))
        keep(Seen(position, event, stream, version, kind, schema, body))
        add(value)
        before, previous = position, stored
    return Head(before, previous)


def _about(said: str) -> bytes:
    """The canonical bytes of metadata, by the shortest way where it has its usual fields."""
    try:
        return _write(_metadata(said))
    except msgspec.DecodeError:
        return recanonical(said)


def _gap(before: int, position: int) -> Finding:
    missing = f"position {before + 1}" if position == before + 2 else f"positions {before + 1} to {position - 1}"
    return Finding("position missing", missing, "a seal", "nothing")
