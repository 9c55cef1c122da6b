"""Given events, when somebody asks, then events or a refusal: how every rule of a decision is told."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import pytest

from casino.kernel.errors import Refusal

P = ParamSpec("P")
State = TypeVar("State")
Event = TypeVar("Event")
Expected = TypeVar("Expected", bound=Refusal)


class Spec(Generic[State, Event]):
    """`Spec(fold_round).given(opened()).when(pass_turn, player=ANN, at=OPENED)`, and then `.then(SeatPassed(seat=1))`
    or `.refused(NotYourTurn)`.
    """

    def __init__(self, fold: Callable[[Iterable[Event]], State], history: tuple[Event, ...] = ()) -> None:
        self._fold = fold
        self._history = history
        self._decide: Callable[[State], Sequence[Event]] | None = None

    def given(self, *events: Event) -> "Spec[State, Event]":
        """Say what has happened before."""
        return Spec(self._fold, (*self._history, *events))

    def when(
        self, decide: Callable[Concatenate[State, P], Sequence[Event]], *args: P.args, **kwargs: P.kwargs
    ) -> "Spec[State, Event]":
        """Say what is asked for."""
        asked = Spec(self._fold, self._history)
        asked._decide = lambda state: decide(state, *args, **kwargs)
        return asked

    def then(self, *events: Event) -> "Spec[State, Event]":
        """Assert that exactly these events follow, and return the spec with them in its history."""
        assert list(self.events()) == list(events)
        return self.given(*events)

    def refused(self, refusal: type[Expected], **facts: Any) -> Expected:
        """Assert that this is refused for this reason and with these facts, and return the refusal."""
        with pytest.raises(refusal) as caught:
            self.events()
        assert type(caught.value) is refusal
        assert {name: caught.value.facts.get(name) for name in facts} == facts
        return caught.value

    def events(self) -> Sequence[Event]:
        """Return what follows."""
        assert self._decide is not None, "say `when` first"
        return self._decide(self.state())

    def state(self) -> State:
        """Fold the history."""
        return self._fold(self._history)
