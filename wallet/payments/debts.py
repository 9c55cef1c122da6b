"""Players' debts after reversed deposits: read them, refuse play, and collect them from the account."""

from typing import Final
from uuid import UUID

from django.db import transaction

from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.kernel.money import MoneyType
from wallet.ledger import store
from wallet.ledger.accounts import AccountName, debt_account, player_account
from wallet.ledger.refusals import DebtOutstanding
from wallet.payments.events import DebtCollected, debt_stream
from wallet.payments.records import PAYMENT_EVENTS, system_metadata

_VERSION: Final = """SELECT clock_timestamp(),
    (SELECT coalesce(max(version), 0) FROM events_event WHERE stream = %s)"""
_COLLECTIBLE: Final = """
    SELECT owing.operator_id, owing.player_id, owing.currency
      FROM wallet_account owing
      JOIN wallet_balance owed ON owed.account_id = owing.id AND owed.balance < 0
      JOIN wallet_account account ON account.player_id = owing.player_id AND account.operator_id = owing.operator_id
           AND account.currency = owing.currency AND account.kind = 'account' AND account.money_type = 'real'
      JOIN wallet_balance held ON held.account_id = account.id AND held.balance > 0
     WHERE owing.kind = 'debt' ORDER BY owing.id LIMIT %s
"""


def outstanding(*, operator: UUID, player: UUID, currency: str) -> int:
    """Return a player's debt in minor units."""
    debt = debt_account(operator=operator, player=player, money_type=MoneyType.REAL, currency=currency)
    return -store.balances([debt])[debt]


def available(account: AccountName) -> int:
    """Return the balance that a player may use for a buy-in, rebuy or withdrawal, in minor units.

    Raises DebtOutstanding for real money while the player has a debt; play money has none. One statement.
    """
    if account.money_type is not MoneyType.REAL or account.player is None:
        return store.balances([account])[account]
    debt = debt_account(
        operator=account.operator, player=account.player, money_type=MoneyType.REAL, currency=account.currency
    )
    balances = store.balances([account, debt])
    if balances[debt]:
        raise DebtOutstanding(owed=-balances[debt], currency=account.currency)
    return balances[account]


def collect(*, operator: UUID, player: UUID, currency: str, metadata: Metadata) -> int:
    """Pay as much of a player's debt from the account as possible and return the amount.

    Call it inside a transaction in which money arrived on the account; it locks both balances.
    """
    account = player_account(operator=operator, player=player, money_type=MoneyType.REAL, currency=currency)
    debt = debt_account(operator=operator, player=player, money_type=MoneyType.REAL, currency=currency)
    if not store.balances([debt])[debt]:
        return 0
    store.lock((account,))
    store.lock((debt,))
    balances = store.balances([account, debt])
    amount = min(balances[account], -balances[debt])
    if amount <= 0:
        return 0
    at, version = fetch(_VERSION, [debt_stream(player)])[0]
    collected = DebtCollected(operator, player, currency, amount, at)
    PAYMENT_EVENTS.record(debt_stream(player), version=version, events=[collected], metadata=metadata)
    return amount


def collect_due(*, limit: int = 50) -> int:
    """Collect from players in debt who have money again, such as from a table; returns how many paid."""
    paid = 0
    for operator, player, currency in fetch(_COLLECTIBLE, [limit]):
        metadata = system_metadata(operator, "system:debts")
        with transaction.atomic():
            paid += bool(collect(operator=operator, player=player, currency=currency, metadata=metadata))
    return paid
