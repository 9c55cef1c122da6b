"""Why play, a deposit, or a change of what protects a player is refused."""

from datetime import datetime

from casino.kernel import money
from casino.kernel.errors import Refusal, RefusalKind
from wallet.responsible_gaming.events import LimitType
from wallet.responsible_gaming.state import Exclusion, PlayerBlock, PlayLimit


class PlayLimitReached(Refusal):
    """`used` of a limit is taken up, so that what was asked for would be over it; it fits again at `available_at`."""

    code = "play_limit_reached"
    title = "A limit on play would be exceeded"
    remedy = "Ask for no more than `remaining`, or wait until the time that `available_at` tells, where it is not null."

    def __init__(self, *, limit: PlayLimit, used: int, currency: str, available_at: datetime | None) -> None:
        left = max(0, limit.limit - max(0, used))
        unit = "minutes" if limit.limit_type is LimitType.TIME else currency
        most, taken, rest = (
            format_limit(each, limit.limit_type, currency) for each in (limit.limit, max(0, used), left)
        )
        super().__init__(
            f"The {limit.limit_type} limit per {limit.period} is {most} {unit}; {taken} is used, {rest} is left.",
            limit_type=limit.limit_type.value,
            period=limit.period.value,
            set_by=limit.by.value,
            limit=most,
            used=taken,
            remaining=rest,
            unit=unit,
            available_at=available_at,
        )


class PlayerExcluded(Refusal):
    code = "player_excluded"
    kind = RefusalKind.FORBIDDEN
    title = "The player stays away from deposits and play"
    remedy = "Leaving tables and withdrawing stay possible; `until` tells when a cooling-off ends."

    def __init__(self, exclusion: Exclusion) -> None:
        super().__init__(exclusion=exclusion.kind.value, since=exclusion.since, until=exclusion.until)


class PlayerIsBlocked(Refusal):
    code = "player_blocked"
    kind = RefusalKind.FORBIDDEN
    title = "The player is held back from play"
    remedy = "Confirmed wagers are dealt and settled; leaving and withdrawing stay possible. Ask the casino."

    def __init__(self, stopped: PlayerBlock) -> None:
        super().__init__(stopped.player_message, since=stopped.since)


class PlayerAlreadyBlocked(Refusal):
    code = "player_already_blocked"
    title = "The player is held back from play already"
    remedy = "Resume the player first, should another reason stand on record."


class PlayerNotBlocked(Refusal):
    code = "player_not_blocked"
    title = "The player is not held back from play"
    remedy = "There is nothing to resume; an exclusion or a wider switch may be what holds play back."


class PlayLimitUnchanged(Refusal):
    code = "play_limit_unchanged"
    title = "This is what holds, or was asked for, already"
    remedy = "Send another limit, or cancel the rise that is pending."


class InvalidPlayLimit(Refusal):
    code = "invalid_play_limit"
    kind = RefusalKind.INVALID
    title = "This can't be a limit"
    remedy = "Send `amount` and `currency` for a limit on money, `minutes` for one on time: null lifts it."


class NoLimitIncreasePending(Refusal):
    code = "no_limit_increase_pending"
    title = "No higher limit was asked for"
    remedy = "Ask for one first."


class LimitIncreaseTooEarly(Refusal):
    code = "limit_increase_too_early"
    title = "A higher limit is confirmed 24 hours after it was asked for, not before"
    remedy = "Confirm it at the time that `confirm_from` tells, or later."


class LongerExclusionActive(Refusal):
    code = "longer_exclusion_active"
    title = "An exclusion holds that ends no earlier"
    remedy = "Ask for a later end; an exclusion is made longer, never shorter."


class ExclusionLengthInvalid(Refusal):
    code = "exclusion_length_invalid"
    kind = RefusalKind.INVALID
    title = "An exclusion can't be that long or short"
    remedy = "Cool off for 24 to 1008 hours (6 weeks), or exclude for 6 to 120 months."


class ExclusionNoteInvalid(Refusal):
    code = "exclusion_note_invalid"
    kind = RefusalKind.INVALID
    title = "An exclusion by staff is explained in words"
    remedy = "Say why, in 500 characters at most."


class NotSelfExcluded(Refusal):
    code = "not_self_excluded"
    title = "The player is not self-excluded"
    remedy = "A cooling-off ends by itself; there is nothing to end."


class ExclusionStillRunning(Refusal):
    code = "exclusion_still_running"
    title = "A self-exclusion is not ended before its time"
    remedy = "End it at the time that `until` tells, or later."


class RealityCheckInvalid(Refusal):
    code = "reality_check_invalid"
    kind = RefusalKind.INVALID
    title = "Reality checks can't come so often or so seldom"
    remedy = "Ask for one every 15 to 60 minutes."


class PlayMoneyCapReached(Refusal):
    code = "play_money_cap_reached"
    title = "The player has as much play money as there is on request"
    remedy = "Ask again with less than `cap` in all, tables included."


class PlayMoneyTooSoon(Refusal):
    code = "play_money_too_soon"
    title = "Play money was topped up within the last hour"
    remedy = "Ask again at the time that `next_at` tells."


def format_limit(most: int, measure: LimitType, currency: str) -> str:
    """Print an amount of a measure: minutes as they are, money as a decimal string."""
    return str(most) if measure is LimitType.TIME else money.format_amount(most, currency)
