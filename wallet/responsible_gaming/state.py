"""What protects a player, and what an operator holds all its players to: what their events have led to. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from wallet.responsible_gaming import events as e
from wallet.responsible_gaming.events import Measure, Period, Setter


class ExclusionKind(StrEnum):
    """A cooling-off ends by itself; a self-exclusion lasts until the operator ends it, not before its time."""

    COOLING_OFF = "cooling_off"
    SELF_EXCLUSION = "self_exclusion"


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `most` (minor units; minutes for time) in any period of this length."""

    by: Setter
    measure: Measure
    period: Period
    most: int
    since: datetime


@dataclass(frozen=True, slots=True)
class Raise:
    """A higher limit that the player asked for, None for no limit, to be confirmed from `confirm_from` on."""

    measure: Measure
    period: Period
    most: int | None
    asked_at: datetime
    confirm_from: datetime


@dataclass(frozen=True, slots=True)
class Exclusion:
    """The player neither deposits nor plays."""

    kind: ExclusionKind
    by: Setter
    since: datetime
    until: datetime

    def holds(self, now: datetime) -> bool:
        """Tell whether it holds: a self-exclusion does until it is ended, whatever the time."""
        return self.kind is ExclusionKind.SELF_EXCLUSION or now < self.until


@dataclass(frozen=True, slots=True)
class Stopped:
    """The house holds the player back from play; `says` is what the player is told."""

    says: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Protection:
    """All that protects one player; `reality_minutes` is None where the player has no wish."""

    limits: tuple[Limit, ...] = ()
    raises: tuple[Raise, ...] = ()
    exclusion: Exclusion | None = None
    reality_minutes: int | None = None
    stopped: Stopped | None = None

    def limit(self, by: Setter, measure: Measure, period: Period) -> int | None:
        """Return what somebody has limited this to, None for no limit."""
        return _most(limit for limit in self.limits if (limit.by, limit.measure, limit.period) == (by, measure, period))

    def wish(self, measure: Measure, period: Period) -> Raise | None:
        """Return the higher limit that the player has asked for."""
        return next((each for each in self.raises if (each.measure, each.period) == (measure, period)), None)

    def excluded(self, now: datetime) -> Exclusion | None:
        """Return the exclusion that holds, if one does."""
        return self.exclusion if self.exclusion is not None and self.exclusion.holds(now) else None


@dataclass(frozen=True, slots=True)
class House:
    """What an operator holds every player to; `play_cap` in minor units is None where nothing was said."""

    limits: tuple[Limit, ...] = ()
    play_cap: int | None = None

    def limit(self, measure: Measure, period: Period) -> int | None:
        """Return what every player is held to, None for no limit."""
        return _most(limit for limit in self.limits if (limit.measure, limit.period) == (measure, period))


def fold(events: Iterable[e.PlayerProtectionEvent]) -> Protection:
    """Rebuild a player's protection from its events."""
    state = Protection()
    for event in events:
        state = evolve(state, event)
    return state


def evolve(state: Protection, event: e.PlayerProtectionEvent) -> Protection:
    """Apply one event; it never refuses."""
    if isinstance(event, e.PlayLimitSet | e.PlayLimitRaiseAsked | e.PlayLimitRaised | e.PlayLimitRaiseCancelled):
        return _evolve_limits(state, event)
    if isinstance(event, e.PlayerStopped | e.PlayerResumed):
        stopped = Stopped(event.says, event.at) if isinstance(event, e.PlayerStopped) else None
        return replace(state, stopped=stopped)
    match event:
        case e.CoolingOffStarted(by=by, until=until, at=at):
            return replace(state, exclusion=Exclusion(ExclusionKind.COOLING_OFF, by, at, until))
        case e.SelfExcluded(by=by, until=until, at=at):
            return replace(state, exclusion=Exclusion(ExclusionKind.SELF_EXCLUSION, by, at, until))
        case e.SelfExclusionEnded():
            return replace(state, exclusion=None)
        case e.RealityCheckSet(minutes=minutes):
            return replace(state, reality_minutes=minutes)


def _evolve_limits(state: Protection, event: e.LimitEvent) -> Protection:
    others = _without_wish(state, event.measure, event.period)
    match event:
        case e.PlayLimitSet(by=by):
            raises = others if by is Setter.PLAYER else state.raises
            return replace(state, limits=_with(state.limits, event, by=by), raises=raises)
        case e.PlayLimitRaiseAsked(measure=measure, period=period, most=most, at=at, confirm_from=confirm_from):
            wish = Raise(measure, period, most, at, confirm_from)
            return replace(state, raises=(*others, wish))
        case e.PlayLimitRaised():
            return replace(state, limits=_with(state.limits, event, by=Setter.PLAYER), raises=others)
        case e.PlayLimitRaiseCancelled():
            return replace(state, raises=others)


def fold_house(events: Iterable[e.HouseEvent]) -> House:
    """Rebuild what holds for all players of an operator from its events."""
    state = House()
    for event in events:
        state = evolve_house(state, event)
    return state


def evolve_house(state: House, event: e.HouseEvent) -> House:
    """Apply one event; it never refuses."""
    match event:
        case e.HouseLimitSet():
            return replace(state, limits=_with(state.limits, event, by=Setter.OPERATOR))
        case e.PlayMoneyCapSet(cap=cap):
            return replace(state, play_cap=cap)


def strictest(protection: Protection, house: House) -> dict[tuple[Measure, Period], Limit]:
    """Return the limit that holds for each measure and period: the lowest of all who set one."""
    found: dict[tuple[Measure, Period], Limit] = {}
    for limit in (*protection.limits, *house.limits):
        held = found.get((limit.measure, limit.period))
        if held is None or limit.most < held.most:
            found[limit.measure, limit.period] = limit
    return found


def _with(
    limits: tuple[Limit, ...], event: e.PlayLimitSet | e.PlayLimitRaised | e.HouseLimitSet, *, by: Setter
) -> tuple[Limit, ...]:
    key = (by, event.measure, event.period)
    others = tuple(each for each in limits if (each.by, each.measure, each.period) != key)
    return others if event.most is None else (*others, Limit(*key, event.most, event.at))


def _without_wish(state: Protection, measure: Measure, period: Period) -> tuple[Raise, ...]:
    return tuple(each for each in state.raises if (each.measure, each.period) != (measure, period))


def _most(limits: Iterable[Limit]) -> int | None:
    return next((limit.most for limit in limits), None)
