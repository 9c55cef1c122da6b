"""Queries that compute stakes, losses and time played from all entries, for audit and rebuild.

`wallet_post` counts the same as entries are posted. A wager counts as lost until a settlement or void returns
something; a voided wager still counts as staked.
"""

from typing import Final

TURNOVER: Final = """
    SELECT posting.account_id, max(entry.recorded_at) OVER so_far AS at, posting.sequence,
           (-coalesce(sum(posting.amount) FILTER (WHERE entry.kind = 'wager') OVER so_far, 0))::bigint AS staked,
           (-sum(posting.amount) OVER so_far)::bigint AS lost
      FROM wallet_posting posting
      JOIN wallet_entry entry ON entry.id = posting.entry_id AND entry.kind IN ('wager', 'settlement', 'void')
      JOIN wallet_account account ON account.id = posting.account_id
           AND account.kind IN ('game', 'account', 'debt') AND account.money_type = 'real'
    WINDOW so_far AS (PARTITION BY posting.account_id ORDER BY posting.sequence)
"""
"""Rows of wallet_turnover: account_id, at, sequence, staked, lost."""

PLAYED: Final = """
    SELECT DISTINCT account.player_id, date_bin('5 minutes', entry.recorded_at, '2000-01-01 00:00+00') AS slot
      FROM wallet_posting posting
      JOIN wallet_entry entry ON entry.id = posting.entry_id AND entry.kind = 'wager'
      JOIN wallet_account account ON account.id = posting.account_id AND account.kind = 'game'
"""
"""Rows of wallet_played: player_id, slot."""
