"""Figures of the current day for plots: money from the ledger, and the return with its band from the wagers.

Uses four statements, however much was played. Days begin as in the reports of completed days. A voided round has no
return, as in the game performance report.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction
from typing import Any, Final

from baccarat.domain.rules.table_rules import CommissionTiming, TableRules
from baccarat.domain.rules.wagers import Spot
from baccarat.reports import rule_sets
from baccarat.reports.band import Pair, expected_return_of_stake, variance
from baccarat.reports.play_facts import SPOTS
from casino.events.sql import fetch
from casino.kernel.ids import uuid7
from casino.reports.intervals import ReportPeriod, day_of, period_interval

_LONGEST: Final = timedelta(days=2)
"""A round settled today, in any time zone, was opened within this time."""
_ZONES: Final = """
    SELECT clock_timestamp(), coalesce(array_agg(DISTINCT time_zone), '{}') FROM operators_operator
     WHERE %(operators)s::uuid[] IS NULL OR id = ANY (%(operators)s::uuid[])
"""
_DAYS: Final = """
    days AS (
        SELECT operator.id, operator.sandbox, told.day, told.since
          FROM operators_operator operator
          JOIN unnest(%(zones)s::text[], %(days)s::date[], %(starts)s::timestamptz[]) AS told (zone, day, since)
            ON told.zone = operator.time_zone
         WHERE %(operators)s::uuid[] IS NULL OR operator.id = ANY (%(operators)s::uuid[]))
"""
_LEDGER: Final = f"""
    WITH {_DAYS}
    SELECT days.day::text,
           CASE WHEN days.sandbox AND account.money_type = 'real' THEN 'sandbox' ELSE account.money_type END,
           account.currency,
           coalesce(sum(posting.amount) FILTER (WHERE account.kind IN ('bank', 'commission', 'rack')), 0)::bigint,
           count(*) FILTER (WHERE entry.kind = 'settlement' AND account.kind = 'stakes'),
           count(DISTINCT account.player_id) FILTER (WHERE entry.kind = 'wager')
      FROM wallet_entry entry
      JOIN wallet_posting posting ON posting.entry_id = entry.id
      JOIN wallet_account account ON account.id = posting.account_id
      JOIN days ON days.id = account.operator_id AND entry.recorded_at >= days.since
     WHERE entry.recorded_at >= (SELECT min(since) FROM days)
       AND account.kind IN ('bank', 'commission', 'rack', 'stakes', 'game')
     GROUP BY 1, 2, 3
"""  # noqa: S608  (constants)
_PAIRS: Final = [(one, other) for place, one in enumerate(SPOTS) for other in SPOTS[place:]]
_ON: Final = ", ".join(f"coalesce(sum((stakes->>'{spot}')::bigint), 0) AS on_{spot}" for spot in SPOTS)
_SQUARES: Final = ", ".join(f"sum(on_{one} * on_{other})" for one, other in _PAIRS)
_GROUP: Final = "day, money, currency, table_id, rules"
_WAGERS: Final = f"""
    WITH {_DAYS}, wagers AS MATERIALIZED (
        SELECT days.day::text AS day, wager.currency, wager.round_id, wager.table_id, round.rules, wager.stakes,
               CASE WHEN days.sandbox AND wager.money_type = 'real' THEN 'sandbox' ELSE wager.money_type END AS money,
               wager.returned, wager.commission
          FROM days
          JOIN baccarat_round round ON round.operator_id = days.id AND round.id >= %(oldest)s
          JOIN baccarat_wager wager ON wager.round_id = round.id
         WHERE wager.settled_at >= days.since AND wager.voided_at IS NULL
    ), rounds AS (
        SELECT {_GROUP}, sum(returned) AS returned, sum(commission) AS commission, {_ON}
          FROM wagers GROUP BY {_GROUP}, round_id
    ), sums AS (
        SELECT {_GROUP}, sum(returned)::bigint AS returned, sum(commission)::bigint AS commission,
               array[{_SQUARES}]::text[] AS squares
          FROM rounds GROUP BY {_GROUP}
    ), stakes AS (
        SELECT {_GROUP}, jsonb_agg(jsonb_build_array(spot, stake, times))::text AS stakes
          FROM (SELECT {_GROUP}, spot, stake, count(*) AS times
                  FROM wagers CROSS JOIN LATERAL jsonb_each_text(wagers.stakes) AS laid (spot, stake)
                 GROUP BY {_GROUP}, spot, stake) each_one
         GROUP BY {_GROUP})
    SELECT {_GROUP}, returned, commission, squares, stakes FROM sums JOIN stakes USING ({_GROUP})
"""  # noqa: S608  (constants)


@dataclass(slots=True)
class TodayFigures:
    """Totals so far of one money type and currency: minor units, and squared ones in `variance`."""

    ggr: int = 0
    rounds: int = 0
    players: int = 0
    handle: int = 0
    returned: int = 0
    expected: Fraction = Fraction(0)
    variance: Fraction = Fraction(0)


Key = tuple[str, str, str]
"""The day in the operator's time zone, the money type and the currency."""


def read(asked: dict[str, Any]) -> dict[Key, TodayFigures]:
    """Return today's figures of the operators in `asked` (None: all)."""
    found: dict[Key, TodayFigures] = {}
    ((now, zones),) = fetch(_ZONES, asked)
    days = [day_of(now, zone) for zone in zones]
    starts = [
        period_interval(ReportPeriod.DAY, day=day, zone=zone).since for day, zone in zip(days, zones, strict=True)
    ]
    values = {**asked, "zones": zones, "days": days, "starts": starts}
    for day, money, currency, *sums in fetch(_LEDGER, values):
        found[day, money, currency] = TodayFigures(*sums)
    oldest = uuid7(milliseconds=int((now - _LONGEST).timestamp() * 1000), entropy=bytes(10))
    rows = fetch(_WAGERS, {**values, "oldest": oldest})
    known = rule_sets.load_rule_sets({row[3] for row in rows})
    for day, money, currency, table, rules, *told in rows:
        rule_set = known.get((table, rules))
        if rule_set is not None:
            _add(found.setdefault((day, money, currency), TodayFigures()), rule_set.rules, told)
    return found


def _add(today: TodayFigures, rules: TableRules, told: Sequence[Any]) -> None:
    returned, commission, squares, stakes = told
    deferred = rules.commission is not None and rules.commission.timing is CommissionTiming.DEFERRED
    laid = [(Spot(spot), int(stake), times) for spot, stake, times in json.loads(stakes)]
    today.handle += sum(stake * times for _, stake, times in laid)
    today.returned += returned - commission if deferred else returned
    today.expected += sum(
        (expected_return_of_stake(rules, spot, stake) * times for spot, stake, times in laid), Fraction(0)
    )
    today.variance += variance(rules, _symmetric(squares))


def _symmetric(squares: Iterable[str]) -> dict[Pair, int]:
    found: Counter[Pair] = Counter()
    for (one, other), amount in zip(_PAIRS, squares, strict=True):
        found[one, other] = found[other, one] = int(amount)
    return found
