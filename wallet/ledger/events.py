"""Events of a player's accounts in one currency. Stream: `wallet-{player}-{currency}`."""

from dataclasses import dataclass
from uuid import UUID

from casino.kernel.money import MoneyType
from wallet.ledger.entries import NewEntry, sandbox_credit


@dataclass(frozen=True, slots=True)
class PlayerAccountOpened:
    """A player's accounts were opened with an operator, in one currency and these money types."""

    operator: UUID
    player: UUID
    currency: str
    money_types: tuple[MoneyType, ...]


@dataclass(frozen=True, slots=True)
class SandboxCredited:
    """A player's account was credited with `amount` minor units without a payment."""

    operator: UUID
    player: UUID
    money_type: MoneyType
    currency: str
    amount: int
    note: str


WalletEvent = PlayerAccountOpened | SandboxCredited


def wallet_stream(player: UUID, currency: str) -> str:
    """Name the stream of a player's accounts in one currency."""
    return f"wallet-{player}-{currency}"


def entry_for(event: WalletEvent, cause: int) -> NewEntry | None:
    """Return the entry that follows from an event with id `cause`, or None where no money moves."""
    match event:
        case SandboxCredited():
            return sandbox_credit(
                cause=cause,
                operator=event.operator,
                player=event.player,
                money_type=event.money_type,
                currency=event.currency,
                amount=event.amount,
            )
        case PlayerAccountOpened():
            return None
