"""Replay kill switches: thrown and released in turn, applied to every table, with no new play in between."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cached_property
from typing import Final
from uuid import UUID

from baccarat.audit.traces import OUT_OF_PLACE, TableTrace
from baccarat.domain.tables.kill_switch import (
    OPERATOR_DOORS,
    PlayResumed,
    PlayStopped,
    StopEvent,
    StopImposed,
    StopLifted,
    StopRank,
    StopScope,
    stop_id,
    stop_stream,
)
from baccarat.domain.tables.state import PlayStop
from baccarat.storage import projections
from casino.events.projections import Row
from casino.kernel.findings import Finding
from casino.kernel.persons import STAFF, is_person, is_shell
from casino.operators.models import Operator

STOPPED: Final = "play while stopped"
LOWER_RANK: Final = "stop lifted by a lower rank"
TOO_FEW: Final = "stop lifted by too few persons"
WRONG_RANK: Final = "stop with a wrong rank"
NOT_NOTIFIED: Final = "table differs from its stops"


def replay_play_stopped(table: TableTrace, event: PlayStopped) -> None:
    """Stop play at a table."""
    key = event.scope, event.subject
    if key in table.stops:
        table.record_difference(OUT_OF_PLACE, f"a table that {event.scope} does not stop", "stopped again")
    table.stops[key] = PlayStop(event.scope, event.subject, event.player_message, event.stopped_at)


def replay_play_resumed(table: TableTrace, event: PlayResumed) -> None:
    """Resume play at a table."""
    if table.stops.pop((event.scope, event.subject), None) is None:
        table.record_difference(OUT_OF_PLACE, f"a table that {event.scope} stops", "resumed")


def is_playing(table: TableTrace) -> bool:
    """Return whether rounds may open: no switch stops the table, and no closure is announced."""
    return not table.stops and table.pending_closure is None


def check_playing(table: TableTrace, expected: str) -> None:
    """Record what started at a table that a switch stops, or whose closure is announced."""
    if table.pending_closure is not None:
        table.record_difference(STOPPED, expected, "a table that closes")
    if table.stops:
        table.record_difference(STOPPED, expected, _format_stops(table.stops))


def _format_stops(stops: Iterable[tuple[StopScope, str]]) -> str:
    return ", ".join(sorted(stop_id(*each) for each in stops)) or "nothing"


def _is_rank_of_actor(event: StopEvent) -> bool:
    """Return whether an actor can have this rank; where members of staff work is not in the log."""
    door = event.by.partition(":")[0]
    if (event.rank is StopRank.REGULATOR) is not bool(event.regulator_order):
        return False
    return (
        event.rank is StopRank.OPERATOR
        if door in OPERATOR_DOORS
        else door == STAFF or event.rank.covers(StopRank.PLATFORM)
    )


class KillSwitchTraces:
    """Every switch in the log, as of its last event."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}

    @cached_property
    def _live(self) -> dict[UUID, datetime]:
        return dict(Operator.objects.filter(sandbox=False).values_list("id", "created_at"))

    def replay(self, event: StopEvent, *, stream: str, version: int, where: str) -> Iterator[Finding]:
        """Replay one event and yield its contradictions."""
        expected_stream = stop_stream(event.scope, event.subject)
        before = self.rows.get(stop_id(event.scope, event.subject))
        last_version = 0 if before is None else before.version
        if stream != expected_stream or version != last_version + 1:
            yield Finding(
                OUT_OF_PLACE, where, f"{expected_stream} version {last_version + 1}", f"{stream} version {version}"
            )
        rank_before = None if before is None or not before.active else StopRank(before.rank)
        if isinstance(event, StopImposed):
            adds_deposits = event.deposits and before is not None and not before.deposits and before.rank == event.rank
            if rank_before is not None and rank_before.covers(event.rank) and not adds_deposits:
                yield Finding(OUT_OF_PLACE, where, "stops imposed and lifted in turn", type(event).__name__)
        elif rank_before is None:
            yield Finding(OUT_OF_PLACE, where, "stops imposed and lifted in turn", type(event).__name__)
        elif not event.rank.covers(rank_before):
            yield Finding(LOWER_RANK, where, f"the rank {rank_before} or a higher one", f"{event.rank}: {event.by}")
        elif rank_before is not None:
            yield from self._check_persons(event, rank_before, where)
        if not _is_rank_of_actor(event):
            yield Finding(WRONG_RANK, where, "the rank of who acted", f"{event.rank}: {event.by}")
        if not event.reason.strip() or not event.by:
            yield Finding("stop without a reason", where, "who and why", f"{event.by} {event.reason}")
        row = projections.kill_switch_row(event, version)
        self.rows[row.id] = row

    def _check_persons(self, event: StopLifted, rank: StopRank, where: str) -> Iterator[Finding]:
        """Check that as many persons agreed to lift a stop of this rank as had to."""
        opened = [self._live.get(event.operator)] if event.operator else self._live.values()
        is_live = any(at is not None and at <= event.at for at in opened)
        due = 2 if is_live and (event.scope.is_wide() or rank is StopRank.REGULATOR or is_shell(event.by)) else 0
        persons = {each for each in (event.by, *event.agreed_by) if is_person(each)}
        if due and (event.change is None or len(persons) < due):
            yield Finding(TOO_FEW, where, f"{due} persons", ", ".join((event.by, *event.agreed_by)))

    def is_stopped(self, scope: StopScope, subject: str) -> bool:
        """Return whether the switch is active."""
        row = self.rows.get(stop_id(scope, subject))
        return row is not None and row.active

    def check_tables(self, tables: Iterable[TableTrace]) -> Iterator[Finding]:
        """Compare the stops of each table with the switches that reach it."""
        for table in tables:
            stops, expected = set(table.stops), self._due(table)
            if expected - stops or any(
                not self.is_stopped(scope, _subject(table, scope, rules)) for scope, rules in stops
            ):
                yield Finding(
                    NOT_NOTIFIED, f"table {table.opened.table}", _format_stops(expected), _format_stops(stops)
                )

    def _due(self, table: TableTrace) -> set[tuple[StopScope, str]]:
        """Return the switches that must stop the table; by rules, the version in force counts."""
        reach = (
            (StopScope.GAMING, ""),
            (StopScope.OPERATOR, ""),
            (StopScope.RULES, table.recorded_rules.digest),
            (StopScope.TABLE, ""),
        )
        return {(scope, rules) for scope, rules in reach if self.is_stopped(scope, _subject(table, scope, rules))}


def _subject(table: TableTrace, scope: StopScope, rules: str) -> str:
    """Return the subject of the switch that stopped this table."""
    return {StopScope.OPERATOR: str(table.opened.operator), StopScope.TABLE: str(table.opened.table)}.get(scope, rules)
