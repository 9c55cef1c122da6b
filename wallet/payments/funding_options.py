"""What a player could bring to a table: pure values, in minor units."""

from dataclasses import dataclass
from uuid import UUID

from wallet.responsible_gaming.state import Exclusion


@dataclass(frozen=True, slots=True)
class LastDeposit:
    """The deposit that a quick deposit repeats; not `open` where its method is no longer offered."""

    method: UUID
    name: str
    amount: int
    method_available: bool


@dataclass(frozen=True, slots=True)
class FundingOptions:
    """A player's account in one kind of money, what the player owes, the last deposit (None in play money), and whether the
    player stays away from play.
    """

    balance: int
    owed: int = 0
    last_deposit: LastDeposit | None = None
    exclusion: Exclusion | None = None
