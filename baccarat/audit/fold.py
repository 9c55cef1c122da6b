"""Replays the whole log, event by event: all tables, rounds and wallets at once."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Final
from uuid import UUID

from baccarat.audit import betting, seating
from baccarat.audit.findings import FindingCollector
from baccarat.audit.kill_switches import SwitchTraces
from baccarat.audit.rows import Row, event_location
from baccarat.audit.shoes import check_seed
from baccarat.audit.steps import CONFIRMED, ROUND_END_TYPES, ROUND_STEPS, SWITCH_KINDS, TABLE_STEPS, WALLET_KINDS
from baccarat.audit.traces import RoundTrace, TableTrace
from baccarat.audit.wallets import WalletTraces
from baccarat.chat.audit import ChatTraces
from baccarat.chat.event_registry import CATALOGUE as CHAT
from baccarat.domain.postings import TableAccounts
from baccarat.domain.rounds import events as re
from baccarat.domain.rounds import void_events as ve
from baccarat.domain.rounds.commitment import ShoeCommitment
from baccarat.domain.tables import events as te
from baccarat.storage.event_registry import CATALOGUE
from baccarat.storage.projections import sitting_row
from casino.events.codec import MalformedEvent, UnknownEvent
from casino.kernel.findings import Finding
from wallet.audit.registry import CATALOGUE as WALLET

UNREADABLE: Final = "event can't be read"


def decode_row(row: Row, notes: FindingCollector) -> Any:
    """Return the event of a row; record a finding and return None if it cannot be decoded."""
    catalogue = next((each for each in (WALLET, CHAT) if row.type in each), CATALOGUE)
    try:
        return catalogue.decode(row.type, row.schema, row.data)
    except (MalformedEvent, UnknownEvent) as trouble:
        notes.add(UNREADABLE, event_location(row), f"the fields of a {row.type}", trouble)
        return None


UNEXPLAINED: Final = "event can't be explained"
USED_TWICE: Final = "shoe used twice"
UNEXPLAINABLE: Final = (LookupError, ValueError, ArithmeticError)
"""Errors that a step raises for rules, cards or amounts that no table can have."""

ReplayedEvent = tuple[int, object, TableAccounts | None]
"""An event's id, the event, and the accounts that it moves money between: None for a wallet's own."""


class LogReplay:
    """State after the events so far; `ended` are the rounds that ended in the last batch.

    `disputed` names the streams with a void or a request for one; `disputed_rounds` keeps those rounds after they end.
    """

    wallets_class: ClassVar[type[WalletTraces]] = WalletTraces
    foreign_types: ClassVar[frozenset[str]] = frozenset()
    """Types of events that other parts of the audit count and whose money they compare."""

    def __init__(self, notes: FindingCollector, *, disputed: frozenset[str] = frozenset()) -> None:
        self.collector = notes
        self.wallets = self.wallets_class(notes)
        self._disputed = disputed
        self.disputed_rounds: dict[str, RoundTrace] = {}
        self.tables: dict[str, TableTrace] = {}
        self._by_id: dict[UUID, TableTrace] = {}
        self.running: dict[str, RoundTrace] = {}
        self.ended: list[RoundTrace] = []
        self.chats = ChatTraces()
        self.switches = SwitchTraces()
        self.rounds = 0
        self.events = 0
        self._shoes: set[str] = set()

    def replay(self, rows: Sequence[Row]) -> list[ReplayedEvent]:
        """Replay events in order, record contradictions, and return the events whose money is to be compared."""
        replayed: list[ReplayedEvent] = []
        self.ended = []
        for row in rows:
            own = row.type not in self.foreign_types
            self.events += own
            event = decode_row(row, self.collector)
            if event is None:
                continue
            try:
                accounts = self._step(row, event)
            except UNEXPLAINABLE as trouble:
                self._unexplained(row, trouble)
                continue
            if own:
                replayed.append((row.id, event, accounts))
        return replayed

    def _step(self, row: Row, event: Any) -> TableAccounts | None:
        step = ROUND_STEPS.get(row.type)
        return self._other(row, event) if step is None else self._round(row, event, step)

    def _unexplained(self, row: Row, trouble: Exception) -> None:
        self.collector.add(UNEXPLAINED, event_location(row), "an event that the rules allow", repr(trouble))

    def _other(self, row: Row, event: Any) -> TableAccounts | None:
        kind = row.type
        if kind in WALLET_KINDS:
            self.wallets.replay(event, row)
            return None
        if kind in CHAT:
            self._found(self.chats.replay(event, stream=row.stream, version=row.version, where=event_location(row)))
            return None
        if kind in SWITCH_KINDS:
            self._found(self.switches.replay(event, stream=row.stream, version=row.version, where=event_location(row)))
            return None
        if kind == "RoundOpened":
            return self._open_round(row, event)
        return self._open_table(row, event) if kind == "TableOpened" else self._table(row, event)

    def _found(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self.collector.add(finding.kind, finding.location, finding.expected, finding.actual)

    def _table(self, row: Row, event: Any) -> TableAccounts | None:
        table = self.tables.get(row.stream)
        if table is None:
            self.collector.add(betting.OUT_OF_PLACE, event_location(row), "an opened table", "none")
            return None
        table.version = row.version
        if row.type == "ShoeCommitted":
            self._first_use(row, str(event.shoe), event.commitment)
        TABLE_STEPS[row.type](table, event)
        self._sitting(table, event)
        return table.accounts

    def _sitting(self, table: TableTrace, event: Any) -> None:
        """Record where the event's player sits now, or that the player left."""
        guest = table.seats.get(event.player) if hasattr(event, "player") else None
        row = sitting_row(event, table.opened, money_type=None if guest is None else guest.money_type)
        if row is not None:
            table.sittings[row.player_id] = row

    def _round(self, row: Row, event: Any, step: Callable[[RoundTrace, Any], None]) -> TableAccounts | None:
        round_ = self.running.get(row.stream) or self.disputed_rounds.get(row.stream)
        if round_ is None:
            self.collector.add(betting.OUT_OF_PLACE, event_location(row), "a running round", "none")
            return None
        round_.version = row.version
        step(round_, event)
        if row.type == CONFIRMED:
            self.wallets.check_may_wager(event.player, at=event.confirmed_at, row=row)
        elif row.type in ROUND_END_TYPES:
            self._end(row, round_, event)
        return round_.table.accounts

    def _end(self, row: Row, round_: RoundTrace, event: Any) -> None:
        stream = row.stream
        ran = self.running.pop(stream, None) is not None
        if ran and stream in self._disputed:
            self.disputed_rounds[stream] = round_
        elif ran:
            self.ended.append(round_)
        if isinstance(event, ve.RoundVoided):  # which has checked its seed
            self._debts(event, round_.table.accounts)
            return
        try:
            check_seed(round_)
        except UNEXPLAINABLE as trouble:  # the event's money is compared in any case
            self._unexplained(row, trouble)

    def _debts(self, event: ve.RoundVoided, place: TableAccounts) -> None:
        for undone in event.seats:
            if undone.owed:
                self.wallets.record_debt(
                    operator=place.operator, player=undone.player, currency=place.currency, amount=undone.owed
                )

    def _open_round(self, row: Row, event: re.RoundOpened) -> TableAccounts | None:
        table = self._by_id.get(event.table)
        if table is None:
            self.collector.add(betting.OUT_OF_PLACE, event_location(row), f"table {event.table}", "none")
            return None
        if row.stream != f"round-{event.round}" or row.version != 1:
            self.collector.add("stream differs", event_location(row), f"round-{event.round} version 1", row.stream)
        self._named_first(row, event.next_shoe)
        self.rounds += 1
        self.running[row.stream] = betting.replay_round_opened(event, table)
        return table.accounts

    def _open_table(self, row: Row, event: te.TableOpened) -> TableAccounts:
        if row.stream != f"table-{event.table}" or row.version != 1:
            self.collector.add("stream differs", event_location(row), f"table-{event.table} version 1", row.stream)
        self._named_first(row, event.next_shoe)
        table = self.tables[row.stream] = self._by_id[event.table] = seating.replay_table_opened(event, self.collector)
        return table.accounts

    def _named_first(self, row: Row, shoe: ShoeCommitment | None) -> None:
        if shoe is not None:
            self._first_use(row, str(shoe.shoe), shoe.commitment)

    def _first_use(self, row: Row, shoe: str, commitment: str) -> None:
        """Record a difference if a shoe or a commitment repeats: the seed alone determines the order of the cards."""
        shoes = self._shoes
        before = len(shoes)
        shoes.add(shoe)
        shoes.add(commitment)
        if len(shoes) != before + 2:
            self.collector.add(USED_TWICE, event_location(row), "a shoe never used before", f"{shoe} {commitment}")
