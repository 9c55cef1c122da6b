"""How a player can fund a game balance. Pure values, in minor units."""

from dataclasses import dataclass
from uuid import UUID

from wallet.responsible_gaming.state import Exclusion


@dataclass(frozen=True, slots=True)
class LastDeposit:
    """The deposit that a quick deposit repeats; `method_available` is false where its method is no longer offered."""

    method: UUID
    name: str
    amount: int
    method_available: bool


@dataclass(frozen=True, slots=True)
class FundingOptions:
    """A player's account balance and debt, the last deposit (None in play money), and the exclusion that is active."""

    balance: int
    owed: int = 0
    last_deposit: LastDeposit | None = None
    exclusion: Exclusion | None = None
