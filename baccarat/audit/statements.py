"""What witnesses signed for this house, as `manage.py witness --compare` reads it: a JSON object for each statement."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, Final

from baccarat.domain.fairness.links import SignedRelease, statement_of
from baccarat.domain.rounds.state import Phase, RoundState
from baccarat.storage import repository
from baccarat.storage.event_registry import CATALOGUE
from casino.checkpoints import records
from casino.events.hash_chain import microseconds
from casino.events.sql import fetch
from casino.witness.statements import ClosingKind

BATCH: Final = 500
_CHAINS: Final = """
SELECT type, schema, data::text, (SELECT seat.recorded_at FROM events_event AS seat
         WHERE seat.stream = chain.stream AND seat.type = 'SeatTaken' ORDER BY seat.version LIMIT 1)
  FROM events_event AS chain WHERE type = 'WitnessChainOpened' ORDER BY id
"""
_SHOES: Final = """
SELECT closed.type, closed.schema, closed.data::text, released.type, released.schema, released.data::text
  FROM events_event AS closed JOIN events_event AS released ON released.stream = closed.stream
   AND released.type = 'ShoeLinksReleased' AND released.data->>'shoe' = closed.data->>'shoe'
 WHERE closed.type = 'ShoeCutClosed' AND released.id > %s ORDER BY closed.id
"""
_ROUNDS: Final = """
SELECT id, substr(stream, length('round-') + 1)::uuid FROM events_event
 WHERE type = 'LinksReleased' AND id > %s ORDER BY id LIMIT %s
"""


def list_statements(*, after: int = 0) -> Iterator[dict[str, Any]]:
    """Yield chains, with when their tables' first players sat down, and the links with the results of their rounds.

    Links that were recorded up to the event with the id `after` are left out.
    """
    return chain(_chains(), _links(after), _links_of_shoes(after))


def list_notes() -> Iterator[dict[str, Any]]:
    """Yield the checkpoints with their cosignatures."""
    size = 0
    while page := records.list_after(size):
        size = page[-1].size
        yield from ({"note": each.cosigned} for each in page)


def _chains() -> Iterator[dict[str, Any]]:
    for *row, seated_at in fetch(_CHAINS):
        opened = CATALOGUE.decode(*row)
        yield {
            "header": opened.header,
            "header_signature": opened.signature,
            "house_signature": opened.house_signature,
            "seated_ms": _milliseconds(seated_at),
        }


def _links(after: int) -> Iterator[dict[str, Any]]:
    while rows := fetch(_ROUNDS, [after, BATCH]):
        after = rows[-1][0]
        for state in repository.read_rounds([round_ for _, round_ in rows]).values():
            yield from _links_of(state)


def _links_of(state: RoundState) -> Iterator[dict[str, Any]]:
    """Yield the statements of a round's witnesses, with what became of it."""
    opened, closing = state.require_opened(), state.closing
    if closing is None or not state.releases:
        return
    indexes = {each.chain: each.index for each in opened.witnesses}
    for release in state.releases:
        yield _statement(release, indexes[release.chain], _kind(state), closing.digest) | {
            "result": None if state.ended_at is None else str(state.phase),
            "closed_ms": _milliseconds(state.closed_at or state.ended_at),
            "ended_ms": _milliseconds(state.ended_at),
        }


def _links_of_shoes(after: int) -> Iterator[dict[str, Any]]:
    """Yield the statements for long shoes; what became of these is in their rounds."""
    for row in fetch(_SHOES, [after]):
        closed, released = CATALOGUE.decode(*row[:3]), CATALOGUE.decode(*row[3:])
        indexes = {each.chain: each.index for each in closed.witnesses}
        for release in released.releases:
            yield _statement(release, indexes[release.chain], ClosingKind.SHOE, closed.closing.digest)


def _statement(release: SignedRelease, index: int, kind: ClosingKind, digest: str) -> dict[str, Any]:
    data = statement_of(release, index=index, kind=kind, digest=digest)
    return {"statement": data.hex(), "signature": release.signature, "path": _hashes(release.path)}


def _kind(state: RoundState) -> ClosingKind:
    if state.closed_at is not None:
        return ClosingKind.PLAYED
    return ClosingKind.LAPSED if state.phase is Phase.LAPSED else ClosingKind.VOID


def _hashes(path: str) -> Sequence[str]:
    return [path[at : at + 64] for at in range(0, len(path), 64)]


def _milliseconds(moment: datetime | None) -> int | None:
    return None if moment is None else microseconds(moment) // 1000
