"""Figures of days for plots and tables: days that are over from their reports, others from the ledger and the wagers.

The reports of a day are created an hour after it; until all three are there, the day is read as today is: by five
statements, however much was played. Days begin as in the reports. A voided round has no return, as in the game
performance report.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from baccarat.domain.rules.table_rules import TableRules
from baccarat.reports.band import Z_99_PERCENT, expected_return_of_stake, root, variance
from baccarat.reports.play_facts import SPOT_NAMES_SQL, most_spots, named_squares, squares_column, staked_columns
from baccarat.storage.rules_versions import decode_rules
from casino.events.ids import first_id, last_id
from casino.events.sql import fetch
from casino.reports.intervals import Interval, ReportPeriod, day_of, period_interval

_MAX_ROUND_AGE: Final = timedelta(days=2)
"""A round was opened at most so long before it is settled."""
_NAMES: Final = ["revenue", "accounts", "performance"]
_OPERATORS: Final = """
    SELECT clock_timestamp(), id, time_zone, created_at, sandbox, currencies FROM operators_operator
     WHERE %(operators)s::uuid[] IS NULL OR id = ANY (%(operators)s::uuid[])
"""
_REPORTED: Final = """
    WITH latest AS (
        SELECT DISTINCT ON (operator_id, name, since) operator_id, name, since, label, figures
          FROM reports_report
         WHERE period = 'day' AND name = ANY (%(names)s) AND operator_id = ANY (%(operators)s::uuid[])
           AND since >= %(first)s::date - 1 AND label BETWEEN %(first)s::text AND %(last)s::text
           AND generated_at >= until
         ORDER BY operator_id, name, since, version DESC
    ), complete AS (
        SELECT operator_id, since FROM latest GROUP BY operator_id, since HAVING count(*) = cardinality(%(names)s))
    SELECT operator_id, label, figure.money_type, figure.currency, coalesce(sum(figure.ggr), 0)::bigint,
           coalesce(sum(figure.rounds), 0)::bigint, coalesce(sum(figure.active), 0)::bigint,
           coalesce(sum(figure.deposits + figure.deposits_reversed), 0)::bigint,
           -coalesce(sum(figure.withdrawals), 0)::bigint,
           coalesce(sum(figure.handle) FILTER (WHERE figure.expected IS NOT NULL), 0)::bigint,
           coalesce(sum(figure.returned), 0)::bigint, coalesce(sum(figure.expected), 0)::bigint,
           coalesce(sum(figure.variance), 0)::text
      FROM latest
      JOIN complete USING (operator_id, since)
      LEFT JOIN LATERAL jsonb_to_recordset(latest.figures)
           AS figure (money_type text, currency text, ggr bigint, rounds bigint, active bigint, deposits bigint,
                    deposits_reversed bigint, withdrawals bigint, handle bigint, returned bigint, expected bigint,
                    variance numeric) ON true
     GROUP BY operator_id, label, figure.money_type, figure.currency
"""
_DAYS_CTE: Final = """
    days AS (
        SELECT operator.id, wanted.day, wanted.since, wanted.until
          FROM unnest(%(ids)s::uuid[], %(days)s::text[], %(starts)s::timestamptz[], %(ends)s::timestamptz[])
               AS wanted (id, day, since, until)
          JOIN operators_operator operator ON operator.id = wanted.id)
"""
_LEDGER: Final = f"""
    WITH {_DAYS_CTE}, moved AS (
        SELECT days.id, days.day, posting.account_id, sum(posting.amount) AS amount,
               count(*) FILTER (WHERE entry.kind = 'settlement') AS settlements,
               bool_or(entry.kind = 'wager') AS wagered,
               sum(posting.amount) FILTER (WHERE entry.kind IN ('deposit', 'deposit_reversed')) AS deposits,
               sum(posting.amount) FILTER (WHERE entry.kind IN (
                   'withdrawal_held', 'withdrawal_rejected', 'withdrawal_cancelled', 'withdrawal_returned')
               ) AS withdrawals
          FROM days
         CROSS JOIN LATERAL (  -- in two parts, each by the index: an OR would read the entries of all operators
                   SELECT cause, kind FROM wallet_entry
                    WHERE operator_id = days.id AND recorded_at >= days.since AND recorded_at < days.until
                    UNION ALL
                   SELECT cause, kind FROM wallet_entry
                    WHERE operator_id IS NULL AND recorded_at >= days.since AND recorded_at < days.until) entry
          JOIN wallet_posting posting ON posting.entry_id = entry.cause
         GROUP BY days.id, days.day, posting.account_id)
    SELECT moved.id, moved.day, account.money_type, account.currency,
           coalesce(sum(moved.amount) FILTER (WHERE account.kind IN ('bank', 'commission', 'rack')), 0)::bigint,
           coalesce(sum(moved.settlements) FILTER (WHERE account.kind = 'stakes'), 0)::bigint,
           count(DISTINCT account.player_id) FILTER (WHERE moved.wagered AND account.kind = 'game'),
           coalesce(sum(moved.deposits) FILTER (WHERE account.kind = 'account'), 0)::bigint,
           -coalesce(sum(moved.withdrawals) FILTER (WHERE account.kind = 'account'), 0)::bigint
      FROM moved
      -- OFFSET 0: by the account's id, which is quick for any number of accounts, whatever PostgreSQL expects.
     CROSS JOIN LATERAL (SELECT * FROM wallet_account WHERE id = moved.account_id OFFSET 0) account
     WHERE account.operator_id = moved.id
       AND account.kind IN ('bank', 'commission', 'rack', 'stakes', 'game', 'account')
     GROUP BY 1, 2, 3, 4
"""  # noqa: S608  (constants)
_GROUP: Final = "operator, day, money, currency, rules"
_WAGERS: Final = f"""
    WITH {_DAYS_CTE}, versions AS MATERIALIZED (
        SELECT table_id, digest, min(id) OVER (PARTITION BY digest) AS id,  -- one for all tables with the same rules
               {SPOT_NAMES_SQL} AS names
          FROM baccarat_rulesversion version WHERE operator_id IN (SELECT id FROM days)
    ), wagers AS MATERIALIZED (
        SELECT days.id AS operator, days.day, wager.currency, wager.round_id, versions.id AS rules, names, wager.stakes,
               wager.money_type AS money, wager.returned
          FROM days
         CROSS JOIN LATERAL (  -- ended when its wagers were settled; OFFSET 0: this operator's alone are read
                   SELECT id, table_id, rules FROM baccarat_round
                    WHERE operator_id = days.id AND id BETWEEN %(oldest)s AND %(newest)s
                      AND ended_at >= days.since AND ended_at < days.until AND NOT forced OFFSET 0) round
          JOIN baccarat_wager wager ON wager.round_id = round.id
          JOIN versions ON versions.table_id = round.table_id AND versions.digest = round.rules
         WHERE wager.settled_at IS NOT NULL AND wager.voided_at IS NULL
    ), rounds AS (
        SELECT {_GROUP}, sum(returned) AS returned, {{staked}}
          FROM wagers GROUP BY {_GROUP}, round_id
    ), sums AS (
        SELECT {_GROUP}, sum(returned)::bigint AS returned, {{squares}} AS squares
          FROM rounds GROUP BY {_GROUP}
    ), stakes AS (
        SELECT {_GROUP}, jsonb_agg(jsonb_build_array(spot, stake, times))::text AS stakes
          FROM (SELECT {_GROUP}, spot, stake::bigint AS stake, count(*) AS times
                  FROM wagers CROSS JOIN LATERAL jsonb_each_text(wagers.stakes) AS staked (spot, stake)
                 GROUP BY {_GROUP}, spot, stake) stake_counts
         GROUP BY {_GROUP})
    SELECT operator, day, money, currency, version.rules::text, returned, squares, stakes
      FROM sums
      JOIN stakes USING ({_GROUP})
      JOIN baccarat_rulesversion version ON version.id = sums.rules
"""  # noqa: S608  (constants)
_REGISTERED: Final = """
    SELECT player.operator_id, (player.created_at AT TIME ZONE operator.time_zone)::date::text, count(*)
      FROM operators_player player JOIN operators_operator operator ON operator.id = player.operator_id
     WHERE player.operator_id = ANY (%(operators)s::uuid[]) AND player.id >= %(first_id)s
     GROUP BY 1, 2
"""

Key = tuple[UUID, str, str, str]
"""The operator, the day in its time zone, the kind of money and the currency."""
Money = tuple[str, str]
"""A kind of money, which tells sandboxes from live operators, and a currency."""
_OF_SANDBOXES: Final = {"real": "sandbox", "play": "sandbox_play"}
_RANKS: Final = {"real": 0, "play": 1, "sandbox": 2, "sandbox_play": 3}


@dataclass(slots=True)
class Figures:
    """What was played and paid: minor units, and squared ones in `variance`. `players` are those active on each day."""

    ggr: int = 0
    rounds: int = 0
    players: int = 0
    deposits: int = 0
    withdrawals: int = 0
    handle: int = 0
    returned: int = 0
    expected: Fraction = Fraction(0)
    variance: Fraction = Fraction(0)

    def add(self, other: "Figures") -> None:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    @property
    def hold(self) -> Fraction | None:
        """Return the share of the stakes of rounds that were not voided which the house kept."""
        return 1 - Fraction(self.returned, self.handle) if self.handle else None

    @property
    def theoretical_hold(self) -> Fraction | None:
        """Return what the house keeps of these stakes on average."""
        return 1 - self.expected / self.handle if self.handle else None

    @property
    def hold_band(self) -> tuple[Fraction, Fraction] | None:
        """Return the band that contains the hold of 99 of 100 such periods."""
        if not self.handle:
            return None
        middle, reach = 1 - self.expected / self.handle, Z_99_PERCENT * root(self.variance) / self.handle
        return middle - reach, middle + reach

    def has_activity(self) -> bool:
        return any((self.rounds, self.players, self.ggr, self.deposits, self.withdrawals))


@dataclass(frozen=True, slots=True)
class PeriodFigures:
    """The figures of the days from `first` to `last`.

    `missing` counts days of operators whose reports are not there yet, `registered` new players by operator and day.
    `deals` says in which money each operator deals.
    """

    first: date
    last: date
    figures: Mapping[Key, Figures]
    registered: Mapping[tuple[UUID, str], int]
    deals: Mapping[UUID, frozenset[Money]]
    missing: int = 0

    def days(self, first: date | None = None) -> list[str]:
        """List the days, oldest first, from `first` on."""
        begin = first or self.first
        return [(begin + timedelta(days=number)).isoformat() for number in range((self.last - begin).days + 1)]

    def monies(self) -> list[Money]:
        """List the kinds of money and currencies with any activity: real money first, most rounds first within it."""
        rounds: dict[Money, int] = {}
        for (_, _, money_type, currency), each in self.figures.items():
            if each.has_activity():
                rounds[money_type, currency] = rounds.get((money_type, currency), 0) + each.rounds
        return sorted(rounds, key=lambda money: (_RANKS.get(money[0], len(_RANKS)), -rounds[money], money))

    def total(self, money: Money, days: Iterable[str] | None = None, operator: UUID | None = None) -> Figures:
        """Add up one kind of money and currency, of some days and of one operator if they are given."""
        wanted, total = None if days is None else set(days), Figures()
        for (owner, day, *of), each in self.figures.items():
            if tuple(of) == money and (wanted is None or day in wanted) and operator in {None, owner}:
                total.add(each)
        return total

    def by_day(self, money: Money, days: Sequence[str]) -> list[Figures]:
        """Return the figures of each of these days."""
        sums = {day: Figures() for day in days}
        for (_, day, *of), each in self.figures.items():
            if tuple(of) == money and day in sums:
                sums[day].add(each)
        return list(sums.values())

    def new_players(self, money: Money, days: Iterable[str], operator: UUID | None = None) -> int:
        """Count the new players of the operators that deal in this money."""
        wanted = set(days)
        return sum(
            count
            for (owner, day), count in self.registered.items()
            if day in wanted and operator in {None, owner} and money in self.deals[owner]
        )


@dataclass(frozen=True, slots=True)
class _Live:
    """A day of an operator that has no reports yet."""

    operator: UUID
    interval: Interval


@dataclass(frozen=True, slots=True)
class _Owners:
    """The operators that are read, with their time zones and their first days, by the database's clock."""

    now: datetime
    zones: Mapping[UUID, str]
    since: Mapping[UUID, date]
    deals: Mapping[UUID, frozenset[Money]]
    sandboxes: frozenset[UUID]

    def yesterday(self, operator: UUID) -> date:
        return day_of(self.now, self.zones[operator]) - timedelta(days=1)

    def kind_of_money(self, operator: UUID, money_type: str) -> str:
        return kind_of_money(money_type, sandbox=operator in self.sandboxes)


def kind_of_money(money_type: str, *, sandbox: bool) -> str:
    """Return the kind by which figures are added up: a sandbox's money never counts with a live operator's."""
    return _OF_SANDBOXES.get(money_type, money_type) if sandbox else money_type


def today(operators: Collection[UUID] | None) -> date:
    """Return the current day, the latest one among the operators' time zones."""
    owners = _owners(operators)
    return max((day_of(owners.now, zone) for zone in owners.zones.values()), default=owners.now.date())


def read_days(operators: Collection[UUID] | None, *, first: date, last: date, live: bool = True) -> PeriodFigures:
    """Return the figures of these days of these operators (None: all).

    Without `live`, only days with reports are read: summing a busy day takes as long as there is play in it.
    """
    owners = _owners(operators)
    values: dict[str, Any] = {
        "operators": list(owners.zones), "names": _NAMES, "first": first.isoformat(), "last": last.isoformat(),
    }  # fmt: skip
    figures, complete = _read_reports(owners, values)
    recent = [each for each in _recent(owners, first, last) if (each.operator, each.interval.label) not in complete]
    if live and recent:
        figures |= _read_live(owners, recent)
        complete |= {(each.operator, each.interval.label) for each in recent}
    registered = fetch(_REGISTERED, {**values, "first_id": first_id(_noon(first) - timedelta(days=2))})
    return PeriodFigures(
        first,
        last,
        figures,
        {(owner, day): count for owner, day, count in registered},
        owners.deals,
        len(_over(owners, first, last) - complete),
    )


def _owners(operators: Collection[UUID] | None) -> _Owners:
    rows = fetch(_OPERATORS, {"operators": None if operators is None else list(operators)})
    now = rows[0][0] if rows else fetch("SELECT clock_timestamp()")[0][0]
    zones = {owner: zone for _, owner, zone, *_ in rows}
    deals = {
        owner: frozenset(
            (kind_of_money(money_type, sandbox=sandbox), code) for money_type in ("real", "play") for code in currencies
        )
        for _, owner, _, _, sandbox, currencies in rows
    }
    since = {owner: day_of(at, zones[owner]) for _, owner, _, at, *_ in rows}
    return _Owners(now, zones, since, deals, frozenset(owner for _, owner, _, _, sandbox, _ in rows if sandbox))


def _over(owners: _Owners, first: date, last: date) -> set[tuple[UUID, str]]:
    """Return the days of operators that are over and within the period."""
    return {
        (operator, (begin + timedelta(days=number)).isoformat())
        for operator in owners.zones
        for begin in (max(first, owners.since[operator]),)
        for number in range((min(last, owners.yesterday(operator)) - begin).days + 1)
    }


def _noon(day: date) -> datetime:
    return datetime.combine(day, time(12), tzinfo=UTC)


def _read_reports(owners: _Owners, values: Mapping[str, Any]) -> tuple[dict[Key, Figures], set[tuple[UUID, str]]]:
    figures: dict[Key, Figures] = {}
    complete = set()
    for operator, label, money_type, currency, *sums in fetch(_REPORTED, values):
        complete.add((operator, label))
        if money_type is not None:
            *numbers, expected, spread = sums
            kind = owners.kind_of_money(operator, money_type)
            day = figures[operator, label, kind, currency] = Figures(*numbers)
            day.expected, day.variance = Fraction(expected), Fraction(spread)
    return figures, complete


def _recent(owners: _Owners, first: date, last: date) -> list[_Live]:
    """Return today and yesterday of each operator: their reports may not be there yet."""
    return [
        _Live(operator, period_interval(ReportPeriod.DAY, day=day, zone=zone))
        for operator, zone in owners.zones.items()
        for day in (owners.yesterday(operator), owners.yesterday(operator) + timedelta(days=1))
        if first <= day <= last
    ]


def _read_live(owners: _Owners, live: Sequence[_Live]) -> dict[Key, Figures]:
    begin, end = min(each.interval.since for each in live), max(each.interval.until for each in live)
    values = {
        "ids": [each.operator for each in live],
        "days": [each.interval.label for each in live],
        "starts": [each.interval.since for each in live],
        "ends": [each.interval.until for each in live],
        "oldest": first_id(begin - _MAX_ROUND_AGE),
        "newest": last_id(end),
    }
    figures: dict[Key, Figures] = {}
    for operator, day, money_type, currency, *sums in fetch(_LEDGER, values):
        figures[operator, day, owners.kind_of_money(operator, money_type), currency] = Figures(*sums)
    wagers = _wagers(most_spots({each.operator for each in live}))
    for operator, day, money_type, currency, rules, *sums in fetch(wagers, values):
        key = (operator, day, owners.kind_of_money(operator, money_type), currency)
        _add_wagers(figures.setdefault(key, Figures()), decode_rules(rules), sums)
    for each in figures.values():
        each.expected = Fraction(round(each.expected))
    return figures


@lru_cache
def _wagers(spots: int) -> str:
    staked = staked_columns(spots, "sum((stakes->>names[{place}])::bigint)")
    return _WAGERS.format(staked=staked, squares=squares_column(spots))


def _add_wagers(day: Figures, rules: TableRules, sums: Sequence[Any]) -> None:
    returned, squares, stakes = sums
    staked = [(spot, int(stake), times) for spot, stake, times in json.loads(stakes)]
    day.handle += sum(stake * times for _, stake, times in staked)
    day.returned += returned
    day.expected += sum(
        (expected_return_of_stake(rules, spot, stake) * times for spot, stake, times in staked), Fraction(0)
    )
    day.variance += variance(rules, named_squares(rules.spot_names, squares))
