"""Roads computed another way: from whole columns and cells of a drawn grid, without streak lengths or increments."""

from itertools import groupby

Cell = tuple[int, int]
DEEP = 6


def streaks(outcomes: str) -> list[str]:
    """Cut the wins of a text of B, P and T into runs of one winner."""
    return ["".join(run) for _, run in groupby(outcomes.replace("T", ""))]


def endless(outcomes: str) -> set[Cell]:
    """Return the cells (column, row) of a big road with no last row: each streak straight down its own column."""
    return {(column, row) for column, run in enumerate(streaks(outcomes), 1) for row in range(1, len(run) + 1)}


def derived(outcomes: str, back: int) -> str:
    """Return R and B of a derived road, read from the drawn cells as players do by eye, entry by entry."""
    wins = outcomes.replace("T", "")
    marks = (_mark(wins[: number + 1], back) for number in range(len(wins)))
    return "".join(mark for mark in marks if mark)


def _mark(wins: str, back: int) -> str:
    cells = endless(wins)
    column = max(cells)[0]
    row = max(depth for other, depth in cells if other == column)
    beside = column - back
    if row > 1:
        if beside < 1:
            return ""
        return "R" if ((beside, row) in cells) == ((beside, row - 1) in cells) else "B"
    before, compared = column - 1, column - 1 - back
    if compared < 1:
        return ""
    return "R" if _height(cells, before) == _height(cells, compared) else "B"


def _height(cells: set[Cell], column: int) -> int:
    return sum(other == column for other, _ in cells)


def drawn(sequence: str) -> list[Cell]:
    """Return the cell of each letter in six rows, streak by streak: down as far as possible, then right."""
    taken: dict[Cell, None] = {}
    start = 0
    for run in ("".join(letters) for _, letters in groupby(sequence)):
        start = next(column for column in range(start + 1, len(sequence) + 2) if (column, 1) not in taken)
        down = 1
        while down < min(len(run), DEEP) and (start, down + 1) not in taken:
            down += 1
        straight = [(start, row) for row in range(1, down + 1)]
        tail = [(start + step, down) for step in range(1, len(run) - down + 1)]
        taken.update(dict.fromkeys([*straight, *tail]))
    return list(taken)
