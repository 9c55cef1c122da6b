"""A table as it stands: seats, shoe, round in hand. Fed by the table's own events and those of its rounds."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from baccarat.domain.rounds.cut import SeatContributions
from baccarat.domain.rules.presets import Shuffle, TableRules
from baccarat.domain.rules.table_rules import ShoeShape
from baccarat.domain.rules.wagers import Spot
from baccarat.domain.tables import events as e
from baccarat.domain.tables.kill_switch_events import StopScope
from baccarat.domain.tables.rules_events import EffectiveFrom
from baccarat.domain.tables.rules_state import RulesLifecycle
from casino.kernel.money import MoneyType


@dataclass(frozen=True, slots=True)
class Seat:
    """A taken seat; `last_wager` is what rebet repeats, `owed` the deferred commission marked in the seat's rack.

    `missed` counts the turns that ran out since the seat's last word in a round.
    """

    seat: int
    player: UUID
    money_type: MoneyType
    last_wager: dict[Spot, int] | None = None
    owed: int = 0
    missed_turns: int = 0


@dataclass(frozen=True, slots=True)
class Shoe:
    """The long shoe in play: `out` cards have left it; after the round that brings the cut card comes one more.

    `cut`, "" for a shoe to which nobody contributed, and `root` are in hex.
    """

    shoe: UUID
    number: int
    commitment: str
    cards_used: int
    cut: str
    root: str
    cut_card_out: bool = False
    finished: bool = False


@dataclass(frozen=True, slots=True)
class NextShoe:
    """The shoe that is committed to and not yet in play, with the contributions to its cut so far.

    A long one counts shoes; one of a single round has that round's `number`, and is cut when that round is open.
    `shape` is what it was committed to with.
    """

    shoe: UUID
    number: int
    commitment: str
    shape: ShoeShape
    contributions: SeatContributions = ()


@dataclass(frozen=True, slots=True)
class PlayStop:
    """A switch that holds the table: nothing new starts. `says` is what players are told."""

    scope: StopScope
    subject: str
    message: str
    since: datetime


@dataclass(frozen=True, slots=True)
class PendingClosure:
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
    stops: tuple[PlayStop, ...] = ()
    next_shoe: NextShoe | None = None
    voids: int = 0
    closed: bool = False
    pending_closure: PendingClosure | None = None
    rules_lifecycle: RulesLifecycle | None = None

    def require_opened(self) -> e.TableOpened:
        """Return how the table was opened; only an opened table has it."""
        if self.opened is None:
            raise LookupError("the table was never opened")
        return self.opened

    @property
    def rules(self) -> TableRules:
        """Return the rules that the table plays by now."""
        return self.require_opened().rules if self.rules_lifecycle is None else self.rules_lifecycle.in_force

    def current_rules_lifecycle(self) -> RulesLifecycle:
        """Return which rules hold, wait and are proposed."""
        rules = self.rules
        return self.rules_lifecycle or RulesLifecycle(in_force=rules, latest_version=rules.version)

    def rules_are_retired(self) -> bool:
        """Tell whether no round may open by the rules in force, and none that are published wait."""
        return self.rules_lifecycle is not None and self.rules_lifecycle.retired and not self.pending_rules_are_due()

    def pending_rules_are_due(self) -> bool:
        """Tell whether published rules wait that may hold from the next round on."""
        waiting = self.current_rules_lifecycle().pending
        if waiting is None:
            return False
        if waiting.effective_from is EffectiveFrom.NEXT_ROUND:
            return True
        return self.shoe is None and self.committed_shape() in (None, waiting.rules.shape)

    def committed_shape(self) -> ShoeShape | None:
        """Return the shape that the next shoe is committed to with, None without such a shoe."""
        return None if self.next_shoe is None else self.next_shoe.shape

    def next_shape(self) -> ShoeShape:
        """Return the shape of a shoe that is committed to now: by the rules that wait, if any do."""
        waiting = None if self.rules_lifecycle is None else self.rules_lifecycle.pending
        return (self.rules if waiting is None else waiting.rules).shape

    def seat_of(self, player: UUID) -> Seat | None:
        return next((seat for seat in self.seats if seat.player == player), None)

    def seat_at(self, number: int) -> Seat | None:
        """Find who has the numbered seat, or None."""
        return next((seat for seat in self.seats if seat.seat == number), None)

    def closure_is_pending(self) -> bool:
        """Tell whether the table is to be closed for good and stands open still."""
        return self.pending_closure is not None and not self.closed

    def has_long_shoe(self) -> bool:
        """Tell whether many rounds are dealt from one shoe."""
        return self.rules.shuffle is Shuffle.SHOE

    def widest_stop(self) -> PlayStop | None:
        """Return the widest switch that holds the table, None while it may play."""
        return min(self.stops, key=lambda held: _WIDTH.index(held.scope), default=None)


_WIDTH: Final = tuple(StopScope)
INITIAL: Final = TableState()
