"""How the wallet's events are stored and read back, old shapes included."""

from typing import Final

from casino.events.codec import EventRegistry, EventType
from wallet.ledger.postings import EVENTS

CATALOGUE: Final = EventRegistry([EventType(event) for event in EVENTS])
