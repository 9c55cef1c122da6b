"""SQL fragments of money reports: sealed entries of an interval, and balances when it ended.

They take the parameters of `casino.reports.definition.ReportScope`. The balance at the end is the balance now less
the later postings: exact at any moment, and cheap for a recent one.
"""

from typing import Final

SEALED_ENTRIES_CTE: Final = """
    facts AS MATERIALIZED (
        SELECT entry.id, entry.kind, entry.cause, entry.recorded_at
          FROM wallet_entry entry
          JOIN events_seal seal ON seal.event_id = entry.cause AND seal.position <= %(position)s
         WHERE entry.recorded_at >= %(since)s AND entry.recorded_at < %(until)s)
"""
LATER_POSTINGS_CTE: Final = """
    later AS MATERIALIZED (
        SELECT posting.account_id, sum(posting.amount) AS amount
          FROM (SELECT id FROM wallet_entry WHERE recorded_at >= %(until)s
                 UNION
                SELECT entry.id FROM events_seal seal JOIN wallet_entry entry ON entry.cause = seal.event_id
                 WHERE seal.position > %(position)s
                 UNION
                SELECT entry.id FROM events_unsealed waiting JOIN wallet_entry entry ON entry.cause = waiting.event_id
               ) came
          JOIN wallet_posting posting ON posting.entry_id = came.id
          JOIN wallet_account account ON account.id = posting.account_id AND account.operator_id = %(operator)s
         GROUP BY posting.account_id)
"""
BALANCES_AT_END_CTE: Final = """
    ended AS MATERIALIZED (
        SELECT account.id, account.kind, account.money_type, account.currency, account.player_id, account.table_id,
               held.balance - coalesce(later.amount, 0) AS balance
          FROM wallet_account account
          JOIN wallet_balance held ON held.account_id = account.id
          LEFT JOIN later ON later.account_id = account.id
         WHERE account.operator_id = %(operator)s)
"""
