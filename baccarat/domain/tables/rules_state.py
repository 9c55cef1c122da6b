"""The rules in force, pending and drafted at a table; part of its state. Pure."""

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
    """Rules waiting for another person's approval."""

    rules: TableRules
    floor: int
    acknowledgement: str
    by: str


@dataclass(frozen=True, slots=True)
class PendingRules:
    """Published rules waiting for their round or shoe."""

    rules: TableRules
    effective_from: EffectiveFrom


@dataclass(frozen=True, slots=True)
class RulesLifecycle:
    """Rules of a table that has had at least one draft or retirement. `latest_version` is the last version number
    assigned.
    """

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
