"""`manage.py witness_statements`: what witnesses signed for this house, as `manage.py witness --compare` reads it."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.core.management.base import BaseCommand

from baccarat.domain.fairness.links import SignedRelease, statement_of
from baccarat.domain.rounds.state import Phase, RoundState
from baccarat.storage import repository
from baccarat.storage.event_registry import CATALOGUE
from casino.checkpoints import notes
from casino.events.hash_chain import microseconds
from casino.events.sql import fetch
from casino.witness.statements import ClosingKind

BATCH: Final = 500
_CHAINS: Final = "SELECT type, schema, data::text FROM events_event WHERE type = 'WitnessChainOpened' ORDER BY id"
_SHOES: Final = """
SELECT closed.type, closed.schema, closed.data::text, released.type, released.schema, released.data::text
  FROM events_event AS closed JOIN events_event AS released ON released.stream = closed.stream
   AND released.type = 'ShoeLinksReleased' AND released.data->>'shoe' = closed.data->>'shoe'
 WHERE closed.type = 'ShoeCutClosed' ORDER BY closed.id
"""
_ROUNDS: Final = "SELECT id FROM baccarat_round WHERE id > %s ORDER BY id LIMIT %s"


class Command(BaseCommand):
    """One JSON object on each line: chains, links with the results of their rounds, and checkpoints."""

    help = "Print what witnesses signed for this house, with the results of the rounds, for `witness --compare`."
    requires_system_checks = ()

    def handle(self, **_: object) -> None:
        for lines in (_chains(), _links(), _links_of_shoes(), _notes()):
            for line in lines:
                self.stdout.write(json.dumps(line))


def _chains() -> Iterator[dict[str, Any]]:
    for row in fetch(_CHAINS):
        chain = CATALOGUE.decode(*row)
        yield {
            "header": chain.header,
            "header_signature": chain.signature,
            "house_signature": chain.house_signature,
        }


def _links() -> Iterator[dict[str, Any]]:
    last = UUID(int=0)
    while rows := fetch(_ROUNDS, [last, BATCH]):
        last = rows[-1][0]
        for state in repository.read_rounds([round_ for (round_,) in rows]).values():
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


def _links_of_shoes() -> Iterator[dict[str, Any]]:
    """Yield the statements for long shoes; what became of these is in their rounds."""
    for row in fetch(_SHOES):
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


def _notes() -> Iterator[dict[str, Any]]:
    size = 0
    while page := notes.list_after(size):
        size = page[-1].size
        yield from ({"note": _cosigned(each)} for each in page)


def _cosigned(note: notes.StoredNote) -> str:
    return note.note + "".join(note.cosignatures)


def _hashes(path: str) -> Sequence[str]:
    return [path[at : at + 64] for at in range(0, len(path), 64)]


def _milliseconds(moment: datetime | None) -> int | None:
    return None if moment is None else microseconds(moment) // 1000
