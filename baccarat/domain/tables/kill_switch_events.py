"""Events that stop and resume play: those of the switches, in streams `stop-…`, and those of each affected table.

Running rounds conclude, with the wagers confirmed in them; nothing new starts. Every event records who acted and why.
Source: GLI-19 2.4.1 (disable all gaming, a paytable, a login) and 4.15.1 (the round in hand concludes).
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class StopScope(StrEnum):
    """Scope of a switch, widest first."""

    GAMING = "gaming"
    OPERATOR = "operator"
    RULES = "rules"
    TABLE = "table"
    PLAYER = "player"


@dataclass(frozen=True, slots=True)
class StopImposed:
    """Play was stopped within `scope`. `subject` is an id or the label of rules ("mini@1"), empty for all gaming.

    `operator` owns the subject, None if the stop reaches beyond one operator. Texts about a player are encrypted with
    the player's key.
    """

    scope: StopScope
    subject: str
    operator: UUID | None
    reason: str
    player_message: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class StopLifted:
    """Play may resume within `scope`, unless another switch stops it."""

    scope: StopScope
    subject: str
    operator: UUID | None
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class PlayStopped:
    """The table was stopped: no round opens, no player sits down, and no wager is taken.

    `subject` is the label of the stopped rules, and empty for every other scope.
    """

    scope: StopScope
    subject: str
    player_message: str
    reason: str
    by: str
    stopped_at: datetime


@dataclass(frozen=True, slots=True)
class PlayResumed:
    """This switch no longer stops the table."""

    scope: StopScope
    subject: str
    reason: str
    by: str
    resumed_at: datetime


SwitchEvent = StopImposed | StopLifted


def switch_id(scope: StopScope, subject: str) -> str:
    """Return a switch's id: "gaming", or for example "table:<id>"."""
    return f"{scope}:{subject}" if subject else scope.value


def switch_stream(scope: StopScope, subject: str) -> str:
    return f"stop-{scope}-{subject}" if subject else f"stop-{scope}"
