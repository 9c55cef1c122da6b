"""The fold in parts: tables of one group with their rounds, and everything that is no table's."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Final
from uuid import UUID

from baccarat.audit.findings import Notes
from baccarat.audit.fold import Fold
from baccarat.audit.rows import Row
from baccarat.audit.steps import CONFIRMED, SWITCH_KINDS
from baccarat.audit.wallets import Wallets
from baccarat.domain.postings import Place
from baccarat.domain.rounds.events import RoundOpened
from baccarat.domain.rounds.void_events import RoundVoided
from baccarat.domain.tables.events import TableOpened
from baccarat.storage.event_registry import CATALOGUE
from casino.events import store
from casino.events.codec import MalformedEvent, UnknownEvent

ROUND_VOIDED: Final = RoundVoided.__name__


class _Elsewhere(Wallets):
    """Wallets that another part follows."""

    def wagered(self, player: UUID, *, at: datetime, row: Row) -> None:
        """Leave it to the part that has the wallets."""

    def owes(self, *, operator: UUID, player: UUID, currency: str, amount: int) -> None:
        """Leave it to the part that has the wallets."""


class TablesPart(Fold):
    """Some tables with their rounds. Switches are followed, so that tables can be held against them, and not judged."""

    wallets_of: ClassVar = _Elsewhere
    strange: ClassVar = SWITCH_KINDS
    """Types of events that another part judges."""

    def used(self) -> frozenset[int]:
        """Return the shoes and commitments of this part, as numbers made of their last characters."""
        return frozenset(int.from_bytes(each[-16:].encode()) for each in self._shoes)

    def _other(self, row: Row, event: Any) -> Place | None:
        if row.type not in SWITCH_KINDS:
            return super()._other(row, event)
        list(self.switches.follow(event, stream=row.stream, version=row.version, where=""))
        return None


class OthersPart(Fold):
    """Wallets, chats, switches. Of rounds it is shown who wagered when, and who owes since a void."""

    usual: ClassVar = False
    strange: ClassVar = frozenset({CONFIRMED, ROUND_VOIDED})
    """Types of events that another part judges."""

    def __init__(self, notes: Notes, *, places: Mapping[str, Place]) -> None:
        super().__init__(notes)
        self._places = places

    def _round(self, row: Row, event: Any, step: Any) -> Place | None:
        del step
        if isinstance(event, RoundVoided):
            place = self._places.get(row.stream)
            if place is not None:
                self._debts(event, place)
        else:
            self.wallets.wagered(event.player, at=event.confirmed_at, row=row)
        return None


def places_of(streams: Iterable[str]) -> dict[str, Place]:
    """Tell where the money of rounds moves, by the streams' first events and those of their tables."""
    opened = {stream: _first(rows, RoundOpened) for stream, rows in store.read_many(list(streams)).items()}
    tables = {each.table: f"table-{each.table}" for each in opened.values() if each is not None}
    first = {stream: _first(rows, TableOpened) for stream, rows in store.read_many(list(tables.values())).items()}
    found = {}
    for stream, round_ in opened.items():
        table = None if round_ is None else first[tables[round_.table]]
        if table is not None:
            found[stream] = Place(table.operator, table.table, table.rules.currency)
    return found


def _first(rows: Sequence[Row], kind: type) -> Any:
    """The first event of a stream if it is of that kind and can be read."""
    for row in rows[:1]:
        try:
            event = CATALOGUE.decode(row.type, row.schema, row.data)
        except (MalformedEvent, UnknownEvent):
            return None
        return event if isinstance(event, kind) else None
    return None
