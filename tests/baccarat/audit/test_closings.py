"""Audit of closings: whatever became of a round or a shoe, it is closed once, over what happened, in one chain."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from baccarat.domain.fairness.cut import ContributionSignature
from tests.baccarat.audit.simulated_table import PLAYERS, SimulatedTable, finding_kinds, forge

OTHER = "0f" * 32
Change = Callable[[Any], dict[str, Any]]


@pytest.fixture
def long_shoe() -> SimulatedTable:
    """Return a long shoe with a round that was voided, and one that lapsed as its player left."""
    simulation = SimulatedTable("big_table")
    simulation.do("sit", PLAYERS[0], None, None)
    for action in ("place", "confirm", "void", "leave"):
        simulation.do(action, PLAYERS[0], "banker", 2500)
    return simulation


def without(event: Any) -> dict[str, Any]:
    del event
    return {"closing": None}


def with_closing(**fields: str) -> Change:
    """Return a change of an event's closing."""
    return lambda event: {"closing": replace(event.closing, **fields)}


def test_voids_lapses_and_shoes_are_closed_in_one_chain(long_shoe: SimulatedTable) -> None:
    kinds = [row.type for row in long_shoe.rows]
    assert {"ShoeStarted", "RoundVoided", "RoundLapsed"} <= set(kinds)
    assert finding_kinds(long_shoe) == []


@pytest.mark.parametrize("kind", ["ShoeStarted", "RoundVoided", "RoundLapsed"])
@pytest.mark.parametrize(
    "change",
    [without, with_closing(digest=OTHER), with_closing(blind=OTHER), with_closing(before=OTHER)],
    ids=["left out", "other digest", "other blind", "after another"],
)
def test_a_closing_that_was_changed_is_reported(long_shoe: SimulatedTable, kind: str, change: Change) -> None:
    forge(long_shoe, kind, change)

    is_unreadable = change is without and kind == "RoundLapsed"
    assert ("event can't be read" if is_unreadable else "closing differs") in finding_kinds(long_shoe)


def test_a_void_under_another_cause_than_its_closing_is_reported(long_shoe: SimulatedTable) -> None:
    forge(long_shoe, "RoundVoided", lambda event: {"reason": "misdeal"})

    assert "closing differs" in finding_kinds(long_shoe)


def test_a_contribution_that_is_not_signed_by_its_player_is_reported() -> None:
    simulation = SimulatedTable("mini")
    simulation.do("sit", PLAYERS[0], None, None)
    simulation.do("cut", PLAYERS[0], None, 7)
    forge(simulation, "ShoeCutContributed", lambda event: {"signature": ContributionSignature("01" + OTHER, OTHER * 2)})

    assert finding_kinds(simulation) == ["contribution not signed by its player"]
