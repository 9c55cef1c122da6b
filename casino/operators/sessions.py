"""Players' sessions, the bans that prevent them, and tickets that open a stream with a session's rights.

A player has at most one session. It ends by logout, another login, a ban, age, or inactivity.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction

from casino.events import announcements
from casino.events.sql import execute, fetch
from casino.operators import credentials
from casino.operators.models import PlayerBan, PlayerSession
from casino.operators.principals import BrandScope
from casino.operators.refusals import InvalidSessionLength, PlayerIsBanned, SessionNotOpen, UnknownPlayer

LATEST: Final = 10
"""How many sessions a player is shown."""
MIN_SESSION_SECONDS: Final = 60
MAX_SESSION_SECONDS: Final = 86400
SESSION_SECONDS: Final = MIN_SESSION_SECONDS, MAX_SESSION_SECONDS
TOUCHES_PER_TIMEOUT: Final = 30
"""Maximum saves of a session's use within its inactivity timeout: every 30 s of 15 minutes."""

ENDED, EXPIRED, BANNED, TAKEN_OVER, TIMED_OUT = "ended", "expired", "removed", "taken_over", "timed_out"
"""Reasons for the end of a session."""

SESSION_STATUS: Final = f"""
    CASE WHEN s.ended_at IS NOT NULL THEN s.ended_reason
         WHEN s.expires_at <= clock_timestamp() THEN '{EXPIRED}'
         WHEN s.last_used_at <= clock_timestamp() - make_interval(secs => %(idle)s) THEN '{TIMED_OUT}'
         ELSE '' END
"""
"""SQL expression: how a session `s` has ended, empty for an active one; `idle` is in seconds."""


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """A player logged in. `brand` is that under which the player plays, if any."""

    player: UUID
    brand: UUID | None
    started_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """A player's session ended."""

    player: UUID
    started_at: datetime
    ended_at: datetime
    ended_by: Literal["ended", "expired", "removed", "taken_over", "timed_out"]


_ANNOUNCE_START: Final = announcements.in_sql(
    SessionStarted, player="player_id", brand="brand_id", started_at="created_at", expires_at="expires_at"
)
_ANNOUNCE_END: Final = announcements.in_sql(
    SessionEnded, player="player_id", started_at="created_at", ended_at="ended_at", ended_by="ended_reason"
)
_CHANGED: Final = "RETURNING s.player_id, s.operator_id, s.brand_id, s.created_at, s.ended_at, s.ended_reason"
# Serializes concurrent logins: the second one sees the session of the first.
_LOCK: Final = "SELECT brand_id FROM operators_player WHERE id = %s AND operator_id = %s FOR NO KEY UPDATE"
# The count forces the update to run first: a player has one active session, also within this statement.
_OPEN: Final = f"""
    WITH previous AS (
        SELECT max(created_at) AS login FROM operators_playersession WHERE player_id = %(player)s
    ), ended AS (
        UPDATE operators_playersession s
        SET ended_at = clock_timestamp(), ended_reason = coalesce(nullif({SESSION_STATUS}, ''), '{TAKEN_OVER}')
        WHERE s.player_id = %(player)s AND s.ended_at IS NULL {_CHANGED}
    ), announced_end AS (
        {_ANNOUNCE_END} FROM ended RETURNING true
    ), opened AS (
        INSERT INTO operators_playersession (
            token_hash, player_id, operator_id, brand_id, opened_by, created_at, last_used_at, expires_at)
        SELECT %(hash)s, %(player)s, %(operator)s, %(brand)s, %(opened_by)s, clock_timestamp(), clock_timestamp(),
               clock_timestamp() + make_interval(secs => %(seconds)s)
        FROM (SELECT count(*) FROM announced_end) AS after_these
        WHERE NOT EXISTS (
            SELECT FROM operators_playerban b WHERE b.player_id = %(player)s
               AND (b.until IS NULL OR b.until > clock_timestamp()))
        RETURNING player_id, operator_id, brand_id, created_at, expires_at
    ), announced_start AS (
        {_ANNOUNCE_START} FROM opened
    )
    SELECT expires_at, (SELECT login FROM previous) FROM opened
"""  # noqa: S608  (constants)
_END_ALL: Final = f"""
    WITH ended AS (
        UPDATE operators_playersession s
        SET ended_at = clock_timestamp(), ended_reason = coalesce(nullif({SESSION_STATUS}, ''), %(reason)s)
        WHERE s.player_id = %(player)s AND s.ended_at IS NULL {_CHANGED}
    )
    {_ANNOUNCE_END} FROM ended
"""  # noqa: S608  (constants)
_END: Final = f"""
    WITH ended AS (
        UPDATE operators_playersession s SET ended_at = clock_timestamp(), ended_reason = '{ENDED}'
        WHERE s.token_hash = %s AND s.ended_at IS NULL {_CHANGED}
    )
    {_ANNOUNCE_END} FROM ended
"""  # noqa: S608  (constants)
_END_OVER: Final = f"""
    WITH over AS (
        SELECT s.token_hash, {SESSION_STATUS} AS status,
               least(s.expires_at, s.last_used_at + make_interval(secs => %(idle)s)) AS at
        FROM operators_playersession s WHERE s.ended_at IS NULL AND {SESSION_STATUS} <> ''
        ORDER BY s.expires_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED
    ), ended AS (
        UPDATE operators_playersession s SET ended_at = over.at, ended_reason = over.status
        FROM over WHERE s.token_hash = over.token_hash {_CHANGED}
    )
    {_ANNOUNCE_END} FROM ended RETURNING id
"""  # noqa: S608  (constants)
_RENEW: Final = f"""
    UPDATE operators_playersession s
    SET expires_at = greatest(s.expires_at, clock_timestamp() + make_interval(secs => %(seconds)s))
    WHERE s.player_id = %(player)s AND s.ended_at IS NULL AND {SESSION_STATUS} = ''
      AND (%(session)s::bytea IS NULL OR s.token_hash = %(session)s)
    RETURNING s.expires_at
"""  # noqa: S608  (constants)
# One statement for all streams of a process.
_TOUCH: Final = f"""
    WITH known AS (
        SELECT s.token_hash, {SESSION_STATUS} AS status FROM operators_playersession s
        WHERE s.token_hash = ANY (%(hashes)s::bytea[])
    ), used AS (
        UPDATE operators_playersession s SET last_used_at = clock_timestamp()
        FROM known WHERE s.token_hash = known.token_hash AND known.status = ''
                     AND s.last_used_at < clock_timestamp() - make_interval(secs => %(idle)s) / {TOUCHES_PER_TIMEOUT}
    )
    SELECT token_hash, status FROM known
"""  # noqa: S608  (constants)


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A token, shown once, its expiry, and the player's previous login (None for the first one)."""

    token: str
    expires_at: datetime
    previous_login: datetime | None


def require_length(seconds: int) -> None:
    """Check the length of a session. Raises InvalidSessionLength."""
    if not MIN_SESSION_SECONDS <= seconds <= MAX_SESSION_SECONDS:
        raise InvalidSessionLength(f"Got {seconds} seconds.", min=MIN_SESSION_SECONDS, max=MAX_SESSION_SECONDS)


def open_session(
    *, operator: UUID, player: UUID, seconds: int, brand: BrandScope | None = None, opened_by: str = ""
) -> OpenedSession:
    """Open a player's session of at most this many seconds; it ends one that is open elsewhere.

    The player plays under `brand`: without one, under that which the player belongs to, if any. `opened_by` is the id
    of the API key that opens it, whose limits apply to the player's deposits and withdrawals. Raises
    InvalidSessionLength, PlayerIsBanned, and UnknownPlayer also for a player of another operator or brand.
    """
    require_length(seconds)
    token = credentials.new_token()
    values: dict[str, Any] = {
        "player": player,
        "operator": operator,
        "hash": credentials.digest(token),
        "opened_by": opened_by,
        "seconds": seconds,
        "idle": settings.PLAYER_IDLE_SECONDS,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_LOCK, (player, operator))
        owner = cursor.fetchone()
        if owner is None or (brand is not None and brand.owner != owner[0]):
            raise UnknownPlayer
        cursor.execute(_OPEN, {**values, "brand": owner[0] if brand is None else brand.id})
        row: tuple[Any, ...] | None = cursor.fetchone()
        if row is None:
            until = PlayerBan.objects.filter(player_id=player).values_list("until", flat=True).first()
            raise PlayerIsBanned(until=until)
    return OpenedSession(token, row[0], row[1])


def renew_session(*, player: UUID, seconds: int, session: bytes | None = None) -> datetime:
    """Let a player's open session last this many seconds from now, or as long as before if that is longer.

    It stays the same session, so its token, stream and seats stay. Given a `session`, by its token's hash, it has to be
    that one. Returns the expiry. Raises InvalidSessionLength, SessionNotOpen.
    """
    require_length(seconds)
    values: dict[str, Any] = {
        "player": player,
        "session": session,
        "seconds": seconds,
        "idle": settings.PLAYER_IDLE_SECONDS,
    }
    with connection.cursor() as cursor:
        cursor.execute(_RENEW, values)
        row: tuple[datetime] | None = cursor.fetchone()
    if row is None:
        raise SessionNotOpen
    return row[0]


def expiry(*, session: bytes) -> datetime:
    """Return when a session ends at the latest, by its token's hash."""
    return PlayerSession.objects.values_list("expires_at", flat=True).get(token_hash=session)


def latest(*, player: UUID) -> list[PlayerSession]:
    """Return a player's latest sessions, newest first."""
    return list(PlayerSession.objects.filter(player_id=player).order_by("-created_at")[:LATEST])


def end_session(*, session: bytes) -> None:
    """End a session by its token's hash; ending it twice is no error."""
    with connection.cursor() as cursor:
        cursor.execute(_END, (session,))


def end_sessions_that_are_over(*, limit: int = 500) -> int:
    """End sessions that have expired or were not used, as of that moment, and return how many.

    They are over without it: this says so in the table and in the operators' feeds.
    """
    return len(fetch(_END_OVER, {"idle": settings.PLAYER_IDLE_SECONDS, "limit": limit}))


def ban_player(*, operator: UUID, player: UUID, until: datetime | None) -> None:
    """Ban a player until a time, permanently with None, and end the session. Raises UnknownPlayer.

    A concurrent login is either refused or ended. Call it inside the transaction that records the reason.
    """
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, (player, operator))
        if not cursor.rowcount:
            raise UnknownPlayer
        save_ban(player=player, until=until)
        _end_all(player, BANNED)


def end_sessions_of(player: UUID) -> None:
    """End a player's sessions, in the caller's transaction; another one may be opened."""
    _end_all(player, ENDED)


def _end_all(player: UUID, reason: str) -> None:
    execute(_END_ALL, {"player": player, "idle": settings.PLAYER_IDLE_SECONDS, "reason": reason})


def touch_interval() -> timedelta:
    """Return how long after its last save a session may be used without another save."""
    return timedelta(seconds=settings.PLAYER_IDLE_SECONDS / TOUCHES_PER_TIMEOUT)


def touch_sessions(*, token_hashes: Sequence[bytes]) -> dict[bytes, str]:
    """Save the use of these sessions, given by their tokens' hashes, and return the status of each.

    The status is empty for an active session, otherwise how it ended.
    """
    values: dict[str, Any] = {"hashes": list(token_hashes), "idle": settings.PLAYER_IDLE_SECONDS}
    with connection.cursor() as cursor:
        cursor.execute(_TOUCH, values)
        return {bytes(token_hash): status for token_hash, status in cursor.fetchall()}


BAN_TABLE: Final = "operators_playerban"


def save_ban(*, player: UUID, until: datetime | None) -> None:
    """Ban a player until a time, or permanently with None."""
    PlayerBan.objects.update_or_create(player_id=player, defaults={"until": until})


def lift_ban(*, player: UUID) -> None:
    """Unban a player; do nothing if the player is not banned."""
    PlayerBan.objects.filter(player_id=player).delete()


def all_bans() -> dict[UUID, datetime | None]:
    """Return the end of every ban by player, including expired ones."""
    return dict(PlayerBan.objects.values_list("player_id", "until"))


TICKET_SECONDS: Final = 60
"""Lifetime of a stream ticket."""

# Deletes expired tickets in the same statement.
_ISSUE_TICKET: Final = """
    WITH stale AS (DELETE FROM operators_streamticket WHERE expires_at <= clock_timestamp())
    INSERT INTO operators_streamticket (ticket_hash, session_hash, expires_at)
    VALUES (%s, %s, clock_timestamp() + make_interval(secs => %s)) RETURNING expires_at
"""
_REDEEM_TICKET: Final = """
    DELETE FROM operators_streamticket WHERE ticket_hash = %s
    RETURNING session_hash, expires_at > clock_timestamp()
"""


@dataclass(frozen=True, slots=True)
class Ticket:
    """A single-use ticket and its expiry.

    Browsers' EventSource sends no header, and a token in a URL would be logged.
    """

    ticket: str
    expires_at: datetime


def issue_ticket(*, session: bytes) -> Ticket:
    """Issue a ticket for a player's session, given by its token's hash."""
    ticket = credentials.new_ticket()
    with connection.cursor() as cursor:
        cursor.execute(_ISSUE_TICKET, (credentials.digest(ticket), session, TICKET_SECONDS))
        row = cursor.fetchone()
    return Ticket(ticket, row[0])


def redeem_ticket(*, ticket: str) -> bytes | None:
    """Redeem a ticket and return its session, by the token's hash; None if it is used, expired or wrong."""
    with connection.cursor() as cursor:
        cursor.execute(_REDEEM_TICKET, (credentials.digest(ticket),))
        row = cursor.fetchone()
    return bytes(row[0]) if row is not None and row[1] else None
