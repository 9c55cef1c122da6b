"""Read limits, usage, reminders and reality checks, always within one operator."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from casino.events.sql import fetch
from casino.operators.queries import require_player
from wallet.ledger.store import database_now
from wallet.responsible_gaming import eligibility, projection
from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType
from wallet.responsible_gaming.limits import Usage
from wallet.responsible_gaming.state import Exclusion, OperatorLimitsState, PlayerRestrictionsState, strictest_limits

DEFAULT_REALITY_CHECK_MINUTES: Final = 60
"""The interval of reminders for players who have set none."""

# The open session, or the last one: a player has one at a time.
_SESSION: Final = """
    SELECT session.created_at, clock_timestamp(), own.state::text FROM operators_playersession session
      LEFT JOIN wallet_playerrestrictions own ON own.player_id = session.player_id
     WHERE session.player_id = %s AND session.operator_id = %s ORDER BY session.created_at DESC LIMIT 1
"""
_SESSIONS: Final = """
    SELECT players.player, latest.created_at, clock_timestamp(), own.state::text
      FROM unnest(%s::uuid[]) players (player)
     CROSS JOIN LATERAL (SELECT created_at FROM operators_playersession WHERE player_id = players.player
                          ORDER BY created_at DESC LIMIT 1) latest
      LEFT JOIN wallet_playerrestrictions own ON own.player_id = players.player
"""


@dataclass(frozen=True, slots=True)
class LimitStatus:
    """The limits of one type and period in minor units or minutes: the effective one, each party's, and the usage."""

    limit_type: LimitType
    period: LimitPeriod
    limit: int | None
    player_limit: int | None
    operator_limit: int | None
    operator_wide_limit: int | None
    used: int

    @property
    def remaining(self) -> int | None:
        """What may still be used, None without a limit."""
        return None if self.limit is None else max(0, self.limit - max(0, self.used))


@dataclass(frozen=True, slots=True)
class LimitsOverview:
    """A player's limits of all types and periods, and other restrictions."""

    restrictions: PlayerRestrictionsState
    limits: tuple[LimitStatus, ...]
    now: datetime


@dataclass(frozen=True, slots=True)
class Reminder:
    """Start of the session, interval and time of the next reminder, and the active exclusion."""

    started_at: datetime
    minutes: int
    due_at: datetime
    exclusion: Exclusion | None
    now: datetime


@dataclass(frozen=True, slots=True)
class RealityCheck:
    """Time played (minutes) and losses (minor units, negative for a gain) in a session and in the windows."""

    reminder: Reminder | None
    session: Usage
    windows: Usage


def limits(*, operator: UUID, player: UUID) -> LimitsOverview:
    """Return a player's limits and usage. Raises UnknownPlayer."""
    require_player(operator=operator, player=player)
    restrictions, _ = projection.load_restrictions(operator=operator, player=player)
    operator_limits, _ = projection.load_operator_limits(operator=operator)
    now = database_now()
    used = eligibility.usage(player=player, now=now)
    statuses = tuple(
        _status(restrictions, operator_limits, used, limit_type, period)
        for limit_type in LimitType
        for period in LimitPeriod
    )
    return LimitsOverview(restrictions, statuses, now)


def load_operator_limits(*, operator: UUID) -> OperatorLimitsState:
    """Return the limits for all players of an operator."""
    return projection.load_operator_limits(operator=operator)[0]


def reminder(*, operator: UUID, player: UUID) -> Reminder | None:
    """Return a player's next reminder of time and result, counted from the login; None without a session."""
    rows = fetch(_SESSION, [player, operator])
    return _reminder(*rows[0]) if rows else None


def reminders(*, players: Sequence[UUID]) -> dict[UUID, Reminder]:
    """Return the next reminders of several authenticated players, in one query; without those who never logged in."""
    return {player: _reminder(*row) for player, *row in fetch(_SESSIONS, [list(players)])}


def _reminder(started_at: datetime, now: datetime, state: str | None) -> Reminder:
    restrictions = projection.decode_restrictions(state)
    minutes = restrictions.reality_check_minutes or DEFAULT_REALITY_CHECK_MINUTES
    due = next_reminder_at(started_at, minutes=minutes, now=now)
    return Reminder(started_at, minutes, due, restrictions.active_exclusion(now), now)


def next_reminder_at(started_at: datetime, *, minutes: int, now: datetime) -> datetime:
    """Return the next multiple of an interval after a session began."""
    interval = timedelta(minutes=minutes)
    return started_at + interval * ((now - started_at) // interval + 1)


def reality_check(*, operator: UUID, player: UUID) -> RealityCheck:
    """Return a player's time and result since the login and in the windows. Raises UnknownPlayer."""
    require_player(operator=operator, player=player)
    due = reminder(operator=operator, player=player)
    now = database_now() if due is None else due.now
    session = Usage() if due is None else eligibility.usage_since(player=player, since=due.started_at)
    return RealityCheck(due, session, eligibility.usage(player=player, now=now))


def _status(
    restrictions: PlayerRestrictionsState,
    operator_limits: OperatorLimitsState,
    usage: Usage,
    limit_type: LimitType,
    period: LimitPeriod,
) -> LimitStatus:
    effective = strictest_limits(restrictions, operator_limits).get((limit_type, period))
    return LimitStatus(
        limit_type=limit_type,
        period=period,
        limit=None if effective is None else effective.limit,
        player_limit=restrictions.limit(Initiator.PLAYER, limit_type, period),
        operator_limit=restrictions.limit(Initiator.OPERATOR, limit_type, period),
        operator_wide_limit=operator_limits.limit(limit_type, period),
        used=usage.used.get((limit_type, period), 0),
    )
