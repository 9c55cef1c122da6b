"""Data that the reports about the game share: rounds of events, rules versions, stakes and their products per round."""

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from math import isqrt
from typing import Any, Final
from uuid import UUID

from baccarat.domain.rules.table_rules import TableRules
from baccarat.reports.band import Pair
from baccarat.storage import rules_versions
from casino.events.sql import fetch
from casino.reports.definition import ReportScope
from wallet.reports import BALANCES_AT_END_CTE, LATER_POSTINGS_CTE, SEALED_ENTRIES_CTE

# PostgreSQL may join before it filters: a bare cast would fail on the streams of other aggregates.
ROUND_ID_SQL: Final = "CASE WHEN starts_with(event.stream, 'round-') THEN substring(event.stream FROM 7)::uuid END"
"""The id of the round of an `event`, NULL for events of other streams."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """One version and its period in force; `until` is None if it is still in force."""

    rules: TableRules
    since: datetime | None
    until: datetime | None
    status: str


def load_rule_sets(tables: Collection[UUID]) -> dict[tuple[UUID, str], RuleSet]:
    """Return every version of these tables' rules, by table and digest, in one query."""
    return {
        (row.table_id, row.digest): RuleSet(rules_versions.decode_rules(row.rules), row.since, row.until, row.status)
        for versions in rules_versions.load(tables).values()
        for row in versions.values()
    }


SPOT_NAMES_SQL: Final = """
    ARRAY(SELECT spot->>'name' FROM jsonb_array_elements(version.rules->'spots') WITH ORDINALITY AS listed (spot, place)
           ORDER BY place)
"""
"""The names of the spots of a `version` of rules, in order."""
_MOST_SPOTS: Final = """
    SELECT coalesce(max(jsonb_array_length(rules->'spots')), 1) FROM baccarat_rulesversion
     WHERE operator_id = ANY (%s::uuid[])
"""


def most_spots(operators: Collection[UUID]) -> int:
    """Return how many spots the rules of these operators' tables have at most."""
    return int(fetch(_MOST_SPOTS, [list(operators)])[0][0])


def staked_columns(spots: int, of_place: str) -> str:
    """Return the columns `on_1` and so on: what is staked on the spot in that place. `of_place` sums up for a place."""
    return ", ".join(f"coalesce({of_place.format(place=place)}, 0) AS on_{place}" for place in range(1, spots + 1))


def squares_column(spots: int, condition: str = "true") -> str:
    """Return the sums of products of the stakes on two places of a round, as text, because they exceed 64 bits."""
    sums = (f"sum(on_{one} * on_{other}) FILTER (WHERE {condition})" for one, other in _pairs(spots))
    return f"array[{', '.join(sums)}]::text[]"


def named_squares(names: Sequence[str], squares: Sequence[str | None]) -> dict[Pair, int]:
    """Return what `squares_column` summed up, for both orders of each pair of spots."""
    most = (isqrt(8 * len(squares) + 1) - 1) // 2
    both: dict[Pair, int] = {}
    for (one, other), amount in zip(_pairs(most), squares, strict=True):
        if other <= len(names):
            pair = names[one - 1], names[other - 1]
            both[pair] = both[pair[::-1]] = int(amount or 0)
    return both


def _pairs(spots: int) -> list[tuple[int, int]]:
    return [(one, other) for one in range(1, spots + 1) for other in range(one, spots + 1)]


_GROUP: Final = "table_id, rules, currency, money_type"


_READ: Final = f"""
    WITH {SEALED_ENTRIES_CTE}, {LATER_POSTINGS_CTE}, {BALANCES_AT_END_CTE}, versions AS MATERIALIZED (
        SELECT table_id, digest AS rules, {SPOT_NAMES_SQL} AS names
          FROM baccarat_rulesversion version WHERE operator_id = %(operator)s
    ), settled AS MATERIALIZED (
        SELECT event.data, round.id AS round, round.table_id, round.rules, round.currency,
               EXISTS (SELECT FROM events_event undone
                         JOIN events_seal seal ON seal.event_id = undone.id AND seal.position <= %(position)s
                        WHERE undone.stream = event.stream AND undone.version > event.version
                          AND undone.type = 'RoundVoided') AS voided
          FROM facts
          JOIN events_event event ON event.id = facts.cause
          JOIN baccarat_round round ON round.id = {ROUND_ID_SQL}
         WHERE facts.kind = 'settlement' AND round.operator_id = %(operator)s AND NOT round.forced
    ), bets AS MATERIALIZED (
        SELECT round, settled.table_id, settled.rules, currency, voided, wager.money_type, result.spot, result.stake,
               result.commission, result.returned, array_position(names, result.spot) AS place
          FROM settled
          LEFT JOIN versions ON versions.table_id = settled.table_id AND versions.rules = settled.rules
         CROSS JOIN LATERAL json_to_recordset(data->'wagers')
               AS wager (money_type text, results json)
         CROSS JOIN LATERAL json_to_recordset(wager.results)
               AS result (spot text, stake bigint, commission bigint, returned bigint)
    ), rounds AS (
        SELECT round, {_GROUP}, voided, {{staked}} FROM bets GROUP BY round, {_GROUP}, voided
    ), moments AS (
        SELECT {_GROUP}, array[count(*) FILTER (WHERE NOT voided), {{rounds}}] AS rounds, {{squares}} AS squares,
               count(*) FILTER (WHERE voided) AS voided
          FROM rounds GROUP BY {_GROUP}
    ), stakes AS (
        SELECT {_GROUP}, jsonb_agg(jsonb_build_array(spot, voided, stake, wagers, returned, commission))::text AS stakes
          FROM (SELECT {_GROUP}, spot, voided, stake, count(*) AS wagers, sum(returned) AS returned,
                       sum(commission) AS commission
                  FROM bets GROUP BY {_GROUP}, spot, voided, stake) stake_counts
         GROUP BY {_GROUP}
    ), undone AS (
        SELECT round.table_id, round.rules, round.currency, seat.money_type, count(DISTINCT round.id) AS voided
          FROM facts
          JOIN events_event event ON event.id = facts.cause
          JOIN baccarat_round round ON round.id = {ROUND_ID_SQL}
         CROSS JOIN LATERAL json_to_recordset(event.data->'seats') AS seat (money_type text)
         WHERE facts.kind = 'void' AND NOT (event.data->>'was_settled')::boolean
           AND round.operator_id = %(operator)s AND NOT round.forced
         GROUP BY round.table_id, round.rules, round.currency, seat.money_type
    ), in_play AS (
        SELECT ended.table_id, last.rules, ended.currency, ended.money_type, ended.balance
          FROM ended
         CROSS JOIN LATERAL (SELECT rules FROM baccarat_round round
                              WHERE round.table_id = ended.table_id AND round.opened_at < %(until)s
                              ORDER BY number DESC LIMIT 1) last
         WHERE ended.kind = 'stakes' AND ended.balance <> 0)
    SELECT money_type, currency, table_id, rules, tables.name, tables.opened_at, tables.suspension_reason IS NOT NULL,
           versions.names, moments.rounds, moments.squares, stakes.stakes,
           (coalesce(moments.voided, 0) + coalesce(undone.voided, 0))::bigint, coalesce(in_play.balance, 0)::bigint
      FROM moments
      JOIN stakes USING ({_GROUP})
      FULL JOIN undone USING ({_GROUP})
      FULL JOIN in_play USING ({_GROUP})
      LEFT JOIN versions USING (table_id, rules)
      JOIN (SELECT id, name, opened_at, suspension_reason FROM baccarat_table) tables ON tables.id = table_id
     ORDER BY money_type, currency, tables.name, table_id, rules
"""  # noqa: S608  (the pieces are constants)


@dataclass(slots=True)
class SpotTotals:
    """Totals of one spot in minor units, `returned` net of commission. `stakes` counts wagers by their stake."""

    rounds: int = 0
    wagers: int = 0
    handle: int = 0
    returned: int = 0
    commission: int = 0
    voided_handle: int = 0
    stakes: dict[int, int] = field(default_factory=lambda: defaultdict(int))


@dataclass(frozen=True, slots=True)
class TablePlay:
    """Play at one table under one version of its rules, with one money type."""

    money_type: str
    currency: str
    table: UUID
    rules: str
    name: str
    opened_at: datetime
    has_suspended_round: bool
    rounds: int
    voided: int
    in_play: int
    spots: dict[str, SpotTotals]
    squares: dict[Pair, int]


def read_play(scope: ReportScope) -> list[TablePlay]:
    """Return play by table, rules, money type and currency."""
    return [_table_play(*row) for row in fetch(_statement(most_spots([scope.operator])), scope.values())]


@lru_cache
def _statement(spots: int) -> str:
    return _READ.format(
        staked=staked_columns(spots, "sum(stake) FILTER (WHERE place = {place})"),
        rounds=", ".join(f"count(*) FILTER (WHERE NOT voided AND on_{place} > 0)" for place in range(1, spots + 1)),
        squares=squares_column(spots, "NOT voided"),
    )


def _table_play(*row: Any) -> TablePlay:
    money_type, currency, table, rules, label, opened_at, waits, names, rounds, squares, stakes, voided, in_play = row
    spots: dict[str, SpotTotals] = defaultdict(SpotTotals)
    for spot, undone, stake, wagers, returned, commission in json.loads(stakes or "[]"):
        _add(spots[spot], undone, stake, (wagers, returned, commission))
    played, *on_spots = rounds or [0]
    for spot, count in zip(names or (), on_spots, strict=False):  # other rules may have more spots
        if count:
            spots[spot].rounds = count
    return TablePlay(
        money_type, currency, table, rules, label, opened_at, waits, played, voided, in_play, dict(spots),
        named_squares(names or (), squares or ()),
    )  # fmt: skip


def _add(staked: SpotTotals, undone: bool, stake: int, sums: tuple[int, int, int]) -> None:  # noqa: FBT001
    wagers, returned, commission = sums
    if undone:
        staked.voided_handle += stake * wagers
        return
    staked.wagers += wagers
    staked.handle += stake * wagers
    staked.returned += returned
    staked.commission += commission
    staked.stakes[stake] += wagers
