"""Stops at a table: what they refuse, and how they are imposed and lifted. Pure."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from baccarat.domain.tables import commands as c
from baccarat.domain.tables.kill_switch_events import PlayResumed, PlayStopped, StopScope
from baccarat.domain.tables.kill_switch_refusals import (
    GamingIsStopped,
    OperatorIsStopped,
    PlayIsStopped,
    RulesAreStopped,
    TableIsStopped,
)
from baccarat.domain.tables.refusals import TableIsClosing
from baccarat.domain.tables.rules_refusals import RulesAreRetired
from baccarat.domain.tables.state import TableState

_REFUSALS: Final[dict[StopScope, type[PlayIsStopped]]] = {
    StopScope.GAMING: GamingIsStopped,
    StopScope.OPERATOR: OperatorIsStopped,
    StopScope.RULES: RulesAreStopped,
    StopScope.TABLE: TableIsStopped,
}


def require_playing(state: TableState) -> None:
    """Check that nothing stops the table.

    Raises the refusal of the widest stop that applies, TableIsClosing, RulesAreRetired.
    """
    held = state.widest_stop()
    if held is not None:
        raise _REFUSALS[held.scope](held.message, since=held.since)
    require_no_pending_closure(state)
    if state.rules_are_retired():
        raise RulesAreRetired


def require_no_pending_closure(state: TableState) -> None:
    """Check that the table is not about to close permanently. Raises TableIsClosing."""
    if state.closure_is_pending():
        raise TableIsClosing


def stop(command: c.StopPlay, state: TableState) -> Sequence[PlayStopped]:
    """Stop the table. Changes nothing if the switch already stops it or does not reach it."""
    if _is_held(command, state) or not _is_reached(command, state):
        return ()
    return (PlayStopped(command.scope, command.subject, command.message, command.reason, command.by, command.now),)


def resume(command: c.ResumePlay, state: TableState) -> Sequence[PlayResumed]:
    """Resume the table. Changes nothing if this switch does not stop it."""
    if not _is_held(command, state):
        return ()
    return (PlayResumed(command.scope, command.subject, command.reason, command.by, command.now),)


def _is_reached(command: c.StopPlay, state: TableState) -> bool:
    """Return whether a stop reaches the table: one of rules reaches tables that have them in force or published."""
    if command.scope is not StopScope.RULES:
        return True
    waiting = state.current_rules_lifecycle().pending
    return command.subject in {state.rules.label, "" if waiting is None else waiting.rules.label}


def _is_held(command: c.SwitchCommand, state: TableState) -> bool:
    return any((held.scope, held.subject) == (command.scope, command.subject) for held in state.stops)


DECIDE: Final[dict[type, Callable[[Any, TableState], Sequence[PlayStopped | PlayResumed]]]] = {
    c.StopPlay: stop,
    c.ResumePlay: resume,
}
