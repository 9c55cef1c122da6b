"""Everything one use case decides for one table: its events in order and the resulting states. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from baccarat.domain.rounds import commands as round_commands
from baccarat.domain.rounds.decider import ROUND
from baccarat.domain.rounds.events import RoundEvent
from baccarat.domain.rounds.state import INITIAL as NO_ROUND
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.tables import commands as table_commands
from baccarat.domain.tables.decider import TABLE
from baccarat.domain.tables.evolve import GameEvent
from baccarat.domain.tables.state import NextShoe, TableState


@dataclass(frozen=True, slots=True)
class ShoeSeed:
    """A shoe's 256-bit seed, kept encrypted until it is revealed."""

    shoe: UUID
    seed: bytes = field(repr=False)


@dataclass(slots=True)
class StreamChanges:
    """Events for one stream, which must be at version `expected_version` when they are written."""

    stream: str
    expected_version: int
    events: list[GameEvent] = field(default_factory=list)


@dataclass(slots=True, repr=False)
class UnitOfWork:
    """The table with its current round, as loaded, and all decisions made since.

    Its repr shows no contents, because unwritten decisions may contain cards and seeds. `deferred_seed_checks` are
    shoes used by a round whose seeds have not been read; they are checked on write.
    """

    table: TableState
    table_version: int
    round: RoundState = NO_ROUND
    round_version: int = 0
    changes: list[StreamChanges] = field(default_factory=list)
    changed_rounds: dict[UUID, tuple[RoundState, int]] = field(default_factory=dict)
    new_seeds: list[ShoeSeed] = field(default_factory=list)
    revealed_shoes: list[UUID] = field(default_factory=list)
    deferred_seed_checks: list[NextShoe] = field(default_factory=list)
    loaded_table: TableState = field(init=False)
    loaded_version: int = field(init=False)
    loaded_round: RoundState = field(init=False)

    def __post_init__(self) -> None:
        self.loaded_table, self.loaded_round = self.table, self.round
        self.loaded_version = self.table_version

    def new_events(self) -> list[GameEvent]:
        """Return the decided events of all streams, in order."""
        return [event for stream in self.changes for event in stream.events]

    def decide_on_table(self, command: table_commands.TableCommand) -> None:
        """Decide a command of the table and record the events. Raises its Refusal."""
        events = TABLE.decide(command, self.table)
        for event in events:
            self.table = TABLE.evolve(self.table, event)
        self._add_changes(f"table-{self.table.require_opened().table}", self.table_version, events)
        self.table_version += len(events)

    def decide_on_round(self, command: round_commands.RoundCommand) -> Sequence[RoundEvent]:
        """Decide a command of the current round and record the events. Raises its Refusal."""
        events = ROUND.decide(command, self.round)
        for event in events:
            self.round = ROUND.evolve(self.round, event)
            self.table = TABLE.evolve(self.table, event)
        if events:
            round_id = self.round.require_opened().round
            self._add_changes(f"round-{round_id}", self.round_version, events)
            self.round_version += len(events)
            self.changed_rounds[round_id] = (self.round, self.round_version)
        return events

    def decide_on_ended_round(self, ended: RoundState, version: int, command: round_commands.RoundCommand) -> None:
        """Decide a command of an earlier round of this table; the current round stays current."""
        events = ROUND.decide(command, ended)
        for event in events:
            ended = ROUND.evolve(ended, event)
            self.table = TABLE.evolve(self.table, event)
        round_id = ended.require_opened().round
        self._add_changes(f"round-{round_id}", version, events)
        self.changed_rounds[round_id] = (ended, version + len(events))

    def open_round(self, command: round_commands.OpenRound) -> None:
        """Start a new round as the current one and open it."""
        self.round, self.round_version = NO_ROUND, 0
        self.decide_on_round(command)

    def _add_changes(self, stream: str, version: int, events: Sequence[GameEvent]) -> None:
        if not events:
            return
        if self.changes and self.changes[-1].stream == stream:
            self.changes[-1].events.extend(events)
            return
        self.changes.append(StreamChanges(stream=stream, expected_version=version, events=list(events)))
