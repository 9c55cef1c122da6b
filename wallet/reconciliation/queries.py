"""What can be asked about reconciliation: always within one operator, newest first."""

from dataclasses import dataclass
from datetime import date
from typing import Any, Final
from uuid import UUID

from casino.crypto import crypto_shredding
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
    "notes",
    "runs",
]

LAST: Final = (date.max, UUID(int=2**128 - 1))


@dataclass(frozen=True, slots=True)
class DiscrepancyFilter:
    """Differences of an operator's, of one day or in one state where these are given."""

    operator: UUID
    day: date | None = None
    status: DiscrepancyStatus | None = None

    def filters(self) -> dict[str, Any]:
        """Return the conditions for Django's ORM."""
        wanted = {"day": self.day, "status": self.status}
        return {"operator_id": self.operator, **{name: value for name, value in wanted.items() if value is not None}}


def runs(*, operator: UUID, before: tuple[date, UUID] | None, limit: int) -> list[Reconciliation]:
    """List days that were compared, those before this day and id."""
    day, key = before or LAST
    rows = Reconciliation.objects.filter(operator_id=operator, day__lte=day).exclude(day=day, id__gte=key)
    return list(rows.order_by("-day", "-id")[:limit])


def discrepancies(which: DiscrepancyFilter, *, before: tuple[date, UUID] | None, limit: int) -> list[Discrepancy]:
    """List differences, those before this day and id."""
    day, key = before or LAST
    rows = Discrepancy.objects.filter(**which.filters(), day__lte=day).exclude(day=day, id__gte=key)
    return list(rows.order_by("-day", "-id")[:limit])


def find(*, operator: UUID, discrepancy: UUID) -> Discrepancy:
    """Find one difference. Raises UnknownDifference, also for another operator's."""
    found = Discrepancy.objects.filter(operator_id=operator, pk=discrepancy).first()
    if found is None:
        raise UnknownDiscrepancy
    return found


def notes(found: list[UUID]) -> dict[UUID, list[DiscrepancyNote]]:
    """Return what was said about these differences, oldest first, in two queries."""
    said: dict[UUID, list[DiscrepancyNote]] = {key: [] for key in found}
    rows = list(DiscrepancyNote.objects.filter(discrepancy_id__in=found).order_by("id"))
    crypto_shredding.decrypt_rows(rows)
    for note in rows:
        said[note.discrepancy_id].append(note)
    return said
