"""Audit of adjustments: amounts and rows."""

from collections.abc import Iterator
from uuid import UUID

from casino.events.hash_chain import CheckedEvent
from casino.events.records import RecordedEvent, SealedEvent
from casino.kernel.findings import Finding
from casino.kernel.money import MAX_AMOUNT, MoneyType
from wallet.adjustments.events import AdjustmentDirection, AdjustmentPosted, adjustment_stream
from wallet.adjustments.records import ADJUSTMENTS, adjustment_row


class AdjustmentTraces:
    """Replays adjustments."""

    def __init__(self) -> None:
        self._posted: dict[UUID, AdjustmentPosted] = {}

    def replay(
        self,
        event: AdjustmentPosted,
        row: CheckedEvent | SealedEvent | RecordedEvent,
        *,
        wallet: tuple[UUID, str] | None,
        where: str,
    ) -> Iterator[Finding]:
        """Replay one event. `wallet` is the operator and currency of the player's accounts."""
        stream = adjustment_stream(event.adjustment)
        if (row.stream, row.version) != (stream, 1):
            yield Finding("event out of place", where, f"{stream} version 1", f"{row.stream} version {row.version}")
        if wallet != (event.operator, event.currency):
            yield Finding("adjustment of another wallet", where, str(wallet), f"{event.operator} {event.currency}")
        if not 0 < event.amount < MAX_AMOUNT:
            yield Finding("amount out of range", where, f"1 to {MAX_AMOUNT - 1}", str(event.amount))
        moved = event.amount if event.direction is AdjustmentDirection.DEBIT else 0
        owing = event.owed > 0 and event.money_type is not MoneyType.REAL
        if event.taken + event.owed != moved or min(event.taken, event.owed) < 0 or owing:
            yield Finding("adjustment differs", where, f"{moved} in all", f"{event.taken} taken, {event.owed} owed")
        self._posted[event.adjustment] = event

    def check_state(self, *, partial: bool = False) -> Iterator[Finding]:
        """Compare the rows with the events."""
        yield from ADJUSTMENTS.compare(map(adjustment_row, self._posted.values()), partial=partial)
