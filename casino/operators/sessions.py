"""Players' sessions: one per player, ended by logout, another login, age, or inactivity."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction

from casino.operators import bans, credentials
from casino.operators.bans import IS_BANNED
from casino.operators.refusals import InvalidSessionLength, UnknownPlayer

MIN_SESSION_SECONDS: Final = 60
MAX_SESSION_SECONDS: Final = 86400
TOUCHES_PER_TIMEOUT: Final = 30
"""Maximum saves of a session's use within its inactivity timeout: every 30 s of 15 minutes."""


def touch_interval() -> timedelta:
    """Return how long after its last save a session may be used without another save."""
    return timedelta(seconds=settings.PLAYER_IDLE_SECONDS / TOUCHES_PER_TIMEOUT)


ENDED, EXPIRED, REMOVED, TAKEN_OVER, TIMED_OUT = "ended", "expired", "removed", "taken_over", "timed_out"
"""How a session ends."""

SESSION_STATUS: Final = f"""
    CASE WHEN s.ended_at IS NOT NULL THEN s.ended_reason
         WHEN s.expires_at <= clock_timestamp() THEN '{EXPIRED}'
         WHEN s.last_used_at <= clock_timestamp() - make_interval(secs => %(idle)s) THEN '{TIMED_OUT}'
         ELSE '' END
"""
"""SQL expression: how a session `s` has ended, empty for an active one; `idle` is in seconds."""

# Concurrent logins are serialized, so that the second sees the session of the first.
_LOCK: Final = "SELECT FROM operators_player WHERE id = %s AND operator_id = %s FOR NO KEY UPDATE"
# The count makes the update come first: a player has one active session, also within this statement.
_OPEN: Final = f"""
    WITH previous AS (
        SELECT max(created_at) AS login FROM operators_playersession WHERE player_id = %(player)s
    ), before AS (
        UPDATE operators_playersession s
        SET ended_at = clock_timestamp(), ended_reason = coalesce(nullif({SESSION_STATUS}, ''), '{TAKEN_OVER}')
        WHERE s.player_id = %(player)s AND s.ended_at IS NULL RETURNING true
    )
    INSERT INTO operators_playersession (token_hash, player_id, operator_id, created_at, last_used_at, expires_at)
    SELECT %(hash)s, %(player)s, %(operator)s, clock_timestamp(), clock_timestamp(),
           clock_timestamp() + make_interval(secs => %(seconds)s)
    FROM (SELECT count(*) FROM before) AS after_these
    WHERE NOT {IS_BANNED}
    RETURNING expires_at, (SELECT login FROM previous)
"""  # noqa: S608  (constants)
_END_ALL: Final = f"""
    UPDATE operators_playersession s
    SET ended_at = clock_timestamp(), ended_reason = coalesce(nullif({SESSION_STATUS}, ''), '{REMOVED}')
    WHERE s.player_id = %(player)s AND s.ended_at IS NULL
"""  # noqa: S608  (constants)
_END: Final = f"""
    UPDATE operators_playersession SET ended_at = clock_timestamp(), ended_reason = '{ENDED}'
    WHERE token_hash = %s AND ended_at IS NULL
"""  # noqa: S608  (constants)


# One statement for all streams of a process; uses are saved as rarely as those by requests.
_STREAMING: Final = f"""
    WITH known AS (
        SELECT s.token_hash, {SESSION_STATUS} AS standing FROM operators_playersession s
        WHERE s.token_hash = ANY (%(hashes)s::bytea[])
    ), used AS (
        UPDATE operators_playersession s SET last_used_at = clock_timestamp()
        FROM known WHERE s.token_hash = known.token_hash AND known.standing = ''
                     AND s.last_used_at < clock_timestamp() - make_interval(secs => %(idle)s) / {TOUCHES_PER_TIMEOUT}
    )
    SELECT token_hash, standing FROM known
"""  # noqa: S608  (constants)


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A token, shown once, its expiry, and the player's previous login (None for the first one)."""

    token: str
    expires_at: datetime
    previous_login: datetime | None


def open_session(*, operator: UUID, player: UUID, seconds: int) -> OpenedSession:
    """Open a player's session of at most this many seconds; it ends one that is open elsewhere.

    Raises InvalidSessionLength, PlayerIsBanned, and UnknownPlayer also for a player of another operator.
    """
    if not MIN_SESSION_SECONDS <= seconds <= MAX_SESSION_SECONDS:
        raise InvalidSessionLength(f"Got {seconds} seconds.", min=MIN_SESSION_SECONDS, max=MAX_SESSION_SECONDS)
    token = credentials.new_token()
    values: dict[str, Any] = {
        "player": player,
        "operator": operator,
        "hash": credentials.digest(token),
        "seconds": seconds,
        "idle": settings.PLAYER_IDLE_SECONDS,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_LOCK, (player, operator))
        if not cursor.rowcount:
            raise UnknownPlayer
        cursor.execute(_OPEN, values)
        row: tuple[Any, ...] | None = cursor.fetchone()
        if row is None:
            raise bans.ban_refusal(player=player)
    return OpenedSession(token, row[0], row[1])


def end_session(*, session: bytes) -> None:
    """End a session by its token's hash; ending it twice is no error."""
    with connection.cursor() as cursor:
        cursor.execute(_END, (session,))


def ban_player(*, operator: UUID, player: UUID, until: datetime | None) -> None:
    """Ban a player until a time, permanently with None, and end the session. Raises UnknownPlayer.

    A concurrent login is either refused or ended. Call it inside the transaction that records the reason.
    """
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, (player, operator))
        if not cursor.rowcount:
            raise UnknownPlayer
        bans.save_ban(player=player, until=until)
        cursor.execute(_END_ALL, {"player": player, "idle": settings.PLAYER_IDLE_SECONDS})


def touch_sessions(*, token_hashes: Sequence[bytes]) -> dict[bytes, str]:
    """Save the use of these sessions, given by their tokens' hashes, and return the status of each.

    The status is empty for an active session, otherwise how it ended.
    """
    values: dict[str, Any] = {"hashes": list(token_hashes), "idle": settings.PLAYER_IDLE_SECONDS}
    with connection.cursor() as cursor:
        cursor.execute(_STREAMING, values)
        return {bytes(token_hash): standing for token_hash, standing in cursor.fetchall()}
