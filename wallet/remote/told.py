"""What a game balance shows: the ledger's, or what the operator's own wallet told last."""

from datetime import datetime
from typing import Final
from uuid import UUID

from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from wallet.ledger.accounts import AccountName
from wallet.payments.funding_options import DisplayedBalance

_SHOWN: Final = """
    SELECT coalesce(told.balance, held.balance, 0), told.told_at
      FROM (SELECT) AS always
      LEFT JOIN wallet_balance held ON held.account_id = %s
      LEFT JOIN wallet_told_balance told ON told.player_id = %s AND told.currency = %s AND %s
"""
_TOLD: Final = "SELECT currency, told_at FROM wallet_told_balance WHERE player_id = %s"


def shown_balance(game: AccountName) -> DisplayedBalance:
    """Return what a player's game account shows."""
    real = game.money_type is MoneyType.REAL
    return DisplayedBalance(*fetch(_SHOWN, [game.id, game.player, game.currency, real])[0])


def told_at(player: UUID) -> dict[str, datetime]:
    """Return when the operator's own wallet told a player's balances, by currency."""
    return dict(fetch(_TOLD, [player]))
