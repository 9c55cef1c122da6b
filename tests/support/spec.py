"""Given events, when a command, then events or a refusal: how every rule of a decider is told."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import pytest

from casino.kernel.decider import Decider
from casino.kernel.errors import Refusal

Command = TypeVar("Command")
State = TypeVar("State")
Event = TypeVar("Event")
Expected = TypeVar("Expected", bound=Refusal)


class Spec(Generic[Command, State, Event]):
    """`Spec(ROUND).given(opened()).when(pass_())` and then `.then(SeatPassed(seat=1))` or `.refused(NotYourTurn)`."""

    def __init__(self, decider: Decider[Command, State, Event], history: tuple[Event, ...] = ()) -> None:
        self._decider = decider
        self._history = history
        self._command: Command | None = None

    def given(self, *events: Event) -> "Spec[Command, State, Event]":
        """Say what has happened before."""
        return Spec(self._decider, (*self._history, *events))

    def when(self, command: Command) -> "Spec[Command, State, Event]":
        """Say what is asked for."""
        asked = Spec(self._decider, self._history)
        asked._command = command
        return asked

    def then(self, *events: Event) -> "Spec[Command, State, Event]":
        """Assert that exactly these events follow, and return the spec with them in its history."""
        assert list(self.events()) == list(events)
        return self.given(*events)

    def refused(self, refusal: type[Expected], **facts: Any) -> Expected:
        """Assert that the command is refused for this reason and with these facts, and return the refusal."""
        with pytest.raises(refusal) as caught:
            self.events()
        assert type(caught.value) is refusal
        assert {name: caught.value.facts.get(name) for name in facts} == facts
        return caught.value

    def events(self) -> Sequence[Event]:
        """Return what follows from the command."""
        assert self._command is not None, "say `when` first"
        return self._decider.decide(self._command, self.state())

    def state(self) -> State:
        """Fold the history."""
        return self._decider.fold(self._history)
