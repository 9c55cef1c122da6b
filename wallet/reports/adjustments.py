"""Manual adjustments that moved money, with their reason, requester and approver."""

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
           (event.data->>'player')::uuid, event.data->>'direction', coalesce(adjustment.reason, ''),
           (CASE event.data->>'direction' WHEN 'credit' THEN 1 ELSE -1 END * (event.data->>'amount')::bigint)::bigint,
           CASE event.data->>'direction' WHEN 'credit' THEN 0 ELSE (event.data->>'taken')::bigint END,
           CASE event.data->>'direction' WHEN 'credit' THEN 0 ELSE (event.data->>'owed')::bigint END,
           coalesce(adjustment.requested_by, ''), event.data->>'approved_by'
      FROM facts
      JOIN events_event event ON event.id = facts.cause
      LEFT JOIN wallet_adjustment adjustment ON adjustment.id = (event.data->>'adjustment')::uuid
     WHERE facts.kind IN ('adjustment_credit', 'adjustment_debit')
       AND event.data->>'operator' = %(operator)s::text
     ORDER BY facts.id
"""  # noqa: S608  (the pieces are constants)


def read(scope: ReportScope) -> ReportData:
    """Read a row for each approved adjustment."""
    return ReportData(
        [(scope.money_type_label(money_type), *rest) for money_type, *rest in fetch(_READ, scope.values())]
    )


ADJUSTMENTS: Final = ReportDefinition(
    name="adjustments",
    title="Account adjustments",
    description="Manual corrections that moved money. A debit takes what the account holds; the rest becomes a debt.",
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
        Column("requested_by", "Requested by"),
        Column("approved_by", "Approved by"),
    ),
    read=read,
)
