"""The whole log, event by event: every table, round and wallet followed at once, whatever the events say."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, get_args
from uuid import UUID

import msgspec

from baccarat.audit import betting, ceremony, cutting, dealing, seating, voiding
from baccarat.audit.notes import Notes
from baccarat.audit.shoes import check_seed
from baccarat.audit.switching import Switches
from baccarat.audit.traces import RoundTrace, TableTrace
from baccarat.audit.wallets import Wallets
from baccarat.catalogue import CATALOGUE
from baccarat.chat.audit import Chats
from baccarat.chat.catalogue import CATALOGUE as CHAT
from baccarat.derive import Place
from baccarat.projections import sitting_row
from baccarat.rounds import ceremony_events as ce
from baccarat.rounds import events as re
from baccarat.rounds import void_events as ve
from baccarat.rounds.cut_events import CutGiven
from baccarat.rules.cards import Card
from baccarat.tables import events as te
from baccarat.tables.switch_events import SwitchEvent
from casino.events.codec import MalformedEvent, UnknownEvent
from casino.events.drafts import Recorded, Sealed
from casino.kernel.findings import Finding
from wallet.catalogue import CATALOGUE as WALLET
from wallet.derive import EVENTS as WALLET_EVENTS

UNREADABLE: Final = "event can't be read"
UNEXPLAINED: Final = "event can't be explained"
USED_TWICE: Final = "shoe used twice"

ROUND_STEPS: Final[dict[str, Callable[[RoundTrace, Any], None]]] = {
    kind.__name__: step
    for kind, step in (
        (re.ChipsPlaced, betting.placed),
        (re.PlacementUndone, betting.undone),
        (re.ChipsCleared, betting.cleared),
        (re.WagerRepeated, betting.repeated),
        (re.WagerConfirmed, betting.confirmed),
        (re.SeatPassed, betting.passed),
        (re.SeatTimedOut, betting.timed_out),
        (re.SeatWithdrawn, betting.withdrawn),
        (CutGiven, cutting.given),
        (re.BettingClosed, dealing.closed),
        (ce.CardsHandedOut, ceremony.handed_out),
        (ce.CardsLooked, ceremony.looked),
        (ce.CardsHandedBack, ceremony.handed_back),
        (ce.HandTurned, ceremony.turned),
        (re.CardsDealt, dealing.dealt),
        (re.RoundSettled, dealing.settled),
        (re.RoundLapsed, dealing.lapsed),
        (re.RoundSetAside, dealing.set_aside),
        (re.RoundResumed, dealing.resumed),
        (ve.RoundVoidRequested, voiding.requested),
        (ve.RoundVoidDeclined, voiding.declined),
        (ve.RoundVoided, voiding.voided),
    )
}
TABLE_STEPS: Final = {kind.__name__: step for kind, step in seating.STEPS.items()}
DECODE: Final = {**CATALOGUE.current, **WALLET.current, **CHAT.current}
SWITCH_KINDS: Final = frozenset(kind.__name__ for kind in get_args(SwitchEvent))
WALLET_KINDS: Final = frozenset(kind.__name__ for kind in WALLET_EVENTS)
CONFIRMED: Final = re.WagerConfirmed.__name__
ENDS: Final = frozenset({re.RoundSettled.__name__, re.RoundLapsed.__name__, ve.RoundVoided.__name__})


Followed = tuple[int, object, Place | None]
"""An event's id, the event, and where its money moves: None for a wallet's own."""


class Fold:
    """Everything that the events so far have led to. `ended` are rounds that ended since it was last emptied.

    `disputed` names the streams in which somebody spoke of a void: `held` keeps those rounds beyond their end.
    """

    def __init__(self, notes: Notes, *, disputed: frozenset[str] = frozenset()) -> None:
        self.notes = notes
        self._disputed = disputed
        self.held: dict[str, RoundTrace] = {}
        self.tables: dict[str, TableTrace] = {}
        self._by_id: dict[UUID, TableTrace] = {}
        self.running: dict[str, RoundTrace] = {}
        self.ended: list[RoundTrace] = []
        self.wallets = Wallets(notes)
        self.chats = Chats()
        self.switches = Switches()
        self.rounds = 0
        self.events = 0
        self._shoes: set[UUID | str] = set()
        self._seeds: list[tuple[Sealed | Recorded, RoundTrace, str | None, tuple[Card, ...]]] = []

    def follow(self, rows: Sequence[Sealed | Recorded]) -> list[Followed]:
        """This will follow events in order and note what the rules don't allow; returns them with their places.

        One kind of work after the other, as a processor's caches like it: all are decoded, then all are followed, then
        the seeds of the rounds that ended are tried.
        """
        followed: list[Followed] = []
        self.events += len(rows)
        for row, event in self._decoded(rows):
            step = ROUND_STEPS.get(row.type)
            try:
                place = self._other(row, event) if step is None else self._round(row, event, step)
                followed.append((row.id, event, place))
            except (LookupError, ValueError, ArithmeticError) as trouble:  # rules or amounts that no table can have
                self.notes.add(UNEXPLAINED, where(row), "an event that the rules allow", repr(trouble))
        self._try_seeds()
        return followed

    def _decoded(self, rows: Iterable[Sealed | Recorded]) -> list[tuple[Sealed | Recorded, Any]]:
        read: list[tuple[Sealed | Recorded, Any]] = []
        for row in rows:
            try:
                read.append((row, DECODE[row.type, row.schema](row.data)))
            except (KeyError, msgspec.DecodeError):
                read.extend(self._decoded_slowly(row))
        return read

    def _decoded_slowly(self, row: Sealed | Recorded) -> Iterator[tuple[Sealed | Recorded, Any]]:
        """An event of an older schema, or one that can't be read: which is noted, and left out."""
        catalogue = next((each for each in (WALLET, CHAT) if row.type in each), CATALOGUE)
        try:
            yield row, catalogue.decode(row.type, row.schema, row.data)
        except (MalformedEvent, UnknownEvent) as trouble:
            self.notes.add(UNREADABLE, where(row), f"the fields of a {row.type}", trouble)

    def _other(self, row: Sealed | Recorded, event: Any) -> Place | None:
        kind = row.type
        if kind in WALLET_KINDS:
            self.wallets.follow(event, row)
            return None
        if kind in CHAT:
            self._found(self.chats.follow(event, stream=row.stream, version=row.version, where=where(row)))
            return None
        if kind in SWITCH_KINDS:
            self._found(self.switches.follow(event, stream=row.stream, version=row.version, where=where(row)))
            return None
        if kind == "RoundOpened":
            return self._open_round(row, event)
        return self._open_table(row, event) if kind == "TableOpened" else self._table(row, event)

    def _found(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self.notes.add(finding.what, finding.where, finding.expected, finding.found)

    def _table(self, row: Sealed | Recorded, event: Any) -> Place | None:
        table = self.tables.get(row.stream)
        if table is None:
            self.notes.add(betting.OUT_OF_PLACE, where(row), "an opened table", "none")
            return None
        table.version = row.version
        if row.type == "ShoeCommitted" or (row.type == "ShoeStarted" and table.coming is None):
            self._first_use(row, event.shoe, event.commitment)
        TABLE_STEPS[row.type](table, event)
        self._sitting(table, event)
        return table.place

    def _sitting(self, table: TableTrace, event: Any) -> None:
        """Where the player of the event sits now, or that the player does not sit any more."""
        guest = table.guests.get(event.player) if hasattr(event, "player") else None
        row = sitting_row(event, table.opened, book=None if guest is None else guest.book)
        if row is not None:
            table.sittings[row.player_id] = row

    def _round(self, row: Sealed | Recorded, event: Any, step: Callable[[RoundTrace, Any], None]) -> Place | None:
        round_ = self.running.get(row.stream) or self.held.get(row.stream)
        if round_ is None:
            self.notes.add(betting.OUT_OF_PLACE, where(row), "a running round", "none")
            return None
        round_.version = row.version
        step(round_, event)
        if row.type == CONFIRMED:
            self.wallets.wagered(event.player, at=event.confirmed_at, row=row)
        elif row.type in ENDS:
            self._end(row, round_, event)
        return round_.table.place

    def _end(self, row: Sealed | Recorded, round_: RoundTrace, event: Any) -> None:
        stream = row.stream
        ran = self.running.pop(stream, None) is not None
        if ran and stream in self._disputed:
            self.held[stream] = round_
        elif ran and self.notes.on:
            self.ended.append(round_)
        if isinstance(event, ve.RoundVoided):  # which has tried its seed
            self._debts(event, round_.table.place)
        elif self.notes.on:
            self._seeds.append((row, round_, event.seed, round_.cards))

    def _try_seeds(self) -> None:
        """The seeds that this batch revealed, each as its event showed it and with the cards of that moment."""
        for row, round_, seed, cards in self._seeds:
            try:
                check_seed(round_, seed=seed, cards=cards, version=row.version)
            except (LookupError, ValueError, ArithmeticError) as trouble:  # as above
                self.notes.add(UNEXPLAINED, where(row), "an event that the rules allow", repr(trouble))
        self._seeds.clear()

    def _debts(self, event: ve.RoundVoided, place: Place) -> None:
        for undone in event.seats:
            if undone.owed:
                self.wallets.owes(
                    operator=place.operator, player=undone.player, currency=place.currency, amount=undone.owed
                )

    def _open_round(self, row: Sealed | Recorded, event: re.RoundOpened) -> Place | None:
        table = self._by_id.get(event.table)
        if table is None:
            self.notes.add(betting.OUT_OF_PLACE, where(row), f"table {event.table}", "none")
            return None
        if row.stream != f"round-{event.round}" or row.version != 1:
            self.notes.add("stream differs", where(row), f"round-{event.round} version 1", row.stream)
        if event.commitment is not None:
            self._first_use(row, event.shoe, event.commitment)
        self.rounds += 1
        self.running[row.stream] = betting.opened(event, table)
        return table.place

    def _open_table(self, row: Sealed | Recorded, event: te.TableOpened) -> Place:
        if row.stream != f"table-{event.table}" or row.version != 1:
            self.notes.add("stream differs", where(row), f"table-{event.table} version 1", row.stream)
        table = self.tables[row.stream] = self._by_id[event.table] = seating.opened(event, self.notes)
        return table.place

    def _first_use(self, row: Sealed | Recorded, shoe: UUID, commitment: str) -> None:
        """A shoe's order follows from its seed alone, so neither shoe nor commitment may come again."""
        shoes = self._shoes
        before = len(shoes)
        shoes.add(shoe)
        shoes.add(commitment)
        if len(shoes) != before + 2:
            self.notes.add(USED_TWICE, where(row), "a shoe never used before", f"{shoe} {commitment}")


def where(row: Sealed | Recorded) -> str:
    """This will name an event by its stream, version and type."""
    return f"event {row.id}, {row.stream} version {row.version}, {row.type}"
