"""Events of a table's rules, in its own stream: drafted, published by another person, in force, retired.

A version never changes; its number is used once. `by` names persons as events do, `return_floor` is the operator's
least return in hundredths of a percent at that time.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.rules.versions import SpotReturn


class EffectiveFrom(StrEnum):
    """From when a published version holds: never within a round, nor within a shoe that it would change.

    What shapes a shoe holds only for one that is committed to after the publishing (`NEW_SHOE`): the shoe in play and
    the committed one are played as they were committed to, so that nobody who knows a seed can choose its cards.
    """

    NEXT_ROUND = "next_round"
    NEXT_SHOE = "next_shoe"
    NEW_SHOE = "new_shoe"


@dataclass(frozen=True, slots=True)
class RulesDrafted:
    """Somebody proposes rules; `acknowledgement` is the sentence typed where a return needs one."""

    version: int
    rules: TableRules
    returns: tuple[SpotReturn, ...]
    return_floor: int
    acknowledgement: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RulesRejected:
    """A draft was refused, or taken back by who made it."""

    version: int
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RulesPublished:
    """Another person agreed: the version holds from the next round or shoe on."""

    version: int
    rules: TableRules
    effective_from: EffectiveFrom
    drafted_by: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RulesTookEffect:
    """The version holds from round number `first_round` on; the one before it is retired."""

    version: int
    rules: TableRules
    first_round: int
    at: datetime


@dataclass(frozen=True, slots=True)
class RulesRetired:
    """The version in force is withdrawn: no round opens at the table until another one is published."""

    version: int
    reason: str
    by: str
    at: datetime


VersionEvent = RulesDrafted | RulesRejected | RulesPublished | RulesTookEffect | RulesRetired
