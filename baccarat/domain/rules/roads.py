"""Scoreboards ("roads") of a table, computed from one mark per counted round.

A table's run of marks is one short text: `7Bn 8Pb 9T` means that the Banker won round 7 with a natural, the Player won
round 8 while the Banker's first two cards were a pair, and round 9 was a tie. A text is cheap to keep in a table's
state, however many rounds it covers.
"""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import Outcome

MAX_RUN_LENGTH: Final = 72
"""Marks in a run if cards are shuffled before every round and no shoe ends it: about as many as an eight-deck shoe
gives. The next mark begins a new run, as a new shoe does."""

_LETTERS: Final = {Outcome.BANKER: "B", Outcome.PLAYER: "P", Outcome.TIE: "T"}
_OUTCOMES: Final = {letter: outcome for outcome, letter in _LETTERS.items()}
_MARK: Final = re.compile(r"([0-9]+)([BPT])(p?)(b?)(n?)", re.ASCII)


class RoundMark(NamedTuple):
    """A round on the board. A pair means that a side's first two cards have the same rank."""

    number: int
    outcome: Outcome
    player_pair: bool = False
    banker_pair: bool = False
    natural: bool = False

    def __str__(self) -> str:
        """Encode the mark for a run: number, winner, then p, b and n for the pairs and a natural."""
        signs = ("p", self.player_pair), ("b", self.banker_pair), ("n", self.natural)
        return f"{self.number}{_LETTERS[self.outcome]}{''.join(sign for sign, applies in signs if applies)}"


class OutcomeTotals(NamedTuple):
    """Number of each outcome, and of hands in total."""

    banker: int
    player: int
    tie: int
    hands: int


def find_pairs(cards: Sequence[Card]) -> str:
    """Return the sides whose first two cards are a pair, from cards in deal order (P B P B): "", "p", "b" or "pb"."""
    ranks = [card[:1] for card in cards[:4]]
    if len(ranks) < 4:
        return ""
    return ("p" if ranks[0] == ranks[2] else "") + ("b" if ranks[1] == ranks[3] else "")


def append_mark(run: str, mark: RoundMark, *, max_marks: int | None) -> str:
    """Append a mark to a run; if the run already has `max_marks` marks, start a new one."""
    full = max_marks is not None and len(run.split()) >= max_marks
    return str(mark) if full or not run else f"{run} {mark}"


def remove_mark(run: str, number: int) -> str:
    """Remove a voided round's mark from a run; does nothing if the round is not in it."""
    return " ".join(mark for mark in run.split() if parse_mark(mark).number != number)


def parse_run(run: str) -> tuple[RoundMark, ...]:
    """Parse all marks of a run, oldest first. Raises ValueError for malformed text."""
    return tuple(parse_mark(mark) for mark in run.split())


def parse_last(run: str, count: int) -> tuple[RoundMark, ...]:
    """Parse the newest `count` marks of a run, oldest first. Raises ValueError for malformed text."""
    return tuple(parse_mark(mark) for mark in run.split()[-count:])


def tally(run: str) -> OutcomeTotals:
    """Count the outcomes of a run without parsing its marks: each has one capital letter, its winner's."""
    banker, player, tie = run.count("B"), run.count("P"), run.count("T")
    return OutcomeTotals(banker, player, tie, banker + player + tie)


def parse_mark(text: str) -> RoundMark:
    """Parse one mark. Raises ValueError."""
    match = _MARK.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a mark such as 7Bn.")
    number, winner, player, banker, natural = match.groups()
    return RoundMark(int(number), _OUTCOMES[winner], bool(player), bool(banker), bool(natural))


ROWS: Final = 6


class GridCell(NamedTuple):
    """Position of an entry on a road: the `depth`-th of the `streak`-th streak, drawn at `column` and `row`, from 1.

    A streak goes down its column; at the bottom row, or where the cell below is taken, it turns right and stays on that
    row (a "dragon tail"). A new streak begins in row 1 of the column after the one that the previous streak began in,
    or in the first free one after that. Derived roads use the streak and depth, not where an entry is drawn.
    """

    streak: int
    depth: int
    column: int
    row: int


class RoadGrid:
    """Assigns an entry's position on six rows and any number of columns; an assigned position never changes."""

    __slots__ = ("_start", "_taken", "_turned", "last")

    def __init__(self) -> None:
        self.last: GridCell | None = None
        self._taken: set[tuple[int, int]] = set()
        self._start = 0
        self._turned = False

    def next_cell(self, *, new_streak: bool) -> GridCell:
        """Return the position of the next entry, which continues the last streak or begins a new one."""
        last = self.last
        cell = self._begin_streak() if last is None or new_streak else self._continue_streak(last)
        self._taken.add((cell.column, cell.row))
        self.last = cell
        return cell

    def _begin_streak(self) -> GridCell:
        column = self._start + 1
        while (column, 1) in self._taken:
            column += 1
        self._start, self._turned = column, False
        return GridCell(1 if self.last is None else self.last.streak + 1, 1, column, 1)

    def _continue_streak(self, last: GridCell) -> GridCell:
        below = (last.column, last.row + 1)
        self._turned = self._turned or last.row == ROWS or below in self._taken
        column, row = (last.column + 1, last.row) if self._turned else below
        return GridCell(last.streak, last.depth + 1, column, row)


class Colour(StrEnum):
    """Red if the big road is regular, blue if not. The colours are unrelated to Banker and Player."""

    RED = "red"
    BLUE = "blue"


class DerivedRoadName(StrEnum):
    """A derived road: it shows how regular the big road is, not who won."""

    BIG_EYE_BOY = "big_eye_boy"
    SMALL_ROAD = "small_road"
    COCKROACH_PIG = "cockroach_pig"


COLUMNS_BACK: Final = {DerivedRoadName.BIG_EYE_BOY: 1, DerivedRoadName.SMALL_ROAD: 2, DerivedRoadName.COCKROACH_PIG: 3}
"""Number of columns that each derived road looks back."""


class DerivedRoadEntry(NamedTuple):
    colour: Colour
    cell: GridCell


def next_colour(lengths: Sequence[int], back: int) -> Colour | None:
    """Return the mark for the last entry of the big road, None if there is none yet; `lengths` include that entry.

    Below the top of a column, it is red if the cell to the left and the one above that are both full or both empty. At
    the top, it is red if the two columns before, as far back as this road looks, have the same length.
    """
    depth = lengths[-1]
    if depth == 1:
        if len(lengths) < back + 2:
            return None
        return Colour.RED if lengths[-2] == lengths[-2 - back] else Colour.BLUE
    if len(lengths) < back + 1:
        return None
    return Colour.BLUE if depth == lengths[-1 - back] + 1 else Colour.RED


class DerivedRoad:
    """One derived road. It compares the big road's streak lengths with those `back` columns back."""

    __slots__ = ("_back", "_grid", "entries")

    def __init__(self, back: int) -> None:
        self.entries: list[DerivedRoadEntry] = []
        self._back = back
        self._grid = RoadGrid()

    def add(self, lengths: Sequence[int]) -> None:
        """Add the mark, if any, for the big road's last entry."""
        colour = next_colour(lengths, self._back)
        if colour is None:
            return
        new_streak = not self.entries or self.entries[-1].colour is not colour
        self.entries.append(DerivedRoadEntry(colour, self._grid.next_cell(new_streak=new_streak)))


WINNERS: Final = (Outcome.BANKER, Outcome.PLAYER)
_COLUMN_LETTERS: Final = {Outcome.BANKER: "B", Outcome.PLAYER: "P", Outcome.TIE: "-"}


class BigRoadEntry(NamedTuple):
    """A win on the big road, of round `number`, with the ties between it and the next win."""

    winner: Outcome
    number: int
    ties: int
    cell: GridCell


class Prediction(NamedTuple):
    """What the next win would add to the big road, and to each derived road, None where it adds nothing."""

    big_road: BigRoadEntry
    derived: dict[DerivedRoadName, DerivedRoadEntry | None]


class Board:
    """The roads of a run. `leading_ties` preceded the first win and are drawn on the big road's first cell.

    Only a tie after the first win changes an existing entry: that of the last win.
    """

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

    def predict(self, winner: Outcome) -> "Prediction":
        """Return the entries that a win of `winner` would add, at their places; the board stays as it is."""
        asked = Board([*self.marks, RoundMark(self.marks[-1].number + 1 if self.marks else 1, winner)])
        derived = {
            name: None if len(road.entries) == len(self.derived[name].entries) else road.entries[-1]
            for name, road in asked.derived.items()
        }
        return Prediction(asked.big_road[-1], derived)

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
        self.columns[-1] += _COLUMN_LETTERS[outcome]
