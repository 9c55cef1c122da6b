"""Significant events of an interval (GLI-19 2.9.5): time, type, who acted, who authorised it, and why."""

import json
from typing import Any, Final

from casino.crypto import crypto_shredding
from casino.events.sql import fetch
from casino.reports.definition import Column, ReportData, ReportDefinition, ReportScope, count, moment
from casino.significant.kinds import DESCRIPTIONS, INSTALLATION_WIDE, SignificantEventKind

_READ: Final = """
    SELECT event.at, event.number, event.kind, event.severity, event.subject, event.actor, event.authorised_by,
           event.reason, event.before::text, event.after::text, remark.at, coalesce(remark.by, '')
      FROM significant_significantevent event
      LEFT JOIN significant_note remark ON remark.event_id = event.id AND remark.acknowledges
     WHERE (event.operator_id = %(operator)s
            OR event.operator_id IS NULL AND event.kind = ANY (%(of_all)s)
               AND (NOT starts_with(event.subject, 'rules:') OR EXISTS (
                   SELECT FROM baccarat_rulesversion version
                    WHERE version.operator_id = %(operator)s AND event.subject = 'rules:' || version.label)))
       AND event.at >= %(since)s AND event.at < %(until)s
     ORDER BY event.number
"""


def read(asked: ReportScope) -> ReportData:
    """Return a row for each significant event, including who acknowledged it.

    Includes the operator's own events and those of the whole installation: its clock, its integrity, its outages, and
    stops that affected the operator's tables (NJ 13:69O-3.1(b)).
    """
    return ReportData(
        [_shown(*row) for row in fetch(_READ, {**asked.values(), "of_all": sorted(INSTALLATION_WIDE)})], figures=()
    )


def _shown(at: Any, number: int, kind: str, *rest: Any) -> tuple[Any, ...]:
    known = {each.value for each in SignificantEventKind}
    words = DESCRIPTIONS[SignificantEventKind(kind)] if kind in known else None
    severity, subject, actor, authorised, reason, before, after, acknowledged, by = rest
    return (
        at, number, kind if words is None else words.title, "" if words is None else words.component, severity, subject,
        actor, authorised, crypto_shredding.redact(reason), _flat(before), _flat(after), acknowledged, by,
    )  # fmt: skip


def _flat(value: str | None) -> str:
    return "" if value is None else json.dumps(json.loads(value), sort_keys=True, ensure_ascii=False)


SIGNIFICANT: Final = ReportDefinition(
    name="significant",
    title="Significant events",
    description="Significant events of the interval, those of the whole installation among them, and who has "
    "acknowledged them so far.",
    columns=(
        moment("at", "At"),
        count("number", "No.", sums=False),
        Column("event", "Event"),
        Column("component", "Component"),
        Column("severity", "Severity"),
        Column("subject", "About"),
        Column("actor", "By"),
        Column("authorised_by", "Authorised by"),
        Column("reason", "Reason"),
        Column("before", "Before"),
        Column("after", "After"),
        moment("acknowledged_at", "Acknowledged"),
        Column("acknowledged_by", "Acknowledged by"),
    ),
    read=read,
    repeatable=False,
)
