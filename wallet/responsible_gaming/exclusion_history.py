"""The exclusions of a player, folded from their events. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from wallet.responsible_gaming.events import CoolingOffStarted, SelfExcluded, SelfExclusionEnded
from wallet.responsible_gaming.state import Exclusion, ExclusionKind, PlayerRestrictionsState, evolve

ExclusionEvent = CoolingOffStarted | SelfExcluded | SelfExclusionEnded


@dataclass(frozen=True, slots=True)
class ExclusionRecord:
    """An exclusion and when it ended: by itself, by the operator, or by a longer one. None while it is active."""

    exclusion: Exclusion
    ended_at: datetime | None = None


def exclusion_history(events: Iterable[ExclusionEvent], *, now: datetime) -> list[ExclusionRecord]:
    """List the exclusions that follow from events, given oldest first; newest exclusion first."""
    records: list[ExclusionRecord] = []
    state = PlayerRestrictionsState()
    for event in events:
        if records:
            records[-1] = _ended(records[-1], event.at)
        state = evolve(state, event)
        if state.exclusion is not None:
            records.append(ExclusionRecord(state.exclusion))
    if records and not records[-1].exclusion.is_active(now):
        records[-1] = _ended(records[-1], now)
    return records[::-1]


def _ended(record: ExclusionRecord, at: datetime) -> ExclusionRecord:
    if record.ended_at is not None:
        return record
    own_end = record.exclusion.until if record.exclusion.kind is ExclusionKind.COOLING_OFF else at
    return replace(record, ended_at=min(own_end, at))
