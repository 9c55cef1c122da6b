"""Read limits, usage, reminders and reality checks, always within one operator."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db.models import DateTimeField, Func, Q, QuerySet, Value

from casino.events.sql import database_now, fetch
from casino.kernel.money import MoneyType
from casino.operators.models import PlayerBan
from casino.operators.principals import PlayerPrincipal
from casino.operators.services import require_player
from wallet.ledger.accounts import AccountKind, AccountName
from wallet.ledger.store import DISPLAYED
from wallet.models import PlayerRestrictions
from wallet.responsible_gaming import eligibility, projection
from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType, limit_currency
from wallet.responsible_gaming.limits import Usage
from wallet.responsible_gaming.state import (
    Exclusion,
    OperatorLimitsState,
    PlayerRestrictionsState,
    strictest_limits,
)

_NOW: Final = Func(function="clock_timestamp", output_field=DateTimeField())
DEFAULT_REALITY_CHECK_MINUTES: Final = 60
"""The interval of reminders for players who have set none."""

# The open session, or the last one: a player has one at a time.
_SESSION: Final = """
    SELECT session.created_at, clock_timestamp(), own.state::text FROM operators_playersession session
      LEFT JOIN wallet_playerrestrictions own ON own.player_id = session.player_id
     WHERE session.player_id = %s AND session.operator_id = %s ORDER BY session.created_at DESC LIMIT 1
"""
_BALANCES: Final = f"""
    SELECT own.state::text, kind, money_type, account.currency, table_id, {DISPLAYED}
      LEFT JOIN wallet_playerrestrictions own ON own.player_id = account.player_id
     WHERE account.player_id = %s AND account.operator_id = %s
     ORDER BY kind, money_type, account.currency, table_id
"""
_SESSIONS: Final = """
    SELECT players.player, latest.created_at, clock_timestamp(), own.state::text
      FROM unnest(%s::uuid[]) players (player)
     CROSS JOIN LATERAL (SELECT created_at FROM operators_playersession WHERE player_id = players.player
                          ORDER BY created_at DESC LIMIT 1) latest
      LEFT JOIN wallet_playerrestrictions own ON own.player_id = players.player
"""


class PlayerRestriction(StrEnum):
    """Why a player cannot play: removed by a moderator, excluded, or stopped."""

    BANNED = "banned"
    EXCLUDED = "excluded"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class LimitStatus:
    """The limits of one type and period in minor units or minutes: the effective one, each party's, and the usage.

    `currency` is empty for time.
    """

    limit_type: LimitType
    period: LimitPeriod
    currency: str
    limit: int | None
    player_limit: int | None
    operator_limit: int | None
    operator_wide_limit: int | None
    used: int

    @property
    def remaining(self) -> int | None:
        """The amount that remains, None without a limit."""
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


def limits(*, operator: UUID, player: UUID, currencies: Sequence[str]) -> LimitsOverview:
    """Return a player's limits and usage in these currencies. Raises UnknownPlayer."""
    require_player(operator=operator, player=player)
    restrictions, _ = projection.load_restrictions(operator=operator, player=player)
    operator_limits, _ = projection.load_operator_limits(operator=operator)
    now = database_now()
    used = {each: eligibility.usage(player=player, currency=each, now=now) for each in currencies}
    statuses = tuple(
        _status(restrictions, operator_limits, used[currency], (limit_type, period), currency)
        for limit_type in LimitType
        for currency in (currencies[:1] if limit_type is LimitType.TIME else currencies)
        for period in LimitPeriod
    )
    return LimitsOverview(restrictions, statuses, now)


def load_operator_limits(*, operator: UUID) -> OperatorLimitsState:
    """Return the limits for all players of an operator."""
    return projection.load_operator_limits(operator=operator)[0]


def balances_and_reminder(player: PlayerPrincipal) -> tuple[dict[AccountName, int], Reminder]:
    """Return a player's accounts with their balances in minor units, and the next reminder, in one query."""
    rows = fetch(_BALANCES, [player.player, player.operator])
    balances = {
        AccountName(AccountKind(kind), player.operator, MoneyType(money_type), currency, player.player, table): balance
        for _, kind, money_type, currency, table, balance in rows
    }
    return balances, _reminder(player.session_started_at, player.authenticated_at, rows[0][0] if rows else None)


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


def reality_check(*, operator: UUID, player: UUID, currency: str) -> RealityCheck:
    """Return a player's time, and results in a currency, since the login and in the windows. Raises UnknownPlayer."""
    require_player(operator=operator, player=player)
    next_reminder = reminder(operator=operator, player=player)
    now = database_now() if next_reminder is None else next_reminder.now
    session = (
        Usage()
        if next_reminder is None
        else eligibility.usage_since(player=player, currency=currency, since=next_reminder.started_at)
    )
    return RealityCheck(next_reminder, session, eligibility.usage(player=player, currency=currency, now=now))


def _status(
    restrictions: PlayerRestrictionsState,
    operator_limits: OperatorLimitsState,
    usage: Usage,
    key: tuple[LimitType, LimitPeriod],
    currency: str,
) -> LimitStatus:
    limit_type, period = key
    effective = strictest_limits(restrictions, operator_limits, currency).get((limit_type, period))
    return LimitStatus(
        limit_type=limit_type,
        period=period,
        currency=limit_currency(limit_type, currency),
        limit=None if effective is None else effective.limit,
        player_limit=restrictions.limit(Initiator.PLAYER, limit_type, period, currency),
        operator_limit=restrictions.limit(Initiator.OPERATOR, limit_type, period, currency),
        operator_wide_limit=operator_limits.limit(limit_type, period, currency),
        used=usage.used.get((limit_type, period), 0),
    )


def restricted_players(restriction: PlayerRestriction, *, operator: UUID) -> QuerySet[Any, UUID]:
    """Select the ids of an operator's players who are under a restriction now."""
    if restriction is PlayerRestriction.BANNED:
        bans = PlayerBan.objects.filter(Q(until=None) | Q(until__gt=_NOW), player__operator_id=operator)
        return bans.values_list("player_id", flat=True)
    rows = PlayerRestrictions.objects.filter(operator_id=operator)
    if restriction is PlayerRestriction.STOPPED:
        rows = rows.filter(blocked=True)
    else:
        rows = rows.filter(Q(excluded_until__gt=_NOW) | Q(self_excluded=True))
    return rows.values_list("player_id", flat=True)


def restrictions_of(players: Sequence[UUID], *, operator: UUID) -> dict[UUID, tuple[PlayerRestriction, ...]]:
    """Return what keeps each of these players of an operator from playing, in one query; the others are left out."""
    found = defaultdict(list)
    selected = [
        restricted_players(each, operator=operator)
        .filter(player_id__in=players)
        .annotate(restriction=Value(each.value))
        .values_list("player_id", "restriction")
        for each in PlayerRestriction
    ]
    for player, restriction in selected[0].union(*selected[1:], all=True):
        found[player].append(PlayerRestriction(restriction))
    return {player: tuple(sorted(each)) for player, each in found.items()}
