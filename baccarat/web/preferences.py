"""Players' preferences: one row each, replaced whole, and none until something was chosen.

Animation changes with the next entry to the game, as the Atlantic City rules print it. An entry is a session: beside
what is wished, a row keeps what held when the session began in which the wish was last sent.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID

from casino.events.sql import fetch


class Style(StrEnum):
    """How the table looks."""

    MODERN = "modern"
    CLASSIC = "classic"


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a player has chosen."""

    sound: bool = True
    voice: bool = False
    animation: bool = True
    full_screen: bool = False
    instant: bool = False
    style: Style = Style.MODERN


@dataclass(frozen=True, slots=True)
class StoredPreferences:
    """What is chosen, and whether cards move in the session that asks: `animation` holds from the next one on."""

    preferences: Preferences
    animation_in_session: bool


_COLUMNS: Final = "sound, voice, animation, full_screen, instant, style"
_NOW: Final = "CASE WHEN kept.changed_in = %s THEN kept.animation_at_entry ELSE kept.animation END"
_READ: Final = f"SELECT {_COLUMNS}, {_NOW} FROM web_preferences kept WHERE player_id = %s"  # noqa: S608
# Two changes at once are made one after the other, so the second sees what the first one has kept of the entry.
_KEEP: Final = f"""
    INSERT INTO web_preferences AS kept (player_id, operator_id, changed_in, animation_at_entry, {_COLUMNS})
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (player_id) DO UPDATE
    SET animation_at_entry = CASE WHEN kept.changed_in = excluded.changed_in
                             THEN kept.animation_at_entry ELSE kept.animation END,
        changed_in = excluded.changed_in, sound = excluded.sound, voice = excluded.voice,
        animation = excluded.animation, full_screen = excluded.full_screen, instant = excluded.instant,
        style = excluded.style
    RETURNING animation_at_entry
"""  # noqa: S608  (constants)
_UNCHANGED: Final = Preferences()


def load_preferences(*, player: UUID, session: bytes) -> StoredPreferences:
    """Return a player's preferences, those of a newcomer where none were ever sent."""
    rows = fetch(_READ, [session, player])
    if not rows:
        return StoredPreferences(_UNCHANGED, _UNCHANGED.animation)
    ((sound, voice, animation, full_screen, instant, style, now),) = rows
    return StoredPreferences(Preferences(sound, voice, animation, full_screen, instant, Style(style)), now)


def save_preferences(*, operator: UUID, player: UUID, session: bytes, preferences: Preferences) -> StoredPreferences:
    """Keep a player's preferences in place of those before; the same ones again change nothing."""
    switches = (
        preferences.sound,
        preferences.voice,
        preferences.animation,
        preferences.full_screen,
        preferences.instant,
    )
    entered = [player, operator, session, _UNCHANGED.animation]
    ((now,),) = fetch(_KEEP, [*entered, *switches, preferences.style.value])
    return StoredPreferences(preferences, now)
