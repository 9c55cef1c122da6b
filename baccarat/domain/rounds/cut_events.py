"""Events of the cut of a round's own shoe, while betting is open."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class CutContributed:
    """A seat set its contribution, 1 to 32 bytes in hex, replacing its earlier one.

    It applies to the shoe committed to when the round opened. Everyone at the table may see it at once.
    """

    seat: int
    player: UUID
    contribution: str
    contributed_at: datetime
