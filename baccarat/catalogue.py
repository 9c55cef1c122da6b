"""Every event of tables and rounds that this service stores, with its schema."""

from typing import Final, get_args

from baccarat.rounds.events import RoundEvent
from baccarat.tables.events import TableEvent
from casino.events.codec import Catalogue, Kind

CATALOGUE: Final = Catalogue(Kind(event) for event in (*get_args(TableEvent), *get_args(RoundEvent)))
