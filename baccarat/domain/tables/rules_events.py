"""Events of a table's rules, in the table's stream: drafted, published by another person, in force, retired.

A version never changes, and its number is used once. `by` identifies persons as in other events. `return_floor` is the
operator's minimum return in hundredths of a percent at that time.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.rules.versions import SpotReturn


class EffectiveFrom(StrEnum):
    """When a published version takes effect: never within a round, nor within a shoe that it would change.

    Rules that change a shoe apply only to shoes committed to after publication (`NEW_SHOE`). The shoe in play and the
    committed one are played as committed, so that nobody who knows a seed can choose its cards.
    """

    NEXT_ROUND = "next_round"
    NEXT_SHOE = "next_shoe"
    NEW_SHOE = "new_shoe"


@dataclass(frozen=True, slots=True)
class RulesDrafted:
    """A person proposed rules. `acknowledgement` is the sentence typed if a return requires one."""

    version: int
    rules: TableRules
    returns: tuple[SpotReturn, ...]
    return_floor: int
    acknowledgement: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RulesRejected:
    """A draft was rejected, or withdrawn by its author."""

    version: int
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RulesPublished:
    """Another person approved: the version takes effect from the next round or shoe."""

    version: int
    rules: TableRules
    effective_from: EffectiveFrom
    drafted_by: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RulesTookEffect:
    """The version applies from round number `first_round`; the previous one is retired."""

    version: int
    rules: TableRules
    first_round: int
    at: datetime


@dataclass(frozen=True, slots=True)
class RulesRetired:
    """The version in force was retired: no round opens at the table until another is published."""

    version: int
    reason: str
    by: str
    at: datetime


VersionEvent = RulesDrafted | RulesRejected | RulesPublished | RulesTookEffect | RulesRetired
