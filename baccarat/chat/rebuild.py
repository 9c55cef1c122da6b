"""Rebuilds the projections of chats from their events: players' states, filter words, and bans."""

import functools
from typing import Final

from baccarat.chat import projection
from baccarat.chat.event_registry import CATALOGUE
from baccarat.chat.events import ChatPlayerEvent, FilterEvent, FilterWordAdded, PlayerReported
from baccarat.chat.rules import NEWCOMER, evolve
from casino.events.projections import RebuildResult, rebuild, stream_histories
from casino.operators import bans

TABLES: Final = {
    projection.MODERATION.table: "player_id",
    projection.FILTER_WORDS.table: "id",
    bans.TABLE: "player_id",
}


def rebuild_chat(*, compare: bool = False) -> RebuildResult:
    """Rebuild the projections in one transaction, holding writers out."""
    return rebuild(TABLES, _fill, compare=compare)


def _fill() -> None:
    for histories in stream_histories(CATALOGUE, *(event.__name__ for event in CATALOGUE.events)):
        for history in histories:
            if isinstance(history[0], FilterEvent):
                _fill_filter_words(history)
            else:
                _fill_player(history)


def _fill_filter_words(history: list[FilterEvent]) -> None:
    for event in history:
        if isinstance(event, FilterWordAdded):
            projection.add_word(event)
        else:
            projection.remove_word(event.operator, event.normalized)


def _fill_player(history: list[ChatPlayerEvent]) -> None:
    first = history[0]
    player = first.reporter if isinstance(first, PlayerReported) else first.player
    state = functools.reduce(evolve, history, NEWCOMER)
    projection.save(state, operator=first.operator, player=player)
    if state.ban is not None:
        bans.save_ban(player=player, until=state.ban.until)
