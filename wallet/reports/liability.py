"""What an operator owes its players when an interval ends (GLI-19 2.9.3), and where that money is."""

from typing import Final

from casino.events.sql import fetch
from casino.reports.definition import CURRENCY, MONEY_TYPE, ReportData, ReportDefinition, ReportScope, amount, count
from wallet.reports.facts import BALANCES_AT_END_CTE, LATER_POSTINGS_CTE

_READ: Final = f"""
    WITH {LATER_POSTINGS_CTE}, {BALANCES_AT_END_CTE}
    SELECT money_type, currency,
           count(DISTINCT player_id) FILTER (WHERE balance <> 0 AND kind IN ('account', 'game', 'hold'))::bigint,
           coalesce(sum(balance) FILTER (WHERE kind = 'account'), 0)::bigint,
           coalesce(sum(balance) FILTER (WHERE kind = 'game'), 0)::bigint,
           coalesce(sum(balance) FILTER (WHERE kind = 'stakes'), 0)::bigint,
           coalesce(sum(balance) FILTER (WHERE kind = 'hold'), 0)::bigint,
           coalesce(sum(balance) FILTER (WHERE kind IN ('account', 'game', 'stakes', 'hold')), 0)::bigint,
           coalesce(sum(balance) FILTER (WHERE kind = 'rack'), 0)::bigint,
           coalesce(-sum(balance) FILTER (WHERE kind = 'debt'), 0)::bigint
      FROM ended
     WHERE kind IN ('account', 'game', 'stakes', 'hold', 'rack', 'debt')
     GROUP BY money_type, currency
    HAVING bool_or(balance <> 0)
     ORDER BY money_type, currency
"""  # noqa: S608  (the pieces are constants)


def read(asked: ReportScope) -> ReportData:
    """Read a row for each kind of money and currency."""
    return ReportData(
        [(asked.money_type_label(money_type), *rest) for money_type, *rest in fetch(_READ, asked.values())]
    )


LIABILITY: Final = ReportDefinition(
    name="liability",
    title="Operator liability",
    about="What players own when the interval ends: on accounts and at tables, in wagers of rounds in play, and in "
    "withdrawals that are not paid yet. Commission held in racks is the house's, debts are the players'.",
    columns=(
        MONEY_TYPE,
        CURRENCY,
        count("players", "Players with funds"),
        amount("accounts", "Accounts"),
        amount("games", "Game balances"),
        amount("in_play", "In play"),
        amount("pending_withdrawals", "Pending withdrawals"),
        amount("owed", "Owed to players"),
        amount("racks", "Commission in racks"),
        amount("debts", "Players' debts"),
    ),
    read=read,
    as_of_end=True,
)
