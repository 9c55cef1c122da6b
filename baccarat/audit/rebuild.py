"""Derives the projections of tables and rounds from the events alone."""

from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from baccarat.domain.rounds.events import RoundOpened
from baccarat.domain.rounds.state import INITIAL as NO_ROUND
from baccarat.domain.rounds.state import RoundState, fold_round
from baccarat.domain.rounds.state import evolve as evolve_round
from baccarat.domain.tables.evolve import evolve as evolve_table
from baccarat.domain.tables.state import INITIAL as NO_TABLE
from baccarat.domain.tables.state import TableState
from baccarat.storage import projections, rules_versions
from baccarat.storage.event_registry import CATALOGUE
from casino.events.projections import Row, read_histories
from casino.events.rebuild import CannotRebuild, Events, Projector
from casino.events.records import RecordedEvent, SealedEvent

RELATIONS: Final = (*projections.PROJECTION_TABLES, rules_versions.VERSIONS)
KEYS: Final = {relation.table: relation.names[0] for relation in RELATIONS}
"""The projections with their keys."""


def play_projector() -> Projector:
    """Return a projector that remembers tables and running rounds from one batch of events to the next."""
    return Projector(KEYS, _Fold().project)


@dataclass(slots=True)
class _Fold:
    """Current tables and running rounds with their versions, and the rows that are not written yet."""

    tables: dict[UUID, tuple[TableState, int]] = field(default_factory=dict)
    running: dict[str, tuple[RoundState, int]] = field(default_factory=dict)
    versions: dict[UUID, rules_versions.VersionRows] = field(default_factory=dict)
    changed_tables: set[UUID] = field(default_factory=set)
    changed_rounds: set[str] = field(default_factory=set)
    round_rows: dict[UUID, Row] = field(default_factory=dict)
    wager_rows: dict[UUID, Row] = field(default_factory=dict)
    sittings: dict[str, Row] = field(default_factory=dict)
    switches: dict[str, Row] = field(default_factory=dict)
    version_rows: dict[str, Row] = field(default_factory=dict)

    def project(self, events: Events) -> None:
        for row in events:
            if row.type in CATALOGUE:
                try:
                    self._replay(row)
                except (LookupError, StopIteration) as error:
                    where = f"{row.stream} version {row.version}, {row.type}"
                    raise CannotRebuild(f"{where} follows from nothing before it; run the audit.") from error
        self._save()

    def _replay(self, row: RecordedEvent | SealedEvent) -> None:
        event = CATALOGUE.decode(row.type, row.schema, row.data)
        if row.stream.startswith("stop-"):
            self.switches[row.stream] = projections.kill_switch_row(event, row.version)
        elif row.stream.startswith("table-"):
            self._replay_table(UUID(row.stream.removeprefix("table-")), event, row.version)
        else:
            self._replay_round(row.stream, event, row.version)

    def _replay_table(self, table: UUID, event: Any, version: int) -> None:
        state = evolve_table(self.tables.get(table, (NO_TABLE, 0))[0], event)
        self.tables[table] = state, version
        self.changed_tables.add(table)
        rows = rules_versions.apply_events(self.versions.setdefault(table, {}), [event], state.require_opened())
        self.version_rows.update((row.id, row) for row in rows.values())
        self.sittings.update((sitting.id, sitting) for sitting in projections.sitting_rows([event], state))

    def _replay_round(self, stream: str, event: Any, version: int) -> None:
        if isinstance(event, RoundOpened):
            self.running[stream] = NO_ROUND, 0
        if stream not in self.running:
            self.running[stream] = _ended_round(stream, version)
        round_ = evolve_round(self.running[stream][0], event)
        self.running[stream] = round_, version
        self.changed_rounds.add(stream)
        table = round_.require_opened().table
        state, table_version = self.tables[table]
        self.tables[table] = evolve_table(state, event), table_version
        self.changed_tables.add(table)
        if not round_.is_running():
            self._add_rows(stream)
            del self.running[stream]
            self.changed_rounds.remove(stream)

    def _add_rows(self, stream: str) -> None:
        round_, _ = self.running[stream]
        table = self.tables[round_.require_opened().table][0]
        row = projections.round_row(round_, table)
        self.round_rows[row.id] = row
        self.wager_rows.update((wager.id, wager) for wager in projections.wager_rows(round_, table, since=NO_ROUND))

    def _save(self) -> None:
        """Write every row that this batch changed."""
        for stream in self.changed_rounds:
            self._add_rows(stream)
        tables = [self.tables[table] for table in sorted(self.changed_tables)]
        changed = [(table, version, *self._round_of(table)) for table, version in tables]
        table_rows = [projections.table_row(*each) for each in changed]
        due_rows = [projections.due_row(table, round_) for table, _, round_, _ in changed]
        projections.save(table_rows, due_rows, list(self.round_rows.values()), list(self.wager_rows.values()))
        projections.SITTINGS.upsert(list(self.sittings.values()))
        projections.KILL_SWITCHES.upsert(list(self.switches.values()))
        rules_versions.VERSIONS.upsert(list(self.version_rows.values()))
        for part in (self.changed_tables, self.changed_rounds, self.round_rows, self.wager_rows):
            part.clear()
        for rows in (self.sittings, self.switches, self.version_rows):
            rows.clear()

    def _round_of(self, table: TableState) -> tuple[RoundState, int]:
        return self.running.get(f"round-{table.round}", (NO_ROUND, 0))


def _ended_round(stream: str, version: int) -> tuple[RoundState, int]:
    """Fold a round that ended and gets another event, such as a void, from the events before that one."""
    events = read_histories(CATALOGUE, [stream])[stream][: version - 1]
    return fold_round(events), len(events)
