"""Significant events of an interval (GLI-19 2.9.5): time, type, who acted, who authorised it, and why."""

import json
from typing import Any, Final

from casino.crypto import crypto_shredding
from casino.events.sql import fetch
from casino.reports.definition import Column, ReportData, ReportDefinition, ReportScope, integer, timestamp
from casino.significant.recorder import DESCRIPTIONS, INSTALLATION_WIDE, SignificantEventKind

_READ: Final = """
    SELECT event.at, event.number, event.kind, event.severity, event.subject, event.actor, event.authorised_by,
           event.reason, event.before::text, event.after::text, note.at, coalesce(note.by, '')
      FROM significant_significantevent event
      LEFT JOIN significant_note note ON note.event_id = event.id AND note.acknowledges
     WHERE (event.operator_id = %(operator)s
            OR event.operator_id IS NULL AND event.kind = ANY (%(installation_wide)s)
               AND (NOT starts_with(event.subject, 'rules:') OR EXISTS (
                   SELECT FROM baccarat_rulesversion version
                    WHERE version.operator_id = %(operator)s AND event.subject = 'rules:' || version.digest)))
       AND event.at >= %(since)s AND event.at < %(until)s
     ORDER BY event.number
"""


def read(scope: ReportScope) -> ReportData:
    """Return a row for each significant event, including who acknowledged it.

    Includes the operator's own events and those of the whole installation: its clock, its integrity, its outages, and
    stops that affected the operator's tables (NJ 13:69O-3.1(b)).
    """
    return ReportData(
        [_row(*row) for row in fetch(_READ, {**scope.values(), "installation_wide": sorted(INSTALLATION_WIDE)})],
        figures=(),
    )


def _row(at: Any, number: int, kind: str, *rest: Any) -> tuple[Any, ...]:
    description = DESCRIPTIONS[SignificantEventKind(kind)] if kind in set(SignificantEventKind) else None
    severity, subject, actor, authorised, reason, before, after, acknowledged, by = rest
    return (
        at, number, kind if description is None else description.title,
        "" if description is None else description.component, severity, subject,
        actor, authorised, crypto_shredding.redact(reason), _sorted_json(before), _sorted_json(after), acknowledged, by,
    )  # fmt: skip


def _sorted_json(value: str | None) -> str:
    return "" if value is None else json.dumps(json.loads(value), sort_keys=True, ensure_ascii=False)


SIGNIFICANT: Final = ReportDefinition(
    name="significant_events",
    title="Significant events",
    description="Significant events of the interval, including those of the whole installation, and who has "
    "acknowledged them so far.",
    columns=(
        timestamp("at", "At"),
        integer("number", "No.", summed=False),
        Column("event", "Event"),
        Column("component", "Component"),
        Column("severity", "Severity"),
        Column("subject", "About"),
        Column("actor", "By"),
        Column("authorised_by", "Authorised by"),
        Column("reason", "Reason"),
        Column("before", "Before"),
        Column("after", "After"),
        timestamp("acknowledged_at", "Acknowledged"),
        Column("acknowledged_by", "Acknowledged by"),
    ),
    read=read,
    repeatable=False,
)
