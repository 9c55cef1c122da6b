"""What a game balance shows: the ledger's, or what the operator's own wallet told last."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from wallet.funding.events import Funding
from wallet.ledger.accounts import AccountName
from wallet.payments.funding_options import DisplayedBalance, PlayerWallet

_SHOWN: Final = """
    SELECT coalesce(told.balance, held.balance, 0), told.told_at
      FROM (SELECT) AS always
      LEFT JOIN wallet_balance held ON held.account_id = %s
      LEFT JOIN wallet_told_balance told ON told.player_id = %s AND told.currency = %s AND %s
"""
_WALLET: Final = """
    SELECT funding.funding, told.currency, told.told_at, told.balance, held.balance
      FROM (SELECT) AS always
      LEFT JOIN wallet_funding funding ON funding.operator_id = %s
      LEFT JOIN wallet_told_balance told ON told.player_id = %s
      LEFT JOIN wallet_balance held ON held.account_id = %s
"""


def shown_balance(game: AccountName) -> DisplayedBalance:
    """Return what a player's game account shows."""
    real = game.money_type is MoneyType.REAL
    return DisplayedBalance(*fetch(_SHOWN, [game.id, game.player, game.currency, real])[0])


def player_wallet(*, operator: UUID, player: UUID | None) -> PlayerWallet:
    """Return what is known of an operator's player, or of its players at large."""
    return _wallet(fetch(_WALLET, [operator, player, None]))


def wallet_and_balance(*, operator: UUID, game: AccountName) -> tuple[PlayerWallet, DisplayedBalance]:
    """Return what is known of a player, and what the game account shows, by one query."""
    rows = fetch(_WALLET, [operator, game.player, game.id])
    told = {currency: (balance, at) for _, currency, at, balance, _ in rows if game.money_type is MoneyType.REAL}
    return _wallet(rows), DisplayedBalance(*told.get(game.currency, (rows[0][-1] or 0, None)))


def _wallet(rows: Sequence[tuple[Any, ...]]) -> PlayerWallet:
    told_at = {currency: at for _, currency, at, *_ in rows if currency is not None}
    return PlayerWallet(Funding(rows[0][0] or Funding.HOUSE), told_at)
