"""Throw away what follows from the log, and make it again: what holds for players, the words, who was removed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction

from baccarat.chat import projection
from baccarat.chat.event_registry import CATALOGUE
from baccarat.chat.events import ChatPlayerEvent, FilterEvent, FilterWordAdded, PlayerReported
from baccarat.chat.rules import NEWCOMER, ModerationState, evolve
from casino.events.sql import execute, fetch
from casino.operators import bans

TABLES: Final = (projection.MODERATION_TABLE, projection.FILTER_WORD_TABLE, bans.TABLE)
_EVENTS: Final = """
    SELECT type, schema, data::text FROM events_event
     WHERE starts_with(stream, 'chat-') OR starts_with(stream, 'words-') ORDER BY stream, version
"""


@dataclass(frozen=True, slots=True)
class RebuildResult:
    """How many rows each projection has now; `changed` names those that came out otherwise, where compared."""

    rows: dict[str, int]
    changed: tuple[str, ...]


def rebuild_chat(*, compare: bool = False) -> RebuildResult:
    """Make the projections again from their events in one transaction, holding writers out."""
    with transaction.atomic():
        for table in TABLES:
            execute(f"LOCK TABLE {table} IN EXCLUSIVE MODE")
        before = _all() if compare else {}
        for table in TABLES:
            execute(f"DELETE FROM {table}")  # noqa: S608  (a constant)
        _make()
        after = _all()
    changed = tuple(_changed(before, after)) if compare else ()
    return RebuildResult({table: len(rows) for table, rows in after.items()}, changed)


def _make() -> None:
    voices: dict[Any, tuple[Any, ModerationState]] = {}
    for kind, schema, data in fetch(_EVENTS):
        event: FilterEvent | ChatPlayerEvent = CATALOGUE.decode(kind, schema, data)
        if isinstance(event, FilterWordAdded):
            projection.add_word(event)
        elif isinstance(event, FilterEvent):
            projection.remove_word(event.operator, event.folded)
        else:
            player = event.reporter if isinstance(event, PlayerReported) else event.player
            _, conduct = voices.get(player, (None, NEWCOMER))
            voices[player] = event.operator, evolve(conduct, event)
    for player, (operator, conduct) in voices.items():
        projection.save(conduct, operator=operator, player=player)
        if conduct.ban is not None:
            bans.save_ban(player=player, until=conduct.ban.until)


def _all() -> dict[str, Mapping[Any, Any]]:
    return dict(
        zip(
            TABLES,
            (projection.load_moderation_rows(), projection.load_filter_word_rows(), bans.all_bans()),
            strict=True,
        )
    )


def _changed(before: Mapping[str, Mapping[Any, Any]], after: Mapping[str, Mapping[Any, Any]]) -> Iterator[str]:
    for table, rows in after.items():
        old = before[table]
        for key in sorted(old.keys() | rows.keys(), key=str):
            if key not in old or key not in rows or old[key] != rows[key]:
                yield f"{table} {key}"
