"""Versions of rules as reports need them: by table and the label recorded with rounds."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from baccarat.domain.rules.table_rules import TableRules
from baccarat.storage import rules_versions

Key = tuple[UUID, str]


@dataclass(frozen=True, slots=True)
class RuleSet:
    """One version and its period in force; `until` is None if it is still in force."""

    rules: TableRules
    since: datetime | None
    until: datetime | None
    status: str


def load_rule_sets(tables: Collection[UUID]) -> dict[Key, RuleSet]:
    """Return every version of these tables' rules, in one query."""
    return {
        (row.table_id, row.label): RuleSet(rules_versions.decode_rules(row.rules), row.since, row.until, row.status)
        for versions in rules_versions.load(tables).values()
        for row in versions.values()
    }
