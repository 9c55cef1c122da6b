"""Audit of adjustments: order, requester and approver, amounts, and rows."""

from collections.abc import Iterator
from typing import Final
from uuid import UUID

from casino.kernel.findings import Finding
from casino.kernel.money import MAX_AMOUNT, MoneyType
from casino.kernel.persons import is_another_person
from wallet.adjustments.events import (
    AdjustmentApproved,
    AdjustmentDirection,
    AdjustmentEvent,
    AdjustmentRejected,
    AdjustmentRequested,
    adjustment_stream,
)
from wallet.adjustments.records import ADJUSTMENTS, adjustment_row
from wallet.adjustments.state import fold

_COMMON_FIELDS: Final = ("operator", "player", "money_type", "currency", "direction", "amount")


class AdjustmentTraces:
    """Replays adjustments; inconsistent ones are reported and then left out."""

    def __init__(self) -> None:
        self._histories: dict[UUID, list[AdjustmentEvent]] = {}
        self._broken: set[UUID] = set()

    def replay(
        self, event: AdjustmentEvent, *, wallet: tuple[UUID, str] | None, stream: str, version: int, where: str
    ) -> Iterator[Finding]:
        """Replay one event and yield contradictions to earlier events.

        For a request, `wallet` is the operator and currency of the player's accounts.
        """
        history = self._histories.setdefault(event.adjustment, [])
        if stream != adjustment_stream(event.adjustment):
            yield Finding("stream differs", where, adjustment_stream(event.adjustment), stream)
        begins = isinstance(event, AdjustmentRequested)
        if begins != (not history) or len(history) > 1 or version != len(history) + 1:
            self._broken.add(event.adjustment)
            yield Finding("event out of place", where, "a request and then one decision", f"version {version}")
        history.append(event)
        if isinstance(event, AdjustmentRequested):
            yield from _check_request(event, wallet, where)
        elif event.adjustment not in self._broken:
            yield from _check_decision(history[0], event, where)

    def check_state(self, *, partial: bool = False) -> Iterator[Finding]:
        """Compare the rows with the result of the events."""
        sound = (events for key, events in self._histories.items() if key not in self._broken)
        rows = (adjustment_row(fold(events), len(events)) for events in sound)
        yield from ADJUSTMENTS.compare(rows, ignored=self._broken, partial=partial)


def _check_request(event: AdjustmentRequested, opened: tuple[UUID, str] | None, where: str) -> Iterator[Finding]:
    if opened != (event.operator, event.currency):
        yield Finding("adjustment of another wallet", where, str(opened), f"{event.operator} {event.currency}")
    if not 0 < event.amount < MAX_AMOUNT:
        yield Finding("amount out of range", where, f"1 to {MAX_AMOUNT - 1}", str(event.amount))


def _check_decision(
    request: AdjustmentEvent, event: AdjustmentApproved | AdjustmentRejected, where: str
) -> Iterator[Finding]:
    if not isinstance(request, AdjustmentRequested):
        return
    by = event.approved_by if isinstance(event, AdjustmentApproved) else event.rejected_by
    if not is_another_person(by, request.requested_by):
        yield Finding("decided by its requester", where, f"not {by}", by)
    if isinstance(event, AdjustmentRejected):
        return
    for name in _COMMON_FIELDS:
        due, actual = getattr(request, name), getattr(event, name)
        if due != actual:
            yield Finding("adjustment differs from its request", f"{where} {name}", str(due), str(actual))
    moved = event.amount if event.direction is AdjustmentDirection.DEBIT else 0
    owing = event.owed > 0 and event.money_type is not MoneyType.REAL
    if event.taken + event.owed != moved or min(event.taken, event.owed) < 0 or owing:
        yield Finding("adjustment differs", where, f"{moved} in all", f"{event.taken} taken, {event.owed} owed")
