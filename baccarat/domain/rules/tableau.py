"""The third-card rules, with the Banker's laid out as printed.

Source: the five rule pages agree on every cell; this is the layout of "Baccarat (multi-player)", Third Card Rules
(source 000), and of "Baccarat Classic", Drawing rules (source 003), with the Player's stand as a last column.
"""

from typing import Final

TABLEAU: Final = """
    Banker |  Player's third card   | Player
       has |  0 1 2 3 4 5 6 7 8 9   | stood
         0 |  D D D D D D D D D D   | D
         1 |  D D D D D D D D D D   | D
         2 |  D D D D D D D D D D   | D
         3 |  D D D D D D D D S D   | D
         4 |  S S D D D D D D S S   | D
         5 |  S S S S D D D D S S   | D
         6 |  S S S S S S D D S S   | S
         7 |  S S S S S S S S S S   | S
"""
"""D: the Banker draws. S: the Banker stands. A Banker's 8 or 9 in two cards is a natural and is not listed."""

PLAYER_STOOD: Final = 10
"""The column for a Player that stood."""


def _read(printed: str) -> tuple[tuple[bool, ...], ...]:
    rows = [line.split("|") for line in printed.strip().splitlines()[2:]]
    return tuple(tuple(cell == "D" for cell in (thirds + stood).split()) for _, thirds, stood in rows)


BANKER_DRAWS: Final = (*_read(TABLEAU), (False,) * 11, (False,) * 11)
"""Rows by the Banker's total 0 to 9 (8 and 9 stand), columns by the Player's third card 0 to 9, then PLAYER_STOOD."""


def player_draws(total: int) -> bool:
    """Return whether the Player draws on a two-card total of 0 to 9: on 0-5, when no side has a natural."""
    return total <= 5


def banker_draws(total: int, third: int | None) -> bool:
    """Return whether the Banker draws on a two-card total of 0 to 9, when no side has a natural.

    `third` is the points of the Player's third card, 0 to 9, or None when the Player stood.
    """
    return BANKER_DRAWS[total][PLAYER_STOOD if third is None else third]
