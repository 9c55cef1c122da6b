"""Who may change a limit, and when it changes: lower at once, higher after a day and a second word. Pure.

Source: GLI-19 A.3.7, a limit becomes stricter at once and looser after 24 hours at the earliest; 2.5.5(b), the
stricter of the player's and the operator's limit holds.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from casino.kernel.money import MAX_AMOUNT
from wallet.responsible_gaming.events import (
    CoolingOffStarted,
    Initiator,
    LimitPeriod,
    LimitType,
    OperatorLimitSet,
    PlayerBlocked,
    PlayerUnblocked,
    PlayLimitIncreaseCancelled,
    PlayLimitIncreased,
    PlayLimitIncreaseRequested,
    PlayLimitSet,
    PlayMoneyCapSet,
    RealityCheckSet,
    SelfExcluded,
    SelfExclusionEnded,
)
from wallet.responsible_gaming.refusals import (
    ExclusionLengthInvalid,
    ExclusionStillRunning,
    InvalidPlayLimit,
    LimitIncreaseTooEarly,
    LongerExclusionActive,
    NoLimitIncreasePending,
    NotSelfExcluded,
    PlayerAlreadyBlocked,
    PlayerNotBlocked,
    PlayLimitUnchanged,
    RealityCheckInvalid,
)
from wallet.responsible_gaming.state import ExclusionKind, OperatorLimitsState, PlayerRestrictionsState
from wallet.responsible_gaming.windows import month_after

INCREASE_DELAY: Final = timedelta(hours=24)
MAX_TIME_LIMIT_MINUTES: Final = 31 * 24 * 60
MIN_COOLING_OFF_HOURS, MAX_COOLING_OFF_HOURS = 24, 6 * 7 * 24
"""Hours."""
MIN_EXCLUSION_MONTHS, MAX_EXCLUSION_MONTHS = 6, 120
"""Months."""
MIN_REALITY_CHECK_MINUTES, MAX_REALITY_CHECK_MINUTES = 15, 60
"""Minutes."""


@dataclass(frozen=True, slots=True)
class WalletOwner:
    """A player of an operator, with the currency of the wallet."""

    operator: UUID
    player: UUID
    currency: str


def set_limit(
    state: PlayerRestrictionsState,
    *,
    owner: WalletOwner,
    by: Initiator,
    limit_type: LimitType,
    period: LimitPeriod,
    limit: int | None,
    now: datetime,
) -> PlayLimitSet | PlayLimitIncreaseRequested:
    """Judge a limit of `most` (minor units, or minutes of time; None for no limit) and answer its event.

    What a player makes stricter holds at once, what a player makes looser has to be confirmed a day later; an
    operator's own limit changes at once. Raises PlayLimitImpossible, PlayLimitUnchanged.
    """
    require_valid_limit(limit_type, limit)
    current = state.limit(by, limit_type, period)
    wish = state.pending_increase(limit_type, period) if by is Initiator.PLAYER else None
    if limit == (current if wish is None else wish.limit):
        raise PlayLimitUnchanged
    if by is Initiator.PLAYER and not _is_stricter(limit, current):
        if limit == current:
            raise PlayLimitUnchanged
        return PlayLimitIncreaseRequested(
            owner.operator, owner.player, owner.currency, limit_type, period, limit, now, now + INCREASE_DELAY
        )
    return PlayLimitSet(owner.operator, owner.player, owner.currency, by, limit_type, period, limit, now)


def confirm_increase(
    state: PlayerRestrictionsState, *, owner: WalletOwner, limit_type: LimitType, period: LimitPeriod, now: datetime
) -> PlayLimitIncreased:
    """Judge a player's second word on a higher limit. Raises NoRaisePending, RaiseNotRipe."""
    wish = state.pending_increase(limit_type, period)
    if wish is None:
        raise NoLimitIncreasePending
    if now < wish.confirm_from:
        raise LimitIncreaseTooEarly(confirm_from=wish.confirm_from)
    return PlayLimitIncreased(owner.operator, owner.player, owner.currency, limit_type, period, wish.limit, now)


def cancel_increase(
    state: PlayerRestrictionsState, *, owner: WalletOwner, limit_type: LimitType, period: LimitPeriod, now: datetime
) -> PlayLimitIncreaseCancelled:
    """Take the wish for a higher limit back. Raises NoRaisePending."""
    if state.pending_increase(limit_type, period) is None:
        raise NoLimitIncreasePending
    return PlayLimitIncreaseCancelled(owner.operator, owner.player, limit_type, period, now)


def set_operator_wide_limit(
    state: OperatorLimitsState,
    *,
    operator: UUID,
    currency: str,
    limit_type: LimitType,
    period: LimitPeriod,
    limit: int | None,
    now: datetime,
) -> OperatorLimitSet:
    """Judge a limit for all players of an operator. Raises PlayLimitImpossible, PlayLimitUnchanged."""
    require_valid_limit(limit_type, limit)
    if limit == state.limit(limit_type, period):
        raise PlayLimitUnchanged
    return OperatorLimitSet(operator, currency, limit_type, period, limit, now)


def set_play_money_cap(*, operator: UUID, currency: str, cap: int, now: datetime) -> PlayMoneyCapSet:
    """Judge up to what play money is topped up, in minor units. Raises PlayLimitImpossible."""
    if not 0 <= cap < MAX_AMOUNT:
        raise InvalidPlayLimit
    return PlayMoneyCapSet(operator, currency, cap, now)


def cool_off(
    state: PlayerRestrictionsState, *, owner: WalletOwner, by: Initiator, hours: int, now: datetime
) -> CoolingOffStarted:
    """Judge a cooling-off of 24 hours to 6 weeks. Raises ExclusionLengthInvalid, ExclusionRunsLonger."""
    if not MIN_COOLING_OFF_HOURS <= hours <= MAX_COOLING_OFF_HOURS:
        raise ExclusionLengthInvalid
    until = now + timedelta(hours=hours)
    held = state.active_exclusion(now)
    if held is not None and (held.kind is ExclusionKind.SELF_EXCLUSION or held.until >= until):
        raise LongerExclusionActive(until=held.until)
    return CoolingOffStarted(owner.operator, owner.player, by, until, now)


def self_exclude(
    state: PlayerRestrictionsState, *, owner: WalletOwner, by: Initiator, months: int, now: datetime
) -> SelfExcluded:
    """Judge a self-exclusion of 6 months or more. Raises ExclusionLengthInvalid, ExclusionRunsLonger."""
    if not MIN_EXCLUSION_MONTHS <= months <= MAX_EXCLUSION_MONTHS:
        raise ExclusionLengthInvalid
    until = month_after(now, months=months)
    held = state.active_exclusion(now)
    if held is not None and held.kind is ExclusionKind.SELF_EXCLUSION and held.until >= until:
        raise LongerExclusionActive(until=held.until)
    return SelfExcluded(owner.operator, owner.player, by, until, now)


def end_exclusion(state: PlayerRestrictionsState, *, owner: WalletOwner, now: datetime) -> SelfExclusionEnded:
    """Judge an operator's word that a player may play again. Raises NotSelfExcluded, ExclusionNotOver."""
    held = state.active_exclusion(now)
    if held is None or held.kind is not ExclusionKind.SELF_EXCLUSION:
        raise NotSelfExcluded
    if now < held.until:
        raise ExclusionStillRunning(until=held.until)
    return SelfExclusionEnded(owner.operator, owner.player, now)


def block_player(
    state: PlayerRestrictionsState, *, owner: WalletOwner, player_message: str, now: datetime
) -> PlayerBlocked:
    """Judge that a player be held back from play. Raises PlayerStoppedAlready."""
    if state.block is not None:
        raise PlayerAlreadyBlocked
    return PlayerBlocked(owner.operator, owner.player, player_message, now)


def unblock_player(state: PlayerRestrictionsState, *, owner: WalletOwner, now: datetime) -> PlayerUnblocked:
    """Judge that a player be held back no longer. Raises PlayerNotStopped."""
    if state.block is None:
        raise PlayerNotBlocked
    return PlayerUnblocked(owner.operator, owner.player, now)


def set_reality_check(*, owner: WalletOwner, minutes: int, now: datetime) -> RealityCheckSet:
    """Judge how often a player wants to be reminded. Raises RealityCheckInvalid."""
    if not MIN_REALITY_CHECK_MINUTES <= minutes <= MAX_REALITY_CHECK_MINUTES:
        raise RealityCheckInvalid
    return RealityCheckSet(owner.operator, owner.player, minutes, now)


def months_between(at: datetime, until: datetime) -> int:
    """Return after how many months from `at` an exclusion ends at `until`, as `self_exclude` counts them."""
    months = (until.year - at.year) * 12 + until.month - at.month
    return months if month_after(at, months=months) == until else months - 1


def require_valid_limit(measure: LimitType, most: int | None) -> None:
    """Check that a limit is one. Raises PlayLimitImpossible."""
    highest = MAX_TIME_LIMIT_MINUTES if measure is LimitType.TIME else MAX_AMOUNT - 1
    if most is not None and not 0 < most <= highest:
        raise InvalidPlayLimit


def _is_stricter(most: int | None, current: int | None) -> bool:
    return most is not None and (current is None or most < current)
