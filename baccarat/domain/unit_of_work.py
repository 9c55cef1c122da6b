"""What one use case decides for one table: its events in order and the states they lead to. Pure."""

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
    """A shoe's 256-bit seed, to be kept encrypted until it is revealed."""

    shoe: UUID
    seed: bytes = field(repr=False)


@dataclass(slots=True)
class StreamChanges:
    """A run of events for one stream, which must be at version `expected` when they are written."""

    stream: str
    expected_version: int
    events: list[GameEvent] = field(default_factory=list)


@dataclass(slots=True, repr=False)
class UnitOfWork:
    """The table with the round in hand, as loaded, and all that has been decided since.

    It says nothing of what it holds: what is decided and not yet written may name cards and seeds. `trusted` are shoes
    that a round was opened on without a look at their seeds: these are tried when it is written.
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

    def decide_on_table(self, command: table_commands.TableCommand) -> None:
        """Decide a table's command and note what follows. Raises its Refusal."""
        events = TABLE.decide(command, self.table)
        for event in events:
            self.table = TABLE.evolve(self.table, event)
        self._note(f"table-{self.table.require_opened().table}", self.table_version, events)
        self.table_version += len(events)

    def decide_on_round(self, command: round_commands.RoundCommand) -> Sequence[RoundEvent]:
        """Decide a command on the round in hand and note what follows. Raises its Refusal."""
        events = ROUND.decide(command, self.round)
        for event in events:
            self.round = ROUND.evolve(self.round, event)
            self.table = TABLE.evolve(self.table, event)
        if events:
            identity = self.round.require_opened().round
            self._note(f"round-{identity}", self.round_version, events)
            self.round_version += len(events)
            self.changed_rounds[identity] = (self.round, self.round_version)
        return events

    def decide_on_ended_round(self, ended: RoundState, version: int, command: round_commands.RoundCommand) -> None:
        """Decide a command on a round of this table that is no longer in hand; the one in hand stays so."""
        events = ROUND.decide(command, ended)
        for event in events:
            ended = ROUND.evolve(ended, event)
            self.table = TABLE.evolve(self.table, event)
        identity = ended.require_opened().round
        self._note(f"round-{identity}", version, events)
        self.changed_rounds[identity] = (ended, version + len(events))

    def open_round(self, command: round_commands.OpenRound) -> None:
        """Turn to a fresh round and open it."""
        self.round, self.round_version = NO_ROUND, 0
        self.decide_on_round(command)

    def _note(self, stream: str, version: int, events: Sequence[GameEvent]) -> None:
        if not events:
            return
        if self.changes and self.changes[-1].stream == stream:
            self.changes[-1].events.extend(events)
            return
        self.changes.append(StreamChanges(stream=stream, expected_version=version, events=list(events)))
