"""Audit of the table limits that players set: order, betting weeks, and rows."""

from collections.abc import Iterator
from uuid import UUID

from casino.kernel.findings import Finding
from casino.kernel.money import MAX_AMOUNT
from wallet.responsible_gaming.betting_week import WEEK
from wallet.responsible_gaming.events import TableLimitSet, table_limit_stream
from wallet.responsible_gaming.table_limit_projection import TABLE_LIMITS, table_limit_row


class TableLimitTraces:
    """The last change of every player's table limit, with its version."""

    def __init__(self) -> None:
        self._last: dict[UUID, tuple[TableLimitSet, int]] = {}

    def replay(
        self, event: TableLimitSet, *, wallet: tuple[UUID, str] | None, stream: str, version: int, where: str
    ) -> Iterator[Finding]:
        """Replay a change and yield violations; `wallet` is the operator and currency of the player's accounts."""
        last, before = self._last.get(event.player, (None, 0))
        self._last[event.player] = event, version
        if stream != table_limit_stream(event.player):
            yield Finding("stream differs", where, table_limit_stream(event.player), stream)
        if version != before + 1:
            yield Finding("event out of place", where, f"version {before + 1}", f"version {version}")
        if wallet != (event.operator, event.currency):
            yield Finding("limit of another wallet", where, str(wallet), f"{event.operator} {event.currency}")
        if event.amount is not None and not 0 < event.amount < MAX_AMOUNT:
            yield Finding("amount out of range", where, f"1 to {MAX_AMOUNT - 1}", str(event.amount))
        if not event.at < event.next_change_at <= event.at + WEEK:
            yield Finding("betting week differs", where, "an end within seven days", str(event.next_change_at))
        if last is not None and event.at < last.next_change_at:
            yield Finding("limit changed twice in a week", where, f"{last.next_change_at} or later", str(event.at))

    def check_state(self) -> Iterator[Finding]:
        """Compare the rows with those that the events have led to."""
        yield from TABLE_LIMITS.compare(table_limit_row(event, version) for event, version in self._last.values())
