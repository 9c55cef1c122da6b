"""Corrections by hand that moved money: one asked, another agreed, and why."""

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
    moment,
)
from wallet.reports.facts import SEALED_ENTRIES_CTE

_READ: Final = f"""
    WITH {SEALED_ENTRIES_CTE}
    SELECT event.data->>'money_type', event.data->>'currency', facts.recorded_at, (event.data->>'adjustment')::uuid,
           (event.data->>'player')::uuid, event.data->>'direction', coalesce(asked.reason, ''),
           (CASE event.data->>'direction' WHEN 'credit' THEN 1 ELSE -1 END * (event.data->>'amount')::bigint)::bigint,
           CASE event.data->>'direction' WHEN 'credit' THEN 0 ELSE (event.data->>'taken')::bigint END,
           CASE event.data->>'direction' WHEN 'credit' THEN 0 ELSE (event.data->>'owed')::bigint END,
           coalesce(asked.requested_by, ''), event.data->>'approved_by'
      FROM facts
      JOIN events_event event ON event.id = facts.cause
      LEFT JOIN wallet_adjustment asked ON asked.id = (event.data->>'adjustment')::uuid
     WHERE facts.kind IN ('adjustment_credit', 'adjustment_debit')
       AND event.data->>'operator' = %(operator)s::text
     ORDER BY facts.id
"""  # noqa: S608  (the pieces are constants)


def read(asked: ReportScope) -> ReportData:
    """Read a row for each adjustment that was agreed to."""
    return ReportData(
        [(asked.money_type_label(money_type), *rest) for money_type, *rest in fetch(_READ, asked.values())]
    )


ADJUSTMENTS: Final = ReportDefinition(
    name="adjustments",
    title="Account adjustments",
    about="Corrections that moved money. Of a debit, what was there was taken and the rest is a debt.",
    columns=(
        MONEY_TYPE,
        CURRENCY,
        moment("at", "At"),
        Column("adjustment", "Adjustment"),
        Column("player", "Player"),
        Column("direction", "Direction"),
        Column("reason", "Reason"),
        amount("amount", "Amount"),
        amount("taken", "Taken"),
        amount("owed", "Owed"),
        Column("requested_by", "Asked by"),
        Column("approved_by", "Agreed by"),
    ),
    read=read,
)
