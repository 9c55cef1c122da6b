"""Player funds that an operator owes at the end of an interval (GLI-19 2.9.3), by where they are held."""

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


def read(scope: ReportScope) -> ReportData:
    """Read a row for each kind of money and currency."""
    return ReportData(
        [(scope.money_type_label(money_type), *rest) for money_type, *rest in fetch(_READ, scope.values())]
    )


LIABILITY: Final = ReportDefinition(
    name="liability",
    title="Operator liability",
    description="Player funds at the end of the interval: on accounts, at tables, in wagers of rounds in play, and in "
    "withdrawals not yet paid. Commission held in racks belongs to the operator; debts are owed by players.",
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
