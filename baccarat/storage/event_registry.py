"""Event types of tables, rounds and switches, with their schemas."""

from typing import Any, Final, get_args

from baccarat.domain.rounds.events import (
    BettingClosed,
    RoundEvent,
    RoundLapsed,
    RoundOpened,
    RoundVoided,
    WagerConfirmed,
)
from baccarat.domain.tables.events import ShoeStarted, TableEvent
from baccarat.domain.tables.kill_switch import StopEvent
from casino.events.codec import EventRegistry, EventType

_WITHOUT_WITNESSES: Final = {"cosigned": None}
"""What a closing at a table without witnesses does not store."""

_OMITTED: Final[dict[type, dict[str, Any]]] = {
    ShoeStarted: _WITHOUT_WITNESSES,
    RoundLapsed: _WITHOUT_WITNESSES,
    RoundVoided: _WITHOUT_WITNESSES,
    BettingClosed: _WITHOUT_WITNESSES,
    RoundOpened: {"deadline_at": None, "witnesses": ()},
    WagerConfirmed: {"debit": None, "raised": {}, "signature": None},
}

CATALOGUE: Final = EventRegistry(
    EventType(event, omitted=_OMITTED.get(event, {}))
    for event in (*get_args(TableEvent), *get_args(RoundEvent), *get_args(StopEvent))
)
