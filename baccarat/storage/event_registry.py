"""Every event of tables, rounds and switches that this service stores, with its schema."""

from typing import Final, get_args

from baccarat.rounds.events import RoundEvent
from baccarat.tables.events import TableEvent
from baccarat.tables.switch_events import SwitchEvent
from casino.events.codec import Catalogue, Kind

CATALOGUE: Final = Catalogue(
    Kind(event) for event in (*get_args(TableEvent), *get_args(RoundEvent), *get_args(SwitchEvent))
)
