"""Events out of rows, each by its own class."""

from typing import Any, Final

from baccarat.audit.findings import FindingCollector
from baccarat.audit.rows import Row, event_location
from baccarat.chat.event_registry import CATALOGUE as CHAT
from baccarat.storage.event_registry import CATALOGUE
from casino.events.codec import MalformedEvent, UnknownEvent
from wallet.audit.registry import CATALOGUE as WALLET

UNREADABLE: Final = "event can't be read"


def decode_row(row: Row, notes: FindingCollector) -> Any:
    """Return the event of a row; None where it can't be read, which is noted."""
    catalogue = next((each for each in (WALLET, CHAT) if row.type in each), CATALOGUE)
    try:
        return catalogue.decode(row.type, row.schema, row.data)
    except (MalformedEvent, UnknownEvent) as trouble:
        notes.add(UNREADABLE, event_location(row), f"the fields of a {row.type}", trouble)
        return None
