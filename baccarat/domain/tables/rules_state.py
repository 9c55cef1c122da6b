"""Which rules a table plays by, which wait, and which are proposed. Part of a table's state. Pure."""

from dataclasses import dataclass, replace

from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables.rules_events import (
    EffectiveFrom,
    RulesDrafted,
    RulesPublished,
    RulesRejected,
    RulesRetired,
    RulesTookEffect,
    VersionEvent,
)


@dataclass(frozen=True, slots=True)
class RulesDraft:
    """Rules that wait for another person."""

    rules: TableRules
    floor: int
    acknowledgement: str
    by: str


@dataclass(frozen=True, slots=True)
class PendingRules:
    """Rules that are published and wait for their round or shoe."""

    rules: TableRules
    effective_from: EffectiveFrom


@dataclass(frozen=True, slots=True)
class RulesLifecycle:
    """The rules of a table whose rules were ever spoken of; `highest` is the last version number given."""

    in_force: TableRules
    latest_version: int
    draft: RulesDraft | None = None
    pending: PendingRules | None = None
    retired: bool = False


def evolve(state: RulesLifecycle, event: VersionEvent) -> RulesLifecycle:
    match event:
        case RulesDrafted():
            draft = RulesDraft(event.rules, event.return_floor, event.acknowledgement, event.by)
            return replace(state, latest_version=event.version, draft=draft)
        case RulesRejected():
            return replace(state, draft=None)
        case RulesPublished():
            return replace(state, draft=None, pending=PendingRules(event.rules, event.effective_from))
        case RulesTookEffect():
            return replace(state, in_force=event.rules, pending=None, retired=False)
        case RulesRetired():
            return replace(state, retired=True)
