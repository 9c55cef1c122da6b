"""Who may change a limit, and when it changes: lower at once, higher after a day and a second word. Pure.

Source: GLI-19 A.3.7, a limit becomes stricter at once and looser after 24 hours at the earliest; 2.5.5(b), the
stricter of the player's and the operator's limit holds.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from casino.kernel.money import LARGEST
from wallet.responsible_gaming.events import (
    CoolingOffStarted,
    HouseLimitSet,
    Measure,
    Period,
    PlayerResumed,
    PlayerStopped,
    PlayLimitRaiseAsked,
    PlayLimitRaiseCancelled,
    PlayLimitRaised,
    PlayLimitSet,
    PlayMoneyCapSet,
    RealityCheckSet,
    SelfExcluded,
    SelfExclusionEnded,
    Setter,
)
from wallet.responsible_gaming.refusals import (
    ExclusionLengthInvalid,
    ExclusionNotOver,
    ExclusionRunsLonger,
    NoRaisePending,
    NotSelfExcluded,
    PlayerNotStopped,
    PlayerStoppedAlready,
    PlayLimitImpossible,
    PlayLimitUnchanged,
    RaiseNotRipe,
    RealityCheckInvalid,
)
from wallet.responsible_gaming.state import ExclusionKind, House, Protection
from wallet.responsible_gaming.windows import month_after

RIPENS: Final = timedelta(hours=24)
LONGEST_MINUTES: Final = 31 * 24 * 60
SHORTEST_COOLING, LONGEST_COOLING = 24, 6 * 7 * 24
"""Hours."""
SHORTEST_EXCLUSION, LONGEST_EXCLUSION = 6, 120
"""Months."""
OFTENEST_CHECK, SELDOMEST_CHECK = 15, 60
"""Minutes."""


@dataclass(frozen=True, slots=True)
class Whose:
    """A player of an operator, with the currency of the wallet."""

    operator: UUID
    player: UUID
    currency: str


def change(
    state: Protection, *, whose: Whose, by: Setter, measure: Measure, period: Period, most: int | None, now: datetime
) -> PlayLimitSet | PlayLimitRaiseAsked:
    """Judge a limit of `most` (minor units, or minutes of time; None for no limit) and answer its event.

    What a player makes stricter holds at once, what a player makes looser has to be confirmed a day later; an
    operator's own limit changes at once. Raises PlayLimitImpossible, PlayLimitUnchanged.
    """
    require_possible(measure, most)
    current = state.limit(by, measure, period)
    wish = state.wish(measure, period) if by is Setter.PLAYER else None
    if most == (current if wish is None else wish.most):
        raise PlayLimitUnchanged
    if by is Setter.PLAYER and not _is_stricter(most, current):
        if most == current:
            raise PlayLimitUnchanged
        return PlayLimitRaiseAsked(
            whose.operator, whose.player, whose.currency, measure, period, most, now, now + RIPENS
        )
    return PlayLimitSet(whose.operator, whose.player, whose.currency, by, measure, period, most, now)


def confirm(state: Protection, *, whose: Whose, measure: Measure, period: Period, now: datetime) -> PlayLimitRaised:
    """Judge a player's second word on a higher limit. Raises NoRaisePending, RaiseNotRipe."""
    wish = state.wish(measure, period)
    if wish is None:
        raise NoRaisePending
    if now < wish.confirm_from:
        raise RaiseNotRipe(confirm_from=wish.confirm_from)
    return PlayLimitRaised(whose.operator, whose.player, whose.currency, measure, period, wish.most, now)


def cancel(
    state: Protection, *, whose: Whose, measure: Measure, period: Period, now: datetime
) -> PlayLimitRaiseCancelled:
    """Take the wish for a higher limit back. Raises NoRaisePending."""
    if state.wish(measure, period) is None:
        raise NoRaisePending
    return PlayLimitRaiseCancelled(whose.operator, whose.player, measure, period, now)


def change_house(
    state: House, *, operator: UUID, currency: str, measure: Measure, period: Period, most: int | None, now: datetime
) -> HouseLimitSet:
    """Judge a limit for all players of an operator. Raises PlayLimitImpossible, PlayLimitUnchanged."""
    require_possible(measure, most)
    if most == state.limit(measure, period):
        raise PlayLimitUnchanged
    return HouseLimitSet(operator, currency, measure, period, most, now)


def change_cap(*, operator: UUID, currency: str, cap: int, now: datetime) -> PlayMoneyCapSet:
    """Judge up to what play money is topped up, in minor units. Raises PlayLimitImpossible."""
    if not 0 <= cap < LARGEST:
        raise PlayLimitImpossible
    return PlayMoneyCapSet(operator, currency, cap, now)


def cool_off(state: Protection, *, whose: Whose, by: Setter, hours: int, now: datetime) -> CoolingOffStarted:
    """Judge a cooling-off of 24 hours to 6 weeks. Raises ExclusionLengthInvalid, ExclusionRunsLonger."""
    if not SHORTEST_COOLING <= hours <= LONGEST_COOLING:
        raise ExclusionLengthInvalid
    until = now + timedelta(hours=hours)
    held = state.excluded(now)
    if held is not None and (held.kind is ExclusionKind.SELF_EXCLUSION or held.until >= until):
        raise ExclusionRunsLonger(until=held.until)
    return CoolingOffStarted(whose.operator, whose.player, by, until, now)


def self_exclude(state: Protection, *, whose: Whose, by: Setter, months: int, now: datetime) -> SelfExcluded:
    """Judge a self-exclusion of 6 months or more. Raises ExclusionLengthInvalid, ExclusionRunsLonger."""
    if not SHORTEST_EXCLUSION <= months <= LONGEST_EXCLUSION:
        raise ExclusionLengthInvalid
    until = month_after(now, months=months)
    held = state.excluded(now)
    if held is not None and held.kind is ExclusionKind.SELF_EXCLUSION and held.until >= until:
        raise ExclusionRunsLonger(until=held.until)
    return SelfExcluded(whose.operator, whose.player, by, until, now)


def end_exclusion(state: Protection, *, whose: Whose, now: datetime) -> SelfExclusionEnded:
    """Judge an operator's word that a player may play again. Raises NotSelfExcluded, ExclusionNotOver."""
    held = state.excluded(now)
    if held is None or held.kind is not ExclusionKind.SELF_EXCLUSION:
        raise NotSelfExcluded
    if now < held.until:
        raise ExclusionNotOver(until=held.until)
    return SelfExclusionEnded(whose.operator, whose.player, now)


def stop(state: Protection, *, whose: Whose, says: str, now: datetime) -> PlayerStopped:
    """Judge that a player be held back from play. Raises PlayerStoppedAlready."""
    if state.stopped is not None:
        raise PlayerStoppedAlready
    return PlayerStopped(whose.operator, whose.player, says, now)


def resume(state: Protection, *, whose: Whose, now: datetime) -> PlayerResumed:
    """Judge that a player be held back no longer. Raises PlayerNotStopped."""
    if state.stopped is None:
        raise PlayerNotStopped
    return PlayerResumed(whose.operator, whose.player, now)


def remind(*, whose: Whose, minutes: int, now: datetime) -> RealityCheckSet:
    """Judge how often a player wants to be reminded. Raises RealityCheckInvalid."""
    if not OFTENEST_CHECK <= minutes <= SELDOMEST_CHECK:
        raise RealityCheckInvalid
    return RealityCheckSet(whose.operator, whose.player, minutes, now)


def months_between(at: datetime, until: datetime) -> int:
    """Return after how many months from `at` an exclusion ends at `until`, as `self_exclude` counts them."""
    months = (until.year - at.year) * 12 + until.month - at.month
    return months if month_after(at, months=months) == until else months - 1


def require_possible(measure: Measure, most: int | None) -> None:
    """Check that a limit is one. Raises PlayLimitImpossible."""
    highest = LONGEST_MINUTES if measure is Measure.TIME else LARGEST - 1
    if most is not None and not 0 < most <= highest:
        raise PlayLimitImpossible


def _is_stricter(most: int | None, current: int | None) -> bool:
    return most is not None and (current is None or most < current)
