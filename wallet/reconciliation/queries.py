"""Read reconciliations and discrepancies of one operator, newest first."""

from dataclasses import dataclass
from datetime import date
from typing import Any, Final
from uuid import UUID

from django.conf import settings

from casino.crypto import crypto_shredding
from casino.events.sql import fetch
from casino.observability.conditions import Observation
from wallet.models import Discrepancy, DiscrepancyNote, Reconciliation
from wallet.reconciliation.refusals import UnknownDiscrepancy
from wallet.reconciliation.state import DiscrepancyStatus

__all__ = [
    "Discrepancy",
    "DiscrepancyFilter",
    "DiscrepancyNote",
    "Reconciliation",
    "discrepancies",
    "find",
    "find_waiting",
    "notes",
    "runs",
]

_WAITING: Final = """
SELECT operator_id, count(*) FROM wallet_discrepancy
 WHERE status IN ('open', 'assigned') AND found_at < clock_timestamp() - make_interval(hours => %s)
 GROUP BY 1
"""
LAST: Final = (date.max, UUID(int=2**128 - 1))


@dataclass(frozen=True, slots=True)
class DiscrepancyFilter:
    """Discrepancies of an operator, of one day or in one status where given."""

    operator: UUID
    day: date | None = None
    status: DiscrepancyStatus | None = None

    def filters(self) -> dict[str, Any]:
        """Return the conditions for Django's ORM."""
        conditions = {"day": self.day, "status": self.status}
        return {
            "operator_id": self.operator,
            **{name: value for name, value in conditions.items() if value is not None},
        }


def runs(*, operator: UUID, before: tuple[date, UUID] | None, limit: int) -> list[Reconciliation]:
    """List reconciliations before this day and id."""
    day, key = before or LAST
    rows = Reconciliation.objects.filter(operator_id=operator, day__lte=day).exclude(day=day, id__gte=key)
    return list(rows.order_by("-day", "-id")[:limit])


def discrepancies(where: DiscrepancyFilter, *, before: tuple[date, UUID] | None, limit: int) -> list[Discrepancy]:
    """List discrepancies before this day and id."""
    day, key = before or LAST
    rows = Discrepancy.objects.filter(**where.filters(), day__lte=day).exclude(day=day, id__gte=key)
    return list(rows.order_by("-day", "-id")[:limit])


def find_waiting() -> list[Observation]:
    """Find the operators with discrepancies that have waited for DISCREPANCY_HOURS."""
    hours = settings.DISCREPANCY_HOURS
    return [
        Observation(
            name="open_discrepancies",
            part=str(operator or ""),
            values={"hours": hours},
            number=number,
            operator=operator,
        )
        for operator, number in fetch(_WAITING, [hours])
    ]


def find(*, operator: UUID | None, discrepancy: UUID) -> Discrepancy:
    """Find one discrepancy. Raises UnknownDiscrepancy, also for another operator's."""
    row = Discrepancy.objects.filter(operator_id=operator, pk=discrepancy).first()
    if row is None:
        raise UnknownDiscrepancy
    return row


def notes(discrepancies: list[UUID]) -> dict[UUID, list[DiscrepancyNote]]:
    """Return the decrypted notes on these discrepancies, oldest first, in two queries."""
    by_discrepancy: dict[UUID, list[DiscrepancyNote]] = {key: [] for key in discrepancies}
    rows = list(DiscrepancyNote.objects.filter(discrepancy_id__in=discrepancies).order_by("id"))
    crypto_shredding.decrypt_rows(rows)
    for note in rows:
        by_discrepancy[note.discrepancy_id].append(note)
    return by_discrepancy
