"""Why a stake, or a change of the player's own limit, is refused."""

from datetime import datetime

from casino.kernel import money
from casino.kernel.errors import Refusal, RefusalKind


class OverOwnTableLimit(Refusal):
    """A stake is more than `limit` minor units, which the player has set and may change from `next_change_at` on."""

    code = "over_own_table_limit"
    kind = RefusalKind.INVALID
    title = "The stake is over the limit that the player has set"
    remedy = "Stake at most the limit on each spot; it may be changed at the time that `next_change_at` tells."

    def __init__(self, *, limit: int, currency: str, next_change_at: datetime) -> None:
        shown = money.format_amount(limit, currency)
        super().__init__(
            f"Your own limit is {shown} {currency} on a spot.",
            limit=shown,
            currency=currency,
            next_change_at=next_change_at,
        )


class TableLimitChangedThisWeek(Refusal):
    code = "table_limit_changed_this_week"
    title = "The limit was changed in this betting week already"
    remedy = "Change it again at the time that `next_change_at` tells."


class TableLimitUnchanged(Refusal):
    code = "table_limit_unchanged"
    title = "This is the limit that holds already"
    remedy = "Send another limit, or leave it as it is: it changes once in a betting week."
