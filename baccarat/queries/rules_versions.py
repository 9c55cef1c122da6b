"""Reads versions of a table's rules with the play under each, and kill switches.

Every read names the operator. Amounts are minor units of the table's currency.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final
from uuid import UUID

import msgspec

from baccarat.domain.rules.table_rules import CommissionTiming, TableRules
from baccarat.domain.rules.versions import SpotReturn, theoretical_returns
from baccarat.domain.tables.refusals import UnknownTable
from baccarat.domain.tables.rules_refusals import UnknownVersion
from baccarat.storage import rules_versions
from baccarat.storage.rows import SwitchRow
from baccarat.storage.rules_versions import VersionRow
from casino.events.sql import fetch
from casino.kernel.canonical_json import recanonical
from casino.kernel.money import MoneyType

_TABLE: Final = "SELECT FROM baccarat_table WHERE id = %s AND operator_id = %s"
_PLAYED: Final = """
SELECT r.rules, w.money_type, count(DISTINCT w.round_id), count(*),
       coalesce(sum(w.staked) FILTER (WHERE w.voided_at IS NULL), 0)::bigint,
       coalesce(sum(w.returned) FILTER (WHERE w.voided_at IS NULL), 0)::bigint,
       coalesce(sum(w.commission) FILTER (WHERE w.voided_at IS NULL), 0)::bigint,
       count(*) FILTER (WHERE w.voided_at IS NOT NULL),
       coalesce(sum(w.staked) FILTER (WHERE w.voided_at IS NOT NULL), 0)::bigint
  FROM baccarat_round r JOIN baccarat_wager w ON w.round_id = r.id
 WHERE r.table_id = %s AND (w.settled_at IS NOT NULL OR w.voided_at IS NOT NULL) GROUP BY r.rules, w.money_type
"""
_SWITCHES: Final = """
SELECT id, scope, subject, operator_id, stopped, reason, message, by, at, version FROM baccarat_switch
 WHERE operator_id = %s OR (operator_id IS NULL AND stopped AND (scope = 'gaming' OR subject IN (
       SELECT label FROM baccarat_rulesversion WHERE operator_id = %s AND status IN ('in_force', 'published'))))
 ORDER BY id
"""
_IN_FORCE: Final = """
SELECT v.id, v.label, v.rules::text, v.returns::text, t.rules = v.label AND
       coalesce(nullif(t.state->'rules_lifecycle', 'null')->'in_force', t.state #> '{opened,rules}') = v.rules
  FROM baccarat_rulesversion v JOIN baccarat_table t ON t.id = v.table_id WHERE v.status = 'in_force' ORDER BY v.id
"""
_returns: Final = msgspec.json.Decoder(tuple[SpotReturn, ...]).decode


@dataclass(frozen=True, slots=True)
class PlayTotals:
    """Play under one version with one money type; `paid` is net of all commission; voided wagers are excluded."""

    money_type: MoneyType
    rounds: int
    wagers: int
    staked: int
    paid: int
    commission: int
    voided: int
    voided_stakes: int

    def actual_return(self) -> Fraction | None:
        """Return the actual return per unit staked; None before anything was staked."""
        return Fraction(self.paid, self.staked) if self.staked else None


@dataclass(frozen=True, slots=True)
class RulesVersionDetails:
    """One version: its row, its rules, its theoretical returns, and the play under it, real money first."""

    row: VersionRow
    rules: TableRules
    returns: tuple[SpotReturn, ...]
    play_totals: tuple[PlayTotals, ...]


def versions(*, table: UUID, operator: UUID) -> list[RulesVersionDetails]:
    """List all versions of a table's rules, the newest first. Raises UnknownTable."""
    if not fetch(_TABLE, [table, operator]):
        raise UnknownTable
    rows = rules_versions.load([table])[table]
    played = fetch(_PLAYED, [table])
    return [_version(rows[number], played) for number in sorted(rows, reverse=True)]


def version(*, table: UUID, operator: UUID, version: int) -> RulesVersionDetails:
    """Return one version of a table's rules. Raises UnknownTable, UnknownVersion."""
    if not fetch(_TABLE, [table, operator]):
        raise UnknownTable
    row = rules_versions.load([table])[table].get(version)
    if row is None:
        raise UnknownVersion
    return _version(row, fetch(_PLAYED, [table]))


def check_rules_in_force() -> tuple[dict[str, str], list[str]]:
    """Digest the rules in force at each table, and describe where they differ from those published.

    Recomputes each version's returns and compares them with the recorded ones.
    """
    items: dict[str, str] = {}
    wrong: list[str] = []
    for key, label, rules, told, same in fetch(_IN_FORCE):
        items[f"{key} {label}"] = hashlib.sha256(recanonical(rules)).hexdigest()
        if not same:
            wrong.append(f"rules: table {key} plays by others than its version in force")
        recorded = _returns(told)
        if recorded and recorded != theoretical_returns(rules_versions.decode_rules(rules)):
            wrong.append(f"rules: {key} returns something else than was put on record")
    return items, wrong


def switches(*, operator: UUID) -> list[SwitchRow]:
    """List an operator's switches, and those of the house that stop one of its tables."""
    return [SwitchRow(*row) for row in fetch(_SWITCHES, [operator, operator])]


def _version(row: VersionRow, played: Sequence[tuple[Any, ...]]) -> RulesVersionDetails:
    rules = rules_versions.decode_rules(row.rules)
    timing = None if rules.commission is None else rules.commission.timing
    late = timing is CommissionTiming.DEFERRED  # the return is gross in that case
    found = [_played(values, late=late) for values in played if values[0] == row.label]
    return RulesVersionDetails(
        row, rules, _returns(row.returns), tuple(sorted(found, key=lambda each: each.money_type, reverse=True))
    )


def _played(values: tuple[Any, ...], *, late: bool) -> PlayTotals:
    _, money_type, rounds, wagers, staked, returned, commission, voided, voided_stakes = values
    paid = returned - commission if late else returned
    return PlayTotals(MoneyType(money_type), rounds, wagers, staked, paid, commission, voided, voided_stakes)
