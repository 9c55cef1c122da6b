"""Rows that follow from the log alone: what holds for a player in chats, and the words that are masked."""

from collections.abc import Iterable
from typing import Any, Final
from uuid import UUID

from baccarat.chat.events import FilterWordAdded, Reason
from baccarat.chat.rules import Ban, Conduct
from casino.events.sql import execute, fetch

VOICES: Final = "chat_voice"
VOICE_COLUMNS: Final = (
    "player_id", "operator_id", "version", "mute_reason", "muted_until", "removal_reason", "removed_until",
)  # fmt: skip
WORDS: Final = "chat_word"
WORD_COLUMNS: Final = ("id", "operator_id", "word", "folded", "added_at")
Row = tuple[Any, ...]

_VOICE_NAMES: Final = ", ".join(VOICE_COLUMNS)
# Makes the row of a newcomer and locks that of anybody else: whoever comes later waits here.
_LOCK: Final = f"""
    INSERT INTO chat_voice AS kept (player_id, operator_id, version) VALUES (%s, %s, 0)
    ON CONFLICT (player_id) DO UPDATE SET version = kept.version RETURNING {_VOICE_NAMES}
"""  # noqa: S608  (constants)
_SAVE: Final = f"""
    INSERT INTO chat_voice ({_VOICE_NAMES}) VALUES (%s, %s, %s, %s, %s::timestamptz, %s, %s::timestamptz)
    ON CONFLICT (player_id) DO UPDATE
    SET version = excluded.version, mute_reason = excluded.mute_reason, muted_until = excluded.muted_until,
        removal_reason = excluded.removal_reason, removed_until = excluded.removed_until
"""  # noqa: S608  (constants)
_VOICE: Final = f"SELECT {_VOICE_NAMES} FROM chat_voice WHERE player_id = %s AND operator_id = %s"  # noqa: S608
_ADD: Final = "INSERT INTO chat_word (id, operator_id, word, folded, added_at) VALUES (%s, %s, %s, %s, %s)"
_DROP: Final = "DELETE FROM chat_word WHERE id = %s"


def lock(*, operator: UUID, player: UUID) -> Conduct:
    """Lock what holds for a player until the transaction ends, and return it."""
    return conduct_of(fetch(_LOCK, [player, operator])[0])


def voice(*, operator: UUID, player: UUID) -> Conduct:
    """Return what holds for a player, as it stands."""
    rows = fetch(_VOICE, [player, operator])
    return conduct_of(rows[0]) if rows else Conduct()


def save(conduct: Conduct, *, operator: UUID, player: UUID) -> None:
    """Keep what holds for a player."""
    execute(_SAVE, voice_row(conduct, operator=operator, player=player))


def voice_row(conduct: Conduct, *, operator: UUID, player: UUID) -> Row:
    return (player, operator, conduct.version, *_ban(conduct.mute), *_ban(conduct.removal))


def conduct_of(row: Row) -> Conduct:
    _, _, version, mute_reason, muted_until, removal_reason, removed_until = row
    mute = None if mute_reason is None else Ban(muted_until, Reason(mute_reason))
    removal = None if removal_reason is None else Ban(removed_until, Reason(removal_reason))
    return Conduct(version, mute, removal)


def word_id(operator: UUID | None, folded: str) -> str:
    """Name a word's row: a word stands once on each list."""
    return f"{operator or 'everyone'}/{folded}"


def word_row(event: FilterWordAdded) -> Row:
    return (word_id(event.operator, event.folded), event.operator, event.word, event.folded, event.added_at)


def add_word(event: FilterWordAdded) -> None:
    execute(_ADD, word_row(event))


def drop_word(operator: UUID | None, folded: str) -> None:
    """Take a word off its list."""
    execute(_DROP, [word_id(operator, folded)])


def voices() -> dict[Any, Row]:
    return _rows(VOICES, VOICE_COLUMNS)


def words() -> dict[Any, Row]:
    return _rows(WORDS, WORD_COLUMNS)


def _rows(table: str, columns: Iterable[str]) -> dict[Any, Row]:
    return {row[0]: row for row in fetch(f"SELECT {', '.join(columns)} FROM {table} ORDER BY 1")}  # noqa: S608


def _ban(ban: Ban | None) -> tuple[Any, Any]:
    return (None, None) if ban is None else (ban.reason.value, ban.until)
