"""Voided rounds: who requested and approved each void, why, and what was undone."""

from typing import Final

from baccarat.storage import own_rounds
from casino.reports.definition import (
    CURRENCY,
    MONEY_TYPE,
    Column,
    ReportDefinition,
    amount,
    boolean,
    integer,
    rows_of,
    timestamp,
)

# By the event's own time: voiding a round without wagers makes no entry.
_READ: Final = f"""
    SELECT coalesce(seat.money_type, ''), round.currency, coalesce(entry.recorded_at, event.recorded_at) AS at,
           round.id, round.number, round.table_id, tables.name, event.data->>'reason', event.data->>'requested_by',
           coalesce(event.data->>'approved_by', ''), (event.data->>'was_settled')::boolean,
           count(seat.money_type)::bigint, coalesce(sum(seat.staked), 0)::bigint,
           coalesce(sum(seat.returned), 0)::bigint, coalesce(sum(seat.commission), 0)::bigint,
           coalesce(sum(seat.owed), 0)::bigint, coalesce(sum(seat.forgiven), 0)::bigint
      FROM (SELECT * FROM baccarat_round WHERE {own_rounds.VOIDED}) round
      JOIN events_event event ON event.stream = 'round-' || round.id
      JOIN events_seal seal ON seal.event_id = event.id AND seal.position <= %(position)s
      JOIN baccarat_table tables ON tables.id = round.table_id
      LEFT JOIN wallet_entry entry ON entry.cause = event.id
      LEFT JOIN LATERAL json_to_recordset(event.data->'seats')
           AS seat (money_type text, staked bigint, returned bigint, commission bigint, owed bigint, forgiven bigint)
           ON true
     WHERE event.type = 'RoundVoided'
       AND event.recorded_at >= %(since)s::timestamptz - interval '10 minutes' AND event.recorded_at < %(until)s
       AND coalesce(entry.recorded_at, event.recorded_at) >= %(since)s
       AND coalesce(entry.recorded_at, event.recorded_at) < %(until)s
     GROUP BY event.id, event.recorded_at, event.data->>'reason', event.data->>'requested_by',
              event.data->>'approved_by', event.data->>'was_settled', entry.recorded_at, round.id, round.number,
              round.table_id, round.currency, tables.name, seat.money_type
     ORDER BY event.id, seat.money_type
"""  # noqa: S608  (a constant)


VOIDS: Final = ReportDefinition(
    name="voids",
    title="Voided rounds",
    description="Rounds voided in the interval. Returned is what settled wagers had returned to players and "
    "was taken back; players owe the part that they no longer had, unless the house forgave it.",
    columns=(
        MONEY_TYPE,
        CURRENCY,
        timestamp("at", "At"),
        Column("round", "Round"),
        integer("number", "No.", summed=False),
        Column("table", "Table"),
        Column("table_name", "Name"),
        Column("reason", "Reason"),
        Column("requested_by", "Requested by"),
        Column("approved_by", "Approved by"),
        boolean("was_settled", "Was settled"),
        integer("wagers", "Wagers"),
        amount("staked", "Staked"),
        amount("returned", "Returned"),
        amount("commission", "Commission"),
        amount("owed", "Owed"),
        amount("forgiven", "Forgiven"),
    ),
    read=rows_of(_READ),
    key_columns=("round", "table", "at", "staked", "returned"),
)
