"""The derived roads: Big Eye Boy, Small Road, Cockroach Pig. They show how regular the big road is, not who won.

Each compares the big road's streak lengths with those 1, 2 or 3 columns back. Red is regular, blue is not; the colours
are unrelated to Banker and Player.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from baccarat.domain.rules.roads.grid import GridCell, RoadGrid


class Colour(StrEnum):
    """Whether the big road continues the pattern of its earlier columns."""

    RED = "red"
    BLUE = "blue"


class DerivedRoadName(StrEnum):
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
    """One derived road."""

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
