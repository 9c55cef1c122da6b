"""Tables and rounds as an audit follows them: mutable, and written without the deciders' own `evolve`.

Each can say which state it stands for, so that the read models can be compared with states that came about twice.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from baccarat.audit.findings import Notes
from baccarat.domain.postings import Place
from baccarat.domain.rounds.ceremony_events import HandTurned
from baccarat.domain.rounds.ceremony_state import Ceremony
from baccarat.domain.rounds.cut import Given
from baccarat.domain.rounds.events import RoundOpened, SeatSettled
from baccarat.domain.rounds.state import Phase, RoundSeat, RoundState, Standing
from baccarat.domain.rounds.void_events import RoundVoided, RoundVoidRequested
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import Deal, Outcome
from baccarat.domain.rules.payouts import Settlement, settle
from baccarat.domain.rules.roads.marks import Mark, pairs
from baccarat.domain.rules.table_rules import ShoeShape, Shuffle, TableRules
from baccarat.domain.rules.wagers import Spot, Stakes
from baccarat.domain.tables.events import TableOpened
from baccarat.domain.tables.kill_switch_events import Scope
from baccarat.domain.tables.rules_state import Ruled
from baccarat.domain.tables.state import Closing, NextShoe, Seat, Shoe, Stop, TableState
from baccarat.storage import rules_versions
from baccarat.storage.rows import SittingRow
from casino.kernel.money import Book

_SHOE = Shuffle.SHOE
_BETTING, _DECIDING, _CONFIRMED = Phase.BETTING, Standing.DECIDING, Standing.CONFIRMED
_RUNNING = frozenset({Phase.BETTING, Phase.CLOSED, Phase.DEALT})

MOST_KEPT: Final = 1024
"""Settlements kept of tables with the same rules."""


@functools.lru_cache(maxsize=256)
def _settlements(_rules: TableRules) -> dict[tuple[object, ...], Settlement]:
    """What wagers came to under these rules: decoded rules have exact types, so that equal ones are alike."""
    return {}


def by_seat(given: dict[int, Given]) -> tuple[Given, ...]:
    """List contributions by seat, ascending."""
    return tuple(given[seat] for seat in sorted(given))


@dataclass(slots=True)
class Guest:
    """A taken seat; `balance` is the game balance in minor units that the events lead to."""

    seat: int
    player: UUID
    book: Book
    balance: int
    last_wager: dict[Spot, int] | None = None
    owed: int = 0
    missed: int = 0


@dataclass(slots=True)
class LongShoe:
    """A long shoe in play with all that was dealt from it: (position, cards, round)."""

    shoe: UUID
    number: int
    commitment: str
    out: int
    turned: Card | None
    cut_card_out: bool = False
    over: bool = False
    cut: str = ""
    root: str | None = None
    deals: list[tuple[int, tuple[Card, ...], UUID | str]] = field(default_factory=list)

    def draw(self, out: int, rules: TableRules) -> None:
        """Follow the shoe to where `out` cards have left it."""
        self.out = out
        self.over = self.cut_card_out
        self.cut_card_out = out > rules.decks * 52 - (rules.cut_cards_from_end or 0)


@dataclass(slots=True)
class CommittedShoe:
    """A shoe that is committed to and not yet in play; `given` are the contributions to a long one's cut, by seat."""

    shoe: UUID
    number: int
    commitment: str
    given: dict[int, Given] = field(default_factory=dict)
    shape: ShoeShape | None = None


@dataclass(slots=True)
class TableTrace:
    """A table as its own events and those of its rounds have left it.

    `marks` are the rounds on its board, by number: the outcome, the cards, and whether it was a natural. `commits` says
    that its shoes, long or of a round, have been committed to ahead: since then none may come into play otherwise;
    `shapes` the same of what they are made of. `unrevealed` are the commitments of shoes whose rounds were voided
    without their seeds.
    """

    opened: TableOpened
    notes: Notes
    version: int
    guests: dict[UUID, Guest] = field(default_factory=dict)
    sittings: dict[UUID, SittingRow] = field(default_factory=dict)
    shoe: LongShoe | None = None
    shoes: int = 0
    round: "RoundTrace | None" = None
    last_round: UUID | str | None = None
    rounds: int = 0
    marks: dict[int, tuple[Outcome, tuple[Card, ...], bool]] = field(default_factory=dict)
    coming: CommittedShoe | None = None
    commits: bool = False
    shapes: bool = False
    unrevealed: dict[UUID, str | None] = field(default_factory=dict)
    voids: int = 0
    closed: bool = False
    closing: Closing | None = None
    stops: dict[tuple[Scope, str], Stop] = field(default_factory=dict)
    ruled: Ruled | None = None
    versions: rules_versions.Rows = field(default_factory=dict)
    rules: TableRules = field(init=False)
    label: str = field(init=False)
    place: Place = field(init=False)
    bare: TableState = field(init=False)
    long: bool = field(init=False)
    _known: dict[tuple[object, ...], Settlement] = field(init=False)

    def __post_init__(self) -> None:
        self.play_by(self.opened.rules)
        self.place = Place(self.opened.operator, self.opened.table, self.rules.currency)
        self.bare = TableState(opened=self.opened)
        self.long = self.rules.shuffle is _SHOE

    def play_by(self, rules: TableRules) -> None:
        """Let rules hold for the rounds that open from now on."""
        self.rules, self.label = rules, rules.label
        self._known = _settlements(rules)

    def differs(self, what: str, expected: object, found: object) -> None:
        """Note a contradiction at the event in hand."""
        self.notes.add(what, f"table {self.opened.table}, version {self.version}", expected, found)

    def due(self, stakes: Stakes, outcome: Outcome) -> Settlement:
        """Settle one seat's stakes by the table's rules; the same ones only once. Raises UnknownStake."""
        wager = outcome, *stakes.items()
        found = self._known.get(wager)
        if found is None:
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            found = self._known[wager] = settle(self.rules, stakes, outcome)
        return found

    def seated(self) -> list[Guest]:
        return sorted(self.guests.values(), key=lambda guest: guest.seat)

    def state(self) -> TableState:
        """Return the state that all events so far lead to."""
        shoe = self.shoe
        return TableState(
            opened=self.opened,
            seats=tuple(
                Seat(each.seat, each.player, each.book, each.last_wager, each.owed, each.missed)
                for each in self.seated()
            ),
            shoe=None
            if shoe is None
            else Shoe(
                shoe.shoe,
                shoe.number,
                shoe.commitment,
                shoe.out,
                shoe.cut_card_out,
                shoe.over,
                shoe.cut,
                shoe.root,
            ),
            shoes=self.shoes,
            round=None if self.round is None else self.round.opened.round,
            last_round=None if self.last_round is None else UUID(str(self.last_round)),
            rounds=self.rounds,
            marks=" ".join(map(str, self._board())),
            pairs=self._pairs(),
            stops=tuple(self.stops.values()),
            next_shoe=None if self.coming is None else self._next_shoe(self.coming),
            voids=self.voids,
            closed=self.closed,
            closing=self.closing,
            ruled=self.ruled,
        )

    @staticmethod
    def _next_shoe(coming: CommittedShoe) -> NextShoe:
        return NextShoe(coming.shoe, coming.number, coming.commitment, by_seat(coming.given), coming.shape)

    def _board(self) -> Iterator[Mark]:
        for number, (outcome, cards, natural) in self.marks.items():
            found = pairs(cards)
            yield Mark(number, outcome, "p" in found, "b" in found, natural)

    def _pairs(self) -> str:
        """The pairs among cards that lie dealt and not settled; in a log that is whole there are none at rest."""
        return "" if self.round is None else pairs(self.round.cards)


@dataclass(slots=True)
class Part:
    """A seat's part in a round: chips as placed, or the confirmed wager, and what it came to."""

    seat: int
    player: UUID
    book: Book
    standing: Standing = _DECIDING
    placements: list[dict[Spot, int]] = field(default_factory=list)
    stakes: dict[Spot, int] | None = None
    raised: dict[Spot, int] | None = None
    confirmed_at: datetime | None = None
    settled: SeatSettled | None = None

    def placed(self) -> dict[Spot, int]:
        """Add up the unconfirmed chips by spot, in minor units."""
        if len(self.placements) == 1:
            return dict(self.placements[0])
        total: dict[Spot, int] = {}
        for placement in self.placements:
            for spot, amount in placement.items():
                total[spot] = total.get(spot, 0) + amount
        return total


@dataclass(slots=True)
class RoundTrace:
    """A round from its opening on; `dealt` is what the recorded cards come to, None while or where they don't."""

    opened: RoundOpened
    table: TableTrace
    notes: Notes
    parts: dict[int, Part]
    version: int = 1
    phase: Phase = _BETTING
    closed_at: datetime | None = None
    position: int | None = None
    cards: tuple[Card, ...] = ()
    dealt: Deal | None = None
    outcome: Outcome | None = None
    player_total: int | None = None
    banker_total: int | None = None
    natural: bool | None = None
    ended_at: datetime | None = None
    seed: str | None = None
    lapse_reason: str | None = None
    set_aside: str | None = None
    set_aside_at: datetime | None = None
    void_request: RoundVoidRequested | None = None
    voided: RoundVoided | None = None
    ceremony: Ceremony | None = None
    turned: tuple[HandTurned, ...] = ()
    given: dict[int, Given] = field(default_factory=dict)
    cut: str | None = None
    rules: TableRules = field(init=False)

    def __post_init__(self) -> None:
        self.rules = self.table.rules

    def differs(self, what: str, expected: object, found: object, *, seat: int | None = None) -> None:
        """Note a contradiction at the event in hand."""
        where = f"round {self.opened.round}, version {self.version}"
        self.notes.add(what, where if seat is None else f"{where}, seat {seat}", expected, found)

    def runs(self) -> bool:
        """Tell whether the round has not ended."""
        return self.phase in _RUNNING

    def deciding(self) -> list[int]:
        """List the seats that have said nothing final yet."""
        return [part.seat for part in self.parts.values() if part.standing is _DECIDING]

    def wagers(self) -> list[Part]:
        """List the parts with a confirmed wager, in the order of the round's opening."""
        return [part for part in self.parts.values() if part.standing is _CONFIRMED]

    def state(self) -> RoundState:
        """Return the state that all events so far lead to."""
        return RoundState(
            self.phase,
            self.opened,
            tuple(
                RoundSeat(
                    part.seat,
                    part.player,
                    part.book,
                    part.standing,
                    tuple(part.placements),
                    part.stakes,
                    part.raised,
                    part.confirmed_at,
                    part.settled,
                )
                for part in self.parts.values()
            ),
            self.closed_at,
            self.position,
            self.cards,
            self.outcome,
            self.player_total,
            self.banker_total,
            self.natural,
            self.ended_at,
            self.seed,
            self.lapse_reason,
            self.set_aside,
            self.void_request,
            self.voided,
            self.ceremony,
            by_seat(self.given),
            self.cut,
        )
