"""Stopping and resuming play: scopes, refusals, and events of the switches and of each affected table.

Running rounds conclude, with the wagers confirmed in them; nothing new starts. Every event records who acted and why.
Source: GLI-19 2.4.1 (disable all gaming, a paytable, a login) and 4.15.1 (the round in hand concludes).
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from casino.kernel.errors import Forbidden, Invalid, Missing, Refusal, RefusalKind
from casino.kernel.persons import DESK

OPERATOR_DOORS: Final = frozenset({DESK, "operator"})
"""What actors' names begin with who act for an operator whatever they hold elsewhere: its desk, and its keys."""


class StopScope(StrEnum):
    """Scope of a switch, widest first."""

    GAMING = "gaming"
    OPERATOR = "operator"
    RULES = "rules"
    TABLE = "table"
    PLAYER = "player"

    def is_wide(self) -> bool:
        """Return whether it reaches beyond one table."""
        return self not in {StopScope.TABLE, StopScope.PLAYER}


class StopRank(StrEnum):
    """For whom a stop was set, lowest first: only the same or a higher rank lifts it.

    Players set none: what they exclude themselves from ends at its time, and no rank ends it earlier.
    """

    TABLE = "table"
    OPERATOR = "operator"
    PLATFORM = "platform"
    REGULATOR = "regulator"

    def covers(self, other: "StopRank") -> bool:
        """Return whether this rank may lift a stop of another."""
        ranks = list(StopRank)
        return ranks.index(self) >= ranks.index(other)


@dataclass(frozen=True, slots=True)
class StopImposed:
    """Play was stopped within `scope`. `subject` is an id or the digest of rules, empty for all gaming.

    `operator` owns the subject, None if the stop reaches beyond one operator. `regulator_order` is the reference of a
    regulator's order, empty without one. Texts about a player are encrypted with the player's key. With `deposits`, no
    deposit is taken either.
    """

    scope: StopScope
    subject: str
    operator: UUID | None
    reason: str
    player_message: str
    rank: StopRank
    regulator_order: str
    by: str
    at: datetime
    deposits: bool


@dataclass(frozen=True, slots=True)
class StopLifted:
    """Play may resume within `scope`, unless another switch stops it.

    Where several persons had to agree, `change` is the one on which they did, and `agreed_by` are those beside `by`.
    """

    scope: StopScope
    subject: str
    operator: UUID | None
    reason: str
    rank: StopRank
    regulator_order: str
    by: str
    agreed_by: tuple[str, ...]
    change: UUID | None
    at: datetime


@dataclass(frozen=True, slots=True)
class PlayStopped:
    """The table was stopped: no round opens, no player sits down, and no wager is taken.

    `subject` is the digest of the stopped rules, and empty for every other scope.
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


StopEvent = StopImposed | StopLifted


def stop_id(scope: StopScope, subject: str) -> str:
    """Return a switch's id: "gaming", or for example "table:<id>"."""
    return f"{scope}:{subject}" if subject else scope.value


def stop_stream(scope: StopScope, subject: str) -> str:
    return f"stop-{scope}-{subject}" if subject else f"stop-{scope}"


class PlayIsStopped(Refusal):
    """Base of refusals at a stopped table. The detail is the message shown to players."""

    kind = RefusalKind.FORBIDDEN
    remedy = "Confirmed wagers are dealt and settled; you can still leave, rebuy and withdraw. Come back later."
    fact_types = {"since": datetime | None}


class GamingIsStopped(PlayIsStopped):
    code = "gaming_is_stopped"
    title = "All play is stopped"


class OperatorIsStopped(PlayIsStopped):
    code = "operator_is_stopped"
    title = "All play in this casino is stopped"


class RulesAreStopped(PlayIsStopped):
    code = "rules_are_stopped"
    title = "Play by these rules is stopped"


class TableIsStopped(PlayIsStopped):
    code = "table_is_stopped"
    title = "Play at this table is stopped"


STOPS: Final = (GamingIsStopped, OperatorIsStopped, RulesAreStopped, TableIsStopped)


class AlreadyStopped(Refusal):
    title = "This is already stopped"
    remedy = "To record another reason, resume it first. Only a higher rank can stop it again."
    fact_types = {"since": datetime}


class NotStopped(Refusal):
    title = "This is not stopped"
    remedy = "List the stops in force: a wider one may be stopping play."


class StopReasonMissing(Invalid):
    title = "The reason for stopping or resuming play is missing or too long"
    remedy = "Give a reason of at most 500 characters."


class StopMessageTooLong(Invalid):
    title = "The message to players is too long"
    remedy = "Send at most 200 characters, or omit it for the default message."


class UnknownStopSubject(Missing):
    title = "There is nothing with this name to stop or resume"
    remedy = "Send gaming, or an existing operator, rules version, table or player."


class StopOfHigherRank(Forbidden):
    title = "A higher rank imposed this stop, and only it or a higher one can lift it"
    remedy = "Ask a duty manager, or the platform, whose staff lift a regulator's stop with the reference of the order."
    fact_types = {"rank": StopRank}


class OrderIsForThePlatform(Forbidden):
    title = "Only the platform's staff carry out orders of a regulator"
    remedy = "Leave out the order's reference, or ask the platform."


class DepositsNotInScope(Invalid):
    title = "Only a stop of all gaming or of an operator stops deposits, too"
    remedy = "Leave out `deposits`, or stop the operator."


class StopOrderTooLong(Invalid):
    title = "The reference of the regulator's order is too long"
    remedy = "Give at most 100 characters."
