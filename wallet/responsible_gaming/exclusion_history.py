"""The exclusions that a player has had, as their events tell: pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from wallet.responsible_gaming.events import CoolingOffStarted, SelfExcluded, SelfExclusionEnded
from wallet.responsible_gaming.state import Exclusion, ExclusionKind, PlayerRestrictionsState, evolve

ExclusionEvent = CoolingOffStarted | SelfExcluded | SelfExclusionEnded


@dataclass(frozen=True, slots=True)
class ExclusionRecord:
    """An exclusion, and when it ended: by itself, by the operator, or for a longer one. None while it holds."""

    exclusion: Exclusion
    ended_at: datetime | None = None


def exclusion_history(events: Iterable[ExclusionEvent], *, now: datetime) -> list[ExclusionRecord]:
    """List the exclusions that these events, oldest first, have led to: newest first."""
    found: list[ExclusionRecord] = []
    state = PlayerRestrictionsState()
    for event in events:
        if found:
            found[-1] = _ended(found[-1], event.at)
        state = evolve(state, event)
        if state.exclusion is not None:
            found.append(ExclusionRecord(state.exclusion))
    if found and not found[-1].exclusion.is_active(now):
        found[-1] = _ended(found[-1], now)
    return found[::-1]


def _ended(each: ExclusionRecord, at: datetime) -> ExclusionRecord:
    if each.ended_at is not None:
        return each
    own_end = each.exclusion.until if each.exclusion.kind is ExclusionKind.COOLING_OFF else at
    return replace(each, ended_at=min(own_end, at))
