"""What players and operators do to keep play within bounds: limits, cooling-off, self-exclusion, reality checks.

Streams: `responsible-gaming-{player}` for one player, `operator-limits-{operator}` for what holds for all players of an operator.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class LimitType(StrEnum):
    """What a limit holds back: money paid in, staked or lost (minor units of real money), or time played (minutes)."""

    DEPOSIT = "deposit"
    STAKE = "stake"
    LOSS = "loss"
    TIME = "time"


class LimitPeriod(StrEnum):
    """How far a limit looks back: 24 hours, 7 days, or a month."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


class Initiator(StrEnum):
    """Who set it."""

    PLAYER = "player"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class PlayLimitSet:
    """From now on at most `limit` in any period of this length; None, which only an operator sets, lifts its limit."""

    operator: UUID
    player: UUID
    currency: str
    by: Initiator
    limit_type: LimitType
    period: LimitPeriod
    limit: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class PlayLimitIncreaseRequested:
    """A player wants a higher limit, or none (None), and may confirm that from `confirm_from` on."""

    operator: UUID
    player: UUID
    currency: str
    limit_type: LimitType
    period: LimitPeriod
    limit: int | None
    at: datetime
    confirm_from: datetime


@dataclass(frozen=True, slots=True)
class PlayLimitIncreased:
    """The player confirmed what was asked for; `limit` holds from now on, None for no limit of one's own."""

    operator: UUID
    player: UUID
    currency: str
    limit_type: LimitType
    period: LimitPeriod
    limit: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class PlayLimitIncreaseCancelled:
    """The player took the wish for a higher limit back."""

    operator: UUID
    player: UUID
    limit_type: LimitType
    period: LimitPeriod
    at: datetime


@dataclass(frozen=True, slots=True)
class CoolingOffStarted:
    """The player stays away from deposits and play until then."""

    operator: UUID
    player: UUID
    by: Initiator
    until: datetime
    at: datetime


@dataclass(frozen=True, slots=True)
class SelfExcluded:
    """The player stays away from deposits and play: until then at least, and until the operator ends it."""

    operator: UUID
    player: UUID
    by: Initiator
    until: datetime
    at: datetime


@dataclass(frozen=True, slots=True)
class SelfExclusionEnded:
    """The operator confirmed that the player may play again."""

    operator: UUID
    player: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class RealityCheckSet:
    """The player is to be reminded of time and result every so many minutes."""

    operator: UUID
    player: UUID
    minutes: int
    at: datetime


@dataclass(frozen=True, slots=True)
class PlayerBlocked:
    """Those who run the house let the player neither sit down nor wager; `player_message` is what the player reads."""

    operator: UUID
    player: UUID
    player_message: str
    at: datetime


@dataclass(frozen=True, slots=True)
class PlayerUnblocked:
    """The player may play again, as far as nothing else holds."""

    operator: UUID
    player: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class OperatorLimitSet:
    """Every player of the operator is held to `limit` in any period of this length; None lifts it."""

    operator: UUID
    currency: str
    limit_type: LimitType
    period: LimitPeriod
    limit: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class PlayMoneyCapSet:
    """Play money is topped up to so many minor units."""

    operator: UUID
    currency: str
    cap: int
    at: datetime


@dataclass(frozen=True, slots=True)
class PlayMoneyToppedUp:
    """`amount` minor units of play money appeared on a player's account at the player's own wish."""

    operator: UUID
    player: UUID
    currency: str
    amount: int
    at: datetime


@dataclass(frozen=True, slots=True)
class TableLimitSet:
    """A player stakes at most `amount` minor units on a spot, or None: as much as the tables take.

    It changes again from `next_change_at` on. Stream: `limit-{player}`.
    """

    operator: UUID
    player: UUID
    currency: str
    amount: int | None
    at: datetime
    next_change_at: datetime


PlayLimitEvent = PlayLimitSet | PlayLimitIncreaseRequested | PlayLimitIncreased | PlayLimitIncreaseCancelled
PlayerBlockEvent = PlayerBlocked | PlayerUnblocked
PlayerRestrictionEvent = (
    PlayLimitEvent | CoolingOffStarted | SelfExcluded | SelfExclusionEnded | RealityCheckSet | PlayerBlockEvent
)
OperatorLimitEvent = OperatorLimitSet | PlayMoneyCapSet
ResponsibleGamingEvent = PlayerRestrictionEvent | OperatorLimitEvent
PlayerRequestEvent = PlayMoneyToppedUp | TableLimitSet


def responsible_gaming_stream(player: UUID) -> str:
    return f"responsible-gaming-{player}"


def operator_limits_stream(operator: UUID) -> str:
    """Name the stream of what holds for all players of an operator."""
    return f"operator-limits-{operator}"


def table_limit_stream(player: UUID) -> str:
    """Name the stream of the limit per spot that a player sets."""
    return f"limit-{player}"
