"""How the wallet's events are stored and read back, old shapes included."""

from typing import Final

from casino.events.codec import Catalogue, Kind
from wallet.ledger.postings import EVENTS

CATALOGUE: Final = Catalogue([Kind(event) for event in EVENTS])
