"""Restrictions of a player and limits of an operator, folded from their events. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from wallet.responsible_gaming import events as e
from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType, limit_currency

BLOCKED_MESSAGE: Final = "You can't play for now."
"""What a player is told of a block without words of its own."""


class ExclusionKind(StrEnum):
    """A cooling-off ends by itself; a self-exclusion lasts until the operator ends it, not before its time, if ever.

    Either may be the house's, not the player's own: see `Exclusion.by`.
    """

    COOLING_OFF = "cooling_off"
    SELF_EXCLUSION = "self_exclusion"


@dataclass(frozen=True, slots=True)
class PlayLimit:
    """At most `limit` (minor units of `currency`; minutes for time) in any period of this length."""

    by: Initiator
    limit_type: LimitType
    period: LimitPeriod
    limit: int
    since: datetime
    currency: str


@dataclass(frozen=True, slots=True)
class PendingIncrease:
    """A higher limit that the player requested, None for no limit, to be confirmed from `confirm_from` on."""

    limit_type: LimitType
    period: LimitPeriod
    limit: int | None
    requested_at: datetime
    confirm_from: datetime
    currency: str


@dataclass(frozen=True, slots=True)
class Exclusion:
    """The player may neither deposit nor play; `until` is None for a permanent self-exclusion."""

    kind: ExclusionKind
    by: Initiator
    since: datetime
    until: datetime | None

    def is_active(self, now: datetime) -> bool:
        """Return whether it is active; a self-exclusion stays active until the operator ends it."""
        return self.kind is ExclusionKind.SELF_EXCLUSION or self.until is None or now < self.until

    def lasts_as_long_as(self, until: datetime | None) -> bool:
        """Return whether its end is not before `until`, None for no end."""
        return self.until is None or (until is not None and self.until >= until)


@dataclass(frozen=True, slots=True)
class PlayerBlock:
    """Staff blocked the player from play; `player_message` is shown to the player."""

    player_message: str
    since: datetime


@dataclass(frozen=True, slots=True)
class PlayerRestrictionsState:
    """All restrictions of one player; `reality_check_minutes` is None for the default interval.

    Neither the player's own exclusion nor the house's ends the other: only the house's holds money. `frozen_at` is None
    unless the account is frozen.
    """

    limits: tuple[PlayLimit, ...] = ()
    pending_increases: tuple[PendingIncrease, ...] = ()
    own_exclusion: Exclusion | None = None
    house_exclusion: Exclusion | None = None
    reality_check_minutes: int | None = None
    block: PlayerBlock | None = None
    frozen_at: datetime | None = None

    def limit(self, by: Initiator, limit_type: LimitType, period: LimitPeriod, currency: str) -> int | None:
        """Return the limit that a party has set, None for no limit."""
        key = (limit_type, period, limit_currency(limit_type, currency))
        return _first_limit(limit for limit in self.limits if limit.by is by and _key(limit) == key)

    def pending_increase(self, limit_type: LimitType, period: LimitPeriod, currency: str) -> PendingIncrease | None:
        """Return the higher limit that the player requested."""
        key = (limit_type, period, limit_currency(limit_type, currency))
        return next((each for each in self.pending_increases if _key(each) == key), None)

    @property
    def exclusion(self) -> Exclusion | None:
        """Return the exclusion that ends last, whoever set it."""
        return _last_to_end(each for each in (self.own_exclusion, self.house_exclusion) if each is not None)

    def exclusion_by(self, by: Initiator) -> Exclusion | None:
        """Return the latest exclusion that a party set."""
        return self.own_exclusion if by is Initiator.PLAYER else self.house_exclusion

    def active_exclusions(self, now: datetime) -> tuple[Exclusion, ...]:
        """Return what is active: the player's own exclusion, then the house's."""
        known = (self.own_exclusion, self.house_exclusion)
        return tuple(each for each in known if each is not None and each.is_active(now))

    def active_exclusion(self, now: datetime) -> Exclusion | None:
        """Return the active exclusion that ends last, if any."""
        return _last_to_end(self.active_exclusions(now))

    def is_excluded_by_house(self, now: datetime) -> bool:
        """Return whether an exclusion that the operator set is active."""
        return self.house_exclusion is not None and self.house_exclusion.is_active(now)


@dataclass(frozen=True, slots=True)
class OperatorLimitsState:
    """Limits for every player of an operator, and the caps on play money by currency, in minor units."""

    limits: tuple[PlayLimit, ...] = ()
    play_money_caps: dict[str, int] = field(default_factory=dict)

    def limit(self, limit_type: LimitType, period: LimitPeriod, currency: str) -> int | None:
        """Return the limit for every player, None for no limit."""
        key = (limit_type, period, limit_currency(limit_type, currency))
        return _first_limit(limit for limit in self.limits if _key(limit) == key)


def fold(events: Iterable[e.PlayerRestrictionEvent]) -> PlayerRestrictionsState:
    """Rebuild a player's restrictions from their events."""
    state = PlayerRestrictionsState()
    for event in events:
        state = evolve(state, event)
    return state


def evolve(state: PlayerRestrictionsState, event: e.PlayerRestrictionEvent) -> PlayerRestrictionsState:
    """Apply one event; it never refuses."""
    match event:
        case e.CoolingOffStarted(by=by, until=until, at=at):
            changes: dict[str, Any] = {_SLOTS[by]: Exclusion(ExclusionKind.COOLING_OFF, by, at, until)}
        case e.SelfExcluded(by=by, until=until, at=at):
            changes = {_SLOTS[by]: Exclusion(ExclusionKind.SELF_EXCLUSION, by, at, until)}
        case e.SelfExclusionEnded():
            changes = {"own_exclusion": None, "house_exclusion": None}
        case e.RealityCheckSet(minutes=minutes):
            changes = {"reality_check_minutes": minutes}
        case e.PlayerBlocked(player_message=player_message, at=at):
            changes = {"block": PlayerBlock(player_message, at)}
        case e.PlayerUnblocked():
            changes = {"block": None}
        case e.PlayerFrozen(at=at):
            changes = {"frozen_at": at}
        case e.PlayerUnfrozen():
            changes = {"frozen_at": None}
        case _:
            return _evolve_limits(state, event)
    return replace(state, **changes)


_SLOTS: Final = {Initiator.PLAYER: "own_exclusion", Initiator.OPERATOR: "house_exclusion"}


def _last_to_end(exclusions: Iterable[Exclusion]) -> Exclusion | None:
    return max(exclusions, key=lambda each: (each.until is None, each.until or each.since), default=None)


def _evolve_limits(state: PlayerRestrictionsState, event: e.PlayLimitEvent) -> PlayerRestrictionsState:
    others = _without_pending(state, event)
    match event:
        case e.PlayLimitSet(by=by):
            pending = others if by is Initiator.PLAYER else state.pending_increases
            return replace(state, limits=_with(state.limits, event, by=by), pending_increases=pending)
        case e.PlayLimitIncreaseRequested(limit_type=limit_type, period=period, limit=limit, at=at):
            currency = limit_currency(limit_type, event.currency)
            pending_increase = PendingIncrease(limit_type, period, limit, at, event.confirm_from, currency)
            return replace(state, pending_increases=(*others, pending_increase))
        case e.PlayLimitIncreased():
            return replace(state, limits=_with(state.limits, event, by=Initiator.PLAYER), pending_increases=others)
        case e.PlayLimitIncreaseCancelled():
            return replace(state, pending_increases=others)


def fold_operator_limits(events: Iterable[e.OperatorLimitEvent]) -> OperatorLimitsState:
    """Rebuild an operator's limits from their events."""
    state = OperatorLimitsState()
    for event in events:
        state = evolve_operator_limits(state, event)
    return state


def evolve_operator_limits(state: OperatorLimitsState, event: e.OperatorLimitEvent) -> OperatorLimitsState:
    """Apply one event; it never refuses."""
    match event:
        case e.OperatorLimitSet():
            return replace(state, limits=_with(state.limits, event, by=Initiator.OPERATOR))
        case e.PlayMoneyCapSet(currency=currency, cap=cap):
            return replace(state, play_money_caps={**state.play_money_caps, currency: cap})


def strictest_limits(
    restrictions: PlayerRestrictionsState,
    operator_limits: OperatorLimitsState,
    currency: str,
    group_limits: Iterable[PlayLimit] = (),
) -> dict[tuple[LimitType, LimitPeriod], PlayLimit]:
    """Return the lowest limit on play in a currency for each type and period."""
    strictest: dict[tuple[LimitType, LimitPeriod], PlayLimit] = {}
    for limit in (*restrictions.limits, *operator_limits.limits, *group_limits):
        if limit.currency not in {"", currency}:
            continue
        other = strictest.get((limit.limit_type, limit.period))
        if other is None or limit.limit < other.limit:
            strictest[limit.limit_type, limit.period] = limit
    return strictest


@dataclass(frozen=True, slots=True)
class ExclusionRecord:
    """An exclusion and when it ended: by itself, by the operator, or by its party's next. None while it is active."""

    exclusion: Exclusion
    ended_at: datetime | None = None


def exclusion_history(events: Iterable[e.ExclusionEvent], *, now: datetime) -> list[ExclusionRecord]:
    """List the exclusions that follow from events, given oldest first; newest exclusion first."""
    records: list[ExclusionRecord] = []
    state = PlayerRestrictionsState()
    for event in events:
        before, state = state, evolve(state, event)
        for by in Initiator:
            known, current = before.exclusion_by(by), state.exclusion_by(by)
            if current == known:
                continue
            records = [_ended(each, event.at) if each.exclusion == known else each for each in records]
            if current is not None:
                records.append(ExclusionRecord(current))
    return [each if each.exclusion.is_active(now) else _ended(each, now) for each in reversed(records)]


def _with(
    limits: tuple[PlayLimit, ...], event: e.PlayLimitSet | e.PlayLimitIncreased | e.OperatorLimitSet, *, by: Initiator
) -> tuple[PlayLimit, ...]:
    currency = limit_currency(event.limit_type, event.currency)
    key = (event.limit_type, event.period, currency)
    others = tuple(each for each in limits if each.by is not by or _key(each) != key)
    if event.limit is None:
        return others
    return (*others, PlayLimit(by, event.limit_type, event.period, event.limit, event.at, currency))


def _without_pending(state: PlayerRestrictionsState, event: e.PlayLimitEvent) -> tuple[PendingIncrease, ...]:
    key = (event.limit_type, event.period, limit_currency(event.limit_type, event.currency))
    return tuple(each for each in state.pending_increases if _key(each) != key)


def _key(limit: PlayLimit | PendingIncrease) -> tuple[LimitType, LimitPeriod, str]:
    return limit.limit_type, limit.period, limit.currency


def _first_limit(limits: Iterable[PlayLimit]) -> int | None:
    return next((limit.limit for limit in limits), None)


def _ended(record: ExclusionRecord, at: datetime) -> ExclusionRecord:
    if record.ended_at is not None:
        return record
    until = record.exclusion.until if record.exclusion.kind is ExclusionKind.COOLING_OFF else None
    return replace(record, ended_at=at if until is None else min(until, at))
