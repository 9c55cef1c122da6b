"""What can be bet on."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeAlias


class Spot(StrEnum):
    """A place on the layout that takes a stake."""

    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"


Stakes: TypeAlias = Mapping[Spot, int]
"""One seat's stakes in a round, by spot, each a positive number of minor units."""
