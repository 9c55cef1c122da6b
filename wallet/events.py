"""What happens to a player's money outside the games. Stream: `wallet-{player}`."""

from dataclasses import dataclass
from uuid import UUID

from casino.kernel.money import Book


@dataclass(frozen=True, slots=True)
class PlayerAccountOpened:
    """A player may hold money with an operator, in one currency and these books."""

    operator: UUID
    player: UUID
    currency: str
    books: tuple[Book, ...]


@dataclass(frozen=True, slots=True)
class SandboxCredited:
    """`amount` minor units appeared on a player's account, and no money stands behind them."""

    operator: UUID
    player: UUID
    book: Book
    currency: str
    amount: int
    note: str


WalletEvent = PlayerAccountOpened | SandboxCredited


def stream(player: UUID) -> str:
    """This will name the stream of a player's wallet."""
    return f"wallet-{player}"
