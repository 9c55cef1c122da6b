"""State of a table: seats, shoe, rules, current round. Built from the table's events and those of its rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from baccarat.domain.fairness.closing import NO_DIGEST
from baccarat.domain.fairness.commitment import Drawing
from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.links import WitnessChain
from baccarat.domain.fairness.shuffle import Link
from baccarat.domain.fairness.terms import Terms, WitnessIndex
from baccarat.domain.rounds.cut import SeatContributions
from baccarat.domain.rules.recorded import RecordedRules
from baccarat.domain.rules.table_rules import ShoeShape, Shuffle, TableRules
from baccarat.domain.tables import events as e
from baccarat.domain.tables.kill_switch import StopScope
from casino.kernel.money import MoneyType
from casino.witness.statements import ClosingKind


@dataclass(frozen=True, slots=True)
class RulesDraft:
    """Rules pending for another person's approval."""

    rules: RecordedRules
    floor: int
    acknowledgement: str
    reason: str
    by: str


@dataclass(frozen=True, slots=True)
class PendingRules:
    """Published rules pending for their round or shoe."""

    rules: RecordedRules
    effective_from: e.EffectiveFrom


@dataclass(frozen=True, slots=True)
class RulesLifecycle:
    """Rules of a table that has had at least one draft or retirement. `latest_version` is the last version number
    assigned.
    """

    in_force: RecordedRules
    latest_version: int
    draft: RulesDraft | None = None
    pending: PendingRules | None = None
    retired: bool = False


@dataclass(frozen=True, slots=True)
class Seat:
    """An occupied seat. Rebet repeats `last_wager`; `owed` is the commission set aside in the seat's rack.

    `missed_turns` counts turns that timed out since the seat's last action in a round.
    """

    seat: int
    player: UUID
    money_type: MoneyType
    last_wager: dict[str, int] | None = None
    owed: int = 0
    missed_turns: int = 0


@dataclass(frozen=True, slots=True)
class Shoe:
    """The long shoe in play. `cards_used` have left it. One more round follows the cut card.

    `cut` and `root` are in hex. `cards` are those dealt from it, in order, separated by spaces: the turned card first.
    What was burned or chosen is not among them. The turned card follows from the witnesses' `links`, too, and so do all
    others where the order is fixed, which `root` commits to.
    """

    shoe: UUID
    number: int
    commitment: str
    cards_used: int
    cut: str
    root: str | None
    cut_card_out: bool = False
    finished: bool = False
    cards: str = ""
    links: tuple[Link, ...] = ()

    def drawing_at(self, table: UUID) -> Drawing:
        """Return what its seed is committed to at its table."""
        return Drawing(table, self.shoe, self.number)


@dataclass(frozen=True, slots=True)
class NextShoe:
    """A committed shoe that is not yet in play, with the contributions to its cut so far.

    A long shoe is numbered by shoe; a single round's shoe has that round's `number`. `shape` is part of the commitment.
    `witnesses` say which links its cards follow from, those of a long shoe once its cut is closed; `links` are these
    once they are given out.
    """

    shoe: UUID
    number: int
    commitment: str
    shape: ShoeShape
    contributions: SeatContributions = ()
    witnesses: tuple[WitnessIndex, ...] = ()
    links: tuple[Link, ...] = ()

    def drawing_at(self, table: UUID) -> Drawing:
        """Return what its seed is committed to at its table."""
        return Drawing(table, self.shoe, self.number)


@dataclass(frozen=True, slots=True)
class FixedTerms:
    """The terms of a round with their digest, and the contributions to its own shoe's cut."""

    terms: Terms
    digest: str
    contributions: tuple[Contribution, ...]


@dataclass(frozen=True, slots=True)
class OpenClosing:
    """The closing of a drawing, a round or a long shoe, against which its witnesses have not given out links yet.

    Nothing waits for the links of one that `is_late`, because its witness was replaced: they show what would have been.
    """

    drawing: UUID
    kind: ClosingKind
    digest: str
    witnesses: tuple[WitnessIndex, ...]
    closed_at: datetime
    is_late: bool = False


@dataclass(frozen=True, slots=True)
class PlayStop:
    """A stop that applies to the table: nothing new starts. Players see `message`."""

    scope: StopScope
    subject: str
    message: str
    since: datetime


@dataclass(frozen=True, slots=True)
class PendingClosure:
    """A permanent closure that was announced, by whom and why."""

    by: str
    reason: str
    since: datetime


@dataclass(frozen=True, slots=True)
class TableState:
    """Everything that decisions about the table read. `rounds` and `shoes` count those begun; `last_round` has ended.

    `marks` is the run of settled rounds on the board (see rules.roads): those of the shoe, or the latest
    MAX_RUN_LENGTH if every round has its own shoe. `pairs` are those of dealt cards not yet settled; a round whose
    cards were `forced` gets no mark. `voids` counts voided rounds. Without a round, `betting_opens_at` is when the show
    of the last deal and the least cycle end; the players in `show_skips` asked to skip the show. `round_opened_at` is
    of the round in play, or else of the last one.

    `last_closing` is the digest of the table's last closing, zeros before the first. `terms` are those of the round in
    play, or of the next one. `coming_shoe` is the next round's own shoe, or a long shoe that waits for links, once its
    cut is closed; then `next_shoe` is the one after it. `open_closings` wait for links, the oldest first.
    `replaced` are chains that are not used any more.
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
    forced: bool = False
    stops: tuple[PlayStop, ...] = ()
    next_shoe: NextShoe | None = None
    voids: int = 0
    closed: bool = False
    pending_closure: PendingClosure | None = None
    betting_opens_at: datetime | None = None
    show_skips: tuple[UUID, ...] = ()
    round_opened_at: datetime | None = None
    rules_lifecycle: RulesLifecycle | None = None
    terms: FixedTerms | None = None
    last_closing: str = NO_DIGEST
    coming_shoe: NextShoe | None = None
    chains: tuple[WitnessChain, ...] = ()
    open_closings: tuple[OpenClosing, ...] = ()
    replaced: tuple[str, ...] = ()

    def require_opened(self) -> e.TableOpened:
        """Return the opening event, which every opened table has."""
        if self.opened is None:
            raise LookupError("the table was never opened")
        return self.opened

    @property
    def recorded_rules(self) -> RecordedRules:
        """The rules in force, as recorded."""
        return self.require_opened().rules if self.rules_lifecycle is None else self.rules_lifecycle.in_force

    @property
    def rules(self) -> TableRules:
        """The rules in force."""
        return self.recorded_rules.decoded

    def current_rules_lifecycle(self) -> RulesLifecycle:
        """Return the rules in force, pending and drafted."""
        rules = self.recorded_rules
        return self.rules_lifecycle or RulesLifecycle(in_force=rules, latest_version=rules.decoded.version)

    def rules_are_retired(self) -> bool:
        """Return whether the rules in force are retired and no published rules are pending."""
        return self.rules_lifecycle is not None and self.rules_lifecycle.retired and not self.pending_rules_are_due()

    def pending_rules_are_due(self) -> bool:
        """Return whether pending rules may take effect from the next round."""
        pending = self.current_rules_lifecycle().pending
        if pending is None:
            return False
        if pending.effective_from is e.EffectiveFrom.NEXT_ROUND:
            return True
        return self.shoe is None and self.committed_shape() in (None, pending.rules.decoded.shape)

    def fixed_terms(self) -> FixedTerms | None:
        """Return the terms of the next round, None while a round is in play or if they are not fixed yet."""
        terms = self.terms
        return terms if terms is not None and terms.terms.number == self.rounds + 1 else None

    def committed_shoes(self) -> tuple[NextShoe, ...]:
        """Return the committed shoes that are not in play yet, in the order of their rounds."""
        return tuple(shoe for shoe in (self.coming_shoe, self.next_shoe) if shoe is not None)

    def committed_shape(self) -> ShoeShape | None:
        """Return the shape that the first of the committed shoes has, None without such a shoe."""
        return next((shoe.shape for shoe in self.committed_shoes()), None)

    def next_shape(self) -> ShoeShape:
        """Return the shape for a shoe committed to now: by the pending rules, if any."""
        pending = None if self.rules_lifecycle is None else self.rules_lifecycle.pending
        return (self.rules if pending is None else pending.rules.decoded).shape

    def seat_of(self, player: UUID) -> Seat | None:
        return next((seat for seat in self.seats if seat.player == player), None)

    def seat_at(self, number: int) -> Seat | None:
        """Return the numbered seat, None if it is free."""
        return next((seat for seat in self.seats if seat.seat == number), None)

    def closure_is_pending(self) -> bool:
        """Return whether the table's permanent closure is announced but not complete."""
        return self.pending_closure is not None and not self.closed

    def cycle_ends_at(self) -> datetime | None:
        """Return when the least time since the opening of the last round is over, None where there is none."""
        cycle = self.rules.minimum_cycle
        return self.round_opened_at + cycle if cycle and self.round_opened_at is not None else None

    def turn_opens_at(self) -> datetime | None:
        """Return when the next turn may begin: after the show, unless it is skipped, and the least cycle; or None."""
        if self.round is not None:
            return None
        rules = self.rules
        with_turns = rules.turn_seconds is not None
        skipped = not with_turns or all(seat.player in self.show_skips for seat in self.seats)
        if self.betting_opens_at is None or (rules.may_hurry and skipped):
            return self.cycle_ends_at()
        return self.betting_opens_at

    def show_runs(self, now: datetime) -> bool:
        """Return whether the next turn has to wait for the show of the last deal or the least cycle."""
        opens_at = self.turn_opens_at()
        return opens_at is not None and now < opens_at

    def follows_from_replaced(self, witnesses: Sequence[WitnessIndex]) -> bool:
        """Return whether any of these links is of a chain that is not used any more."""
        return any(each.chain in self.replaced for each in witnesses)

    def awaits_first_terms(self) -> bool:
        """Return whether the terms of the table's first round, which has a shoe of its own, are still to be fixed."""
        return not self.rounds and self.terms is None and not self.has_long_shoe()

    def lacks_links(self) -> bool:
        """Return whether a witness of the table has no chain with a link left for the next commitment."""
        return any(chain.next_index >= chain.size for chain in self.chains)

    def has_long_shoe(self) -> bool:
        """Return whether many rounds are dealt from one shoe."""
        return self.rules.shuffle is Shuffle.SHOE

    def widest_stop(self) -> PlayStop | None:
        """Return the widest stop that applies to the table, None if it may play."""
        return min(self.stops, key=lambda stop: _WIDTH.index(stop.scope), default=None)


_WIDTH: Final = tuple(StopScope)
INITIAL: Final = TableState()
