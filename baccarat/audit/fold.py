"""The whole log, event by event: every table, round and wallet followed at once, whatever the events say."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Final
from uuid import UUID

from baccarat.audit import betting, decoding, seating
from baccarat.audit.findings import FindingCollector
from baccarat.audit.kill_switches import SwitchTraces
from baccarat.audit.plain.following import PlainRounds
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
from baccarat.domain.rules.cards import Card
from baccarat.domain.tables import events as te
from baccarat.storage.projections import sitting_row
from casino.kernel.findings import Finding

UNEXPLAINED: Final = "event can't be explained"
CUT_OF_NEXT: Final = "ShoeCutGiven"
USED_TWICE: Final = "shoe used twice"

ReplayedEvent = tuple[int, object, TableAccounts | None]
"""An event's id, the event, and where its money moves: None for a wallet's own."""


class LogReplay:
    """Everything that the events so far have led to. `ended` are rounds that ended since it was last emptied.

    `disputed` names the streams in which somebody spoke of a void: `held` keeps those rounds beyond their end. `plain`
    has the rounds of the usual course, unless `usual` is false: then all are followed by the general steps.
    """

    usual: ClassVar = True
    wallets_class: ClassVar[type[WalletTraces]] = WalletTraces

    def __init__(self, notes: FindingCollector, *, disputed: frozenset[str] = frozenset(), whole: bool = True) -> None:
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
        self._rounds = 0
        self.events = 0
        self._shoes: set[str] = set()
        self.whole = whole
        self.causes: list[int] = []
        self.plain = PlainRounds(self.tables, self._shoes, self.wallets, disputed=disputed, whole=whole)
        self._seeds: list[tuple[Row, RoundTrace, str | None, tuple[Card, ...]]] = []

    def replay(self, rows: Sequence[Row], forms: Sequence[Any] | None = None) -> list[ReplayedEvent]:
        """Follow events in order and note what the rules don't allow.

        `forms` are what was read of them already (`plain.forms`), None for those that have no form. Returns those that
        were not of a usual round with their places; the ids of the others are added to `causes` where `whole`.
        """
        followed: list[ReplayedEvent] = []
        plain = self.plain.follow
        self.events += len(rows)
        others: set[int] = set()
        for row, form in zip(rows, forms or decoding.formed(rows, usual=self.usual), strict=True):
            if form is None or not plain(row, form):
                others.add(row.id)
                followed.extend(self._general(row))
        if self.whole:
            self.causes += [row.id for row in rows if row.id not in others] if others else [row.id for row in rows]
        self._seeds.extend((row, round_, round_.seed, round_.cards) for row, round_ in self.plain.unopened())
        self._try_seeds()
        return followed

    @property
    def rounds(self) -> int:
        """How many rounds were opened."""
        return self._rounds + self.plain.opened

    def _general(self, row: Row) -> Iterator[ReplayedEvent]:
        """Any event by the general steps, which are given the round in hand if it was followed as a usual one."""
        for event in decoding.decode_row(row, self.collector):
            step = ROUND_STEPS.get(row.type)
            try:
                self._hand_over(self.plain.hand_over(row.stream))
                place = self._other(row, event) if step is None else self._round(row, event, step)
                yield row.id, event, place
            except (LookupError, ValueError, ArithmeticError) as trouble:  # rules or amounts that no table can have
                self.collector.add(UNEXPLAINED, event_location(row), "an event that the rules allow", repr(trouble))

    def _hand_over(self, round_: RoundTrace | None) -> None:
        if round_ is not None:
            self.running[f"round-{round_.opened.round}"] = round_.table.round = round_

    def clear_ended(self) -> None:
        """Forget which rounds ended, and what was moved, once both have been looked at."""
        for each in (self.ended, self.causes, self.plain.ended, self.plain.entries):
            each.clear()

    def finish(self) -> None:
        """Put the rounds in hand among those `running`, when there is nothing more to follow."""
        for round_ in self.plain.leave():
            self._hand_over(round_)

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
        if row.type != CUT_OF_NEXT:  # which changes nothing for the round in hand
            self._hand_over(self.plain.unseat(row.stream))
        table.version = row.version
        if row.type == "ShoeCommitted" or (row.type == "ShoeStarted" and table.next_shoe is None):
            self._first_use(row, str(event.shoe), event.commitment)
        TABLE_STEPS[row.type](table, event)
        self._sitting(table, event)
        return table.accounts

    def _sitting(self, table: TableTrace, event: Any) -> None:
        """Where the player of the event sits now, or that the player does not sit any more."""
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
        if isinstance(event, ve.RoundVoided):  # which has tried its seed
            self._debts(event, round_.table.accounts)
        else:
            self._seeds.append((row, round_, event.seed, round_.cards))

    def _try_seeds(self) -> None:
        """The seeds that this batch revealed, each as its event showed it and with the cards of that moment."""
        for row, round_, seed, cards in self._seeds:
            try:
                check_seed(round_, seed=seed, cards=cards, version=row.version)
            except (LookupError, ValueError, ArithmeticError) as trouble:  # as above
                self.collector.add(UNEXPLAINED, event_location(row), "an event that the rules allow", repr(trouble))
        self._seeds.clear()

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
        self._hand_over(self.plain.unseat(f"table-{event.table}"))
        if event.commitment is not None and table.next_shoe is None:
            self._first_use(row, str(event.shoe), event.commitment)
        self._named_first(row, event.next_shoe)
        self._rounds += 1
        self.running[row.stream] = betting.replay_round_opened(event, table)
        return table.accounts

    def _open_table(self, row: Row, event: te.TableOpened) -> TableAccounts:
        if row.stream != f"table-{event.table}" or row.version != 1:
            self.collector.add("stream differs", event_location(row), f"table-{event.table} version 1", row.stream)
        self._hand_over(self.plain.unseat(row.stream))
        self._named_first(row, event.next_shoe)
        table = self.tables[row.stream] = self._by_id[event.table] = seating.replay_table_opened(event, self.collector)
        return table.accounts

    def _named_first(self, row: Row, shoe: ShoeCommitment | None) -> None:
        if shoe is not None:
            self._first_use(row, str(shoe.shoe), shoe.commitment)

    def _first_use(self, row: Row, shoe: str, commitment: str) -> None:
        """A shoe's order follows from its seed alone, so neither shoe nor commitment may come again."""
        shoes = self._shoes
        before = len(shoes)
        shoes.add(shoe)
        shoes.add(commitment)
        if len(shoes) != before + 2:
            self.collector.add(USED_TWICE, event_location(row), "a shoe never used before", f"{shoe} {commitment}")
