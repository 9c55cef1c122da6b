"""Revenue: what settled rounds staked and returned, what voids took back, and what the house keeps.

GGR = handle - returned, both net of voids, less winnings that the house forgave. It equals the
movements of the tables' banks, commissions and racks exactly. A void counts when it happens.
"""

from typing import Final

from baccarat.reports.play_facts import ROUND_ID_SQL
from casino.reports.definition import (
    CURRENCY,
    MONEY_TYPE,
    Column,
    ReportDefinition,
    amount,
    integer,
    rows_of,
)
from wallet.reports import SEALED_ENTRIES_CTE

_READ: Final = f"""
    WITH {SEALED_ENTRIES_CTE}, settled AS (
        SELECT round.table_id, wager.money_type, round.currency,
               count(DISTINCT round.id) AS rounds, count(*) AS wagers, sum(wager.staked) AS handle,
               sum(wager.returned) AS returned,
               sum(wager.commission) AS earned
          FROM facts
          JOIN events_event event ON event.id = facts.cause
          JOIN baccarat_round round ON round.id = {ROUND_ID_SQL}
         CROSS JOIN LATERAL json_to_recordset(event.data->'wagers')
               AS wager (money_type text, staked bigint, returned bigint, commission bigint)
         WHERE facts.kind = 'settlement' AND round.operator_id = %(operator)s
         GROUP BY round.table_id, wager.money_type, round.currency
    ), undone AS (
        SELECT round.table_id, seat.money_type, round.currency, count(DISTINCT round.id) AS rounds,
               coalesce(sum(seat.staked) FILTER (WHERE was_settled), 0) AS handle,
               coalesce(sum(seat.returned) FILTER (WHERE was_settled), 0) AS returned,
               coalesce(sum(seat.commission) FILTER (WHERE was_settled), 0) AS earned,
               coalesce(sum(seat.staked) FILTER (WHERE NOT was_settled), 0) AS given_back,
               sum(seat.forgiven) AS forgiven
          FROM facts
          JOIN events_event event ON event.id = facts.cause
          JOIN baccarat_round round ON round.id = {ROUND_ID_SQL}
         CROSS JOIN LATERAL (SELECT (event.data->>'was_settled')::boolean AS was_settled) void
         CROSS JOIN LATERAL json_to_recordset(event.data->'seats')
               AS seat (money_type text, staked bigint, returned bigint, commission bigint, forgiven bigint)
         WHERE facts.kind = 'void' AND round.operator_id = %(operator)s
         GROUP BY round.table_id, seat.money_type, round.currency
    ), held AS (
        SELECT account.table_id, account.money_type, account.currency,
               coalesce(sum(posting.amount) FILTER (WHERE account.kind = 'commission'), 0) AS collected,
               coalesce(sum(posting.amount) FILTER (WHERE account.kind = 'rack'), 0) AS racked
          FROM facts
          JOIN wallet_posting posting ON posting.entry_id = facts.cause
          JOIN wallet_account account ON account.id = posting.account_id
         WHERE account.operator_id = %(operator)s AND account.kind IN ('commission', 'rack')
         GROUP BY account.table_id, account.money_type, account.currency)
    SELECT money_type, currency, table_id, tables.name, tables.preset,
           coalesce(settled.rounds, 0)::bigint, coalesce(settled.wagers, 0)::bigint,
           (coalesce(settled.handle, 0) - coalesce(undone.handle, 0))::bigint,
           (coalesce(settled.returned, 0) - coalesce(undone.returned, 0))::bigint,
           (coalesce(settled.earned, 0) - coalesce(undone.earned, 0))::bigint, coalesce(undone.rounds, 0)::bigint,
           coalesce(undone.handle, 0)::bigint, coalesce(undone.returned, 0)::bigint, coalesce(undone.earned, 0)::bigint,
           coalesce(undone.given_back, 0)::bigint, coalesce(undone.forgiven, 0)::bigint,
           (coalesce(settled.handle - settled.returned, 0)
            - coalesce(undone.handle - undone.returned + undone.forgiven, 0))::bigint,
           coalesce(held.collected, 0)::bigint, coalesce(held.racked, 0)::bigint
      FROM settled
      FULL JOIN undone USING (table_id, money_type, currency)
      FULL JOIN held USING (table_id, money_type, currency)
      JOIN (SELECT id, name, preset FROM baccarat_table) tables ON tables.id = table_id
     ORDER BY money_type, currency, tables.name, table_id
"""  # noqa: S608  (the pieces are constants)


REVENUE: Final = ReportDefinition(
    name="revenue",
    title="Revenue",
    description="Rounds settled in the interval; returned are stakes and wins, net of commission. Handle, returned "
    "and commission are net of the interval's voids, which are shown beside them. GGR = handle - returned - forgiven; "
    "commission = collected + change in racks.",
    columns=(
        MONEY_TYPE,
        CURRENCY,
        Column("table", "Table"),
        Column("table_name", "Name"),
        Column("preset", "Preset"),
        integer("rounds", "Rounds"),
        integer("wagers", "Wagers"),
        amount("handle", "Handle"),
        amount("returned", "Returned"),
        amount("commission", "Commission"),
        integer("voided_rounds", "Voided rounds"),
        amount("voided_handle", "Voided handle"),
        amount("voided_returned", "Voided returned"),
        amount("voided_commission", "Voided commission"),
        amount("stakes_given_back", "Stakes given back"),
        amount("forgiven", "Forgiven"),
        amount("ggr", "GGR"),
        amount("commission_collected", "Commission collected"),
        amount("racks_changed", "Change in racks"),
    ),
    read=rows_of(_READ),
    key_columns=("table", "ggr", "handle", "rounds"),
)
