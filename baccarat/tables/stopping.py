"""What a stopped table refuses, and how it is told to stop and to go on. Pure."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from baccarat.tables import commands as c
from baccarat.tables.state import TableState
from baccarat.tables.stop_refusals import (
    GamingIsStopped,
    OperatorIsStopped,
    PlayIsStopped,
    RulesAreStopped,
    TableIsStopped,
)
from baccarat.tables.switch_events import PlayResumed, PlayStopped, Scope

_REFUSALS: Final[dict[Scope, type[PlayIsStopped]]] = {
    Scope.GAMING: GamingIsStopped,
    Scope.OPERATOR: OperatorIsStopped,
    Scope.RULES: RulesAreStopped,
    Scope.TABLE: TableIsStopped,
}


def require_playing(state: TableState) -> None:
    """This will check that nothing stops the table. Raises the refusal of the widest switch that does."""
    held = state.stopped()
    if held is not None:
        raise _REFUSALS[held.scope](held.says, since=held.since)


def stop(command: c.StopPlay, state: TableState) -> Sequence[PlayStopped]:
    """This will judge that a table be stopped; one that this switch stops already changes nothing."""
    if any(held.scope is command.scope for held in state.stops):
        return ()
    return (PlayStopped(command.scope, command.says, command.reason, command.by, command.now),)


def resume(command: c.ResumePlay, state: TableState) -> Sequence[PlayResumed]:
    """This will judge that a table go on; one that this switch does not stop changes nothing."""
    if not any(held.scope is command.scope for held in state.stops):
        return ()
    return (PlayResumed(command.scope, command.reason, command.by, command.now),)


DECIDE: Final[dict[type, Callable[[Any, TableState], Sequence[PlayStopped | PlayResumed]]]] = {
    c.StopPlay: stop,
    c.ResumePlay: resume,
}
