"""The entries that follow from events of players' accounts. Pure."""

from wallet.ledger.entries import NewEntry, sandbox_credit
from wallet.ledger.events import PlayerAccountOpened, SandboxCredited, WalletEvent


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
