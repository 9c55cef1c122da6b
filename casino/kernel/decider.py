"""Deciders: `decide` turns a command into events or refuses it, `evolve` applies an event and never refuses."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Command = TypeVar("Command")
State = TypeVar("State")
Event = TypeVar("Event")


@dataclass(frozen=True, slots=True)
class Decider(Generic[Command, State, Event]):
    """`initial` state, `decide(command, state) -> events` (raises Refusal), `evolve(state, event) -> state`."""

    initial: State
    decide: Callable[[Command, State], Sequence[Event]]
    evolve: Callable[[State, Event], State]

    def fold(self, events: Iterable[Event]) -> State:
        """Rebuild the state from its events."""
        state = self.initial
        for event in events:
            state = self.evolve(state, event)
        return state
