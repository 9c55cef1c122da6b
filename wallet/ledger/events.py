"""Events of a player's accounts. Stream: `wallet-{player}`."""

from dataclasses import dataclass
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


WalletEvent = PlayerAccountOpened | SandboxCredited


def wallet_stream(player: UUID) -> str:
    """Name the stream of a player's wallet."""
    return f"wallet-{player}"
