"""Betting spots."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeAlias


class Spot(StrEnum):
    """A spot on the layout that accepts stakes."""

    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"


Stakes: TypeAlias = Mapping[Spot, int]
"""One seat's stakes in a round, by spot, each a positive number of minor units."""
