"""Who was removed from the casino: a row for each, which whoever opens a session asks for."""

from datetime import datetime
from typing import Final
from uuid import UUID

from casino.events.sql import execute, fetch
from casino.operators.refusals import PlayerIsBanned

TABLE: Final = "operators_playerban"
IS_BANNED: Final = """EXISTS (
        SELECT FROM operators_playerban r WHERE r.player_id = %(player)s
           AND (r.until IS NULL OR r.until > clock_timestamp()))"""
"""Whether the player of a statement is removed now."""

_SAVE: Final = """
    INSERT INTO operators_playerban (player_id, until) VALUES (%s, %s::timestamptz)
    ON CONFLICT (player_id) DO UPDATE SET until = excluded.until
"""
_LIFT: Final = "DELETE FROM operators_playerban WHERE player_id = %s"
_UNTIL: Final = "SELECT until FROM operators_playerban WHERE player_id = %s"


def save_ban(*, player: UUID, until: datetime | None) -> None:
    """Note that a player is removed until a time, or for good with None."""
    execute(_SAVE, [player, until])


def lift_ban(*, player: UUID) -> None:
    """Let a player in again; one who is not removed stays as before."""
    execute(_LIFT, [player])


def ban_refusal(*, player: UUID) -> PlayerIsBanned:
    """Say until when a removed player is kept out."""
    rows = fetch(_UNTIL, [player])
    return PlayerIsBanned(until=rows[0][0] if rows else None)


def all_bans() -> dict[UUID, datetime | None]:
    """List all removals, over or not: until when, by player."""
    return dict(fetch("SELECT player_id, until FROM operators_playerban"))
