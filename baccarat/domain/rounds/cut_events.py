"""What players add to the cut of a round's own shoe, while betting is open."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class CutContributed:
    """A seat chose its contribution, 1 to 32 bytes in hex, in place of an earlier one of the same seat.

    It counts for the shoe that the round's opening committed to, and everyone at the table may see it at once.
    """

    seat: int
    player: UUID
    contribution: str
    contributed_at: datetime
