"""Banned players. Checked when a session opens."""

from datetime import datetime
from typing import Final
from uuid import UUID

from casino.events.sql import execute, fetch
from casino.operators.refusals import PlayerIsBanned

TABLE: Final = "operators_playerban"
IS_BANNED: Final = """EXISTS (
        SELECT FROM operators_playerban r WHERE r.player_id = %(player)s
           AND (r.until IS NULL OR r.until > clock_timestamp()))"""
"""SQL condition: the player is banned now."""

_SAVE: Final = """
    INSERT INTO operators_playerban (player_id, until) VALUES (%s, %s::timestamptz)
    ON CONFLICT (player_id) DO UPDATE SET until = excluded.until
"""
_LIFT: Final = "DELETE FROM operators_playerban WHERE player_id = %s"
_UNTIL: Final = "SELECT until FROM operators_playerban WHERE player_id = %s"


def save_ban(*, player: UUID, until: datetime | None) -> None:
    """Ban a player until a time, or permanently with None."""
    execute(_SAVE, [player, until])


def lift_ban(*, player: UUID) -> None:
    """Unban a player; do nothing if the player is not banned."""
    execute(_LIFT, [player])


def ban_refusal(*, player: UUID) -> PlayerIsBanned:
    """Return the refusal for a banned player, with the end of the ban."""
    rows = fetch(_UNTIL, [player])
    return PlayerIsBanned(until=rows[0][0] if rows else None)


def all_bans() -> dict[UUID, datetime | None]:
    """Return all bans, over or not: the end by player."""
    return dict(fetch("SELECT player_id, until FROM operators_playerban"))
