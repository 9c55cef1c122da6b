"""Refusals of play, deposits and changes of restrictions."""

from datetime import datetime
from typing import Final

from casino.kernel import money
from casino.kernel.errors import Amount, Forbidden, Invalid, Refusal
from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType
from wallet.responsible_gaming.limits import ExceededLimit
from wallet.responsible_gaming.state import Exclusion, ExclusionKind, PlayerBlock

MINUTES: Final = "minutes"


class PlayLimitReached(Refusal):
    """The request would exceed a limit; a decision does not know when it fits again, the `available_at`."""

    title = "A limit on play would be exceeded"
    remedy = "Request at most `remaining`, or wait until `available_at`, where it is not null."
    fact_types = {
        "limit_type": LimitType,
        "period": LimitPeriod,
        "set_by": Initiator,
        "limit": str,
        "used": str,
        "remaining": str,
        "unit": str,
        "available_at": datetime | None,
    }

    def __init__(self, excess: ExceededLimit, *, currency: str, available_at: datetime | None = None) -> None:
        self.excess = excess
        limit, used = excess.limit, max(0, excess.used)
        limit_type = limit.limit_type
        most, taken, remaining = (
            format_limit(amount, limit_type, currency) for amount in (limit.limit, used, max(0, limit.limit - used))
        )
        unit = MINUTES if limit_type is LimitType.TIME else currency
        super().__init__(
            f"The {limit_type} limit per {limit.period} is {most} {unit}; {taken} is used, {remaining} remains.",
            limit_type=limit_type.value,
            period=limit.period.value,
            set_by=limit.by.value,
            limit=most,
            used=taken,
            remaining=remaining,
            unit=unit,
            available_at=available_at,
        )


class PlayerExcluded(Forbidden):
    title = "The player is excluded from deposits and play"
    remedy = (
        "Leaving tables and withdrawing stay possible; a cooling-off ends at `until`. Null is a permanent exclusion."
    )
    fact_types = {"exclusion": ExclusionKind, "since": datetime, "until": datetime | None}

    def __init__(self, exclusion: Exclusion) -> None:
        super().__init__(exclusion=exclusion.kind.value, since=exclusion.since, until=exclusion.until)


class PlayerIsBlocked(Forbidden):
    code = "player_blocked"
    title = "The player is blocked from play"
    remedy = "Confirmed wagers are dealt and settled; leaving and withdrawing stay possible. Contact the casino."
    fact_types = {"since": datetime}

    def __init__(self, block: PlayerBlock) -> None:
        super().__init__(block.player_message, since=block.since)


class PlayerAlreadyBlocked(Refusal):
    title = "The player is already blocked"
    remedy = "Unblock the player first to record another reason."


class PlayerNotBlocked(Refusal):
    title = "The player is not blocked"
    remedy = "There is nothing to unblock; an exclusion or a wider stop may prevent play."


class PlayerAlreadyFrozen(Refusal):
    title = "The player's account is frozen already"
    remedy = "There is nothing to do."


class PlayerNotFrozen(Refusal):
    title = "The player's account is not frozen"
    remedy = "There is nothing to lift."


class PlayLimitUnchanged(Refusal):
    title = "This limit is already set or requested"
    remedy = "Send another limit, or cancel the pending increase."


class InvalidPlayLimit(Invalid):
    title = "The limit is invalid"
    remedy = "Send `amount` and `currency` for a limit on money, `minutes` for one on time; null removes the limit."


class NoLimitIncreasePending(Refusal):
    title = "No higher limit was requested"
    remedy = "Request one first."


class LimitIncreaseTooEarly(Refusal):
    title = "A higher limit can be confirmed 24 hours after the request at the earliest"
    remedy = "Confirm it at `confirm_from` or later."
    fact_types = {"confirm_from": datetime}


class LongerExclusionActive(Refusal):
    title = "An exclusion with the same or a later end is active"
    remedy = "Choose a later end, if `until` is not null; an exclusion can be extended, never shortened."
    fact_types = {"until": datetime | None}


class ExclusionLengthInvalid(Invalid):
    title = "The length of the exclusion is out of range"
    remedy = "Cool off for 24 to 1008 hours (6 weeks), or exclude for 6 to 120 months or permanently."


class ExclusionNoteInvalid(Invalid):
    title = "An exclusion by staff needs a note"
    remedy = "Give the reason in 1 to 500 characters."


class NotSelfExcluded(Refusal):
    title = "The player is not self-excluded"
    remedy = "There is nothing to end; a cooling-off ends by itself."


class ExclusionStillRunning(Refusal):
    title = "A self-exclusion cannot be ended early"
    remedy = "End it at `until` or later."
    fact_types = {"until": datetime}


class ExclusionPermanent(Refusal):
    title = "A permanent self-exclusion cannot be ended"
    remedy = "Nobody can end it. The player can still leave tables and withdraw."


class RealityCheckInvalid(Invalid):
    title = "The interval of reality checks is out of range"
    remedy = "Choose 15 to 60 minutes."


class PlayMoneyCapReached(Refusal):
    title = "The player has the maximum of play money"
    remedy = "Request again once the player has less than `cap`, including at tables."
    fact_types = {"balance": Amount, "cap": Amount, "currency": str}


class PlayMoneyTooSoon(Refusal):
    title = "Play money was topped up within the last hour"
    remedy = "Request again at `next_at`."
    fact_types = {"next_at": datetime}


class OverGroupMaximum(Invalid):
    """A stake exceeds the maximum of the player's limits group, in minor units."""

    title = "The stake is over your casino's maximum for you"
    remedy = "Stake at most `limit` on each spot, whatever the table allows."
    fact_types = {"limit": Amount, "currency": str}

    def __init__(self, *, limit: int, currency: str) -> None:
        amount = money.format_amount(limit, currency)
        super().__init__(f"At most {amount} {currency} on a spot.", limit=amount, currency=currency)


class UnderGroupMinimum(Invalid):
    """A stake is below the minimum of the player's limits group, in minor units."""

    title = "The stake is under your casino's minimum for you"
    remedy = "Stake at least `limit` on each spot."
    fact_types = {"limit": Amount, "currency": str}

    def __init__(self, *, limit: int, currency: str) -> None:
        amount = money.format_amount(limit, currency)
        super().__init__(f"At least {amount} {currency} on a spot.", limit=amount, currency=currency)


def format_limit(limit: int, limit_type: LimitType, currency: str) -> str:
    """Format minutes as a number and money as a decimal string."""
    return str(limit) if limit_type is LimitType.TIME else money.format_amount(limit, currency)
