"""The one place that says what a wallet event moves: used when it happens and again by the audit."""

from wallet.entries import Entry, sandbox_credit
from wallet.events import PlayerAccountOpened, SandboxCredited


def entry_for(event: object, cause: int) -> Entry | None:
    """This will return the entry that follows from a wallet event with id `cause`, or None where no money moves.

    Raises TypeError for an event of another part.
    """
    match event:
        case PlayerAccountOpened():
            return None
        case SandboxCredited(operator, player, book, currency, amount, _):
            return sandbox_credit(
                cause=cause, operator=operator, player=player, book=book, currency=currency, amount=amount
            )
    raise TypeError(f"{type(event).__name__} is not an event of the wallet.")
