"""Generate the reports of days, months and years that are over. A query finds them, so none is missed."""

import logging
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from casino.events.sql import fetch
from casino.reports.definition import report_definitions
from casino.reports.generation import SYSTEM, generate_report
from casino.reports.intervals import Interval, ReportPeriod, day_of, period_interval

logger = logging.getLogger(__name__)

BATCH_LIMIT: Final = 20
"""Maximum reports generated in one run."""
SCAN_LIMIT: Final = 500
"""Maximum reports tried in one run: those that fail do not block the others."""
LOOKBACK_DAYS: Final = 400
"""Days before today that are checked for missing reports: a little over a year."""

_NOW: Final = """
    SELECT clock_timestamp() - interval '1 hour', coalesce(array_agg(DISTINCT time_zone), '{}') FROM operators_operator
"""
_DUE: Final = """
    SELECT operator.id, operator.time_zone, definition.name, spans.period, spans.day
      FROM operators_operator operator
      JOIN unnest(%s::text[], %s::text[], %s::date[], %s::timestamptz[], %s::timestamptz[])
           AS spans (zone, period, day, since, until)
        ON spans.zone = operator.time_zone AND spans.until > operator.created_at
     CROSS JOIN unnest(%s::text[]) WITH ORDINALITY AS definition (name, number)
     WHERE NOT EXISTS (
           SELECT FROM reports_report report
            WHERE report.operator_id = operator.id AND report.name = definition.name AND report.period = spans.period
              AND report.since = spans.since AND report.generated_at >= report.until)  -- not while it was going on
     ORDER BY spans.day, spans.period, operator.id, definition.number
     LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class DueReport:
    """A report that has not been generated yet, of the period that contains `day`."""

    operator: UUID
    zone: str
    name: str
    period: ReportPeriod
    day: date


def list_due_reports(*, limit: int) -> list[DueReport]:
    """List missing reports, oldest first, of days, months and years that ended an hour ago in the operator's zone."""
    ((now, zones),) = fetch(_NOW)
    spans = [
        (interval.zone, interval.period, day, interval.since, interval.until)
        for zone in zones
        for day, interval in _finished_intervals(now, zone)
    ]
    columns: list[Any] = [list(column) for column in zip(*spans, strict=True)] or [[]] * 5
    rows = fetch(_DUE, [*columns, list(report_definitions()), limit])
    return [DueReport(operator, zone, name, ReportPeriod(period), day) for operator, zone, name, period, day in rows]


def _finished_intervals(now: datetime, zone: str) -> list[tuple[date, Interval]]:
    """List the intervals that are over, each with a day in it.

    Midnights are computed in Python, as for the reports themselves. PostgreSQL has its own time zone data, which may
    differ and resolves a midnight that occurs twice differently, so a report would never match its day.
    """
    days = [day_of(now, zone) - timedelta(days=back) for back in range(1, LOOKBACK_DAYS + 1)]
    first_days = {
        (period, _first_day(period, day))
        for day in days
        for period in (ReportPeriod.DAY, ReportPeriod.MONTH, ReportPeriod.YEAR)
    }
    intervals = [(day, period_interval(period, day=day, zone=zone)) for period, day in first_days]
    return [(day, interval) for day, interval in intervals if interval.until <= now]


def _first_day(period: ReportPeriod, day: date) -> date:
    if period is ReportPeriod.DAY:
        return day
    return day.replace(day=1) if period is ReportPeriod.MONTH else day.replace(month=1, day=1)


def generate_due_reports(*, limit: int = BATCH_LIMIT) -> int:
    """Generate up to `limit` missing reports, each in its own transaction, and return how many succeeded."""
    generated = 0
    for due in list_due_reports(limit=SCAN_LIMIT):
        generated += _try_generate(due)
        if generated == limit:
            break
    return generated


def _try_generate(due: DueReport) -> bool:
    try:
        interval = period_interval(due.period, day=due.day, zone=due.zone)
        generate_report(operator=due.operator, name=due.name, interval=interval, by=SYSTEM)
    except Exception:
        # A report that fails stays due and does not block the others.
        logger.exception("The report %s of %s %s could not be generated.", due.name, due.period, due.day)
        return False
    return True
