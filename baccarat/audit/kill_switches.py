"""Switches as an audit follows them: each thrown and released in turn, every table told, and nothing new in between."""

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
    """Follow a table that is told to stop."""
    key = event.scope, event.subject
    if key in table.stops:
        table.record_difference("event out of place", f"a table that {event.scope} does not stop", "stopped again")
    table.stops[key] = PlayStop(event.scope, event.subject, event.player_message, event.stopped_at)


def replay_play_resumed(table: TableTrace, event: PlayResumed) -> None:
    """Follow a table that is told to go on."""
    if table.stops.pop((event.scope, event.subject), None) is None:
        table.record_difference("event out of place", f"a table that {event.scope} stops", "resumed")


def is_playing(table: TableTrace) -> bool:
    """Tell whether rounds may open: no switch holds the table, and it is not to be closed."""
    return not table.stops and table.pending_closure is None


def check_playing(table: TableTrace, due: str) -> None:
    """Note what started at a table that a switch holds, or that is to be closed."""
    if table.pending_closure is not None:
        table.record_difference(STOPPED, due, "a table that closes")
    if table.stops:
        table.record_difference(STOPPED, due, _named(table.stops))


def _named(stops: Iterable[tuple[StopScope, str]]) -> str:
    return ", ".join(sorted(switch_id(*each) for each in stops)) or "nothing"


class SwitchTraces:
    """Every switch that the log has told of, as its last event left it."""

    def __init__(self) -> None:
        self.rows: dict[str, SwitchRow] = {}

    def replay(self, event: SwitchEvent, *, stream: str, version: int, where: str) -> Iterator[Finding]:
        """Follow one event and yield what contradicts those before it."""
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
        """Tell whether a switch holds now."""
        row = self.rows.get(switch_id(scope, subject))
        return row is not None and row.stopped

    def check_tables(self, tables: Iterable[TableTrace]) -> Iterator[Finding]:
        """Compare what each table was told with the switches that reach it."""
        for table in tables:
            held, due = set(table.stops), self._due(table)
            if due - held or any(not self.is_stopped(scope, _subject(table, scope, label)) for scope, label in held):
                yield Finding(NOT_NOTIFIED, f"table {table.opened.table}", _named(due), _named(held))

    def _due(self, table: TableTrace) -> set[tuple[StopScope, str]]:
        """What has to hold the table: by rules, those in force."""
        reach = (
            (StopScope.GAMING, ""),
            (StopScope.OPERATOR, ""),
            (StopScope.RULES, table.label),
            (StopScope.TABLE, ""),
        )
        return {(scope, label) for scope, label in reach if self.is_stopped(scope, _subject(table, scope, label))}


def _subject(table: TableTrace, scope: StopScope, label: str) -> str:
    """The subject of the switch that a stop of this table is of."""
    return {StopScope.OPERATOR: str(table.opened.operator), StopScope.TABLE: str(table.opened.table)}.get(scope, label)
