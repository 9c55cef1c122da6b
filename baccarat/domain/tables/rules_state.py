"""Which rules a table plays by, which wait, and which are proposed. Part of a table's state. Pure."""

from dataclasses import dataclass, replace

from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables.rules_events import (
    RulesDecommissioned,
    RulesDrafted,
    RulesPublished,
    RulesRejected,
    RulesTookEffect,
    VersionEvent,
    Waits,
)


@dataclass(frozen=True, slots=True)
class Draft:
    """Rules that wait for another person."""

    rules: TableRules
    floor: int
    acknowledgement: str
    by: str


@dataclass(frozen=True, slots=True)
class Next:
    """Rules that are published and wait for their round or shoe."""

    rules: TableRules
    waits_for: Waits


@dataclass(frozen=True, slots=True)
class Ruled:
    """The rules of a table whose rules were ever spoken of; `highest` is the last version number given."""

    in_force: TableRules
    highest: int
    draft: Draft | None = None
    next: Next | None = None
    withdrawn: bool = False


def after(state: Ruled, event: VersionEvent) -> Ruled:
    match event:
        case RulesDrafted():
            draft = Draft(event.rules, event.floor, event.acknowledgement, event.by)
            return replace(state, highest=event.version, draft=draft)
        case RulesRejected():
            return replace(state, draft=None)
        case RulesPublished():
            return replace(state, draft=None, next=Next(event.rules, event.waits_for))
        case RulesTookEffect():
            return replace(state, in_force=event.rules, next=None, withdrawn=False)
        case RulesDecommissioned():
            return replace(state, withdrawn=True)
