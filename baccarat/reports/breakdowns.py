"""Revenue by player, by hour and by brand of the players: what `revenue` adds up by table, voids deducted.

In the report by brand, players of the operator itself are one line, also when they play under a brand that shares them.
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
    timestamp,
)
from wallet.reports import SEALED_ENTRIES_CTE

_MOVED: Final = f"""
    WITH {SEALED_ENTRIES_CTE}, moved AS (
        SELECT facts.recorded_at, wager.player, wager.money_type, round.currency, 1 AS wagers, wager.staked AS handle,
               wager.returned, wager.commission, 0 AS forgiven
          FROM facts
          JOIN events_event event ON event.id = facts.cause
          JOIN baccarat_round round ON round.id = {ROUND_ID_SQL}
         CROSS JOIN LATERAL json_to_recordset(event.data->'wagers') AS wager (
               player uuid, money_type text, staked bigint, returned bigint, commission bigint)
         WHERE facts.kind = 'settlement' AND round.operator_id = %(operator)s
         UNION ALL
        SELECT facts.recorded_at, seat.player, seat.money_type, round.currency, -1, -seat.staked,
               -seat.returned, -seat.commission, seat.forgiven
          FROM facts
          JOIN events_event event ON event.id = facts.cause
          JOIN baccarat_round round ON round.id = {ROUND_ID_SQL}
         CROSS JOIN LATERAL json_to_recordset(event.data->'seats') AS seat (
               player uuid, money_type text, staked bigint, returned bigint, commission bigint, forgiven bigint)
         WHERE facts.kind = 'void' AND (event.data->>'was_settled')::boolean AND round.operator_id = %(operator)s)
"""  # noqa: S608  (the pieces are constants)
_SUMS: Final = """
           sum(wagers)::bigint, sum(handle)::bigint, sum(returned)::bigint, sum(commission)::bigint,
           sum(forgiven)::bigint, sum(handle - returned - forgiven)::bigint
"""
_SUM_COLUMNS: Final = (
    integer("wagers", "Wagers"),
    amount("handle", "Handle"),
    amount("returned", "Returned"),
    amount("commission", "Commission"),
    amount("forgiven", "Forgiven"),
    amount("ggr", "GGR"),
)
_MEANING: Final = (
    "less those of voided rounds; returned are stakes and wins, net of commission. GGR = handle - returned - forgiven."
)
_BRANDS: Final = f"""{_MOVED}
    SELECT moved.money_type, moved.currency, coalesce(brand.slug, ''), coalesce(brand.name, 'No brand'),
           count(DISTINCT moved.player), {_SUMS}
      FROM moved
      LEFT JOIN operators_player player ON player.id = moved.player
      LEFT JOIN operators_brand brand ON brand.id = player.brand_id
     GROUP BY moved.money_type, moved.currency, brand.id
     ORDER BY moved.money_type, moved.currency, brand.slug NULLS FIRST
"""  # noqa: S608  (the pieces are constants)
_PLAYERS: Final = f"""{_MOVED}
    SELECT money_type, currency, player, {_SUMS}
      FROM moved GROUP BY money_type, currency, player
     ORDER BY money_type, currency, sum(handle - returned - forgiven), player
"""  # noqa: S608  (the pieces are constants)
_HOURS: Final = f"""{_MOVED}
    SELECT money_type, currency, date_trunc('hour', recorded_at, 'UTC') AS hour, count(DISTINCT player), {_SUMS}
      FROM moved GROUP BY money_type, currency, hour ORDER BY money_type, currency, hour
"""  # noqa: S608  (the pieces are constants)

BRANDS: Final = ReportDefinition(
    name="brands",
    title="Revenue by brand",
    description=f"Wagers settled in the interval by the brand that the player belongs to, {_MEANING} A brand that "
    "shares the operator's players has none of its own: they are in the line without a brand.",
    columns=(
        MONEY_TYPE,
        CURRENCY,
        Column("brand", "Brand"),
        Column("brand_name", "Name"),
        integer("players", "Players", summed=False),
        *_SUM_COLUMNS,
    ),
    read=rows_of(_BRANDS),
    key_columns=("brand", "ggr", "handle", "wagers", "players"),
)
PLAYERS: Final = ReportDefinition(
    name="players",
    title="Revenue by player",
    description=f"Wagers settled in the interval, {_MEANING} The players who won most come first.",
    columns=(MONEY_TYPE, CURRENCY, Column("player", "Player"), *_SUM_COLUMNS),
    read=rows_of(_PLAYERS),
    key_columns=("player", "ggr", "handle", "wagers"),
)
HOURS: Final = ReportDefinition(
    name="hours",
    title="Revenue by hour",
    description=f"Wagers by the hour, in UTC, in which they were settled, {_MEANING} A void counts when it happens.",
    columns=(
        MONEY_TYPE,
        CURRENCY,
        timestamp("hour", "Hour"),
        integer("players", "Players", summed=False),
        *_SUM_COLUMNS,
    ),
    read=rows_of(_HOURS),
    key_columns=("hour", "ggr", "handle", "wagers", "players"),
)
