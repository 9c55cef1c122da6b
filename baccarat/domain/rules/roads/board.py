"""All roads of a run of rounds, extended one mark at a time. Only a tie on the last win changes an existing entry."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.roads.derived import COLUMNS_BACK, Colour, DerivedRoad, DerivedRoadName, next_colour
from baccarat.domain.rules.roads.grid import ROWS, GridCell, RoadGrid
from baccarat.domain.rules.roads.marks import OutcomeTotals, RoundMark

WINNERS: Final = (Outcome.BANKER, Outcome.PLAYER)
_LETTERS: Final = {Outcome.BANKER: "B", Outcome.PLAYER: "P", Outcome.TIE: "-"}


class BigRoadEntry(NamedTuple):
    """A win on the big road, of round `number`, with the ties between it and the next win."""

    winner: Outcome
    number: int
    ties: int
    cell: GridCell


class Board:
    """The roads of a run. `leading_ties` preceded the first win and are drawn on the big road's first cell."""

    __slots__ = ("_grid", "_lengths", "big_road", "columns", "derived", "leading_ties", "marks")

    def __init__(self, marks: Iterable[RoundMark] = ()) -> None:
        self.marks: list[RoundMark] = []
        self.columns: list[str] = []
        self.big_road: list[BigRoadEntry] = []
        self.leading_ties = 0
        self.derived = {name: DerivedRoad(back) for name, back in COLUMNS_BACK.items()}
        self._grid = RoadGrid()
        self._lengths: list[int] = []
        for mark in marks:
            self.add(mark)

    def add(self, mark: RoundMark) -> None:
        """Add a round to all roads: at most one new entry on each, or one more tie on the last win."""
        new_streak = self._begins_streak(mark.outcome)
        self._add_to_columns(mark.outcome, new_column=new_streak and bool(self._lengths))
        self.marks.append(mark)
        if mark.outcome is Outcome.TIE:
            self._add_tie()
            return
        self._lengthen(self._lengths, new_streak=new_streak)
        self.big_road.append(BigRoadEntry(mark.outcome, mark.number, 0, self._grid.next_cell(new_streak=new_streak)))
        for road in self.derived.values():
            road.add(self._lengths)

    def ask(self, winner: Outcome) -> dict[DerivedRoadName, Colour | None]:
        """Return the mark that each derived road would get if `winner` won the next round."""
        lengths = list(self._lengths)
        self._lengthen(lengths, new_streak=self._begins_streak(winner))
        return {name: next_colour(lengths, back) for name, back in COLUMNS_BACK.items()}

    def totals(self) -> OutcomeTotals:
        """Return the number of each outcome."""
        outcomes = [mark.outcome for mark in self.marks]
        banker, player, tie = (outcomes.count(outcome) for outcome in (*WINNERS, Outcome.TIE))
        return OutcomeTotals(banker, player, tie, len(outcomes))

    def bead_plate(self) -> list[tuple[int, int]]:
        """Return the column and row of each mark on the bead plate: six rows, filled down, then right."""
        return [(index // ROWS + 1, index % ROWS + 1) for index in range(len(self.marks))]

    def _begins_streak(self, outcome: Outcome) -> bool:
        if outcome is Outcome.TIE:
            return False
        return not self.big_road or self.big_road[-1].winner is not outcome

    @staticmethod
    def _lengthen(lengths: list[int], *, new_streak: bool) -> None:
        """Add one win to the lengths of all streaks."""
        if new_streak:
            lengths.append(1)
        else:
            lengths[-1] += 1

    def _add_tie(self) -> None:
        if not self.big_road:
            self.leading_ties += 1
            return
        last = self.big_road[-1]
        self.big_road[-1] = last._replace(ties=last.ties + 1)

    def _add_to_columns(self, outcome: Outcome, *, new_column: bool) -> None:
        """Update the columns of the statistics window (source 000): a new winner starts a column, ties stay in it."""
        if new_column or not self.columns:
            self.columns.append("")
        self.columns[-1] += _LETTERS[outcome]
