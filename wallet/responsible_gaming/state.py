"""What protects a player, and what an operator holds all its players to: what their events have led to. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from wallet.responsible_gaming import events as e
from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType


class ExclusionKind(StrEnum):
    """A cooling-off ends by itself; a self-exclusion lasts until the operator ends it, not before its time."""

    COOLING_OFF = "cooling_off"
    SELF_EXCLUSION = "self_exclusion"


@dataclass(frozen=True, slots=True)
class PlayLimit:
    """At most `most` (minor units; minutes for time) in any period of this length."""

    by: Initiator
    limit_type: LimitType
    period: LimitPeriod
    limit: int
    since: datetime


@dataclass(frozen=True, slots=True)
class PendingIncrease:
    """A higher limit that the player asked for, None for no limit, to be confirmed from `confirm_from` on."""

    limit_type: LimitType
    period: LimitPeriod
    limit: int | None
    requested_at: datetime
    confirm_from: datetime


@dataclass(frozen=True, slots=True)
class Exclusion:
    """The player neither deposits nor plays."""

    kind: ExclusionKind
    by: Initiator
    since: datetime
    until: datetime

    def is_active(self, now: datetime) -> bool:
        """Tell whether it holds: a self-exclusion does until it is ended, whatever the time."""
        return self.kind is ExclusionKind.SELF_EXCLUSION or now < self.until


@dataclass(frozen=True, slots=True)
class PlayerBlock:
    """The house holds the player back from play; `says` is what the player is told."""

    player_message: str
    since: datetime


@dataclass(frozen=True, slots=True)
class PlayerRestrictionsState:
    """All that protects one player; `reality_minutes` is None where the player has no wish."""

    limits: tuple[PlayLimit, ...] = ()
    pending_increases: tuple[PendingIncrease, ...] = ()
    exclusion: Exclusion | None = None
    reality_check_minutes: int | None = None
    block: PlayerBlock | None = None

    def limit(self, by: Initiator, limit_type: LimitType, period: LimitPeriod) -> int | None:
        """Return what somebody has limited this to, None for no limit."""
        return _most(
            limit for limit in self.limits if (limit.by, limit.limit_type, limit.period) == (by, limit_type, period)
        )

    def pending_increase(self, limit_type: LimitType, period: LimitPeriod) -> PendingIncrease | None:
        """Return the higher limit that the player has asked for."""
        return next(
            (each for each in self.pending_increases if (each.limit_type, each.period) == (limit_type, period)), None
        )

    def active_exclusion(self, now: datetime) -> Exclusion | None:
        """Return the exclusion that holds, if one does."""
        return self.exclusion if self.exclusion is not None and self.exclusion.is_active(now) else None


@dataclass(frozen=True, slots=True)
class OperatorLimitsState:
    """What an operator holds every player to; `play_cap` in minor units is None where nothing was said."""

    limits: tuple[PlayLimit, ...] = ()
    play_money_cap: int | None = None

    def limit(self, limit_type: LimitType, period: LimitPeriod) -> int | None:
        """Return what every player is held to, None for no limit."""
        return _most(limit for limit in self.limits if (limit.limit_type, limit.period) == (limit_type, period))


def fold(events: Iterable[e.PlayerRestrictionEvent]) -> PlayerRestrictionsState:
    """Rebuild a player's protection from its events."""
    state = PlayerRestrictionsState()
    for event in events:
        state = evolve(state, event)
    return state


def evolve(state: PlayerRestrictionsState, event: e.PlayerRestrictionEvent) -> PlayerRestrictionsState:
    """Apply one event; it never refuses."""
    if isinstance(
        event, e.PlayLimitSet | e.PlayLimitIncreaseRequested | e.PlayLimitIncreased | e.PlayLimitIncreaseCancelled
    ):
        return _evolve_limits(state, event)
    if isinstance(event, e.PlayerBlocked | e.PlayerUnblocked):
        stopped = PlayerBlock(event.player_message, event.at) if isinstance(event, e.PlayerBlocked) else None
        return replace(state, block=stopped)
    match event:
        case e.CoolingOffStarted(by=by, until=until, at=at):
            return replace(state, exclusion=Exclusion(ExclusionKind.COOLING_OFF, by, at, until))
        case e.SelfExcluded(by=by, until=until, at=at):
            return replace(state, exclusion=Exclusion(ExclusionKind.SELF_EXCLUSION, by, at, until))
        case e.SelfExclusionEnded():
            return replace(state, exclusion=None)
        case e.RealityCheckSet(minutes=minutes):
            return replace(state, reality_check_minutes=minutes)


def _evolve_limits(state: PlayerRestrictionsState, event: e.PlayLimitEvent) -> PlayerRestrictionsState:
    others = _without_wish(state, event.limit_type, event.period)
    match event:
        case e.PlayLimitSet(by=by):
            raises = others if by is Initiator.PLAYER else state.pending_increases
            return replace(state, limits=_with(state.limits, event, by=by), pending_increases=raises)
        case e.PlayLimitIncreaseRequested(limit_type=limit_type, period=period, limit=limit, at=at):
            wish = PendingIncrease(limit_type, period, limit, at, event.confirm_from)
            return replace(state, pending_increases=(*others, wish))
        case e.PlayLimitIncreased():
            return replace(state, limits=_with(state.limits, event, by=Initiator.PLAYER), pending_increases=others)
        case e.PlayLimitIncreaseCancelled():
            return replace(state, pending_increases=others)


def fold_operator_limits(events: Iterable[e.OperatorLimitEvent]) -> OperatorLimitsState:
    """Rebuild what holds for all players of an operator from its events."""
    state = OperatorLimitsState()
    for event in events:
        state = evolve_operator_limits(state, event)
    return state


def evolve_operator_limits(state: OperatorLimitsState, event: e.OperatorLimitEvent) -> OperatorLimitsState:
    """Apply one event; it never refuses."""
    match event:
        case e.OperatorLimitSet():
            return replace(state, limits=_with(state.limits, event, by=Initiator.OPERATOR))
        case e.PlayMoneyCapSet(cap=cap):
            return replace(state, play_money_cap=cap)


def strictest_limits(
    protection: PlayerRestrictionsState, house: OperatorLimitsState
) -> dict[tuple[LimitType, LimitPeriod], PlayLimit]:
    """Return the limit that holds for each measure and period: the lowest of all who set one."""
    found: dict[tuple[LimitType, LimitPeriod], PlayLimit] = {}
    for limit in (*protection.limits, *house.limits):
        held = found.get((limit.limit_type, limit.period))
        if held is None or limit.limit < held.limit:
            found[limit.limit_type, limit.period] = limit
    return found


def _with(
    limits: tuple[PlayLimit, ...], event: e.PlayLimitSet | e.PlayLimitIncreased | e.OperatorLimitSet, *, by: Initiator
) -> tuple[PlayLimit, ...]:
    key = (by, event.limit_type, event.period)
    others = tuple(each for each in limits if (each.by, each.limit_type, each.period) != key)
    return others if event.limit is None else (*others, PlayLimit(*key, event.limit, event.at))


def _without_wish(
    state: PlayerRestrictionsState, limit_type: LimitType, period: LimitPeriod
) -> tuple[PendingIncrease, ...]:
    return tuple(each for each in state.pending_increases if (each.limit_type, each.period) != (limit_type, period))


def _most(limits: Iterable[PlayLimit]) -> int | None:
    return next((limit.limit for limit in limits), None)
