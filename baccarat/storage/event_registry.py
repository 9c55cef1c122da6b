"""Event types of tables, rounds and switches, with their schemas."""

from typing import Any, Final, get_args

from baccarat.domain.rounds.events import BettingClosed, RoundEvent, RoundOpened
from baccarat.domain.tables.events import TableEvent
from baccarat.domain.tables.kill_switch import StopEvent
from casino.events.codec import EventRegistry, EventType


def _round_opened_before_terms(fields: dict[str, Any]) -> dict[str, Any]:
    """Upcast a round whose cut closed with its betting, which opened on no terms."""
    return {**fields, "contributions": [], "cut": "", "terms": ""}


def _betting_closed_before_closings(fields: dict[str, Any]) -> dict[str, Any]:
    """Upcast a close of betting that pinned no wagers."""
    return {**fields, "closing": None}


_CHANGED: Final[dict[type, EventType]] = {
    RoundOpened: EventType(RoundOpened, schema=2, upcasts={1: _round_opened_before_terms}),
    BettingClosed: EventType(BettingClosed, schema=2, upcasts={1: _betting_closed_before_closings}),
}

CATALOGUE: Final = EventRegistry(
    _CHANGED.get(event) or EventType(event)
    for event in (*get_args(TableEvent), *get_args(RoundEvent), *get_args(StopEvent))
)
