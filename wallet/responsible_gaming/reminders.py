"""Announces reality checks to operators, who may remind their players by means of their own.

Each is announced once: the session remembers which was the last. After a standstill only the newest is announced.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings

from casino.events import announcements
from casino.events.sql import fetch
from casino.operators.sessions import SESSION_STATUS
from wallet.responsible_gaming.queries import DEFAULT_REALITY_CHECK_MINUTES


@dataclass(frozen=True, slots=True)
class RealityCheckDue:
    """A player's reality check is due: every so many minutes since `session_started_at`."""

    player: UUID
    session_started_at: datetime
    minutes: int
    due_at: datetime


_ANNOUNCE: Final = announcements.in_sql(
    RealityCheckDue,
    player="player_id",
    session_started_at="created_at",
    minutes="minutes",
    due_at="reality_check_at",
)
_ANNOUNCE_DUE: Final = f"""
    WITH active AS (
        SELECT s.token_hash, s.created_at, s.reality_check_at, own.minutes,
               floor(extract(epoch FROM clock_timestamp() - s.created_at) / 60 / own.minutes) * own.minutes AS after
        FROM operators_playersession s
        CROSS JOIN LATERAL (
            SELECT coalesce((SELECT (state->>'reality_check_minutes')::int FROM wallet_playerrestrictions
                              WHERE player_id = s.player_id), %(default)s) AS minutes
        ) AS own
        WHERE s.ended_at IS NULL AND {SESSION_STATUS} = ''
    ), due AS (
        SELECT s.token_hash, active.minutes, active.created_at + make_interval(mins => active.after::int) AS at
        FROM active JOIN operators_playersession s USING (token_hash)
        WHERE active.after > 0 AND active.created_at + make_interval(mins => active.after::int)
              > coalesce(active.reality_check_at, active.created_at)
        LIMIT %(limit)s FOR UPDATE OF s SKIP LOCKED
    ), noted AS (
        UPDATE operators_playersession s SET reality_check_at = due.at
        FROM due WHERE s.token_hash = due.token_hash AND s.ended_at IS NULL
             AND due.at > coalesce(s.reality_check_at, s.created_at)
        RETURNING s.player_id, s.operator_id, s.created_at, due.minutes, s.reality_check_at
    )
    {_ANNOUNCE} FROM noted RETURNING id
"""  # noqa: S608  (constants)


def announce_reality_checks(*, limit: int = 500) -> int:
    """Announce the reality checks that have come due in open sessions, and return how many."""
    values = {"idle": settings.PLAYER_IDLE_SECONDS, "default": DEFAULT_REALITY_CHECK_MINUTES, "limit": limit}
    return len(fetch(_ANNOUNCE_DUE, values))
