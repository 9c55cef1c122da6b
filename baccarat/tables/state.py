"""A table as it stands: seats, shoe, round in hand. Fed by the table's own events and those of its rounds."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from baccarat.rounds import cutting
from baccarat.rounds import events as re
from baccarat.rounds.cutting import GivenCuts
from baccarat.rounds.void_events import RoundVoided
from baccarat.rules.presets import Shuffle, TableRules
from baccarat.rules.roads.marks import RUN, Mark, noted, pairs, without
from baccarat.rules.table_rules import ShoeShape
from baccarat.rules.wagers import Spot
from baccarat.tables import events as e
from baccarat.tables.ruled import Ruled, after
from baccarat.tables.shoe_events import ShoeCommitted, ShoeCutGiven, TableClosed, TableClosing
from baccarat.tables.switch_events import PlayResumed, PlayStopped, Scope
from baccarat.tables.version_events import (
    RulesDecommissioned,
    RulesDrafted,
    RulesPublished,
    RulesRejected,
    RulesTookEffect,
    VersionEvent,
    Waits,
)
from casino.kernel.money import Book


@dataclass(frozen=True, slots=True)
class Seat:
    """A taken seat; `last_wager` is what rebet repeats, `owed` the deferred commission marked in the seat's rack.

    `missed` counts the turns that ran out since the seat's last word in a round.
    """

    seat: int
    player: UUID
    book: Book
    last_wager: dict[Spot, int] | None = None
    owed: int = 0
    missed: int = 0


@dataclass(frozen=True, slots=True)
class Shoe:
    """The long shoe in play: `out` cards have left it; after the round that brings the cut card comes one more.

    `cut` and `root` are in hex: "" for a shoe to which nobody contributed, None for one from before roots were told.
    """

    shoe: UUID
    number: int
    commitment: str
    out: int
    cut_card_out: bool = False
    over: bool = False
    cut: str = ""
    root: str | None = None


@dataclass(frozen=True, slots=True)
class NextShoe:
    """The long shoe that is committed to and has not started, with the contributions to its cut so far.

    `shape` is what it was committed to with; None for one from before shapes were bound, which has that of its table.
    """

    shoe: UUID
    number: int
    commitment: str
    given: GivenCuts = ()
    shape: ShoeShape | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """A switch that holds the table: nothing new starts. `says` is what players are told."""

    scope: Scope
    subject: str
    says: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Closing:
    """That the table is to be closed for good, by whom and why."""

    by: str
    reason: str
    since: datetime


@dataclass(frozen=True, slots=True)
class TableState:
    """Everything a decision about the table reads; `rounds` and `shoes` count those begun, `last_round` has ended.

    `marks` is the run of settled rounds on the board (see rules.roads.marks): those of the shoe, or the latest RUN
    where every round has a shoe of its own. `pairs` are those of the cards that lie dealt and not yet settled. `voids`
    counts the rounds that were voided.
    """

    opened: e.TableOpened | None = None
    seats: tuple[Seat, ...] = ()
    shoe: Shoe | None = None
    shoes: int = 0
    round: UUID | None = None
    last_round: UUID | None = None
    rounds: int = 0
    marks: str = ""
    pairs: str = ""
    stops: tuple[Stop, ...] = ()
    next_shoe: NextShoe | None = None
    voids: int = 0
    closed: bool = False
    closing: Closing | None = None
    ruled: Ruled | None = None

    def facts(self) -> e.TableOpened:
        """This will return how the table was opened; only an opened table has it."""
        if self.opened is None:
            raise LookupError("the table was never opened")
        return self.opened

    @property
    def rules(self) -> TableRules:
        """This will return the rules that the table plays by now."""
        return self.facts().rules if self.ruled is None else self.ruled.in_force

    def ruling(self) -> Ruled:
        """This will return which rules hold, wait and are proposed."""
        rules = self.rules
        return self.ruled or Ruled(in_force=rules, highest=rules.version)

    def is_withdrawn(self) -> bool:
        """This will tell whether no round may open by the rules in force, and none that are published wait."""
        return self.ruled is not None and self.ruled.withdrawn and not self.next_rules_are_due()

    def next_rules_are_due(self) -> bool:
        """This will tell whether published rules wait that may hold from the next round on."""
        waiting = self.ruling().next
        if waiting is None:
            return False
        if waiting.waits_for is Waits.NEXT_ROUND:
            return True
        return self.shoe is None and self.bound_shape() in (None, waiting.rules.shape)

    def bound_shape(self) -> ShoeShape | None:
        """This will return the shape that the next long shoe is committed to with, None without such a shoe."""
        coming = self.next_shoe
        return None if coming is None else coming.shape or self.rules.shape

    def seat_of(self, player: UUID) -> Seat | None:
        """This will find the player's seat, or None."""
        return next((seat for seat in self.seats if seat.player == player), None)

    def at(self, number: int) -> Seat | None:
        """This will find who has the numbered seat, or None."""
        return next((seat for seat in self.seats if seat.seat == number), None)

    def is_to_close(self) -> bool:
        """This will tell whether the table is to be closed for good and stands open still."""
        return self.closing is not None and not self.closed

    def has_long_shoe(self) -> bool:
        """This will tell whether many rounds are dealt from one shoe."""
        return self.rules.shuffle is Shuffle.SHOE

    def stopped(self) -> Stop | None:
        """This will return the widest switch that holds the table, None while it may play."""
        return min(self.stops, key=lambda held: _WIDTH.index(held.scope), default=None)


_WIDTH: Final = tuple(Scope)
INITIAL: Final = TableState()

Event = e.TableEvent | re.RoundEvent
Word = re.ChipsPlaced | re.PlacementUndone | re.ChipsCleared | re.WagerRepeated | re.SeatPassed


def evolve(state: TableState, event: Event) -> TableState:
    """This will apply one event of the table or of its rounds; most of a round's events leave the table as it is."""
    apply = _APPLY.get(type(event))
    return state if apply is None else apply(state, event)


def _opened(state: TableState, event: e.TableOpened) -> TableState:
    return replace(state, opened=event)


def _seated(seats: tuple[Seat, ...], seat: Seat) -> tuple[Seat, ...]:
    return tuple(sorted((*seats, seat), key=lambda taken: taken.seat))


def _without(seats: tuple[Seat, ...], player: UUID) -> tuple[Seat, ...]:
    return tuple(seat for seat in seats if seat.player != player)


def _taken(state: TableState, event: e.SeatTaken) -> TableState:
    return replace(state, seats=_seated(state.seats, Seat(seat=event.seat, player=event.player, book=event.book)))


def _changed(state: TableState, event: e.SeatChanged) -> TableState:
    moved = next(replace(seat, seat=event.to_seat) for seat in state.seats if seat.player == event.player)
    return replace(state, seats=_seated(_without(state.seats, event.player), moved))


def _left(state: TableState, event: e.SeatLeft | e.SeatFreed) -> TableState:
    return replace(state, seats=_without(state.seats, event.player))


def _shoe_committed(state: TableState, event: ShoeCommitted) -> TableState:
    return replace(state, next_shoe=NextShoe(event.shoe, event.number, event.commitment, shape=event.shape))


def _shoe_cut_given(state: TableState, event: ShoeCutGiven) -> TableState:
    coming = state.next_shoe
    if coming is None:
        return state
    given = cutting.after(coming.given, seat=event.seat, player=event.player, contribution=event.contribution)
    return replace(state, next_shoe=replace(coming, given=given))


def _closing(state: TableState, event: TableClosing) -> TableState:
    return replace(state, closing=Closing(event.by, event.reason, event.announced_at))


def _closed(state: TableState, event: TableClosed) -> TableState:
    return replace(state, closed=True, shoe=None, next_shoe=None)


def _shoe_started(state: TableState, event: e.ShoeStarted) -> TableState:
    shoe = Shoe(
        shoe=event.shoe,
        number=event.number,
        commitment=event.commitment,
        out=0 if event.turned is None else 1 + event.burned,
        cut=event.cut,
        root=event.root,
    )
    return replace(state, shoe=shoe, shoes=event.number, marks="", next_shoe=None)


def _shoe_ended(state: TableState, event: e.ShoeEnded) -> TableState:
    return replace(state, shoe=None, seats=tuple(replace(seat, owed=0) for seat in state.seats))


def _round_opened(state: TableState, event: re.RoundOpened) -> TableState:
    return replace(state, round=event.round, rounds=event.number)


def _wager_confirmed(state: TableState, event: re.WagerConfirmed) -> TableState:
    seats = tuple(
        replace(seat, last_wager=event.stakes, missed=0) if seat.player == event.player else seat
        for seat in state.seats
    )
    return replace(state, seats=seats)


def _spoke(state: TableState, event: Word) -> TableState:
    seat = state.at(event.seat)
    return state if seat is None or not seat.missed else _with_missed(state, event.seat, 0)


def _timed_out(state: TableState, event: re.SeatTimedOut) -> TableState:
    seat = state.at(event.seat)
    return state if seat is None else _with_missed(state, event.seat, seat.missed + 1)


def _with_missed(state: TableState, number: int, missed: int) -> TableState:
    return replace(
        state, seats=tuple(replace(seat, missed=missed) if seat.seat == number else seat for seat in state.seats)
    )


def _cards_dealt(state: TableState, event: re.CardsDealt) -> TableState:
    found = pairs(event.cards)
    if state.shoe is None:
        return replace(state, pairs=found) if found else state
    shoe = _drawn(state.shoe, state.rules, out=event.position + len(event.cards))
    return replace(state, shoe=shoe, pairs=found)


def _drawn(shoe: Shoe, rules: TableRules, *, out: int) -> Shoe:
    """The shoe after a round took cards from it, or after those of a void round were burned."""
    before_cut = rules.decks * 52 - (rules.cut_cards_from_end or 0)
    return replace(shoe, out=out, cut_card_out=out > before_cut, over=shoe.cut_card_out)


def _round_settled(state: TableState, event: re.RoundSettled) -> TableState:
    owed = {wager.player: wager.commission for wager in event.wagers if wager.deferred}
    seats = tuple(replace(seat, owed=seat.owed + owed.get(seat.player, 0)) for seat in state.seats)
    mark = Mark(state.rounds, event.outcome, "p" in state.pairs, "b" in state.pairs, event.natural)
    marks = noted(state.marks, mark, most=None if state.has_long_shoe() else RUN)
    return replace(state, round=None, last_round=state.round, seats=seats, marks=marks, pairs="")


def _round_lapsed(state: TableState, event: re.RoundLapsed) -> TableState:
    return replace(state, round=None)


def _round_voided(state: TableState, event: RoundVoided) -> TableState:
    """A round in play leaves the table; of one long gone, its mark goes, and the commission still in the racks."""
    state = replace(state, voids=state.voids + 1)
    taken = {each.player: each.from_rack for each in event.seats if each.from_rack}
    if taken:
        seats = tuple(replace(seat, owed=seat.owed - taken.get(seat.player, 0)) for seat in state.seats)
        state = replace(state, seats=seats)
    if state.round == event.round:
        shoe = state.shoe
        if shoe is not None and event.burned:
            shoe = _drawn(shoe, state.rules, out=shoe.out + event.burned)
        return replace(state, round=None, last_round=event.round, shoe=shoe, pairs="")
    return replace(state, marks=without(state.marks, event.number))


def _stopped(state: TableState, event: PlayStopped) -> TableState:
    return replace(state, stops=(*state.stops, Stop(event.scope, event.subject, event.says, event.stopped_at)))


def _resumed(state: TableState, event: PlayResumed) -> TableState:
    released = event.scope, event.subject
    return replace(state, stops=tuple(held for held in state.stops if (held.scope, held.subject) != released))


def _ruled(state: TableState, event: VersionEvent) -> TableState:
    return replace(state, ruled=after(state.ruling(), event))


def _took_effect(state: TableState, event: RulesTookEffect) -> TableState:
    """Other rules, another game: a board of its own, and no last wager that its chips might not make up."""
    seats = tuple(replace(seat, last_wager=None) for seat in state.seats)
    return replace(_ruled(state, event), seats=seats, marks="")


_APPLY: Final[dict[type, Callable[[TableState, Any], TableState]]] = {
    RulesDrafted: _ruled,
    RulesRejected: _ruled,
    RulesPublished: _ruled,
    RulesTookEffect: _took_effect,
    RulesDecommissioned: _ruled,
    e.TableOpened: _opened,
    e.SeatTaken: _taken,
    e.SeatChanged: _changed,
    e.SeatLeft: _left,
    e.SeatFreed: _left,
    ShoeCommitted: _shoe_committed,
    ShoeCutGiven: _shoe_cut_given,
    e.ShoeStarted: _shoe_started,
    e.ShoeEnded: _shoe_ended,
    PlayStopped: _stopped,
    PlayResumed: _resumed,
    TableClosing: _closing,
    TableClosed: _closed,
    re.RoundOpened: _round_opened,
    re.ChipsPlaced: _spoke,
    re.PlacementUndone: _spoke,
    re.ChipsCleared: _spoke,
    re.WagerRepeated: _spoke,
    re.SeatPassed: _spoke,
    re.SeatTimedOut: _timed_out,
    re.WagerConfirmed: _wager_confirmed,
    re.CardsDealt: _cards_dealt,
    re.RoundSettled: _round_settled,
    re.RoundLapsed: _round_lapsed,
    RoundVoided: _round_voided,
}
