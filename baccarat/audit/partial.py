"""Replays parts of the log: a group of tables with their rounds, or everything that belongs to no table."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Final
from uuid import UUID

from baccarat.audit.findings import FindingCollector
from baccarat.audit.fold import LogReplay
from baccarat.audit.rows import Row
from baccarat.audit.steps import CONFIRMED, SWITCH_KINDS
from baccarat.audit.wallets import WalletTraces
from baccarat.domain.postings import TableAccounts
from baccarat.domain.rounds.events import RoundOpened
from baccarat.domain.rounds.void_events import RoundVoided
from baccarat.domain.tables.events import TableOpened
from baccarat.storage.event_registry import CATALOGUE
from casino.events import store
from casino.events.codec import MalformedEvent, UnknownEvent

ROUND_VOIDED: Final = RoundVoided.__name__


class _Elsewhere(WalletTraces):
    """Stands in for wallets that another part replays."""

    def check_may_wager(self, player: UUID, *, at: datetime, row: Row) -> None:
        """Do nothing: the part with the wallets checks this."""

    def record_debt(self, *, operator: UUID, player: UUID, currency: str, amount: int) -> None:
        """Do nothing: the part with the wallets records this."""


class TableGroupReplay(LogReplay):
    """Some tables with their rounds. Replays switches to check the tables, without checking the switches."""

    wallets_class: ClassVar = _Elsewhere
    foreign_types: ClassVar = SWITCH_KINDS

    def used_shoes(self) -> frozenset[int]:
        """Return the shoes and commitments of this part, as numbers made of their last characters."""
        return frozenset(int.from_bytes(each[-16:].encode()) for each in self._shoes)

    def _other(self, row: Row, event: Any) -> TableAccounts | None:
        if row.type not in SWITCH_KINDS:
            return super()._other(row, event)
        list(self.switches.replay(event, stream=row.stream, version=row.version, where=""))
        return None


class OtherStreamsReplay(LogReplay):
    """Wallets, chats and switches. Sees of rounds who wagered when, and who owes after a void."""

    foreign_types: ClassVar = frozenset({CONFIRMED, ROUND_VOIDED})

    def __init__(self, notes: FindingCollector, *, accounts: Mapping[str, TableAccounts]) -> None:
        super().__init__(notes)
        self._places = accounts

    def _round(self, row: Row, event: Any, step: Any) -> TableAccounts | None:
        del step
        if isinstance(event, RoundVoided):
            place = self._places.get(row.stream)
            if place is not None:
                self._debts(event, place)
        else:
            self.wallets.check_may_wager(event.player, at=event.confirmed_at, row=row)
        return None


def accounts_by_stream(streams: Iterable[str]) -> dict[str, TableAccounts]:
    """Return the accounts of rounds, by the first events of their streams and of their tables."""
    opened = {stream: _first(rows, RoundOpened) for stream, rows in store.read_many(list(streams)).items()}
    tables = {each.table: f"table-{each.table}" for each in opened.values() if each is not None}
    first = {stream: _first(rows, TableOpened) for stream, rows in store.read_many(list(tables.values())).items()}
    found = {}
    for stream, round_ in opened.items():
        table = None if round_ is None else first[tables[round_.table]]
        if table is not None:
            found[stream] = TableAccounts(table.operator, table.table, table.rules.currency)
    return found


def _first(rows: Sequence[Row], kind: type) -> Any:
    """Return a stream's first event if it is of that type and can be decoded, else None."""
    for row in rows[:1]:
        try:
            event = CATALOGUE.decode(row.type, row.schema, row.data)
        except (MalformedEvent, UnknownEvent):
            return None
        return event if isinstance(event, kind) else None
    return None
