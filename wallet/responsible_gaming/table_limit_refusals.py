"""Refusals of stakes and changes by the limit that a player sets per spot."""

from datetime import datetime

from casino.kernel import money
from casino.kernel.errors import Refusal, RefusalKind


class OverOwnTableLimit(Refusal):
    """A stake exceeds the player's limit, in minor units, which may change from `next_change_at` on."""

    code = "over_own_table_limit"
    kind = RefusalKind.INVALID
    title = "The stake is over the limit that the player has set"
    remedy = "Stake at most the limit on each spot; it can be changed at `next_change_at`."

    def __init__(self, *, limit: int, currency: str, next_change_at: datetime) -> None:
        amount = money.format_amount(limit, currency)
        super().__init__(
            f"Your own limit is {amount} {currency} on a spot.",
            limit=amount,
            currency=currency,
            next_change_at=next_change_at,
        )


class TableLimitChangedThisWeek(Refusal):
    code = "table_limit_changed_this_week"
    title = "The limit was already changed in this betting week"
    remedy = "Change it again at `next_change_at`."


class TableLimitUnchanged(Refusal):
    code = "table_limit_unchanged"
    title = "This limit is already set"
    remedy = "Send another limit, or leave it as it is: it changes once in a betting week."
