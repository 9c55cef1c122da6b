"""Which reports wait to be made: found by query, so that days without a worker are made up for."""

import logging
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from casino.events.sql import fetch
from casino.reports import registry
from casino.reports.generation import SYSTEM, generate_report
from casino.reports.intervals import Interval, ReportPeriod, day_of, period_interval

logger = logging.getLogger(__name__)

BATCH_LIMIT: Final = 20
"""Reports made by one wake-up."""
SCAN_LIMIT: Final = 500
"""Reports that one wake-up may try: those that can't be made hold up no others."""

LOOKBACK_DAYS: Final = 400
"""Days that are looked back: a good year."""
_NOW: Final = """
    SELECT clock_timestamp() - interval '1 hour', coalesce(array_agg(DISTINCT time_zone), '{}') FROM operators_operator
"""
_DUE: Final = """
    SELECT operator.id, operator.time_zone, named.name, spans.period, spans.day
      FROM operators_operator operator
      JOIN unnest(%s::text[], %s::text[], %s::date[], %s::timestamptz[], %s::timestamptz[])
           AS spans (zone, period, day, since, until)
        ON spans.zone = operator.time_zone AND spans.until > operator.created_at
     CROSS JOIN unnest(%s::text[]) WITH ORDINALITY AS named (name, place)
     WHERE NOT EXISTS (
           SELECT FROM reports_report made
            WHERE made.operator_id = operator.id AND made.name = named.name AND made.period = spans.period
              AND made.since = spans.since)
     ORDER BY spans.day, spans.period, operator.id, named.place
     LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class DueReport:
    """A report that was not made yet."""

    operator: UUID
    zone: str
    name: str
    period: ReportPeriod
    day: date


def list_due_reports(*, limit: int) -> list[DueReport]:
    """List reports that wait to be made, the oldest first: of days, and of months and years once their last
    day, that are over for an hour where the operator counts its days.
    """
    ((now, zones),) = fetch(_NOW)
    spans = [(span.zone, span.period, day, span.since, span.until) for zone in zones for day, span in _over(now, zone)]
    columns: list[Any] = [list(column) for column in zip(*spans, strict=True)] or [[]] * 5
    rows = fetch(_DUE, [*columns, list(registry.report_definitions()), limit])
    return [DueReport(operator, zone, name, ReportPeriod(period), day) for operator, zone, name, period, day in rows]


def _over(now: datetime, zone: str) -> list[tuple[date, Interval]]:
    """What is over at a moment, by a day that lies in it.

    Midnight is worked out here alone, as reports do: servers have rules of time zones of their own, other ones at
    times, and read a midnight that comes twice otherwise. What they take for a day would never be found made.
    """
    days = [day_of(now, zone) - timedelta(days=back) for back in range(1, LOOKBACK_DAYS + 1)]
    firsts = {
        (period, _first(period, day))
        for day in days
        for period in (ReportPeriod.DAY, ReportPeriod.MONTH, ReportPeriod.YEAR)
    }
    found = [(day, period_interval(period, day=day, zone=zone)) for period, day in firsts]
    return [(day, span) for day, span in found if span.until <= now]


def _first(period: ReportPeriod, day: date) -> date:
    if period is ReportPeriod.DAY:
        return day
    return day.replace(day=1) if period is ReportPeriod.MONTH else day.replace(month=1, day=1)


def generate_due_reports(*, limit: int = BATCH_LIMIT) -> int:
    """Make up to `limit` reports that wait, each by itself, and return how many came out."""
    made = 0
    for each in list_due_reports(limit=SCAN_LIMIT):
        made += _try_to_make(each)
        if made == limit:
            break
    return made


def _try_to_make(which: DueReport) -> bool:
    try:
        interval = period_interval(which.period, day=which.day, zone=which.zone)
        generate_report(operator=which.operator, name=which.name, interval=interval, by=SYSTEM)
    except Exception:
        # One report that can't be made holds up no other; it stays due, and the log says why.
        logger.exception("The report %s of %s %s could not be made.", which.name, which.period, which.day)
        return False
    return True
