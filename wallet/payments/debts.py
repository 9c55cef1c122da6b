"""What players owe after a reversed deposit: read it, refuse play over it, and collect it as soon as money is there."""

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
_CAN_PAY: Final = """
    SELECT owing.operator_id, owing.player_id, owing.currency
      FROM wallet_account owing
      JOIN wallet_balance owed ON owed.account_id = owing.id AND owed.balance < 0
      JOIN wallet_account purse ON purse.player_id = owing.player_id AND purse.operator_id = owing.operator_id
           AND purse.currency = owing.currency AND purse.kind = 'account' AND purse.money_type = 'real'
      JOIN wallet_balance held ON held.account_id = purse.id AND held.balance > 0
     WHERE owing.kind = 'debt' ORDER BY owing.id LIMIT %s
"""


def outstanding(*, operator: UUID, player: UUID, currency: str) -> int:
    """Return what a player owes, in minor units; 0 for nothing."""
    owing = debt_account(operator=operator, player=player, money_type=MoneyType.REAL, currency=currency)
    return -store.balances([owing])[owing]


def available(account: AccountName) -> int:
    """Return what a player's account holds for a buy-in, a rebuy or a withdrawal, in minor units.

    Raises DebtOutstanding for real money while something is owed; play money has no debts. One statement.
    """
    if account.money_type is not MoneyType.REAL or account.player is None:
        return store.balances([account])[account]
    owing = debt_account(
        operator=account.operator, player=account.player, money_type=MoneyType.REAL, currency=account.currency
    )
    found = store.balances([account, owing])
    if found[owing]:
        raise DebtOutstanding(owed=-found[owing], currency=account.currency)
    return found[account]


def collect(*, operator: UUID, player: UUID, currency: str, metadata: Metadata) -> int:
    """Take what a player owes from the account, as far as it goes, and return how much that was.

    Call it inside a transaction in which money arrived on the account; it locks both balances.
    """
    account = player_account(operator=operator, player=player, money_type=MoneyType.REAL, currency=currency)
    owing = debt_account(operator=operator, player=player, money_type=MoneyType.REAL, currency=currency)
    found = store.balances([owing])
    if not found[owing]:
        return 0
    store.lock((account,))
    store.lock((owing,))
    found = store.balances([account, owing])
    amount = min(found[account], -found[owing])
    if amount <= 0:
        return 0
    at, version = fetch(_VERSION, [debt_stream(player)])[0]
    collected = DebtCollected(operator, player, currency, amount, at)
    PAYMENT_EVENTS.record(debt_stream(player), version=version, events=[collected], metadata=metadata)
    return amount


def collect_due(*, limit: int = 50) -> int:
    """Collect from players who owe and have money again, such as from a table; returns how many paid."""
    paid = 0
    for operator, player, currency in fetch(_CAN_PAY, [limit]):
        metadata = system_metadata(operator, "system:debts")
        with transaction.atomic():
            paid += bool(collect(operator=operator, player=player, currency=currency, metadata=metadata))
    return paid
