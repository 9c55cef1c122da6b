"""Data that the reports about the game share: rounds of events, rules versions, stakes and their products per round."""

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
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


SPOTS: Final = "player", "banker", "tie"
SPOT_PAIRS: Final = [(one, other) for index, one in enumerate(SPOTS) for other in SPOTS[index:]]
_STAKED: Final = ", ".join(f"coalesce(sum(stake) FILTER (WHERE spot = '{spot}'), 0) AS on_{spot}" for spot in SPOTS)
_SQUARES: Final = ", ".join(f"sum(on_{one} * on_{other}) FILTER (WHERE NOT voided)" for one, other in SPOT_PAIRS)
_ROUNDS: Final = ", ".join(f"count(*) FILTER (WHERE NOT voided AND on_{spot} > 0)" for spot in SPOTS)
_READ: Final = f"""
    WITH {SEALED_ENTRIES_CTE}, {LATER_POSTINGS_CTE}, {BALANCES_AT_END_CTE}, settled AS MATERIALIZED (
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
        SELECT round, table_id, rules, currency, voided, wager.money_type, result.spot, result.stake, result.commission,
               result.returned
          FROM settled
         CROSS JOIN LATERAL json_to_recordset(data->'wagers')
               AS wager (money_type text, results json)
         CROSS JOIN LATERAL json_to_recordset(wager.results)
               AS result (spot text, stake bigint, commission bigint, returned bigint)
    ), rounds AS (
        SELECT round, table_id, rules, currency, money_type, voided, {_STAKED}
          FROM bets GROUP BY round, table_id, rules, currency, money_type, voided
    ), moments AS (
        SELECT table_id, rules, currency, money_type, array[count(*) FILTER (WHERE NOT voided), {_ROUNDS}] AS rounds,
               array[{_SQUARES}]::text[] AS squares, count(*) FILTER (WHERE voided) AS voided
          FROM rounds GROUP BY table_id, rules, currency, money_type
    ), stakes AS (
        SELECT table_id, rules, currency, money_type,
               jsonb_agg(jsonb_build_array(spot, voided, stake, wagers, returned, commission))::text AS stakes
          FROM (SELECT table_id, rules, currency, money_type, spot, voided, stake, count(*) AS wagers,
                       sum(returned) AS returned, sum(commission) AS commission
                  FROM bets GROUP BY table_id, rules, currency, money_type, spot, voided, stake) stake_counts
         GROUP BY table_id, rules, currency, money_type
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
           moments.rounds, moments.squares, stakes.stakes, (coalesce(moments.voided, 0)
           + coalesce(undone.voided, 0))::bigint, coalesce(in_play.balance, 0)::bigint
      FROM moments
      JOIN stakes USING (table_id, rules, currency, money_type)
      FULL JOIN undone USING (table_id, rules, currency, money_type)
      FULL JOIN in_play USING (table_id, rules, currency, money_type)
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
    """Return play by table, rules, money type and currency, in one statement."""
    return [_table_play(*row) for row in fetch(_READ, scope.values())]


def _table_play(*row: Any) -> TablePlay:
    money_type, currency, table, rules, name, opened_at, waits, rounds, squares, stakes, voided, in_play = row
    spots: dict[str, SpotTotals] = defaultdict(SpotTotals)
    for spot, undone, stake, wagers, returned, commission in json.loads(stakes or "[]"):
        _add(spots[spot], undone, stake, (wagers, returned, commission))
    for spot, count in zip(SPOTS, (rounds or [0] * 4)[1:], strict=True):
        if count:
            spots[spot].rounds = count
    return TablePlay(
        money_type, currency, table, rules, name, opened_at, waits, rounds[0] if rounds else 0, voided, in_play,
        dict(spots), symmetric_squares(squares or [None] * len(SPOT_PAIRS)),
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


def symmetric_squares(squares: Sequence[str | None]) -> dict[Pair, int]:
    """Return the sums of products for both orders of each pair. They are text because they exceed 64 bits."""
    both: dict[Pair, int] = {}
    for (one, other), amount in zip(SPOT_PAIRS, squares, strict=True):
        both[one, other] = both[other, one] = int(amount or 0)
    return both
