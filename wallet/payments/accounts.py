"""Whose payments they may be: players with open accounts in the currency."""

from typing import Final
from uuid import UUID

from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from wallet.ledger.accounts import player_account
from wallet.ledger.refusals import UnknownAccount

_OPEN: Final = "SELECT FROM wallet_account WHERE id = %s"


def require_open(*, operator: UUID, player: UUID, currency: str) -> None:
    """Check that a player has a real account in this currency. Raises UnknownAccount."""
    account = player_account(operator=operator, player=player, money_type=MoneyType.REAL, currency=currency)
    if not fetch(_OPEN, [account.id]):
        raise UnknownAccount
