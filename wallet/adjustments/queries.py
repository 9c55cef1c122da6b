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
from wallet.adjustments.state import AdjustmentStatus
from wallet.models import Adjustment, AdjustmentText

__all__ = [
    "Adjustment",
    "AdjustmentFilter",
    "AdjustmentText",
    "AdjustmentTotal",
    "find",
    "iterate_adjustments",
    "list_adjustments",
    "load_adjustment_texts",
    "totals_by_reason",
]

NEWEST: Final = UUID(int=2**128 - 1)
PAGE: Final = 500
_BY_REASON: Final = """
    SELECT reason, direction, money_type, currency, count(*), sum(amount)::bigint, sum(owed)::bigint
      FROM wallet_adjustment
     WHERE operator_id = %s AND money_type = %s AND status = 'approved'
       AND (%s::timestamptz IS NULL OR decided_at >= %s::timestamptz)
       AND (%s::timestamptz IS NULL OR decided_at < %s::timestamptz)
     GROUP BY reason, direction, money_type, currency ORDER BY reason, direction, money_type, currency
"""


@dataclass(frozen=True, slots=True)
class AdjustmentFilter:
    """Adjustments of an operator, by time of the request: `since` included, `until` excluded."""

    operator: UUID
    player: UUID | None = None
    status: AdjustmentStatus | None = None
    reason: AdjustmentReason | None = None
    since: datetime | None = None
    until: datetime | None = None

    def filters(self) -> dict[str, Any]:
        """Return the conditions for Django's ORM. Raises PeriodReversed."""
        if self.since is not None and self.until is not None and self.since >= self.until:
            raise PeriodReversed
        conditions = {
            "player_id": self.player,
            "status": self.status,
            "reason": self.reason,
            "requested_at__gte": self.since,
            "requested_at__lt": self.until,
        }
        return {
            "operator_id": self.operator,
            **{name: value for name, value in conditions.items() if value is not None},
        }


@dataclass(frozen=True, slots=True)
class AdjustmentTotal:
    """Number and sums of approved adjustments of one reason, direction, money type and currency, in minor units."""

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
    return row


def list_adjustments(where: AdjustmentFilter, *, before: UUID | None, limit: int) -> list[Adjustment]:
    """List adjustments requested before the one with this id, newest first. Raises PeriodReversed."""
    rows = Adjustment.objects.filter(**where.filters(), id__lt=before or NEWEST)
    return list(rows.order_by("-id")[:limit])


def iterate_adjustments(where: AdjustmentFilter) -> Iterator[list[Adjustment]]:
    """Yield all adjustments in pages, newest first. Raises PeriodReversed."""
    before = NEWEST
    while page := list_adjustments(where, before=before, limit=PAGE):
        before = page[-1].id
        yield page


def totals_by_reason(
    *, operator: UUID, since: datetime | None, until: datetime | None, money_type: MoneyType = MoneyType.REAL
) -> list[AdjustmentTotal]:
    """Sum the adjustments approved in a period, in one money type, by reason. Raises PeriodReversed."""
    if since is not None and until is not None and since >= until:
        raise PeriodReversed
    return [AdjustmentTotal(*row) for row in fetch(_BY_REASON, [operator, money_type, since, since, until, until])]


def load_adjustment_texts(adjustments: list[UUID]) -> dict[UUID, AdjustmentText]:
    """Return the decrypted texts of these adjustments, by id, in two queries."""
    texts = list(AdjustmentText.objects.filter(adjustment_id__in=adjustments))
    crypto_shredding.decrypt_rows(texts)
    return {text.adjustment_id: text for text in texts}
