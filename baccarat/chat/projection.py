"""Projections of chats: the state of each player, and the words that are masked."""

from typing import Any, Final
from uuid import UUID

from baccarat.chat.events import FilterWordAdded, ModerationReason
from baccarat.chat.models import FilterWord, PlayerModeration
from baccarat.chat.rules import ModerationState, Sanction
from casino.events.projections import ProjectionTable, Row
from casino.events.sql import fetch

MODERATION: Final = ProjectionTable.of(PlayerModeration)
FILTER_WORDS: Final = ProjectionTable.of(FilterWord)
# Inserts a new player's row, or locks the row that is there: later transactions wait here.
_LOCK: Final = f"""
    INSERT INTO chat_playermoderation AS stored (player_id, operator_id, version) VALUES (%s, %s, 0)
    ON CONFLICT (player_id) DO UPDATE SET version = stored.version RETURNING {", ".join(MODERATION.names)}
"""  # noqa: S608  (constants)


def lock(*, operator: UUID, player: UUID) -> ModerationState:
    """Lock a player's state until the transaction ends, and return it."""
    return _moderation_state(fetch(_LOCK, [player, operator])[0])


def load_moderation(*, operator: UUID, player: UUID) -> ModerationState:
    rows = PlayerModeration.objects.filter(player_id=player, operator_id=operator)
    row = rows.values_list(*MODERATION.names).first()
    return ModerationState() if row is None else _moderation_state(row)


def save(state: ModerationState, *, operator: UUID, player: UUID) -> None:
    MODERATION.upsert([moderation_row(state, operator=operator, player=player)])


def moderation_row(state: ModerationState, *, operator: UUID, player: UUID) -> Row:
    (mute_reason, muted_until), (ban_reason, banned_until) = _columns(state.mute), _columns(state.ban)
    return MODERATION.row(
        player_id=player,
        operator_id=operator,
        version=state.version,
        mute_reason=mute_reason,
        muted_until=muted_until,
        ban_reason=ban_reason,
        banned_until=banned_until,
    )


def filter_word_id(operator: UUID | None, normalized: str) -> str:
    """Return the key of a word's row: a word is on each list once."""
    return f"{operator or 'everyone'}/{normalized}"


def filter_word_row(event: FilterWordAdded) -> Row:
    return FILTER_WORDS.row(
        id=filter_word_id(event.operator, event.normalized),
        operator_id=event.operator,
        word=event.word,
        normalized=event.normalized,
        added_at=event.added_at,
    )


def add_word(event: FilterWordAdded) -> None:
    FILTER_WORDS.upsert([filter_word_row(event)])


def remove_word(operator: UUID | None, normalized: str) -> None:
    FilterWord.objects.filter(id=filter_word_id(operator, normalized)).delete()


def _moderation_state(row: tuple[Any, ...]) -> ModerationState:
    _, _, version, mute_reason, muted_until, ban_reason, banned_until = row
    mute = None if mute_reason is None else Sanction(muted_until, ModerationReason(mute_reason))
    ban = None if ban_reason is None else Sanction(banned_until, ModerationReason(ban_reason))
    return ModerationState(version, mute, ban)


def _columns(sanction: Sanction | None) -> tuple[Any, Any]:
    return (None, None) if sanction is None else (sanction.reason.value, sanction.until)
