"""Events out of rows: those of usual rounds by their forms, all others by their own classes, whatever wrote them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from baccarat.audit.findings import FindingCollector
from baccarat.audit.plain.forms import FORMS
from baccarat.audit.rows import Row, event_location
from baccarat.chat.event_registry import CATALOGUE as CHAT
from baccarat.storage.event_registry import CATALOGUE
from casino.events.codec import MalformedEvent, UnknownEvent
from wallet.ledger.event_registry import CATALOGUE as WALLET

UNREADABLE: Final = "event can't be read"
DECODERS: Final = {**CATALOGUE.current_decoders, **WALLET.current_decoders, **CHAT.current_decoders}


def formed(rows: Sequence[Row], *, usual: bool) -> Iterator[Any]:
    """Read rows by their forms; None for what has none, and for all where rounds are not to be `usual`."""
    for row in rows:
        form = FORMS.get((row.type, row.schema)) if usual else None
        try:
            yield None if form is None else form(row.data)
        except msgspec.DecodeError:
            yield None


def decode_row(row: Row, notes: FindingCollector) -> Iterable[Any]:
    """Return the one event of a row; none where it can't be read, which is noted."""
    try:
        return (DECODERS[row.type, row.schema](row.data),)
    except (KeyError, msgspec.DecodeError):
        return _slowly(row, notes)


def _slowly(row: Row, notes: FindingCollector) -> Iterator[Any]:
    """An event of an older schema, or one that can't be read."""
    catalogue = next((each for each in (WALLET, CHAT) if row.type in each), CATALOGUE)
    try:
        yield catalogue.decode(row.type, row.schema, row.data)
    except (MalformedEvent, UnknownEvent) as trouble:
        notes.add(UNREADABLE, event_location(row), f"the fields of a {row.type}", trouble)
