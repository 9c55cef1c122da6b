"""Rows that follow from the log alone: what holds for a player in chats, and the words that are masked."""

from collections.abc import Iterable
from typing import Any, Final
from uuid import UUID

from baccarat.chat.events import FilterWordAdded, ModerationReason
from baccarat.chat.rules import ModerationState, Sanction
from casino.events.sql import execute, fetch

MODERATION_TABLE: Final = "chat_playermoderation"
MODERATION_COLUMNS: Final = (
    "player_id", "operator_id", "version", "mute_reason", "muted_until", "ban_reason", "banned_until",
)  # fmt: skip
FILTER_WORD_TABLE: Final = "chat_filterword"
FILTER_WORD_COLUMNS: Final = ("id", "operator_id", "word", "normalized", "added_at")
Row = tuple[Any, ...]

_VOICE_NAMES: Final = ", ".join(MODERATION_COLUMNS)
# Makes the row of a newcomer and locks that of anybody else: whoever comes later waits here.
_LOCK: Final = f"""
    INSERT INTO chat_playermoderation AS kept (player_id, operator_id, version) VALUES (%s, %s, 0)
    ON CONFLICT (player_id) DO UPDATE SET version = kept.version RETURNING {_VOICE_NAMES}
"""  # noqa: S608  (constants)
_SAVE: Final = f"""
    INSERT INTO chat_playermoderation ({_VOICE_NAMES}) VALUES (%s, %s, %s, %s, %s::timestamptz, %s, %s::timestamptz)
    ON CONFLICT (player_id) DO UPDATE
    SET version = excluded.version, mute_reason = excluded.mute_reason, muted_until = excluded.muted_until,
        ban_reason = excluded.ban_reason, banned_until = excluded.banned_until
"""  # noqa: S608  (constants)
_VOICE: Final = f"SELECT {_VOICE_NAMES} FROM chat_playermoderation WHERE player_id = %s AND operator_id = %s"  # noqa: S608
_ADD: Final = "INSERT INTO chat_filterword (id, operator_id, word, normalized, added_at) VALUES (%s, %s, %s, %s, %s)"
_DROP: Final = "DELETE FROM chat_filterword WHERE id = %s"


def lock(*, operator: UUID, player: UUID) -> ModerationState:
    """Lock what holds for a player until the transaction ends, and return it."""
    return moderation_from_row(fetch(_LOCK, [player, operator])[0])


def load_moderation(*, operator: UUID, player: UUID) -> ModerationState:
    """Return what holds for a player, as it stands."""
    rows = fetch(_VOICE, [player, operator])
    return moderation_from_row(rows[0]) if rows else ModerationState()


def save(conduct: ModerationState, *, operator: UUID, player: UUID) -> None:
    """Keep what holds for a player."""
    execute(_SAVE, moderation_row(conduct, operator=operator, player=player))


def moderation_row(conduct: ModerationState, *, operator: UUID, player: UUID) -> Row:
    return (player, operator, conduct.version, *_ban(conduct.mute), *_ban(conduct.ban))


def moderation_from_row(row: Row) -> ModerationState:
    _, _, version, mute_reason, muted_until, ban_reason, banned_until = row
    mute = None if mute_reason is None else Sanction(muted_until, ModerationReason(mute_reason))
    removal = None if ban_reason is None else Sanction(banned_until, ModerationReason(ban_reason))
    return ModerationState(version, mute, removal)


def filter_word_id(operator: UUID | None, folded: str) -> str:
    """Name a word's row: a word stands once on each list."""
    return f"{operator or 'everyone'}/{folded}"


def filter_word_row(event: FilterWordAdded) -> Row:
    return (filter_word_id(event.operator, event.folded), event.operator, event.word, event.folded, event.added_at)


def add_word(event: FilterWordAdded) -> None:
    execute(_ADD, filter_word_row(event))


def remove_word(operator: UUID | None, folded: str) -> None:
    """Take a word off its list."""
    execute(_DROP, [filter_word_id(operator, folded)])


def load_moderation_rows() -> dict[Any, Row]:
    return _rows(MODERATION_TABLE, MODERATION_COLUMNS)


def load_filter_word_rows() -> dict[Any, Row]:
    return _rows(FILTER_WORD_TABLE, FILTER_WORD_COLUMNS)


def _rows(table: str, columns: Iterable[str]) -> dict[Any, Row]:
    return {row[0]: row for row in fetch(f"SELECT {', '.join(columns)} FROM {table} ORDER BY 1")}  # noqa: S608


def _ban(ban: Sanction | None) -> tuple[Any, Any]:
    return (None, None) if ban is None else (ban.reason.value, ban.until)
