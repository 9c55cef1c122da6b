"""Which reports wait to be made: found by query, so that days without a worker are made up for."""

import logging
from dataclasses import dataclass
from datetime import date
from typing import Final
from uuid import UUID

from casino.events.rows import fetch
from casino.reports import catalogue
from casino.reports.intervals import Period, of_period
from casino.reports.making import SYSTEM, make

logger = logging.getLogger(__name__)

MOST: Final = 20
"""Reports made by one wake-up."""
LOOKED_AT: Final = 500
"""Reports that one wake-up may try: those that can't be made hold up no others."""

# Days, and months and years once their last day, that are over for an hour where the operator counts its days, back to
# its first one but not further than a good year.
_DUE: Final = """
    SELECT operator.id, operator.time_zone, named.name, spans.period, spans.day
      FROM operators_operator operator
     CROSS JOIN LATERAL (
           SELECT ((clock_timestamp() - interval '1 hour') AT TIME ZONE operator.time_zone)::date - 1 AS yesterday,
                  (operator.created_at AT TIME ZONE operator.time_zone)::date AS first) known
     CROSS JOIN LATERAL (
           SELECT 'day' AS period, day::date
             FROM generate_series(greatest(known.first, known.yesterday - 400), known.yesterday, '1 day') AS day
            UNION ALL
           SELECT 'month', day::date
             FROM generate_series(date_trunc('month', greatest(known.first, known.yesterday - 400)::timestamp),
                                  known.yesterday, '1 month') AS day
            WHERE day + interval '1 month' <= known.yesterday + 1
            UNION ALL
           SELECT 'year', day::date
             FROM generate_series(date_trunc('year', greatest(known.first, known.yesterday - 400)::timestamp),
                                  known.yesterday, '1 year') AS day
            WHERE day + interval '1 year' <= known.yesterday + 1) spans
     CROSS JOIN unnest(%s::text[]) WITH ORDINALITY AS named (name, place)
     WHERE NOT EXISTS (
           SELECT FROM reports_report made
            WHERE made.operator_id = operator.id AND made.name = named.name AND made.period = spans.period
              AND made.since = spans.day::timestamp AT TIME ZONE operator.time_zone)
     ORDER BY spans.day, spans.period, operator.id, named.place
     LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class Due:
    """A report that was not made yet."""

    operator: UUID
    zone: str
    name: str
    period: Period
    day: date


def due(*, limit: int) -> list[Due]:
    """This will list reports that wait to be made, the oldest first."""
    rows = fetch(_DUE, [list(catalogue.definitions()), limit])
    return [Due(operator, zone, name, Period(period), day) for operator, zone, name, period, day in rows]


def make_due(*, limit: int = MOST) -> int:
    """This will make up to `limit` reports that wait, each by itself, and return how many came out."""
    made = 0
    for each in due(limit=LOOKED_AT):
        made += _try_to_make(each)
        if made == limit:
            break
    return made


def _try_to_make(which: Due) -> bool:
    try:
        interval = of_period(which.period, day=which.day, zone=which.zone)
        make(operator=which.operator, name=which.name, interval=interval, by=SYSTEM)
    except Exception:
        # One report that can't be made holds up no other; it stays due, and the log says why.
        logger.exception("The report %s of %s %s could not be made.", which.name, which.period, which.day)
        return False
    return True
