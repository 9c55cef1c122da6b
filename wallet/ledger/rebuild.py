"""Throw the balances away and make them again from the postings: they are a projection and must come out the same."""

from typing import Final

from django.db import transaction

from casino.events.sql import execute

_LOCK: Final = "LOCK TABLE wallet_balance IN EXCLUSIVE MODE"
_DROP: Final = "DELETE FROM wallet_balance"
_MAKE: Final = """
    INSERT INTO wallet_balance (account_id, balance, sequence, floor)
    SELECT account.id, coalesce(sum(posting.amount), 0), count(posting.id),
           account.kind IN ('account', 'game', 'rack', 'stakes', 'hold')
      FROM wallet_account account LEFT JOIN wallet_posting posting ON posting.account_id = account.id
     GROUP BY account.id
     ORDER BY account.id
"""


def rebuild_balances() -> int:
    """Drop every balance, sum it anew from the postings, and return how many; posting waits meanwhile."""
    with transaction.atomic():
        execute(_LOCK)
        execute(_DROP)
        return execute(_MAKE)
