"""Money reports: account summary, liability and adjustments, each one SQL query over sealed entries.

The queries take the parameters of `casino.reports.definition.ReportScope`. The balance at the end of an interval is
the current balance less the later postings: exact at any time, and cheap for a recent one.
"""

from collections.abc import Iterable
from typing import Final

from casino.reports.definition import (
    CURRENCY,
    MONEY_TYPE,
    Column,
    ReportDefinition,
    amount,
    integer,
    rows_of,
    timestamp,
)

# Entries from before they named their operator name none, and are told apart by their accounts.
OWN_ENTRY: Final = "(entry.operator_id = %(operator)s OR entry.operator_id IS NULL)"
SEALED_ENTRIES_CTE: Final = f"""
    facts AS MATERIALIZED (
        SELECT entry.cause, entry.kind, entry.recorded_at
          FROM wallet_entry entry
          JOIN events_seal seal ON seal.event_id = entry.cause AND seal.position <= %(position)s
         WHERE entry.recorded_at >= %(since)s AND entry.recorded_at < %(until)s AND {OWN_ENTRY})
"""  # noqa: S608  (a constant)
LATER_POSTINGS_CTE: Final = f"""
    later AS MATERIALIZED (
        SELECT posting.account_id, sum(posting.amount) AS amount
          FROM (SELECT cause FROM wallet_entry entry WHERE recorded_at >= %(until)s AND {OWN_ENTRY}
                 UNION
                SELECT cause FROM events_seal JOIN wallet_entry entry ON cause = event_id
                 WHERE position > %(position)s AND {OWN_ENTRY}
                 UNION
                SELECT cause FROM events_unsealed JOIN wallet_entry entry ON cause = event_id WHERE {OWN_ENTRY}
               ) came
          JOIN wallet_posting posting ON posting.entry_id = came.cause
          JOIN wallet_account account ON account.id = posting.account_id AND account.operator_id = %(operator)s
         GROUP BY posting.account_id)
"""  # noqa: S608  (a constant)
BALANCES_AT_END_CTE: Final = """
    ended AS MATERIALIZED (
        SELECT account.id, account.kind, account.money_type, account.currency, account.player_id, account.table_id,
               held.balance - coalesce(later.amount, 0) AS balance
          FROM wallet_account account
          JOIN wallet_balance held ON held.account_id = account.id
          LEFT JOIN later ON later.account_id = account.id
         WHERE account.operator_id = %(operator)s)
"""

_ENTRY_KINDS: Final = {
    "deposits": ("deposit",),
    "deposits_reversed": ("deposit_reversed",),
    "withdrawals": ("withdrawal_held", "withdrawal_rejected", "withdrawal_cancelled", "withdrawal_returned"),
    "transfers": ("transfer_in", "transfer_out"),
    "to_games": ("buy_in", "rebuy"),
    "from_games": ("cash_out",),
    "adjustments": ("adjustment_credit", "adjustment_debit"),
    "sandbox_credits": ("sandbox_credit", "play_money"),
    "debts_paid": ("debt_collected",),
    "voids": ("void",),
}
"""Kinds of entries on a player's account by the column that adds them up; any other kind is in `other`."""
_KNOWN_KINDS: Final = [kind for kinds in _ENTRY_KINDS.values() for kind in kinds]


def _sum_entries(name: str, condition: str) -> str:
    return f"coalesce(sum(amount) FILTER (WHERE entry {condition}), 0) AS {name}"


def _sum_account(kind: str, value: str) -> str:
    return f"coalesce(sum({value}) FILTER (WHERE kind = '{kind}'), 0)::bigint"


def _sql_list(kinds: Iterable[str]) -> str:
    return f"({', '.join(repr(kind) for kind in kinds)})"


_SUMS: Final = ",\n               ".join(
    [
        *(_sum_entries(name, f"IN {_sql_list(kinds)}") for name, kinds in _ENTRY_KINDS.items()),
        _sum_entries("other", f"NOT IN {_sql_list(_KNOWN_KINDS)}"),
        _sum_entries("staked", "= 'wager'"),
        _sum_entries("returned", "= 'settlement'"),
    ]
)
_ACCOUNT_COLUMNS: Final = ",\n           ".join(_sum_account("account", name) for name in [*_ENTRY_KINDS, "other"])
_ACCOUNTS: Final = f"""
    WITH {SEALED_ENTRIES_CTE}, {LATER_POSTINGS_CTE}, {BALANCES_AT_END_CTE}, moves AS (
        SELECT posting.account_id, posting.amount, facts.kind AS entry
          FROM facts
          JOIN wallet_posting posting ON posting.entry_id = facts.cause
          JOIN wallet_account account ON account.id = posting.account_id
         WHERE account.operator_id = %(operator)s AND account.player_id IS NOT NULL
    ), moved AS (
        SELECT account_id, sum(amount) AS total,
               {_SUMS}
          FROM moves GROUP BY account_id)
    SELECT money_type, currency, player_id,
           {_sum_account("account", "balance - coalesce(total, 0)")},
           {_ACCOUNT_COLUMNS},
           {_sum_account("account", "balance")},
           {_sum_account("game", "-staked")},
           {_sum_account("game", "returned")},
           {_sum_account("game", "balance")},
           {_sum_account("hold", "balance")},
           {_sum_account("debt", "-balance")},
           (CASE WHEN {_sum_account("game", "staked")} <> 0 THEN 1 ELSE 0 END)
      FROM ended LEFT JOIN moved ON moved.account_id = ended.id
     WHERE player_id IS NOT NULL
     GROUP BY money_type, currency, player_id
    HAVING bool_or(moved.account_id IS NOT NULL OR balance <> 0)
     ORDER BY money_type, currency, player_id
"""  # noqa: S608  (the pieces are constants)


ACCOUNTS: Final = ReportDefinition(
    name="accounts",
    title="Account summary",
    description="Opening balance plus all movements is the closing balance. Deposits are shown after fees; withdrawals "
    "count when they are requested. Wagers and what they paid move game balances.",
    columns=(
        MONEY_TYPE,
        CURRENCY,
        Column("player", "Player"),
        amount("opening", "Opening"),
        amount("deposits", "Deposits"),
        amount("deposits_reversed", "Deposits reversed"),
        amount("withdrawals", "Withdrawals"),
        amount("transfers", "Transfers"),
        amount("to_games", "To games"),
        amount("from_games", "From games"),
        amount("adjustments", "Adjustments"),
        amount("sandbox_credits", "Credits"),
        amount("debts_paid", "Debts paid"),
        amount("voids", "Voids"),
        amount("other", "Other"),
        amount("closing", "Closing"),
        amount("staked", "Staked"),
        amount("returned", "Returned"),
        amount("games", "At games"),
        amount("held", "Held"),
        amount("debt", "Debt"),
        integer("active", "Active"),
    ),
    read=rows_of(_ACCOUNTS),
    key_columns=("player", "opening", "deposits", "withdrawals", "staked", "closing"),
)

_LIABILITY: Final = f"""
    WITH {LATER_POSTINGS_CTE}, {BALANCES_AT_END_CTE}
    SELECT money_type, currency,
           count(DISTINCT player_id)
               FILTER (WHERE balance <> 0 AND kind IN ('account', 'game', 'hold', 'returning'))::bigint,
           coalesce(sum(balance) FILTER (WHERE kind = 'account'), 0)::bigint,
           coalesce(sum(balance) FILTER (WHERE kind = 'game'), 0)::bigint,
           coalesce(sum(balance) FILTER (WHERE kind = 'stakes'), 0)::bigint,
           coalesce(sum(balance) FILTER (WHERE kind = 'hold'), 0)::bigint,
           coalesce(sum(balance) FILTER (WHERE kind = 'returning'), 0)::bigint,
           coalesce(sum(balance) FILTER (WHERE kind IN ('account', 'game', 'stakes', 'hold', 'returning')), 0)::bigint,
           coalesce(sum(balance) FILTER (WHERE kind = 'rack'), 0)::bigint,
           coalesce(-sum(balance) FILTER (WHERE kind = 'debt'), 0)::bigint,
           coalesce(-sum(balance) FILTER (WHERE kind = 'wallet'), 0)::bigint
      FROM ended
     WHERE kind IN ('account', 'game', 'stakes', 'hold', 'returning', 'rack', 'debt', 'wallet')
     GROUP BY money_type, currency
    HAVING bool_or(balance <> 0)
     ORDER BY money_type, currency
"""  # noqa: S608  (the pieces are constants)


LIABILITY: Final = ReportDefinition(
    name="liability",
    title="Operator liability",
    description="Player funds at the end of the interval: on accounts, at tables, in wagers of rounds in play, and in "
    "withdrawals not yet paid, and on the way to the operator's wallet, which has not confirmed it. Commission held in "
    "racks belongs to the operator; debts are owed by players. From the operator's wallet came, by transfers and "
    "wagers, so much more than went back to it.",
    columns=(
        MONEY_TYPE,
        CURRENCY,
        integer("players", "Players with funds"),
        amount("accounts", "Accounts"),
        amount("games", "Game balances"),
        amount("in_play", "In play"),
        amount("pending_withdrawals", "Pending withdrawals"),
        amount("returning", "Returning to the operator's wallet"),
        amount("owed", "Owed to players"),
        amount("racks", "Commission in racks"),
        amount("debts", "Players' debts"),
        amount("from_wallet", "From the operator's wallet"),
    ),
    read=rows_of(_LIABILITY),
    key_columns=("owed", "players"),
    as_of_end=True,
)

_ADJUSTMENTS: Final = f"""
    WITH {SEALED_ENTRIES_CTE}
    SELECT event.data->>'money_type', event.data->>'currency', facts.recorded_at, (event.data->>'adjustment')::uuid,
           (event.data->>'player')::uuid, event.data->>'direction', event.data->>'reason',
           (CASE event.data->>'direction' WHEN 'credit' THEN 1 ELSE -1 END * (event.data->>'amount')::bigint)::bigint,
           CASE event.data->>'direction' WHEN 'credit' THEN 0 ELSE (event.data->>'taken')::bigint END,
           CASE event.data->>'direction' WHEN 'credit' THEN 0 ELSE (event.data->>'owed')::bigint END,
           event.data->>'requested_by', event.data->>'approved_by'
      FROM facts
      JOIN events_event event ON event.id = facts.cause
     WHERE facts.kind IN ('adjustment_credit', 'adjustment_debit')
       AND event.data->>'operator' = %(operator)s::text
     ORDER BY facts.cause
"""  # noqa: S608  (the pieces are constants)


ADJUSTMENTS: Final = ReportDefinition(
    name="adjustments",
    title="Account adjustments",
    description="Manual corrections that moved money. A debit takes what the account holds; the rest becomes a debt.",
    columns=(
        MONEY_TYPE,
        CURRENCY,
        timestamp("at", "At"),
        Column("adjustment", "Adjustment"),
        Column("player", "Player"),
        Column("direction", "Direction"),
        Column("reason", "Reason"),
        amount("amount", "Amount"),
        amount("taken", "Taken"),
        amount("owed", "Owed"),
        Column("requested_by", "Requested by"),
        Column("approved_by", "Approved by"),
    ),
    read=rows_of(_ADJUSTMENTS),
    key_columns=("adjustment", "player", "amount", "at"),
)
