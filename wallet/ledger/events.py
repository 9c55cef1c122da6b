"""What happens to a player's money outside the games (stream `wallet-{player}`), and to the limit a player sets."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from casino.kernel.money import MoneyType


@dataclass(frozen=True, slots=True)
class PlayerAccountOpened:
    """A player may hold money with an operator, in one currency and these money_types."""

    operator: UUID
    player: UUID
    currency: str
    money_types: tuple[MoneyType, ...]


@dataclass(frozen=True, slots=True)
class SandboxCredited:
    """`amount` minor units appeared on a player's account, and no money stands behind them."""

    operator: UUID
    player: UUID
    money_type: MoneyType
    currency: str
    amount: int
    note: str


@dataclass(frozen=True, slots=True)
class PlayMoneyToppedUp:
    """`amount` minor units of play money appeared on a player's account at the player's own wish."""

    operator: UUID
    player: UUID
    currency: str
    amount: int
    at: datetime


@dataclass(frozen=True, slots=True)
class TableLimitSet:
    """A player stakes at most `amount` minor units on a spot, or None: as much as the tables take.

    It changes again from `next_change_at` on. Stream: `limit-{player}`.
    """

    operator: UUID
    player: UUID
    currency: str
    amount: int | None
    at: datetime
    next_change_at: datetime


WalletEvent = PlayerAccountOpened | SandboxCredited | PlayMoneyToppedUp


def wallet_stream(player: UUID) -> str:
    """Name the stream of a player's wallet."""
    return f"wallet-{player}"


def table_limit_stream(player: UUID) -> str:
    """Name the stream of the limit that a player sets."""
    return f"limit-{player}"
