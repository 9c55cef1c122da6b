"""Read adjustments of one operator."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from casino.crypto import crypto_shredding
from casino.events.periods import PeriodReversed
from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from wallet.adjustments.events import AdjustmentReason
from wallet.adjustments.refusals import UnknownAdjustment
from wallet.models import Adjustment

__all__ = [
    "Adjustment",
    "AdjustmentFilter",
    "AdjustmentTotal",
    "find",
    "iterate_adjustments",
    "list_adjustments",
    "totals_by_reason",
]

NEWEST: Final = UUID(int=2**128 - 1)
PAGE: Final = 500
_BY_REASON: Final = """
    SELECT reason, direction, money_type, currency, count(*), sum(amount)::bigint, sum(owed)::bigint
      FROM wallet_adjustment
     WHERE operator_id = %s AND money_type = %s
       AND (%s::timestamptz IS NULL OR posted_at >= %s::timestamptz)
       AND (%s::timestamptz IS NULL OR posted_at < %s::timestamptz)
     GROUP BY reason, direction, money_type, currency ORDER BY reason, direction, money_type, currency
"""


@dataclass(frozen=True, slots=True)
class AdjustmentFilter:
    """Adjustments of an operator, by the time at which they were posted: `since` included, `until` excluded."""

    operator: UUID
    player: UUID | None = None
    reason: AdjustmentReason | None = None
    since: datetime | None = None
    until: datetime | None = None

    def filters(self) -> dict[str, Any]:
        """Return the conditions for Django's ORM. Raises PeriodReversed."""
        if self.since is not None and self.until is not None and self.since >= self.until:
            raise PeriodReversed
        conditions = {
            "player_id": self.player,
            "reason": self.reason,
            "posted_at__gte": self.since,
            "posted_at__lt": self.until,
        }
        return {
            "operator_id": self.operator,
            **{name: value for name, value in conditions.items() if value is not None},
        }


@dataclass(frozen=True, slots=True)
class AdjustmentTotal:
    """Number and sums of adjustments of one reason, direction, money type and currency, in minor units."""

    reason: str
    direction: str
    money_type: str
    currency: str
    count: int
    amount: int
    owed: int


def find(*, operator: UUID, adjustment: UUID) -> Adjustment:
    """Find one adjustment. Raises UnknownAdjustment, also for another operator's."""
    row = Adjustment.objects.filter(operator_id=operator, pk=adjustment).first()
    if row is None:
        raise UnknownAdjustment
    crypto_shredding.decrypt_rows([row])
    return row


def list_adjustments(where: AdjustmentFilter, *, before: UUID | None, limit: int) -> list[Adjustment]:
    """List adjustments requested before the one with this id, newest first. Raises PeriodReversed."""
    rows = list(Adjustment.objects.filter(**where.filters(), id__lt=before or NEWEST).order_by("-id")[:limit])
    crypto_shredding.decrypt_rows(rows)
    return rows


def iterate_adjustments(where: AdjustmentFilter) -> Iterator[list[Adjustment]]:
    """Yield all adjustments in pages, newest first. Raises PeriodReversed."""
    before = NEWEST
    while page := list_adjustments(where, before=before, limit=PAGE):
        before = page[-1].id
        yield page


def totals_by_reason(
    *, operator: UUID, since: datetime | None, until: datetime | None, money_type: MoneyType = MoneyType.REAL
) -> list[AdjustmentTotal]:
    """Sum the adjustments posted in a period, in one money type, by reason. Raises PeriodReversed."""
    if since is not None and until is not None and since >= until:
        raise PeriodReversed
    return [AdjustmentTotal(*row) for row in fetch(_BY_REASON, [operator, money_type, since, since, until, until])]
