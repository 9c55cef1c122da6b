"""Positions of a road's entries: six rows and any number of columns, both counted from 1.

Every road has two positions for an entry. Derived roads read the logical one, streak and depth. The display one, column
and row, is where it is drawn: a streak goes down its column; at the bottom row, or where the cell below is taken, it
turns right and stays on that row (a "dragon tail"). A new streak begins in row 1 of the column after the one that the
previous streak began in, or in the first free one after that.
"""

from typing import Final, NamedTuple

ROWS: Final = 6


class GridCell(NamedTuple):
    """Position of an entry: the `depth`-th of the `streak`-th streak, drawn at `column` and `row`."""

    streak: int
    depth: int
    column: int
    row: int


class RoadGrid:
    """Assigns positions one after another; an assigned position never changes."""

    __slots__ = ("_start", "_taken", "_turned", "last")

    def __init__(self) -> None:
        self.last: GridCell | None = None
        self._taken: set[tuple[int, int]] = set()
        self._start = 0
        self._turned = False

    def next_cell(self, *, new_streak: bool) -> GridCell:
        """Return the position of the next entry, which continues the last streak or begins a new one."""
        last = self.last
        place = self._begin() if last is None or new_streak else self._go_on(last)
        self._taken.add((place.column, place.row))
        self.last = place
        return place

    def _begin(self) -> GridCell:
        column = self._start + 1
        while (column, 1) in self._taken:
            column += 1
        self._start, self._turned = column, False
        return GridCell(1 if self.last is None else self.last.streak + 1, 1, column, 1)

    def _go_on(self, last: GridCell) -> GridCell:
        below = (last.column, last.row + 1)
        self._turned = self._turned or last.row == ROWS or below in self._taken
        column, row = (last.column + 1, last.row) if self._turned else below
        return GridCell(last.streak, last.depth + 1, column, row)
