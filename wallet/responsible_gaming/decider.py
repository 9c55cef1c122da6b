"""Decisions about limits, exclusions, blocks and reality checks. Pure.

Source: GLI-19 A.3.7, a limit becomes stricter at once and looser after 24 hours at the earliest; 2.5.5(b), the
stricter of the player's and the operator's limit applies.
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
    PlayerFrozen,
    PlayerUnblocked,
    PlayerUnfrozen,
    PlayLimitIncreaseCancelled,
    PlayLimitIncreased,
    PlayLimitIncreaseRequested,
    PlayLimitSet,
    PlayMoneyCapSet,
    RealityCheckSet,
    SelfExcluded,
    SelfExclusionEnded,
)
from wallet.responsible_gaming.limits import month_after
from wallet.responsible_gaming.refusals import (
    ExclusionLengthInvalid,
    ExclusionPermanent,
    ExclusionStillRunning,
    InvalidPlayLimit,
    LimitIncreaseTooEarly,
    LongerExclusionActive,
    NoLimitIncreasePending,
    NotSelfExcluded,
    PlayerAlreadyBlocked,
    PlayerAlreadyFrozen,
    PlayerNotBlocked,
    PlayerNotFrozen,
    PlayLimitUnchanged,
    RealityCheckInvalid,
)
from wallet.responsible_gaming.state import Exclusion, ExclusionKind, OperatorLimitsState, PlayerRestrictionsState

INCREASE_DELAY: Final = timedelta(hours=24)
MAX_TIME_LIMIT_MINUTES: Final = 31 * 24 * 60
MIN_COOLING_OFF_HOURS, MAX_COOLING_OFF_HOURS = 24, 6 * 7 * 24
MIN_EXCLUSION_MONTHS, MAX_EXCLUSION_MONTHS = 6, 120
MIN_REALITY_CHECK_MINUTES, MAX_REALITY_CHECK_MINUTES = 15, 60


@dataclass(frozen=True, slots=True)
class WalletOwner:
    """A player of an operator, with the currency of the account."""

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
    """Set a limit in minor units, or minutes of time; None for no limit.

    A player's stricter limit applies at once, a looser one has to be confirmed a day later; an operator's limit
    changes at once. Raises InvalidPlayLimit, PlayLimitUnchanged.
    """
    require_valid_limit(limit_type, limit)
    current = state.limit(by, limit_type, period, owner.currency)
    pending = state.pending_increase(limit_type, period, owner.currency) if by is Initiator.PLAYER else None
    if limit == (current if pending is None else pending.limit):
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
    """Confirm a requested increase. Raises NoLimitIncreasePending, LimitIncreaseTooEarly."""
    pending = state.pending_increase(limit_type, period, owner.currency)
    if pending is None:
        raise NoLimitIncreasePending
    if now < pending.confirm_from:
        raise LimitIncreaseTooEarly(confirm_from=pending.confirm_from)
    return PlayLimitIncreased(owner.operator, owner.player, owner.currency, limit_type, period, pending.limit, now)


def cancel_increase(
    state: PlayerRestrictionsState, *, owner: WalletOwner, limit_type: LimitType, period: LimitPeriod, now: datetime
) -> PlayLimitIncreaseCancelled:
    """Cancel a requested increase. Raises NoLimitIncreasePending."""
    if state.pending_increase(limit_type, period, owner.currency) is None:
        raise NoLimitIncreasePending
    return PlayLimitIncreaseCancelled(owner.operator, owner.player, owner.currency, limit_type, period, now)


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
    """Set a limit for all players of an operator. Raises InvalidPlayLimit, PlayLimitUnchanged."""
    require_valid_limit(limit_type, limit)
    if limit == state.limit(limit_type, period, currency):
        raise PlayLimitUnchanged
    return OperatorLimitSet(operator, currency, limit_type, period, limit, now)


def set_play_money_cap(*, operator: UUID, currency: str, cap: int, now: datetime) -> PlayMoneyCapSet:
    """Set the cap on play money, in minor units. Raises InvalidPlayLimit."""
    if not 0 <= cap < MAX_AMOUNT:
        raise InvalidPlayLimit
    return PlayMoneyCapSet(operator, currency, cap, now)


def cool_off(
    state: PlayerRestrictionsState, *, owner: WalletOwner, by: Initiator, hours: int, now: datetime
) -> CoolingOffStarted:
    """Start a cooling-off of 24 hours to 6 weeks, also where another party has set an exclusion.

    Raises ExclusionLengthInvalid, LongerExclusionActive.
    """
    if not MIN_COOLING_OFF_HOURS <= hours <= MAX_COOLING_OFF_HOURS:
        raise ExclusionLengthInvalid
    until = now + timedelta(hours=hours)
    own = _active_by(state, by, now)
    if own is not None and (own.kind is ExclusionKind.SELF_EXCLUSION or own.lasts_as_long_as(until)):
        raise LongerExclusionActive(until=own.until)
    return CoolingOffStarted(owner.operator, owner.player, by, until, now)


def self_exclude(
    state: PlayerRestrictionsState, *, owner: WalletOwner, by: Initiator, months: int | None, now: datetime
) -> SelfExcluded:
    """Exclude for 6 months or more, None for ever, also where another party has set an exclusion.

    Raises ExclusionLengthInvalid, LongerExclusionActive.
    """
    if months is not None and not MIN_EXCLUSION_MONTHS <= months <= MAX_EXCLUSION_MONTHS:
        raise ExclusionLengthInvalid
    until = None if months is None else month_after(now, months=months)
    own = _active_by(state, by, now)
    if own is not None and own.kind is ExclusionKind.SELF_EXCLUSION and own.lasts_as_long_as(until):
        raise LongerExclusionActive(until=own.until)
    return SelfExcluded(owner.operator, owner.player, by, until, now)


def end_exclusion(state: PlayerRestrictionsState, *, owner: WalletOwner, now: datetime) -> SelfExclusionEnded:
    """End exclusions as the operator once the last of them is over, so that the player may play again.

    Raises NotSelfExcluded, ExclusionPermanent, ExclusionStillRunning.
    """
    last = state.active_exclusion(now)
    if last is None or all(each.kind is ExclusionKind.COOLING_OFF for each in state.active_exclusions(now)):
        raise NotSelfExcluded
    if last.until is None:
        raise ExclusionPermanent
    if now < last.until:
        raise ExclusionStillRunning(until=last.until)
    return SelfExclusionEnded(owner.operator, owner.player, now)


def _active_by(state: PlayerRestrictionsState, by: Initiator, now: datetime) -> Exclusion | None:
    """Return the active exclusion of a party, which it can only extend."""
    return next((each for each in state.active_exclusions(now) if each.by is by), None)


def block_player(
    state: PlayerRestrictionsState, *, owner: WalletOwner, player_message: str, now: datetime
) -> PlayerBlocked:
    """Block a player from play. Raises PlayerAlreadyBlocked."""
    if state.block is not None:
        raise PlayerAlreadyBlocked
    return PlayerBlocked(owner.operator, owner.player, player_message, now)


def unblock_player(state: PlayerRestrictionsState, *, owner: WalletOwner, now: datetime) -> PlayerUnblocked:
    """Remove a player's block. Raises PlayerNotBlocked."""
    if state.block is None:
        raise PlayerNotBlocked
    return PlayerUnblocked(owner.operator, owner.player, now)


def freeze_player(
    state: PlayerRestrictionsState, *, owner: WalletOwner, reason: str, by: str, now: datetime
) -> PlayerFrozen:
    """Freeze a player's account. Raises PlayerAlreadyFrozen."""
    if state.frozen_at is not None:
        raise PlayerAlreadyFrozen
    return PlayerFrozen(owner.operator, owner.player, reason, by, now)


def unfreeze_player(
    state: PlayerRestrictionsState, *, owner: WalletOwner, by: tuple[str, ...], now: datetime
) -> PlayerUnfrozen:
    """Lift a player's freeze. Raises PlayerNotFrozen."""
    if state.frozen_at is None:
        raise PlayerNotFrozen
    return PlayerUnfrozen(owner.operator, owner.player, by, now)


def set_reality_check(*, owner: WalletOwner, minutes: int, now: datetime) -> RealityCheckSet:
    """Set how often a player is reminded. Raises RealityCheckInvalid."""
    if not MIN_REALITY_CHECK_MINUTES <= minutes <= MAX_REALITY_CHECK_MINUTES:
        raise RealityCheckInvalid
    return RealityCheckSet(owner.operator, owner.player, minutes, now)


def months_between(at: datetime, until: datetime) -> int:
    """Return after how many months from `at` an exclusion ends at `until`, as `self_exclude` counts them."""
    months = (until.year - at.year) * 12 + until.month - at.month
    return months if month_after(at, months=months) == until else months - 1


def require_valid_limit(limit_type: LimitType, limit: int | None) -> None:
    """Check the range of a limit. Raises InvalidPlayLimit."""
    highest = MAX_TIME_LIMIT_MINUTES if limit_type is LimitType.TIME else MAX_AMOUNT - 1
    if limit is not None and not 0 < limit <= highest:
        raise InvalidPlayLimit


def _is_stricter(limit: int | None, current: int | None) -> bool:
    return limit is not None and (current is None or limit < current)
