"""How a player can fund a game balance. Pure values, in minor units."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from wallet.funding.events import Funding
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
    """A player's account balance and debt, the last deposit (None in play money), and the exclusion that is active.

    `deposits` is false where money comes from the operator's own wallet.
    """

    balance: int
    owed: int = 0
    last_deposit: LastDeposit | None = None
    exclusion: Exclusion | None = None
    deposits: bool = True


@dataclass(frozen=True, slots=True)
class DisplayedBalance:
    """A game balance in minor units; `told_at` is when the operator's own wallet told it, or None."""

    amount: int
    told_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PlayerWallet:
    """Where a player's real money is, and when the operator's own wallet told the balances, by currency."""

    funding: Funding
    told_at: Mapping[str, datetime]
