"""The entries that follow from events of responsible gaming: only play money moves. Pure."""

from casino.kernel.money import MoneyType
from wallet.ledger.accounts import AccountKind, operator_account, player_account
from wallet.ledger.entries import NewEntry, transfer
from wallet.responsible_gaming.events import PlayerRequestEvent, PlayMoneyToppedUp, ResponsibleGamingEvent


def entry_for(event: ResponsibleGamingEvent | PlayerRequestEvent, cause: int) -> NewEntry | None:
    """Return the entry that follows from an event with id `cause`, or None where no money moves."""
    if not isinstance(event, PlayMoneyToppedUp):
        return None
    source = operator_account(
        kind=AccountKind.SANDBOX, operator=event.operator, money_type=MoneyType.PLAY, currency=event.currency
    )
    account = player_account(
        operator=event.operator, player=event.player, money_type=MoneyType.PLAY, currency=event.currency
    )
    return transfer(kind="play_money", cause=cause, source=source, target=account, amount=event.amount)
