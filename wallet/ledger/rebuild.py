"""Rebuild balances from postings."""

from typing import Final

from django.db import transaction

from casino.events.sql import execute

_LOCK: Final = "LOCK TABLE wallet_balance IN EXCLUSIVE MODE"
_DROP: Final = "DELETE FROM wallet_balance"
_FILL: Final = """
    INSERT INTO wallet_balance (account_id, balance, sequence, floor)
    SELECT account.id, coalesce(sum(posting.amount), 0), count(posting.id),
           account.kind IN ('account', 'game', 'rack', 'stakes', 'hold')
      FROM wallet_account account LEFT JOIN wallet_posting posting ON posting.account_id = account.id
     GROUP BY account.id
     ORDER BY account.id
"""


def rebuild_balances() -> int:
    """Delete every balance, sum the postings again, and return the number of balances; writers wait meanwhile."""
    with transaction.atomic():
        execute(_LOCK)
        execute(_DROP)
        return execute(_FILL)
