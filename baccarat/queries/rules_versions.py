"""Reads versions of a table's rules with the play under each.

Every read names the operator. Amounts are minor units of the table's currency.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final
from uuid import UUID

import msgspec

from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.rules.versions import SpotReturn, theoretical_returns
from baccarat.domain.tables.refusals import UnknownTable, UnknownVersion
from baccarat.storage import rules_versions
from baccarat.storage.rules_versions import VersionRows
from casino.events.projections import Row
from casino.events.sql import fetch
from casino.kernel.canonical_json import recanonical
from casino.kernel.money import MoneyType
from casino.operators.change import ChangeStatus
from casino.operators.models import Change, ChangeName

_TABLE: Final = "SELECT FROM baccarat_table WHERE id = %s AND operator_id = %s"
_PLAYED: Final = """
SELECT r.rules, w.money_type, count(DISTINCT w.round_id), count(*),
       coalesce(sum(w.staked) FILTER (WHERE w.voided_at IS NULL), 0)::bigint,
       coalesce(sum(w.returned) FILTER (WHERE w.voided_at IS NULL), 0)::bigint,
       coalesce(sum(w.commission) FILTER (WHERE w.voided_at IS NULL), 0)::bigint,
       count(*) FILTER (WHERE w.voided_at IS NOT NULL),
       coalesce(sum(w.staked) FILTER (WHERE w.voided_at IS NOT NULL), 0)::bigint
  FROM baccarat_round r JOIN baccarat_wager w ON w.round_id = r.id
 WHERE r.table_id = %s AND NOT r.forced AND (w.settled_at IS NOT NULL OR w.voided_at IS NOT NULL)
 GROUP BY r.rules, w.money_type
"""
_IN_FORCE: Final = """
SELECT v.id, v.label, v.rules::text, v.returns::text, t.rules = v.digest AND
       coalesce(t.state #> '{rules_lifecycle,in_force,values}', t.state #> '{opened,rules,values}')::jsonb = v.rules
  FROM baccarat_rulesversion v JOIN baccarat_table t ON t.id = v.table_id WHERE v.status = 'in_force' ORDER BY v.id
"""
_decode_returns: Final = msgspec.json.Decoder(tuple[SpotReturn, ...]).decode


@dataclass(frozen=True, slots=True)
class PlayTotals:
    """Play under one version with one money type; `returned` is net of commission; voided wagers are excluded."""

    money_type: MoneyType
    rounds: int
    wagers: int
    staked: int
    returned: int
    commission: int
    voided: int
    voided_stakes: int

    def actual_return(self) -> Fraction | None:
        """Return the actual return per unit staked; None before anything was staked."""
        return Fraction(self.returned, self.staked) if self.staked else None


@dataclass(frozen=True, slots=True)
class RulesVersionDetails:
    """One version: its row, its rules, its theoretical returns, and the play under it, real money first."""

    row: Row
    rules: TableRules
    returns: tuple[SpotReturn, ...]
    play_totals: tuple[PlayTotals, ...]


def versions(*, table: UUID, operator: UUID) -> list[RulesVersionDetails]:
    """List all versions of a table's rules, the newest first. Raises UnknownTable."""
    if not fetch(_TABLE, [table, operator]):
        raise UnknownTable
    rows = _rows(table)
    played = fetch(_PLAYED, [table])
    return [_version(rows[number], played) for number in sorted(rows, reverse=True)]


def version(*, table: UUID, operator: UUID, version: int) -> RulesVersionDetails:
    """Return one version of a table's rules. Raises UnknownTable, UnknownVersion."""
    if not fetch(_TABLE, [table, operator]):
        raise UnknownTable
    row = _rows(table).get(version)
    if row is None:
        raise UnknownVersion
    return _version(row, fetch(_PLAYED, [table]))


def _rows(table: UUID) -> VersionRows:
    """Return the versions of a table; the first names the persons who agreed that it opened, if they had to."""
    rows = rules_versions.load([table])[table]
    opening = Change.objects.filter(
        kind=ChangeName.OPEN_TABLE, subject=f"table:{table}", status=ChangeStatus.EFFECTIVE
    ).first()
    if opening is not None and 1 in rows:
        by = {"drafted_by": opening.requested_by, "drafted_at": opening.requested_at}
        rows[1] = rows[1]._replace(**by, decided_by=opening.decided_by, decided_at=opening.decided_at)
    return rows


def check_rules_in_force() -> tuple[dict[str, str], list[str]]:
    """Digest the rules in force at each table, and describe where they differ from those published.

    Recomputes each version's returns and compares them with the recorded ones.
    """
    items: dict[str, str] = {}
    differences: list[str] = []
    for key, label, rules, returns, same in fetch(_IN_FORCE):
        items[f"{key} {label}"] = hashlib.sha256(recanonical(rules)).hexdigest()
        if not same:
            differences.append(f"rules: table {key} does not play by its version in force")
        recorded = _decode_returns(returns)
        if recorded and recorded != theoretical_returns(rules_versions.decode_rules(rules)):
            differences.append(f"rules: the returns of {key} differ from those on record")
    return items, differences


def _version(row: Row, played: Sequence[tuple[Any, ...]]) -> RulesVersionDetails:
    rules = rules_versions.decode_rules(row.rules)
    totals = [PlayTotals(MoneyType(money_type), *sums) for digest, money_type, *sums in played if digest == row.digest]
    return RulesVersionDetails(
        row, rules, _decode_returns(row.returns), tuple(sorted(totals, key=lambda play: play.money_type, reverse=True))
    )
