"""What stops play and lets it go on: the switches, in streams `stop-…`, and what each table is told of them.

Running rounds conclude, with what is confirmed in them; nothing new starts. Who did it and why is in every event.
Source: GLI-19 2.4.1 (disable all gaming, a paytable, a login) and 4.15.1 (the round in hand concludes).
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class StopScope(StrEnum):
    """How far a switch reaches, the widest first."""

    GAMING = "gaming"
    OPERATOR = "operator"
    RULES = "rules"
    TABLE = "table"
    PLAYER = "player"


@dataclass(frozen=True, slots=True)
class StopImposed:
    """Play is stopped within `scope`. `subject` is an id, or the label of rules ("mini@1"); empty for all gaming.

    `operator` is whose it is, None for what reaches beyond one operator. Texts about a player are
    encrypted with the player's key.
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
    """Play may go on within `scope`, as far as no other switch stops it."""

    scope: StopScope
    subject: str
    operator: UUID | None
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class PlayStopped:
    """A table is told: from now on no round opens, nobody sits down, and no wager is taken.

    `subject` is the label of the rules that are stopped, and empty for every other switch.
    """

    scope: StopScope
    subject: str
    player_message: str
    reason: str
    by: str
    stopped_at: datetime


@dataclass(frozen=True, slots=True)
class PlayResumed:
    """A table is told that this switch stops it no longer."""

    scope: StopScope
    subject: str
    reason: str
    by: str
    resumed_at: datetime


SwitchEvent = StopImposed | StopLifted


def switch_id(scope: StopScope, subject: str) -> str:
    """Name a switch: "gaming", or such as "table:<id>"."""
    return f"{scope}:{subject}" if subject else scope.value


def switch_stream(scope: StopScope, subject: str) -> str:
    return f"stop-{scope}-{subject}" if subject else f"stop-{scope}"
