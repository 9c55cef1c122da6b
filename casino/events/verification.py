"""Check the log against itself: every digest recomputed, every position, stream and queue entry accounted for.

`walk` recomputes the chain while it hands out the events, so that one read serves replay and verification;
`inspect` asks the database the questions that need no digest; `verify` does both.

What only a copy of the head kept elsewhere can tell: whether an owner cut the tail of every table, or rewrote the whole
chain from some position on. Keep `head_mark()` outside and give it back as `expected`.
"""

from collections.abc import Iterator
from typing import Final

from casino.events.digest import GENESIS
from casino.events.hash_chain import SEALED_COLUMNS, CheckedEvent, Head, check_chain, missing_positions
from casino.events.inspection import inspect
from casino.events.sql import Rows, RowStream, fetch
from casino.kernel.findings import Finding

__all__ = ["Head", "compare_head", "current_head", "inspect", "verify", "walk"]

_LINKS: Final = """
SELECT {columns}
FROM (SELECT position, digest, event_id FROM events_seal
      WHERE position > %s AND position <= %s ORDER BY position {limit}) AS seal
LEFT JOIN events_event AS event ON event.id = seal.event_id
ORDER BY seal.position
"""
ALL: Final = _LINKS.format(columns=SEALED_COLUMNS, limit="")
SELECT_BATCH: Final = _LINKS.format(columns=SEALED_COLUMNS, limit="LIMIT %s")


def current_head() -> Head:
    """Return the head of the chain, to keep outside of the database and to compare a later log with."""
    rows = fetch("SELECT position, digest FROM events_seal ORDER BY position DESC LIMIT 1")
    return Head(*rows[0]) if rows else Head(0, GENESIS)


def verify(
    *, from_position: int = 0, expected: Head | None = None, chunk: int = 5000, max_wait_seconds: float = 30.0
) -> Iterator[Finding]:
    """Yield all that is wrong with the log; nothing if all is well.

    The chain is recomputed above `from_position`; everything else is looked at whole. `expected` is a head kept
    outside. An event may wait `max_wait_seconds` for its seal.
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

    Each link is checked against the digest stored before it, so one changed row is one finding, not a finding for every
    row after it. It ends at `upto`, or at the head that stood when it began. The connection is free between batches;
    `stream` reads all of it by another one, ahead of us.
    """
    if expected is not None:
        findings.extend(compare_head(expected))
    last, link = current_head().position if upto is None else upto, _start(from_position, findings)
    after = link.position
    lots = _lots(after, last, chunk) if stream is None else stream(ALL, [after, last], chunk)

    def jump(before: int, position: int) -> None:
        findings.append(missing_positions(before, position))

    for rows in lots:
        batch, link = check_chain(rows, link, findings=findings, jump=jump)
        yield batch


def _lots(after: int, last: int, chunk: int) -> Iterator[Rows]:
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
