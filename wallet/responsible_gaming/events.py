"""Events of limits, cooling-off, self-exclusion, reality checks and blocks.

Streams: `responsible-gaming-{player}` for one player, `operator-limits-{operator}` for all players of an operator,
`limit-{player}-{currency}` for the limit per spot that a player sets. Top-ups are in `wallet-{player}-{currency}`.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from casino.kernel.money import MoneyType
from wallet.ledger.accounts import AccountKind, operator_account, player_account
from wallet.ledger.entries import NewEntry, transfer


class LimitType(StrEnum):
    """What is limited: deposits, stakes or losses (minor units of real money), or time played (minutes)."""

    DEPOSIT = "deposit"
    STAKE = "stake"
    LOSS = "loss"
    TIME = "time"


def limit_currency(limit_type: LimitType, currency: str) -> str:
    """Return the currency of a limit: a limit on time has none and holds for play in all."""
    return "" if limit_type is LimitType.TIME else currency


class LimitPeriod(StrEnum):
    """How far a limit looks back: 24 hours, 7 days, or a month."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


class Initiator(StrEnum):
    """The party that set a limit or exclusion. What staff record at a player's wish is the player's."""

    PLAYER = "player"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class PlayLimitSet:
    """At most `limit` in any period of this length from now on; None, set by operators only, removes the limit."""

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
    """A player requested a higher limit, or none (None), and may confirm it from `confirm_from` on."""

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
    """The player confirmed the requested `limit`; None for no own limit."""

    operator: UUID
    player: UUID
    currency: str
    limit_type: LimitType
    period: LimitPeriod
    limit: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class PlayLimitIncreaseCancelled:
    """The player withdrew the request for a higher limit."""

    operator: UUID
    player: UUID
    currency: str
    limit_type: LimitType
    period: LimitPeriod
    at: datetime


@dataclass(frozen=True, slots=True)
class CoolingOffStarted:
    """The player may neither deposit nor play until `until`."""

    operator: UUID
    player: UUID
    by: Initiator
    until: datetime
    at: datetime


@dataclass(frozen=True, slots=True)
class SelfExcluded:
    """The player may neither deposit nor play until the operator ends it, possible from `until` on; None for never.

    Where it is `by` the operator, it is an exclusion by the house, and holds payments.
    """

    operator: UUID
    player: UUID
    by: Initiator
    until: datetime | None
    at: datetime


@dataclass(frozen=True, slots=True)
class SelfExclusionEnded:
    """The operator ended the player's self-exclusion."""

    operator: UUID
    player: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class RealityCheckSet:
    """The player is reminded of time and result every so many minutes."""

    operator: UUID
    player: UUID
    minutes: int
    at: datetime


@dataclass(frozen=True, slots=True)
class PlayerBlocked:
    """Staff blocked the player from sitting down and wagering; `player_message` is shown to the player."""

    operator: UUID
    player: UUID
    player_message: str
    at: datetime


@dataclass(frozen=True, slots=True)
class PlayerUnblocked:
    """Staff removed the block."""

    operator: UUID
    player: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class PlayerFrozen:
    """Compliance froze the account: no play and no money out. The `reason` is for staff, encrypted."""

    operator: UUID
    player: UUID
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class PlayerUnfrozen:
    """These persons lifted the freeze."""

    operator: UUID
    player: UUID
    by: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class OperatorLimitSet:
    """At most `limit` for every player of the operator in any period of this length; None removes the limit."""

    operator: UUID
    currency: str
    limit_type: LimitType
    period: LimitPeriod
    limit: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class PlayMoneyCapSet:
    """Play money is topped up to `cap` minor units."""

    operator: UUID
    currency: str
    cap: int
    at: datetime


@dataclass(frozen=True, slots=True)
class PlayMoneyToppedUp:
    """A player requested `amount` minor units of play money, which were credited."""

    operator: UUID
    player: UUID
    currency: str
    amount: int
    at: datetime


@dataclass(frozen=True, slots=True)
class TableLimitSet:
    """A player limited the stake per spot to `amount` minor units, or removed the limit (None).

    It can change again from `next_change_at` on.
    """

    operator: UUID
    player: UUID
    currency: str
    amount: int | None
    at: datetime
    next_change_at: datetime


PlayLimitEvent = PlayLimitSet | PlayLimitIncreaseRequested | PlayLimitIncreased | PlayLimitIncreaseCancelled
PlayerBlockEvent = PlayerBlocked | PlayerUnblocked | PlayerFrozen | PlayerUnfrozen
ExclusionEvent = CoolingOffStarted | SelfExcluded | SelfExclusionEnded
PlayerRestrictionEvent = PlayLimitEvent | ExclusionEvent | RealityCheckSet | PlayerBlockEvent
OperatorLimitEvent = OperatorLimitSet | PlayMoneyCapSet
ResponsibleGamingEvent = PlayerRestrictionEvent | OperatorLimitEvent
PlayerRequestEvent = PlayMoneyToppedUp | TableLimitSet


def responsible_gaming_stream(player: UUID) -> str:
    return f"responsible-gaming-{player}"


def operator_limits_stream(operator: UUID) -> str:
    """Name the stream of the limits for all players of an operator."""
    return f"operator-limits-{operator}"


def table_limit_stream(player: UUID, currency: str) -> str:
    """Name the stream of the limit per spot that a player sets in a currency."""
    return f"limit-{player}-{currency}"


def entry_for(event: ResponsibleGamingEvent | PlayerRequestEvent, cause: int) -> NewEntry | None:
    """Return the entry that follows from an event with id `cause`, or None where no money moves."""
    if not isinstance(event, PlayMoneyToppedUp):
        return None
    source = operator_account(
        kind=AccountKind.SANDBOX, operator=event.operator, money_type=MoneyType.PLAY, currency=event.currency
    )
    account = player_account(
        operator=event.operator, player=event.player, money_type=MoneyType.PLAY, currency=event.currency
    )
    return transfer(kind="play_money", cause=cause, source=source, target=account, amount=event.amount)
