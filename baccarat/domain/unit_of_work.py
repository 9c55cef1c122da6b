"""Everything one use case decides for one table: its events in order and the resulting states. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Concatenate, ParamSpec
from uuid import UUID

from baccarat.domain.rounds.betting import open_round
from baccarat.domain.rounds.events import RoundEvent, RoundOpened
from baccarat.domain.rounds.state import INITIAL as NO_ROUND
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.rounds.state import evolve as evolve_round
from baccarat.domain.tables.evolve import GameEvent
from baccarat.domain.tables.evolve import evolve as evolve_table
from baccarat.domain.tables.state import NextShoe, TableState

P = ParamSpec("P")


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

    def on_table(
        self, decide: Callable[Concatenate[TableState, P], Sequence[GameEvent]], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Take a decision on the table and record its events. Raises its Refusal."""
        events = decide(self.table, *args, **kwargs)
        for event in events:
            self.table = evolve_table(self.table, event)
        self._add_changes(f"table-{self.table.require_opened().table}", self.table_version, events)
        self.table_version += len(events)

    def on_round(
        self, decide: Callable[Concatenate[RoundState, P], Sequence[RoundEvent]], *args: P.args, **kwargs: P.kwargs
    ) -> Sequence[RoundEvent]:
        """Take a decision on the current round and record its events. Raises its Refusal."""
        events = decide(self.round, *args, **kwargs)
        self.round, self.round_version = self._follow(self.round, self.round_version, events)
        return events

    def on_ended_round(
        self,
        ended: RoundState,
        version: int,
        decide: Callable[Concatenate[RoundState, P], Sequence[RoundEvent]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        """Take a decision on an earlier round of this table; the current round stays current."""
        self._follow(ended, version, decide(ended, *args, **kwargs))

    def open_round(self, opened: RoundOpened) -> None:
        """Start a new round as the current one and open it."""
        self.round, self.round_version = NO_ROUND, 0
        self.on_round(open_round, opened)

    def _follow(self, round_: RoundState, version: int, events: Sequence[RoundEvent]) -> tuple[RoundState, int]:
        """Record a round's events, and return its state and version after them."""
        for event in events:
            round_ = evolve_round(round_, event)
            self.table = evolve_table(self.table, event)
        if events:
            round_id = round_.require_opened().round
            self._add_changes(f"round-{round_id}", version, events)
            version += len(events)
            self.changed_rounds[round_id] = (round_, version)
        return round_, version

    def _add_changes(self, stream: str, version: int, events: Sequence[GameEvent]) -> None:
        if not events:
            return
        if self.changes and self.changes[-1].stream == stream:
            self.changes[-1].events.extend(events)
            return
        self.changes.append(StreamChanges(stream=stream, expected_version=version, events=list(events)))
