"""Replays kill switches: thrown and released in turn, applied to every table, with no new play in between."""

from collections.abc import Iterable, Iterator
from typing import Final

from baccarat.audit.traces import TableTrace
from baccarat.domain.tables.kill_switch_events import (
    PlayResumed,
    PlayStopped,
    StopImposed,
    StopScope,
    SwitchEvent,
    switch_id,
    switch_stream,
)
from baccarat.domain.tables.state import PlayStop
from baccarat.storage import projections
from baccarat.storage.rows import SwitchRow
from casino.kernel.findings import Finding

STOPPED: Final = "play while stopped"
NOT_NOTIFIED: Final = "table differs from its stops"


def replay_play_stopped(table: TableTrace, event: PlayStopped) -> None:
    """Stop play at a table."""
    key = event.scope, event.subject
    if key in table.stops:
        table.record_difference("event out of place", f"a table that {event.scope} does not stop", "stopped again")
    table.stops[key] = PlayStop(event.scope, event.subject, event.player_message, event.stopped_at)


def replay_play_resumed(table: TableTrace, event: PlayResumed) -> None:
    """Resume play at a table."""
    if table.stops.pop((event.scope, event.subject), None) is None:
        table.record_difference("event out of place", f"a table that {event.scope} stops", "resumed")


def is_playing(table: TableTrace) -> bool:
    """Return whether rounds may open: no switch stops the table, and no closure is announced."""
    return not table.stops and table.pending_closure is None


def check_playing(table: TableTrace, due: str) -> None:
    """Record what started at a table that a switch stops, or whose closure is announced."""
    if table.pending_closure is not None:
        table.record_difference(STOPPED, due, "a table that closes")
    if table.stops:
        table.record_difference(STOPPED, due, _named(table.stops))


def _named(stops: Iterable[tuple[StopScope, str]]) -> str:
    return ", ".join(sorted(switch_id(*each) for each in stops)) or "nothing"


class SwitchTraces:
    """Every switch in the log, as of its last event."""

    def __init__(self) -> None:
        self.rows: dict[str, SwitchRow] = {}

    def replay(self, event: SwitchEvent, *, stream: str, version: int, where: str) -> Iterator[Finding]:
        """Replay one event and yield its contradictions."""
        right = switch_stream(event.scope, event.subject)
        before = self.rows.get(switch_id(event.scope, event.subject))
        known = 0 if before is None else before.version
        if stream != right or version != known + 1:
            yield Finding("event out of place", where, f"{right} version {known + 1}", f"{stream} version {version}")
        held = before is not None and before.stopped
        if held is isinstance(event, StopImposed):
            yield Finding("event out of place", where, "stops imposed and lifted in turn", type(event).__name__)
        if not event.reason.strip() or not event.by:
            yield Finding("stop without a reason", where, "who and why", f"{event.by} {event.reason}")
        row = projections.switch_row(event, version)
        self.rows[row.id] = row

    def is_stopped(self, scope: StopScope, subject: str) -> bool:
        """Return whether the switch is active."""
        row = self.rows.get(switch_id(scope, subject))
        return row is not None and row.stopped

    def check_tables(self, tables: Iterable[TableTrace]) -> Iterator[Finding]:
        """Compare the stops of each table with the switches that reach it."""
        for table in tables:
            held, due = set(table.stops), self._due(table)
            if due - held or any(not self.is_stopped(scope, _subject(table, scope, label)) for scope, label in held):
                yield Finding(NOT_NOTIFIED, f"table {table.opened.table}", _named(due), _named(held))

    def _due(self, table: TableTrace) -> set[tuple[StopScope, str]]:
        """Return the switches that must stop the table; by rules, the version in force counts."""
        reach = (
            (StopScope.GAMING, ""),
            (StopScope.OPERATOR, ""),
            (StopScope.RULES, table.label),
            (StopScope.TABLE, ""),
        )
        return {(scope, label) for scope, label in reach if self.is_stopped(scope, _subject(table, scope, label))}


def _subject(table: TableTrace, scope: StopScope, label: str) -> str:
    """Return the subject of the switch that stopped this table."""
    return {StopScope.OPERATOR: str(table.opened.operator), StopScope.TABLE: str(table.opened.table)}.get(scope, label)
