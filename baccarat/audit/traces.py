"""Mutable state of tables and rounds in an audit, written independently of the domain's `evolve`.

Each trace can build the corresponding domain state, so that read models are compared with a second implementation.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from baccarat.audit.report import FindingCollector
from baccarat.domain.fairness.closing import NO_DIGEST, Closing
from baccarat.domain.fairness.commitment import Drawing
from baccarat.domain.fairness.links import SignedRelease, WitnessChain
from baccarat.domain.fairness.shuffle import Link
from baccarat.domain.fairness.terms import WitnessIndex
from baccarat.domain.postings import TableAccounts
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds.cut import SeatContribution
from baccarat.domain.rounds.state import Ceremony, Phase, RoundSeat, RoundState, SeatStatus
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.coups import Coup
from baccarat.domain.rules.deal import Deal, Outcome
from baccarat.domain.rules.payouts import Settlement, settle
from baccarat.domain.rules.recorded import RecordedRules
from baccarat.domain.rules.roads import RoundMark, find_pairs
from baccarat.domain.rules.table_rules import ShoeShape, Shuffle, TableRules
from baccarat.domain.rules.wagers import Stakes
from baccarat.domain.tables.events import TableOpened
from baccarat.domain.tables.kill_switch import StopScope
from baccarat.domain.tables.state import (
    FixedTerms,
    NextShoe,
    OpenClosing,
    PendingClosure,
    PlayStop,
    RulesLifecycle,
    Seat,
    Shoe,
    TableState,
)
from baccarat.storage import rules_versions
from casino.events.projections import Row
from casino.kernel.money import MoneyType
from casino.witness.statements import ChainHeader

_BETTING, _DECIDING, _CONFIRMED = Phase.BETTING, SeatStatus.DECIDING, SeatStatus.CONFIRMED
OUT_OF_PLACE: Final = "event out of place"
MAX_CACHED_SETTLEMENTS: Final = 1024  # for tables with the same rules


@functools.lru_cache(maxsize=256)
def _settlements(_rules: TableRules) -> dict[tuple[object, ...], Settlement]:
    """Cache of settlements by these rules; decoded rules have exact types, so equal rules share one."""
    return {}


def sort_contributions(by_seat: dict[int, SeatContribution]) -> tuple[SeatContribution, ...]:
    """List contributions by seat, ascending."""
    return tuple(by_seat[seat] for seat in sorted(by_seat))


@dataclass(slots=True)
class SeatTrace:
    """A taken seat; `balance` is the game balance in minor units that the events lead to."""

    seat: int
    player: UUID
    money_type: MoneyType
    balance: int
    last_wager: dict[str, int] | None = None
    owed: int = 0
    missed_turns: int = 0


@dataclass(slots=True)
class LongShoe:
    """A long shoe in play with all cards dealt from it: (position, cards, round); at `forced` positions chosen ones.

    Where each round draws its own cards, `commitments` are those to the rounds' seeds, by number.
    """

    shoe: UUID
    number: int
    commitment: str
    cards_used: int
    first_card: Card | None
    cut: str
    root: str | None
    cut_card_out: bool = False
    finished: bool = False
    links: tuple[Link, ...] = ()
    deals: list[tuple[int, tuple[Card, ...], UUID | str]] = field(default_factory=list)
    forced: set[int] = field(default_factory=set)
    commitments: dict[int, str] = field(default_factory=dict)

    def cards_out(self, before: int | None = None) -> list[Card]:
        """List the cards dealt from it, in order, the turned card first; only those `before` a place if it is given."""
        turned = [] if self.first_card is None else [self.first_card]
        end = self.cards_used if before is None else before
        deals = (cards for place, cards, _ in self.deals if place < end and place not in self.forced)
        return [*turned, *(card for cards in deals for card in cards)]

    def state(self) -> Shoe:
        """Return the domain state."""
        drawn = self.commitment, self.cards_used, self.cut, self.root, self.cut_card_out, self.finished
        return Shoe(self.shoe, self.number, *drawn, " ".join(self.cards_out()), self.links)

    def draw(self, out: int, rules: TableRules) -> None:
        """Advance the shoe to where `out` cards have left it."""
        before, self.cut_card_out = self.cut_card_out, out > rules.decks * 52 - (rules.cut_cards_from_end or 0)
        self.cards_used, self.finished = out, before if rules.hands_after_cut else self.cut_card_out


@dataclass(slots=True)
class CommittedShoe:
    """A shoe committed to but not in play yet; with the contributions to a long shoe's cut, by seat."""

    shoe: UUID
    number: int
    commitment: str
    shape: ShoeShape
    contributions: dict[int, SeatContribution] = field(default_factory=dict)
    witnesses: tuple[WitnessIndex, ...] = ()
    links: tuple[Link, ...] = ()


@dataclass(slots=True)
class TableTrace:
    """A table after its own events and those of its rounds.

    The show of its last deal ends at `betting_opens_at`, unless all its players skip it. `marks` are the rounds on its
    board, by number: the outcome, the cards, and whether it was a natural. `unrevealed` are rounds by shoe, voided
    without their seeds. `links_given` counts by chain. `replaced` are ended chains.
    """

    opened: TableOpened
    collector: FindingCollector
    version: int
    seats: dict[UUID, SeatTrace] = field(default_factory=dict)
    sittings: dict[UUID, Row] = field(default_factory=dict)
    shoe: LongShoe | None = None
    shoes: int = 0
    round: "RoundTrace | None" = None
    last_round: UUID | str | None = None
    rounds: int = 0
    marks: dict[int, tuple[Outcome, tuple[Card, ...], bool]] = field(default_factory=dict)
    next_shoe: CommittedShoe | None = None
    unrevealed: dict[UUID, e.RoundOpened] = field(default_factory=dict)
    voids: int = 0
    closed: bool = False
    pending_closure: PendingClosure | None = None
    betting_opens_at: datetime | None = None
    show_skips: list[UUID] = field(default_factory=list)
    round_opened_at: datetime | None = None
    stops: dict[tuple[StopScope, str], PlayStop] = field(default_factory=dict)
    rules_lifecycle: RulesLifecycle | None = None
    terms: FixedTerms | None = None
    last_closing: str = NO_DIGEST
    coming_shoe: CommittedShoe | None = None
    chains: dict[str, WitnessChain] = field(default_factory=dict)
    headers: dict[str, ChainHeader] = field(default_factory=dict)
    links_given: dict[str, int] = field(default_factory=dict)
    open_closings: list[OpenClosing] = field(default_factory=list)
    replaced: dict[str, str] = field(default_factory=dict)
    versions: rules_versions.VersionRows = field(default_factory=dict)
    recorded_rules: RecordedRules = field(init=False)
    rules: TableRules = field(init=False)
    label: str = field(init=False)
    accounts: TableAccounts = field(init=False)
    initial_state: TableState = field(init=False)
    has_long_shoe: bool = field(init=False)
    _known: dict[tuple[object, ...], Settlement] = field(init=False)

    def __post_init__(self) -> None:
        self.apply_rules(self.opened.rules)
        self.accounts = TableAccounts(self.opened.operator, self.opened.table, self.rules.currency)
        self.initial_state = TableState(opened=self.opened)
        self.has_long_shoe = self.rules.shuffle is Shuffle.SHOE

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "_known"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self._known = _settlements(self.rules)

    def apply_rules(self, recorded: RecordedRules) -> None:
        """Use these rules for rounds that open from now on."""
        self.recorded_rules, self.rules = recorded, recorded.decoded
        self.label = self.rules.label
        self._known = _settlements(self.rules)

    def record_difference(self, what: str, expected: object, actual: object) -> None:
        """Record a contradiction at the current event."""
        self.collector.add(what, f"table {self.opened.table}, version {self.version}", expected, actual)

    def expected_settlement(self, stakes: Stakes, coup: Coup) -> Settlement:
        """Settle one seat's stakes by the table's rules, with a cache. Raises UnknownStake."""
        wager = coup, *stakes.items()
        settlement = self._known.get(wager)
        if settlement is None:
            if len(self._known) >= MAX_CACHED_SETTLEMENTS:
                self._known.clear()
            settlement = self._known[wager] = settle(self.rules, stakes, coup)
        return settlement

    def end_show(self, now: datetime) -> None:
        """End the show of the last deal, and check that its time is over or everybody at the table skips it."""
        until, rules = self.betting_opens_at, self.rules
        waits = not rules.may_hurry or (
            rules.turn_seconds is not None and not self.seats.keys() <= set(self.show_skips)
        )
        if waits and until is not None and now < until:
            self.record_difference("show cut short", f"shown until {until}", f"ended at {now}")
        self.clear_show()

    def begin_cycle(self, now: datetime) -> None:
        """Begin a round, and check that the least time since the one before is over."""
        before, self.round_opened_at = self.round_opened_at, now
        if before is not None and now < before + self.rules.minimum_cycle:
            self.record_difference("cycle cut short", f"from {before + self.rules.minimum_cycle}", f"opened at {now}")

    def clear_show(self) -> None:
        self.betting_opens_at = None
        self.show_skips.clear()

    def list_seats(self) -> list[SeatTrace]:
        return sorted(self.seats.values(), key=lambda table_seat: table_seat.seat)

    def state(self) -> TableState:
        """Return the domain state after all events so far."""
        shoe = self.shoe
        return TableState(
            opened=self.opened,
            seats=tuple(
                Seat(each.seat, each.player, each.money_type, each.last_wager, each.owed, each.missed_turns)
                for each in self.list_seats()
            ),
            shoe=None if shoe is None else shoe.state(),
            shoes=self.shoes,
            round=None if self.round is None else self.round.opened.round,
            last_round=None if self.last_round is None else UUID(str(self.last_round)),
            rounds=self.rounds,
            marks=" ".join(map(str, self._board())),
            pairs=self._pairs(),
            forced=self.round is not None and bool(self.round.forced),
            stops=tuple(self.stops.values()),
            next_shoe=None if self.next_shoe is None else self._next_shoe(self.next_shoe),
            voids=self.voids,
            closed=self.closed,
            pending_closure=self.pending_closure,
            betting_opens_at=self.betting_opens_at,
            show_skips=tuple(self.show_skips),
            round_opened_at=self.round_opened_at,
            rules_lifecycle=self.rules_lifecycle,
            terms=self.terms,
            last_closing=self.last_closing,
            coming_shoe=None if self.coming_shoe is None else self._next_shoe(self.coming_shoe),
            chains=tuple(self.chains.values()),
            open_closings=tuple(self.open_closings),
            replaced=tuple(self.replaced),
        )

    def awaits_first_terms(self) -> bool:
        """Return whether the terms of the table's first round, which has a shoe of its own, are still to be fixed."""
        return not self.rounds and self.terms is None and not self.has_long_shoe

    def drawing(self, shoe: UUID, number: int) -> Drawing:
        """Return what the seed of this table's shoe with this number is committed to."""
        return Drawing(self.opened.table, shoe, number)

    def fixed_terms(self) -> FixedTerms | None:
        """Return the terms of a round that has not opened."""
        return self.terms if self.terms is not None and self.terms.terms.number > self.rounds else None

    @staticmethod
    def _next_shoe(shoe: CommittedShoe) -> NextShoe:
        contributions = sort_contributions(shoe.contributions)
        return NextShoe(shoe.shoe, shoe.number, shoe.commitment, shoe.shape, contributions, shoe.witnesses, shoe.links)

    def _board(self) -> Iterator[RoundMark]:
        for number, (outcome, cards, natural) in self.marks.items():
            pairs = find_pairs(cards)
            yield RoundMark(number, outcome, "p" in pairs, "b" in pairs, natural)

    def _pairs(self) -> str:
        """Return the pairs among cards dealt but not settled; a correct log has none between events."""
        return "" if self.round is None else find_pairs(self.round.cards)


@dataclass(slots=True)
class RoundSeatTrace:
    """A seat's part in a round: chips as placed, or the confirmed wager, and its result."""

    seat: int
    player: UUID
    money_type: MoneyType
    status: SeatStatus = _DECIDING
    placements: list[dict[str, int]] = field(default_factory=list)
    wager: UUID | None = None
    stakes: dict[str, int] | None = None
    raised: dict[str, int] | None = None
    confirmed_at: datetime | None = None
    place: int | None = None
    signature: e.WagerSignature | None = None
    settlement: e.SeatSettled | None = None
    debit: UUID | None = None

    def placed_stakes(self) -> dict[str, int]:
        """Add up the unconfirmed chips by spot, in minor units."""
        if len(self.placements) == 1:
            return dict(self.placements[0])
        total: dict[str, int] = {}
        for placement in self.placements:
            for spot, amount in placement.items():
                total[spot] = total.get(spot, 0) + amount
        return total


@dataclass(slots=True)
class RoundTrace:
    """A round from its opening on; `dealt` is the deal of the recorded cards, None before it or if they are invalid."""

    opened: e.RoundOpened
    table: TableTrace
    collector: FindingCollector
    seats: dict[int, RoundSeatTrace]
    version: int = 1
    phase: Phase = _BETTING
    closed_at: datetime | None = None
    shoe_position: int | None = None
    cards: tuple[Card, ...] = ()
    deal: Deal | None = None
    outcome: Outcome | None = None
    player_total: int | None = None
    banker_total: int | None = None
    natural: bool | None = None
    ended_at: datetime | None = None
    seed: str | None = None
    lapse_reason: str | None = None
    suspension_reason: str | None = None
    suspended_at: datetime | None = None
    voided: e.RoundVoided | None = None
    ceremony: Ceremony | None = None
    turned_hands: tuple[e.HandTurned, ...] = ()
    cut: str | None = None
    closing: Closing | None = None
    releases: tuple[SignedRelease, ...] = ()
    forced: tuple[Card, ...] = ()
    recorded_rules: RecordedRules = field(init=False)
    rules: TableRules = field(init=False)

    def __post_init__(self) -> None:
        self.rules = self.table.rules

    def record_difference(self, what: str, expected: object, actual: object, *, seat: int | None = None) -> None:
        """Record a contradiction at the current event."""
        where = f"round {self.opened.round}, version {self.version}"
        self.collector.add(what, where if seat is None else f"{where}, seat {seat}", expected, actual)

    def is_running(self) -> bool:
        return self.phase in {_BETTING, Phase.CLOSED, Phase.DEALT}

    def undecided_seats(self) -> list[int]:
        """List the seats that have not made a final decision yet."""
        return [part.seat for part in self.seats.values() if part.status is _DECIDING]

    def confirmed_seats(self) -> list[RoundSeatTrace]:
        """List the seats with a confirmed wager, in the order of the round's opening."""
        return [part for part in self.seats.values() if part.status is _CONFIRMED]

    def state(self) -> RoundState:
        """Return the domain state after all events so far."""
        return RoundState(
            self.phase,
            self.opened,
            tuple(
                RoundSeat(
                    part.seat,
                    part.player,
                    part.money_type,
                    part.status,
                    tuple(part.placements),
                    part.wager,
                    part.stakes,
                    part.raised,
                    part.confirmed_at,
                    part.place,
                    *(part.signature, part.settlement, part.debit),
                )
                for part in self.seats.values()
            ),
            self.closed_at,
            self.shoe_position,
            self.cards,
            self.outcome,
            self.player_total,
            self.banker_total,
            self.natural,
            self.ended_at,
            self.seed,
            self.lapse_reason,
            self.suspension_reason,
            self.voided,
            self.ceremony,
            self.closing,
            self.releases,
            self.forced,
        )
