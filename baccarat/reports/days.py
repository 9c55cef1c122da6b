"""Figures of recent days for plots: completed days from their reports, today from the play so far."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, Final
from uuid import UUID

from baccarat.reports import today as day_so_far
from baccarat.reports.band import Z_99_PERCENT, root
from baccarat.reports.today import TodayFigures
from casino.events.sql import fetch

DAYS_BACK: Final = 30
"""Number of days to look back, including today."""

_OVER: Final = """
    WITH latest AS (
        SELECT DISTINCT ON (operator_id, name, since) label, figures
          FROM reports_report
         WHERE period = 'day' AND name IN ('revenue', 'accounts', 'performance')
           AND since >= clock_timestamp() - %(back)s * interval '1 day'
           AND (%(operators)s::uuid[] IS NULL OR operator_id = ANY (%(operators)s::uuid[]))
         ORDER BY operator_id, name, since, version DESC)
    SELECT latest.label, told.money_type, told.currency, coalesce(sum(told.ggr), 0)::bigint,
           coalesce(sum(told.rounds), 0)::bigint, coalesce(sum(told.active), 0)::bigint,
           coalesce(sum(told.handle) FILTER (WHERE told.expected IS NOT NULL), 0)::bigint,
           coalesce(sum(told.returned), 0)::bigint, coalesce(sum(told.expected), 0)::bigint,
           coalesce(sum(told.variance), 0)::text
      FROM latest
     CROSS JOIN LATERAL jsonb_to_recordset(latest.figures)
           AS told (money_type text, currency text, ggr bigint, rounds bigint, active bigint, handle bigint,
                    returned bigint, expected bigint, variance numeric)
     GROUP BY latest.label, told.money_type, told.currency
"""


@dataclass(frozen=True, slots=True)
class DayFigures:
    """One day of one money type and currency, in minor units."""

    label: str
    ggr: int
    rounds: int
    players: int
    handle: int
    returned: int
    expected: int | None = None
    variance: Fraction = Fraction(0)

    @property
    def actual(self) -> Fraction | None:
        """Return the actual return per unit staked."""
        return Fraction(self.returned, self.handle) if self.handle else None

    @property
    def bounds(self) -> tuple[Fraction, Fraction] | None:
        """Return the band that contains 99 of 100 such days."""
        if self.expected is None or not self.handle:
            return None
        middle, reach = Fraction(self.expected, self.handle), Z_99_PERCENT * root(self.variance) / self.handle
        return middle - reach, middle + reach


@dataclass(frozen=True, slots=True)
class PlayHistory:
    """The last DAYS_BACK days of one money type and currency that has any play, oldest first, including days without
    play.
    """

    money_type: str
    currency: str
    days: tuple[DayFigures, ...]

    @property
    def handle(self) -> int:
        """Return the total staked."""
        return sum(day.handle for day in self.days)


def recent_days(operators: Collection[UUID] | None, *, today: bool = True) -> list[PlayHistory]:
    """Return recent days of these operators (None: all), by money type and currency, most staked first.

    Without `today`, only completed days are read: summing a busy day takes as long as there is play in it.
    """
    asked: dict[str, Any] = {"operators": None if operators is None else list(operators), "back": DAYS_BACK}
    found: dict[tuple[str, str], dict[str, DayFigures]] = {}
    for label, money_type, currency, ggr, rounds, players, handle, returned, expected, spread in fetch(_OVER, asked):
        day = DayFigures(label, ggr, rounds, players, handle, returned, expected, Fraction(spread))
        found.setdefault((money_type, currency), {})[label] = day
    for (label, money_type, currency), so_far in (day_so_far.read(asked) if today else {}).items():
        found.setdefault((money_type, currency), {})[label] = _day(label, so_far)
    played = [
        PlayHistory(money_type, currency, _without_gaps(days))
        for (money_type, currency), days in sorted(found.items())
        if any(map(_any, days.values()))
    ]
    return sorted(played, key=lambda each: -each.handle)


def _without_gaps(days: Mapping[str, DayFigures]) -> tuple[DayFigures, ...]:
    """Return DAYS_BACK days up to the last known one, filling days without play with zeros."""
    last_day = date.fromisoformat(max(days))
    labels = [(last_day - timedelta(days=back)).isoformat() for back in reversed(range(DAYS_BACK))]
    return tuple(days.get(label) or DayFigures(label, 0, 0, 0, 0, 0) for label in labels)


def _day(label: str, so_far: TodayFigures) -> DayFigures:
    expected = round(so_far.expected)
    return DayFigures(
        label, so_far.ggr, so_far.rounds, so_far.players, so_far.handle, so_far.returned, expected, so_far.variance
    )


def _any(day: DayFigures) -> bool:
    return bool(day.rounds or day.players or day.ggr)
