"""Replay the whole log, event by event: all tables, rounds and wallets at once."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, get_args
from uuid import UUID

from django.db import transaction

from baccarat.audit import betting, dealing, seating, shoes, voiding, witnesses
from baccarat.audit.effects import EFFECTS, FindChange
from baccarat.audit.kill_switches import KillSwitchTraces
from baccarat.audit.report import FindingCollector, Row, event_location
from baccarat.audit.saved_state import PlayState
from baccarat.audit.shoes import check_seed
from baccarat.audit.traces import OUT_OF_PLACE, RoundTrace, TableTrace
from baccarat.audit.wallets import WalletTraces
from baccarat.chat.audit import ChatTraces
from baccarat.chat.storage import CATALOGUE as CHAT
from baccarat.domain.fairness.links import LinksReleased
from baccarat.domain.postings import TableAccounts
from baccarat.domain.rounds import events as re
from baccarat.domain.rounds.events import ShoeCommitment
from baccarat.domain.rounds.forcing import CardsForced
from baccarat.domain.tables import events as te
from baccarat.domain.tables.kill_switch import StopEvent
from baccarat.storage.event_registry import CATALOGUE
from baccarat.storage.projections import sitting_row
from casino.checkpoints.archives import ARCHIVE_EVENTS, stream_of
from casino.checkpoints.manifests import MANIFEST_EVENTS
from casino.checkpoints.manifests import STREAM as MANIFEST_STREAM
from casino.compliance.complaint_audit import ComplaintTraces
from casino.compliance.complaints import COMPLAINT_EVENTS
from casino.compliance.erasure import ERASURE_EVENTS
from casino.compliance.erasure_audit import ErasureTraces
from casino.events.hash_chain import UNREADABLE
from casino.events.netting import net
from casino.events.schema import SCHEMA_EVENTS
from casino.events.schema import STREAM as SCHEMA_STREAM
from casino.kernel.findings import Finding
from casino.operators.change_audit import ChangeTraces, causes_of
from casino.operators.changes import CHANGE_EVENTS
from casino.significant.act_log import ACT_EVENTS
from wallet.events import CATALOGUE as WALLET
from wallet.events import EVENTS as WALLET_EVENTS

ROUND_STEPS: Final[dict[str, Callable[[RoundTrace, Any], None]]] = {
    kind.__name__: step
    for kind, step in (
        (re.ChipsPlaced, betting.replay_chips_placed),
        (re.PlacementUndone, betting.replay_placement_undone),
        (re.ChipsCleared, betting.replay_chips_cleared),
        (re.StakesRebet, betting.replay_wager_repeated),
        (re.WagerConfirmed, betting.replay_wager_confirmed),
        (re.SeatPassed, betting.replay_seat_passed),
        (re.SeatTimedOut, betting.replay_seat_timed_out),
        (re.SeatLeftRound, betting.replay_round_left),
        (CardsForced, dealing.replay_cards_forced),
        (re.BettingClosed, dealing.replay_betting_closed),
        (LinksReleased, witnesses.replay_links_released),
        (re.CardsHandedOut, dealing.replay_cards_handed_out),
        (re.CardsLookedAt, dealing.replay_cards_looked_at),
        (re.CardsHandedBack, dealing.replay_cards_handed_back),
        (re.HandTurned, dealing.replay_hand_turned),
        (re.CardsDealt, dealing.replay_cards_dealt),
        (re.RoundSettled, dealing.replay_round_settled),
        (re.RoundLapsed, dealing.replay_round_lapsed),
        (re.RoundSuspended, dealing.replay_round_suspended),
        (re.RoundResumed, dealing.replay_round_resumed),
        (re.RoundVoided, voiding.replay_round_voided),
    )
}
TABLE_STEPS: Final = {kind.__name__: step for kind, step in seating.STEPS.items()}
STOP_EVENT_TYPES: Final = frozenset(kind.__name__ for kind in get_args(StopEvent))
WALLET_KINDS: Final = frozenset(kind.__name__ for kind in WALLET_EVENTS)
CONFIRMED: Final = re.WagerConfirmed.__name__
ROUND_END_TYPES: Final = frozenset({re.RoundSettled.__name__, re.RoundLapsed.__name__, re.RoundVoided.__name__})

ROUND_VOIDED: Final = re.RoundVoided.__name__


OTHERS: Final = (
    WALLET, CHAT, CHANGE_EVENTS, ACT_EVENTS, ERASURE_EVENTS, COMPLAINT_EVENTS, MANIFEST_EVENTS, ARCHIVE_EVENTS,
    SCHEMA_EVENTS,
)  # fmt: skip


def decode_row(row: Row, notes: FindingCollector) -> Any:
    """Return the event of a row; record a finding and return None if it cannot be decoded."""
    catalogue = next((each for each in OTHERS if row.type in each), CATALOGUE)
    try:
        return catalogue.decode(row.type, row.schema, row.data)
    except Exception as error:  # noqa: BLE001  (what a damaged row leads to is its finding)
        notes.add(UNREADABLE, event_location(row), f"the fields of a {row.type}", repr(error))
        return None


UNEXPLAINED: Final = "event can't be explained"
USED_TWICE: Final = "shoe used twice"

ReplayedEvent = tuple[int, object, TableAccounts | None]
"""An event's id, the event, and the accounts that it moves money between: None for a wallet's own."""


class LogReplay:
    """State after the events so far; `ended` are the rounds that ended in the last batch.

    `disputed` names the streams with a void; `disputed_rounds` keeps those rounds after they end.
    """

    wallets_class: ClassVar[type[WalletTraces]] = WalletTraces
    effects: ClassVar[Mapping[str, FindChange]] = EFFECTS
    foreign_types: ClassVar[frozenset[str]] = frozenset()
    """Types of events that other parts of the audit count and whose money they compare."""

    def __init__(self, notes: FindingCollector, *, disputed: frozenset[str] = frozenset()) -> None:
        self.collector = notes
        self.changes = ChangeTraces()
        self.wallets = self.wallets_class(notes)
        self.disputed = disputed
        self.disputed_rounds: dict[str, RoundTrace] = {}
        self.tables: dict[str, TableTrace] = {}
        self._by_id: dict[UUID, TableTrace] = {}
        self.running: dict[str, RoundTrace] = {}
        self.ended: list[RoundTrace] = []
        self.chats = ChatTraces()
        self.switches = KillSwitchTraces()
        self.erasures = ErasureTraces()
        self.complaints = ComplaintTraces()
        self.rounds = 0
        self.events = 0
        self._shoes: set[str] = set()

    def play_state(self) -> PlayState:
        """Return the state of tables and rounds after the events so far."""
        return PlayState(self.tables, self.running, self.disputed_rounds, self.wallets.owed)

    def resume(self, state: PlayState, *, without: Collection[str] = ()) -> None:
        """Continue from a state; the streams of tables `without` it were replayed from their first events instead.

        What was replayed so far was checked when it happened: count and findings begin anew.
        """
        for stream, table in state.tables.items():
            if stream not in without:
                self.tables[stream] = self._by_id[table.opened.table] = table
        for kept, rounds in ((self.running, state.running), (self.disputed_rounds, state.disputed)):
            own = {key: each for key, each in rounds.items() if f"table-{each.opened.table}" not in without}
            kept.update(own)
        self.disputed |= state.disputed.keys()
        self.wallets.owed = state.owed
        self.rounds = self.events = 0
        self.collector.findings.clear()

    def replay(self, rows: Sequence[Row]) -> list[ReplayedEvent]:
        """Replay events in order, record contradictions, and return the events whose money is to be compared."""
        replayed: list[ReplayedEvent] = []
        self.ended = []
        causes = self._causes([row.id for row in rows if row.type in self.effects])
        for row in rows:
            own = row.type not in self.foreign_types
            self.events += own
            event = decode_row(row, self.collector)
            if event is None:
                continue
            try:
                accounts = self._step(row, event)
                if row.type in self.effects:
                    with transaction.atomic():  # it reads rows: what fails must not spoil the snapshot
                        self._check_effect(row, event, causes.get(row.id, ""))
            except Exception as error:  # noqa: BLE001  (as above)
                self._unexplained(row, error)
                continue
            if own:
                replayed.append((row.id, event, accounts))
        return replayed

    def _causes(self, effects: Sequence[int]) -> dict[int, str]:
        if effects:
            with net(self.collector.findings, "causes of events"):
                return causes_of(effects)
        return {}

    def _check_effect(self, row: Row, event: Any, cause: str) -> None:
        where = f"{row.stream} version {row.version}"
        effect = self.effects[row.type](event, row.stream)
        self._record(() if effect is None else self.changes.check_effect(effect, cause, where))

    def _step(self, row: Row, event: Any) -> TableAccounts | None:
        step = ROUND_STEPS.get(row.type)
        return self._other(row, event) if step is None else self._round(row, event, step)

    def _unexplained(self, row: Row, error: Exception) -> None:
        self.collector.add(UNEXPLAINED, event_location(row), "an event that the rules allow", repr(error))

    def _other(self, row: Row, event: Any) -> TableAccounts | None:
        kind = row.type
        if kind in WALLET_KINDS:
            self.wallets.replay(event, row)
        if kind in WALLET_KINDS or kind in ACT_EVENTS:  # acts are compared with the rows that they name
            return None
        if kind in MANIFEST_EVENTS or kind in ARCHIVE_EVENTS or kind in SCHEMA_EVENTS:
            self._digests(row, event)
            return None
        if kind in ERASURE_EVENTS:
            self._record(self.erasures.replay(event, row, where=event_location(row)))
            return None
        traces = self._traces_of(kind)
        if traces is not None:
            self._record(traces.replay(event, stream=row.stream, version=row.version, where=event_location(row)))
            return None
        if kind == "RoundOpened":
            return self._open_round(row, event)
        return self._open_table(row, event) if kind == "TableOpened" else self._table(row, event)

    def _digests(self, row: Row, event: Any) -> None:
        """Check the place of an event that names digests, with which what it names is compared elsewhere."""
        stream, version = SCHEMA_STREAM, row.version
        if row.type in MANIFEST_EVENTS:
            stream, version = MANIFEST_STREAM, event.number
        elif row.type in ARCHIVE_EVENTS:
            stream, version = stream_of(event.month), 1
        if (row.stream, row.version) != (stream, version):
            expected, actual = f"{stream} version {version}", f"{row.stream} {row.version}"
            self.collector.add("stream differs", event_location(row), expected, actual)

    def _traces_of(self, kind: str) -> ChatTraces | ChangeTraces | ComplaintTraces | KillSwitchTraces | None:
        if kind in CHAT:
            return self.chats
        if kind in COMPLAINT_EVENTS:
            return self.complaints
        if kind in CHANGE_EVENTS:
            return self.changes
        return self.switches if kind in STOP_EVENT_TYPES else None

    def _record(self, findings: Iterable[Finding]) -> None:
        self.collector.extend(findings)

    def _table(self, row: Row, event: Any) -> TableAccounts | None:
        table = self.tables.get(row.stream)
        if table is None:
            self.collector.add(OUT_OF_PLACE, event_location(row), "an opened table", "none")
            return None
        table.version = row.version
        if row.type == "ShoeCommitted":
            self._first_use(row, str(event.shoe), event.commitment)
        elif row.type == "TermsFixed":
            self._record_commitment(row, event.next_shoe)
        TABLE_STEPS[row.type](table, event)
        self._sitting(table, event)
        return table.accounts

    def _sitting(self, table: TableTrace, event: Any) -> None:
        """Record where the event's player sits now, or that the player left."""
        table_seat = table.seats.get(event.player) if hasattr(event, "player") else None
        row = sitting_row(event, table.opened, money_type=None if table_seat is None else table_seat.money_type)
        if row is not None:
            table.sittings[row.player_id] = row

    def _round(self, row: Row, event: Any, step: Callable[[RoundTrace, Any], None]) -> TableAccounts | None:
        round_ = self.running.get(row.stream) or self.disputed_rounds.get(row.stream)
        if round_ is None and isinstance(event, LinksReleased):
            return self._links_after_end(row, event)
        if round_ is None:
            self.collector.add(OUT_OF_PLACE, event_location(row), "a running round", "none")
            return None
        round_.version = row.version
        if isinstance(event, re.CardsDealt) and event.next_terms is not None:
            self._record_commitment(row, event.next_terms.next_shoe)
            shoes.replay_terms_fixed(round_.table, event.next_terms)
        step(round_, event)
        if row.type == CONFIRMED:
            self.wallets.check_may_wager(event.player, at=event.confirmed_at, row=row)
        elif row.type in ROUND_END_TYPES:
            self._end(row, round_, event)
        return round_.table.accounts

    def _links_after_end(self, row: Row, event: LinksReleased) -> TableAccounts | None:
        """Check the links of a round that has lapsed or was voided."""
        open_at = (each for each in self.tables.values() if any(o.drawing == event.round for o in each.open_closings))
        table = next(open_at, None)
        if table is None or row.stream != f"round-{event.round}":
            self.collector.add(OUT_OF_PLACE, event_location(row), "a closing without links", event.round)
            return None
        witnesses.record_links(table, event.round, event.releases)
        return table.accounts

    def _end(self, row: Row, round_: RoundTrace, event: Any) -> None:
        stream = row.stream
        ran = self.running.pop(stream, None) is not None
        if ran and stream in self.disputed:
            self.disputed_rounds[stream] = round_
        elif ran:
            self.ended.append(round_)
        if isinstance(event, re.RoundVoided):  # the void has checked its seed
            self._debts(event, round_.table.accounts)
            return
        try:
            check_seed(round_)
        except Exception as error:  # noqa: BLE001  (the event's money is still compared)
            self._unexplained(row, error)

    def _debts(self, event: re.RoundVoided, accounts: TableAccounts) -> None:
        for undone in event.seats:
            if undone.owed:
                self.wallets.record_debt(
                    operator=accounts.operator, player=undone.player, currency=accounts.currency, amount=undone.owed
                )

    def _open_round(self, row: Row, event: re.RoundOpened) -> TableAccounts | None:
        table = self._by_id.get(event.table)
        if table is None:
            self.collector.add(OUT_OF_PLACE, event_location(row), f"table {event.table}", "none")
            return None
        if row.stream != f"round-{event.round}" or row.version != 1:
            self.collector.add("stream differs", event_location(row), f"round-{event.round} version 1", row.stream)
        self.rounds += 1
        self.running[row.stream] = betting.replay_round_opened(event, table)
        return table.accounts

    def _open_table(self, row: Row, event: te.TableOpened) -> TableAccounts | None:
        if row.stream != f"table-{event.table}" or row.version != 1:
            self.collector.add("stream differs", event_location(row), f"table-{event.table} version 1", row.stream)
        self._record_commitment(row, event.next_shoe)
        table = self.tables[row.stream] = self._by_id[event.table] = seating.replay_table_opened(event, self.collector)
        return table.accounts

    def _record_commitment(self, row: Row, shoe: ShoeCommitment | None) -> None:
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
