"""Read transfers of one operator, newest first."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from casino.events.periods import period_conditions
from wallet.models import Transfer
from wallet.transfers.events import TransferDirection
from wallet.transfers.refusals import UnknownTransfer

__all__ = ["Transfer", "TransferFilter", "find", "list_transfers"]


@dataclass(frozen=True, slots=True)
class TransferFilter:
    """Transfers of an operator; of one player, in one direction, or made in a period, where given."""

    operator: UUID
    player: UUID | None = None
    direction: TransferDirection | None = None
    since: datetime | None = None
    until: datetime | None = None

    def filters(self, before: UUID | None) -> dict[str, Any]:
        """Return the conditions for Django's ORM. Raises PeriodReversed."""
        chosen = {"operator_id": self.operator, "player_id": self.player, "direction": self.direction}
        return {
            **{name: value for name, value in chosen.items() if value is not None},
            **period_conditions("at", since=self.since, until=self.until, before=before),
        }


def find(*, operator: UUID, reference: str) -> Transfer:
    """Find a transfer by the operator's reference. Raises UnknownTransfer."""
    row = Transfer.objects.filter(operator_id=operator, reference=reference).first()
    if row is None:
        raise UnknownTransfer
    return row


def list_transfers(where: TransferFilter, *, before: UUID | None, limit: int) -> list[Transfer]:
    """List transfers made before the one with this id, newest first. Raises PeriodReversed."""
    return list(Transfer.objects.filter(**where.filters(before)).order_by("-id")[:limit])
