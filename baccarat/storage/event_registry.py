"""Event types of tables, rounds and switches, with their schemas."""

from typing import Final, get_args

from baccarat.domain.rounds.events import RoundEvent
from baccarat.domain.tables.events import TableEvent
from baccarat.domain.tables.kill_switch import StopEvent
from casino.events.codec import EventRegistry, EventType

CATALOGUE: Final = EventRegistry(
    EventType(event) for event in (*get_args(TableEvent), *get_args(RoundEvent), *get_args(StopEvent))
)
