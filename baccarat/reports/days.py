"""Figures of recent days for plots: completed days from their reports, today from the ledger and the wagers so far.

Today takes four statements, however much was played. It begins as in the reports of completed days. A voided round has
no return, as in the game performance report.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, Final
from uuid import UUID

from baccarat.domain.rules.table_rules import CommissionTiming, TableRules
from baccarat.domain.rules.wagers import Spot
from baccarat.reports.band import Z_99_PERCENT, expected_return_of_stake, root, variance
from baccarat.reports.play_facts import SPOT_PAIRS, SPOTS, load_rule_sets, symmetric_squares
from casino.events.ids import uuid7
from casino.events.sql import fetch
from casino.reports.intervals import ReportPeriod, day_of, period_interval

DAYS_BACK: Final = 30
"""Number of days to look back, including today."""
_MAX_ROUND_AGE: Final = timedelta(days=2)
"""A round settled today, in any time zone, was opened within this time."""
_ZONES: Final = """
    SELECT clock_timestamp(), coalesce(array_agg(DISTINCT time_zone), '{}') FROM operators_operator
     WHERE %(operators)s::uuid[] IS NULL OR id = ANY (%(operators)s::uuid[])
"""
_TODAY_CTE: Final = """
    days AS (
        SELECT operator.id, operator.sandbox, zone.day, zone.since
          FROM operators_operator operator
          JOIN unnest(%(zones)s::text[], %(days)s::date[], %(starts)s::timestamptz[]) AS zone (name, day, since)
            ON zone.name = operator.time_zone
         WHERE %(operators)s::uuid[] IS NULL OR operator.id = ANY (%(operators)s::uuid[]))
"""
_LEDGER_TODAY: Final = f"""
    WITH {_TODAY_CTE}
    SELECT days.day::text,
           CASE WHEN days.sandbox AND account.money_type = 'real' THEN 'sandbox' ELSE account.money_type END,
           account.currency,
           coalesce(sum(posting.amount) FILTER (WHERE account.kind IN ('bank', 'commission', 'rack')), 0)::bigint,
           count(*) FILTER (WHERE entry.kind = 'settlement' AND account.kind = 'stakes'),
           count(DISTINCT account.player_id) FILTER (WHERE entry.kind = 'wager')
      FROM wallet_entry entry
      JOIN wallet_posting posting ON posting.entry_id = entry.cause
      JOIN wallet_account account ON account.id = posting.account_id
      JOIN days ON days.id = account.operator_id AND entry.recorded_at >= days.since
     WHERE entry.recorded_at >= (SELECT min(since) FROM days)
       AND account.kind IN ('bank', 'commission', 'rack', 'stakes', 'game')
     GROUP BY 1, 2, 3
"""  # noqa: S608  (constants)
_STAKED: Final = ", ".join(f"coalesce(sum((stakes->>'{spot}')::bigint), 0) AS on_{spot}" for spot in SPOTS)
_SQUARES: Final = ", ".join(f"sum(on_{one} * on_{other})" for one, other in SPOT_PAIRS)
_GROUP: Final = "day, money, currency, table_id, rules"
_WAGERS_TODAY: Final = f"""
    WITH {_TODAY_CTE}, wagers AS MATERIALIZED (
        SELECT days.day::text AS day, wager.currency, wager.round_id, wager.table_id, round.rules, wager.stakes,
               CASE WHEN days.sandbox AND wager.money_type = 'real' THEN 'sandbox' ELSE wager.money_type END AS money,
               wager.returned, wager.commission
          FROM days
          JOIN baccarat_round round ON round.operator_id = days.id AND round.id >= %(oldest)s
          JOIN baccarat_wager wager ON wager.round_id = round.id
         WHERE wager.settled_at >= days.since AND wager.voided_at IS NULL
    ), rounds AS (
        SELECT {_GROUP}, sum(returned) AS returned, sum(commission) AS commission, {_STAKED}
          FROM wagers GROUP BY {_GROUP}, round_id
    ), sums AS (
        SELECT {_GROUP}, sum(returned)::bigint AS returned, sum(commission)::bigint AS commission,
               array[{_SQUARES}]::text[] AS squares
          FROM rounds GROUP BY {_GROUP}
    ), stakes AS (
        SELECT {_GROUP}, jsonb_agg(jsonb_build_array(spot, stake, times))::text AS stakes
          FROM (SELECT {_GROUP}, spot, stake, count(*) AS times
                  FROM wagers CROSS JOIN LATERAL jsonb_each_text(wagers.stakes) AS staked (spot, stake)
                 GROUP BY {_GROUP}, spot, stake) stake_counts
         GROUP BY {_GROUP})
    SELECT {_GROUP}, returned, commission, squares, stakes FROM sums JOIN stakes USING ({_GROUP})
"""  # noqa: S608  (constants)
_COMPLETED_DAYS: Final = """
    WITH latest AS (
        SELECT DISTINCT ON (operator_id, name, since) label, figures
          FROM reports_report
         WHERE period = 'day' AND name IN ('revenue', 'accounts', 'performance')
           AND since >= clock_timestamp() - %(back)s * interval '1 day'
           AND (%(operators)s::uuid[] IS NULL OR operator_id = ANY (%(operators)s::uuid[]))
         ORDER BY operator_id, name, since, version DESC)
    SELECT latest.label, figure.money_type, figure.currency, coalesce(sum(figure.ggr), 0)::bigint,
           coalesce(sum(figure.rounds), 0)::bigint, coalesce(sum(figure.active), 0)::bigint,
           coalesce(sum(figure.handle) FILTER (WHERE figure.expected IS NOT NULL), 0)::bigint,
           coalesce(sum(figure.returned), 0)::bigint, coalesce(sum(figure.expected), 0)::bigint,
           coalesce(sum(figure.variance), 0)::text
      FROM latest
     CROSS JOIN LATERAL jsonb_to_recordset(latest.figures)
           AS figure (money_type text, currency text, ggr bigint, rounds bigint, active bigint, handle bigint,
                    returned bigint, expected bigint, variance numeric)
     GROUP BY latest.label, figure.money_type, figure.currency
"""

Key = tuple[str, str, str]
"""The day in the operator's time zone, the money type and the currency."""


@dataclass(slots=True)
class DayFigures:
    """One day of one money type and currency: minor units, and squared ones in `variance`."""

    label: str
    ggr: int = 0
    rounds: int = 0
    players: int = 0
    handle: int = 0
    returned: int = 0
    expected: Fraction = Fraction(0)
    variance: Fraction = Fraction(0)

    @property
    def actual(self) -> Fraction | None:
        """Return the actual return per unit staked."""
        return Fraction(self.returned, self.handle) if self.handle else None

    @property
    def bounds(self) -> tuple[Fraction, Fraction] | None:
        """Return the band that contains 99 of 100 such days."""
        if not self.handle:
            return None
        middle, reach = self.expected / self.handle, Z_99_PERCENT * root(self.variance) / self.handle
        return middle - reach, middle + reach

    def has_play(self) -> bool:
        return bool(self.rounds or self.players or self.ggr)


@dataclass(frozen=True, slots=True)
class PlayHistory:
    """The last DAYS_BACK days of one money type and currency, oldest first, including days without play."""

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
    values: dict[str, Any] = {"operators": None if operators is None else list(operators), "back": DAYS_BACK}
    days: dict[tuple[str, str], dict[str, DayFigures]] = {}
    for label, money_type, currency, *sums in fetch(_COMPLETED_DAYS, values):
        ggr, rounds, players, handle, returned, expected, spread = sums
        day = DayFigures(label, ggr, rounds, players, handle, returned, Fraction(expected), Fraction(spread))
        days.setdefault((money_type, currency), {})[label] = day
    for (label, money_type, currency), day in (read_today(values) if today else {}).items():
        days.setdefault((money_type, currency), {})[label] = day
    histories = [
        PlayHistory(money_type, currency, _without_gaps(by_label))
        for (money_type, currency), by_label in sorted(days.items())
        if any(day.has_play() for day in by_label.values())
    ]
    return sorted(histories, key=lambda history: -history.handle)


def _without_gaps(days: Mapping[str, DayFigures]) -> tuple[DayFigures, ...]:
    """Return DAYS_BACK days up to the last known one, filling days without play with zeros."""
    last_day = date.fromisoformat(max(days))
    labels = [(last_day - timedelta(days=back)).isoformat() for back in reversed(range(DAYS_BACK))]
    return tuple(days.get(label) or DayFigures(label) for label in labels)


def read_today(values: Mapping[str, Any]) -> dict[Key, DayFigures]:
    """Return today's figures so far, in the time zone of each operator."""
    ((now, zones),) = fetch(_ZONES, values)
    days = [day_of(now, zone) for zone in zones]
    starts = [
        period_interval(ReportPeriod.DAY, day=day, zone=zone).since for day, zone in zip(days, zones, strict=True)
    ]
    values = {**values, "zones": zones, "days": days, "starts": starts}
    figures: dict[Key, DayFigures] = {}
    for label, money_type, currency, *sums in fetch(_LEDGER_TODAY, values):
        figures[label, money_type, currency] = DayFigures(label, *sums)
    oldest = uuid7(milliseconds=int((now - _MAX_ROUND_AGE).timestamp() * 1000), entropy=bytes(10))
    rows = fetch(_WAGERS_TODAY, {**values, "oldest": oldest})
    rule_sets = load_rule_sets({row[3] for row in rows})
    for label, money_type, currency, table, rules, *sums in rows:
        rule_set = rule_sets.get((table, rules))
        if rule_set is not None:
            _add_wagers(figures.setdefault((label, money_type, currency), DayFigures(label)), rule_set.rules, sums)
    for day in figures.values():
        day.expected = Fraction(round(day.expected))
    return figures


def _add_wagers(day: DayFigures, rules: TableRules, sums: Sequence[Any]) -> None:
    returned, commission, squares, stakes = sums
    deferred = rules.commission is not None and rules.commission.timing is CommissionTiming.DEFERRED
    staked = [(Spot(spot), int(stake), times) for spot, stake, times in json.loads(stakes)]
    day.handle += sum(stake * times for _, stake, times in staked)
    day.returned += returned - commission if deferred else returned
    day.expected += sum(
        (expected_return_of_stake(rules, spot, stake) * times for spot, stake, times in staked), Fraction(0)
    )
    day.variance += variance(rules, symmetric_squares(squares))
