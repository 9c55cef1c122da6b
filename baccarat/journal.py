"""What one use case decides for one table: its events in order, and the states they lead to. Pure; written elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from baccarat.rounds import commands as round_commands
from baccarat.rounds import state as rounds
from baccarat.rounds.decider import ROUND
from baccarat.rounds.events import RoundEvent
from baccarat.tables import commands as table_commands
from baccarat.tables import state as tables
from baccarat.tables.decider import TABLE


@dataclass(frozen=True, slots=True)
class Secret:
    """A shoe's 256-bit seed, to be kept encrypted until it is revealed."""

    shoe: UUID
    seed: bytes


@dataclass(slots=True)
class Page:
    """A run of events for one stream, which must be at version `expected` when they are written."""

    stream: str
    expected: int
    events: list[tables.Event] = field(default_factory=list)


@dataclass(slots=True)
class Journal:
    """The table with the round in hand, as loaded, and all that has been decided since."""

    table: tables.TableState
    table_version: int
    round: rounds.RoundState = rounds.INITIAL
    round_version: int = 0
    pages: list[Page] = field(default_factory=list)
    rounds: dict[UUID, tuple[rounds.RoundState, int]] = field(default_factory=dict)
    secrets: list[Secret] = field(default_factory=list)
    revealed: list[UUID] = field(default_factory=list)

    def on_table(self, command: table_commands.TableCommand) -> None:
        """This will decide a table's command and note what follows. Raises its Refusal."""
        events = TABLE.decide(command, self.table)
        for event in events:
            self.table = TABLE.evolve(self.table, event)
        self._note(f"table-{self.table.facts().table}", self.table_version, events)
        self.table_version += len(events)

    def on_round(self, command: round_commands.RoundCommand) -> Sequence[RoundEvent]:
        """This will decide a command on the round in hand and note what follows. Raises its Refusal."""
        events = ROUND.decide(command, self.round)
        for event in events:
            self.round = ROUND.evolve(self.round, event)
            self.table = TABLE.evolve(self.table, event)
        if events:
            identity = self.round.facts().round
            self._note(f"round-{identity}", self.round_version, events)
            self.round_version += len(events)
            self.rounds[identity] = (self.round, self.round_version)
        return events

    def open_round(self, command: round_commands.OpenRound) -> None:
        """This will turn to a fresh round and open it."""
        self.round, self.round_version = rounds.INITIAL, 0
        self.on_round(command)

    def _note(self, stream: str, version: int, events: Sequence[tables.Event]) -> None:
        if not events:
            return
        if self.pages and self.pages[-1].stream == stream:
            self.pages[-1].events.extend(events)
            return
        self.pages.append(Page(stream=stream, expected=version, events=list(events)))
