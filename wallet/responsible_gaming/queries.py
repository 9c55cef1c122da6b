"""What can be asked about limits, exclusions, time and results: always within one operator."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from casino.events.sql import fetch
from casino.operators.queries import require_player
from wallet.responsible_gaming import eligibility, projection
from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType
from wallet.responsible_gaming.limits import Usage
from wallet.responsible_gaming.state import Exclusion, OperatorLimitsState, PlayerRestrictionsState, strictest_limits

DEFAULT_REALITY_CHECK_MINUTES: Final = 60
"""How often players are reminded who have said nothing else."""

_CLOCK: Final = "SELECT clock_timestamp()"
# The session that is open, or the last one: a player has one at a time.
_SESSION: Final = """
    SELECT session.created_at, clock_timestamp(), own.state::text FROM operators_playersession session
      LEFT JOIN wallet_playerrestrictions own ON own.player_id = session.player_id
     WHERE session.player_id = %s AND session.operator_id = %s ORDER BY session.created_at DESC LIMIT 1
"""
_SESSIONS: Final = """
    SELECT who.player, latest.created_at, clock_timestamp(), own.state::text FROM unnest(%s::uuid[]) who (player)
     CROSS JOIN LATERAL (SELECT created_at FROM operators_playersession WHERE player_id = who.player
                          ORDER BY created_at DESC LIMIT 1) latest
      LEFT JOIN wallet_playerrestrictions own ON own.player_id = who.player
"""


@dataclass(frozen=True, slots=True)
class LimitStatus:
    """One measure over one period: what holds (minor units or minutes), who set what, and what is used."""

    limit_type: LimitType
    period: LimitPeriod
    limit: int | None
    player_limit: int | None
    operator_limit: int | None
    operator_wide_limit: int | None
    used: int

    @property
    def remaining(self) -> int | None:
        """What may still be used, None where no limit holds."""
        return None if self.limit is None else max(0, self.limit - max(0, self.used))


@dataclass(frozen=True, slots=True)
class LimitsOverview:
    """A player's limits, all measures and periods, and what else protects the player."""

    restrictions: PlayerRestrictionsState
    limits: tuple[LimitStatus, ...]
    now: datetime


@dataclass(frozen=True, slots=True)
class Reminder:
    """When the session began, how often its player is reminded, and when next; and the exclusion that holds."""

    started_at: datetime
    minutes: int
    due_at: datetime
    exclusion: Exclusion | None
    now: datetime


@dataclass(frozen=True, slots=True)
class RealityCheck:
    """Time played (minutes) and results (minor units, below zero for a gain) of a session and of the windows."""

    reminder: Reminder | None
    session: Usage
    windows: Usage


def limits(*, operator: UUID, player: UUID) -> LimitsOverview:
    """Return a player's limits and what is used of them. Raises UnknownPlayer."""
    require_player(operator=operator, player=player)
    protection, _ = projection.load_restrictions(operator=operator, player=player)
    house, _ = projection.load_operator_limits(operator=operator)
    now: datetime = fetch(_CLOCK)[0][0]
    used = eligibility.usage(player=player, now=now)
    lines = tuple(_line(protection, house, used, measure, period) for measure in LimitType for period in LimitPeriod)
    return LimitsOverview(protection, lines, now)


def load_operator_limits(*, operator: UUID) -> OperatorLimitsState:
    """Return what an operator holds all its players to."""
    return projection.load_operator_limits(operator=operator)[0]


def reminder(*, operator: UUID, player: UUID) -> Reminder | None:
    """Tell when a player is next to be reminded of time and result: every so often since the login.

    None for a player who never logged in.
    """
    found = fetch(_SESSION, [player, operator])
    return _reminder(*found[0]) if found else None


def reminders(*, players: Sequence[UUID]) -> dict[UUID, Reminder]:
    """Tell the same of several players, each known to be who asks, in one query; some never logged in."""
    return {player: _reminder(*row) for player, *row in fetch(_SESSIONS, [list(players)])}


def _reminder(started_at: datetime, now: datetime, state: str | None) -> Reminder:
    protection = projection.decode_restrictions(state)
    minutes = protection.reality_check_minutes or DEFAULT_REALITY_CHECK_MINUTES
    due = next_reminder_at(started_at, minutes=minutes, now=now)
    return Reminder(started_at, minutes, due, protection.active_exclusion(now), now)


def next_reminder_at(started_at: datetime, *, minutes: int, now: datetime) -> datetime:
    """Return the next of the moments that come every so many minutes after a session began."""
    interval = timedelta(minutes=minutes)
    return started_at + interval * ((now - started_at) // interval + 1)


def reality_check(*, operator: UUID, player: UUID) -> RealityCheck:
    """Tell a player's time and result since the login and in the windows. Raises UnknownPlayer."""
    require_player(operator=operator, player=player)
    told = reminder(operator=operator, player=player)
    now: datetime = fetch(_CLOCK)[0][0] if told is None else told.now
    since = Usage() if told is None else eligibility.usage_since(player=player, since=told.started_at)
    return RealityCheck(told, since, eligibility.usage(player=player, now=now))


def _line(
    protection: PlayerRestrictionsState,
    house: OperatorLimitsState,
    used: Usage,
    measure: LimitType,
    period: LimitPeriod,
) -> LimitStatus:
    held = strictest_limits(protection, house).get((measure, period))
    return LimitStatus(
        limit_type=measure,
        period=period,
        limit=None if held is None else held.limit,
        player_limit=protection.limit(Initiator.PLAYER, measure, period),
        operator_limit=protection.limit(Initiator.OPERATOR, measure, period),
        operator_wide_limit=house.limit(measure, period),
        used=used.used.get((measure, period), 0),
    )
