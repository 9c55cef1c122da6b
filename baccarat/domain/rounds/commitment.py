"""The shoe of a round that is still to come, where each round is shuffled."""

from dataclasses import dataclass
from uuid import UUID

from baccarat.domain.rules.table_rules import ShoeShape


@dataclass(frozen=True, slots=True)
class ShoeCommitment:
    """A shoe that is committed to for the table's next round: its id, its commitment in hex, and what it is made of.

    Told with the table's opening or with that of the round before, so before anybody could bet on it.
    """

    shoe: UUID
    commitment: str
    shape: ShoeShape
