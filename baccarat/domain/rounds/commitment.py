"""The shoe of a future round at a table that shuffles for each round."""

from dataclasses import dataclass
from uuid import UUID

from baccarat.domain.rules.table_rules import ShoeShape


@dataclass(frozen=True, slots=True)
class ShoeCommitment:
    """The committed shoe of the table's next round: its id, its commitment in hex, and its shape.

    Published when the table or the previous round opens, before anybody can bet on it.
    """

    shoe: UUID
    commitment: str
    shape: ShoeShape
