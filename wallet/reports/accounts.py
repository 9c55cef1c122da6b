"""The account summary: opening balance, movements and closing balance of each player."""

from collections.abc import Iterable
from typing import Final

from casino.events.sql import fetch
from casino.reports.definition import (
    CURRENCY,
    MONEY_TYPE,
    Column,
    ReportData,
    ReportDefinition,
    ReportScope,
    amount,
    count,
)
from wallet.reports.facts import BALANCES_AT_END_CTE, LATER_POSTINGS_CTE, SEALED_ENTRIES_CTE

_MOVES: Final = {
    "deposits": ("deposit",),
    "deposits_reversed": ("deposit_reversed",),
    "withdrawals": ("withdrawal_held", "withdrawal_rejected", "withdrawal_cancelled", "withdrawal_returned"),
    "to_games": ("buy_in", "rebuy"),
    "from_games": ("cash_out",),
    "adjustments": ("adjustment_credit", "adjustment_debit"),
    "sandbox_credits": ("sandbox_credit", "play_money"),
    "debts_paid": ("debt_collected",),
    "voids": ("void",),
}
"""Kinds of entries on a player's account by the column that adds them up; any other kind is in `other`."""
_KNOWN: Final = [kind for kinds in _MOVES.values() for kind in kinds]


def _moved(name: str, condition: str) -> str:
    return f"coalesce(sum(amount) FILTER (WHERE entry {condition}), 0) AS {name}"


def _of(kind: str, what: str) -> str:
    return f"coalesce(sum({what}) FILTER (WHERE kind = '{kind}'), 0)::bigint"


def _sql_list(kinds: Iterable[str]) -> str:
    return f"({', '.join(repr(kind) for kind in kinds)})"


_SUMS: Final = ",\n               ".join(
    [
        *(_moved(name, f"IN {_sql_list(kinds)}") for name, kinds in _MOVES.items()),
        _moved("other", f"NOT IN {_sql_list(_KNOWN)}"),
        _moved("wagered", "= 'wager'"),
        _moved("paid_by_games", "= 'settlement'"),
    ]
)
_ACCOUNT_COLUMNS: Final = ",\n           ".join(_of("account", name) for name in [*_MOVES, "other"])
_READ: Final = f"""
    WITH {SEALED_ENTRIES_CTE}, {LATER_POSTINGS_CTE}, {BALANCES_AT_END_CTE}, moves AS (
        SELECT posting.account_id, posting.amount, facts.kind AS entry
          FROM facts
          JOIN wallet_posting posting ON posting.entry_id = facts.id
          JOIN wallet_account account ON account.id = posting.account_id
         WHERE account.operator_id = %(operator)s AND account.player_id IS NOT NULL
    ), moved AS (
        SELECT account_id, sum(amount) AS total,
               {_SUMS}
          FROM moves GROUP BY account_id)
    SELECT money_type, currency, player_id,
           {_of("account", "balance - coalesce(total, 0)")},
           {_ACCOUNT_COLUMNS},
           {_of("account", "balance")},
           {_of("game", "-wagered")},
           {_of("game", "paid_by_games")},
           {_of("game", "balance")},
           {_of("hold", "balance")},
           {_of("debt", "-balance")},
           (CASE WHEN {_of("game", "wagered")} <> 0 THEN 1 ELSE 0 END)
      FROM ended LEFT JOIN moved ON moved.account_id = ended.id
     WHERE player_id IS NOT NULL
     GROUP BY money_type, currency, player_id
    HAVING bool_or(moved.account_id IS NOT NULL OR balance <> 0)
     ORDER BY money_type, currency, player_id
"""  # noqa: S608  (the pieces are constants)


def read(scope: ReportScope) -> ReportData:
    """Read a row for each player, kind of money and currency with money or movement."""
    return ReportData(
        [(scope.money_type_label(money_type), *rest) for money_type, *rest in fetch(_READ, scope.values())]
    )


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
        amount("to_games", "To games"),
        amount("from_games", "From games"),
        amount("adjustments", "Adjustments"),
        amount("sandbox_credits", "Credits"),
        amount("debts_paid", "Debts paid"),
        amount("voids", "Voids"),
        amount("other", "Other"),
        amount("closing", "Closing"),
        amount("wagered", "Wagered"),
        amount("paid_by_games", "Paid by games"),
        amount("games", "At games"),
        amount("held", "Held"),
        amount("debt", "Debt"),
        count("active", "Active"),
    ),
    read=read,
)
