"""Revenue by brand of the players: what `revenue` adds up by table, voids deducted.

Players of the operator itself, also when they play under a brand that shares them, are one line.
"""

from typing import Final

from baccarat.reports.play_facts import ROUND_ID_SQL
from casino.reports.definition import CURRENCY, MONEY_TYPE, Column, ReportDefinition, amount, integer, rows_of
from wallet.reports import SEALED_ENTRIES_CTE

_READ: Final = f"""
    WITH {SEALED_ENTRIES_CTE}, moved AS (
        SELECT wager.player, wager.money_type, round.currency, 1 AS wagers, wager.staked AS handle,
               wager.returned + CASE WHEN wager.deferred THEN 0 ELSE wager.commission END AS payouts,
               wager.commission AS earned, 0 AS forgiven
          FROM facts
          JOIN events_event event ON event.id = facts.cause
          JOIN baccarat_round round ON round.id = {ROUND_ID_SQL}
         CROSS JOIN LATERAL json_to_recordset(event.data->'wagers') AS wager (
               player uuid, money_type text, staked bigint, returned bigint, commission bigint, deferred boolean)
         WHERE facts.kind = 'settlement' AND round.operator_id = %(operator)s
         UNION ALL
        SELECT seat.player, seat.money_type, round.currency, -1, -seat.staked, -seat.paid - seat.commission,
               -seat.commission, seat.forgiven
          FROM facts
          JOIN events_event event ON event.id = facts.cause
          JOIN baccarat_round round ON round.id = {ROUND_ID_SQL}
         CROSS JOIN LATERAL json_to_recordset(event.data->'seats') AS seat (
               player uuid, money_type text, staked bigint, paid bigint, commission bigint, forgiven bigint)
         WHERE facts.kind = 'void' AND (event.data->>'was_settled')::boolean AND round.operator_id = %(operator)s)
    SELECT moved.money_type, moved.currency, coalesce(brand.slug, ''), coalesce(brand.name, 'No brand'),
           count(DISTINCT moved.player), sum(wagers)::bigint, sum(handle)::bigint, sum(payouts)::bigint,
           sum(earned)::bigint, sum(forgiven)::bigint, sum(handle - payouts + earned - forgiven)::bigint
      FROM moved
      LEFT JOIN operators_player player ON player.id = moved.player
      LEFT JOIN operators_brand brand ON brand.id = player.brand_id
     GROUP BY moved.money_type, moved.currency, brand.id
     ORDER BY moved.money_type, moved.currency, brand.slug NULLS FIRST
"""  # noqa: S608  (the pieces are constants)

BRANDS: Final = ReportDefinition(
    name="brands",
    title="Revenue by brand",
    description="Wagers settled in the interval by the brand that the player belongs to, less those of voided rounds; "
    "payouts are returned stakes and wins before commission. GGR = handle - payouts + commission earned - forgiven. "
    "A brand that shares the operator's players has none of its own: they are in the line without a brand.",
    columns=(
        MONEY_TYPE,
        CURRENCY,
        Column("brand", "Brand"),
        Column("brand_name", "Name"),
        integer("players", "Players", summed=False),
        integer("wagers", "Wagers"),
        amount("handle", "Handle"),
        amount("payouts", "Payouts"),
        amount("commission_earned", "Commission earned"),
        amount("forgiven", "Forgiven"),
        amount("ggr", "GGR"),
    ),
    read=rows_of(_READ),
)
