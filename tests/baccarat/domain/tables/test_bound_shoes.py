"""A shoe is played as it was committed to: no change of rules picks its cards, whoever knows its seed."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from baccarat.audit.report import FindingCollector
from baccarat.domain.rules.table_rules import ShoeShape
from baccarat.domain.tables import refusals as r
from baccarat.domain.tables import rules_lifecycle
from baccarat.domain.tables.events import EffectiveFrom
from baccarat.storage.event_registry import CATALOGUE
from tests.baccarat.audit.simulated_table import PLAYERS, PlayReplay, SimulatedTable, finding_kinds, forge, replay
from tests.support.instant import NO_SHOW
from tests.support.spots import spots_of

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def drafted(simulation: SimulatedTable, **changes: object) -> int:
    rules = replace(simulation.work.table.rules, **changes)
    simulation.work.on_table(
        rules_lifecycle.draft_rules,
        rules=rules,
        floor=7500,
        acknowledgement="",
        reason="",
        by="staff:1",
        at=simulation.now,
    )
    simulation.write()
    version: int = simulation.work.table.current_rules_lifecycle().latest_version
    return version


def published(simulation: SimulatedTable, **changes: object) -> EffectiveFrom:
    """Draft and publish new rules, and return what they wait for."""
    version = drafted(simulation, **changes)
    simulation.work.on_table(rules_lifecycle.publish_rules, version=version, by="staff:2", at=simulation.now)
    simulation.write()
    waiting = simulation.work.table.current_rules_lifecycle().pending
    assert waiting is not None
    return waiting.effective_from


def seated(**overrides: object) -> SimulatedTable:
    simulation = SimulatedTable("big_table", decks=1, cut_cards_from_end=14, caller=False, look_seconds=None,
                  hand_back_seconds=None, show_milliseconds=NO_SHOW, **overrides)  # fmt: skip
    simulation.do("sit", PLAYERS[0], None, None)
    return simulation


def shoe_played(simulation: SimulatedTable) -> None:
    """Play rounds until another shoe is in play."""
    before = simulation.work.table.shoes
    while simulation.work.table.shoes == before:
        for action in ("place", "confirm", "deal"):
            simulation.do(action, PLAYERS[0], "banker", 2500)


def of_the_shoe_in_play(simulation: SimulatedTable) -> tuple[int, int, int]:
    """Return its number, the version of the rules in force, and their decks."""
    table = simulation.work.table
    return table.shoe.number, table.rules.version, table.rules.decks


def test_other_decks_wait_for_a_shoe_that_is_committed_to_after_their_publishing() -> None:
    simulation = seated()
    simulation.do("cut", PLAYERS[0], None, 7)
    assert published(simulation, decks=2) is EffectiveFrom.NEW_SHOE
    assert simulation.work.table.next_shoe.shape == ShoeShape(1, 14, burn=True, fixed_order=False)

    shoe_played(simulation)
    assert of_the_shoe_in_play(simulation) == (2, 2, 1)  # committed to, and cut, before
    assert simulation.work.table.next_shoe.shape.decks == 2
    shoe_played(simulation)
    assert of_the_shoe_in_play(simulation) == (3, 3, 2)
    shoe_played(simulation)
    assert finding_kinds(simulation) == []
    table = simulation.work.table
    assert replay(simulation)[0].tables[f"table-{table.require_opened().table}"].state() == table


def test_what_does_not_shape_a_shoe_waits_as_before() -> None:
    simulation = seated()
    assert published(simulation, maximum=100_000) is EffectiveFrom.NEXT_ROUND
    assert published(simulation, spots=spots_of("big_table", commission=None)) is EffectiveFrom.NEXT_SHOE
    shoe_played(simulation)
    assert (simulation.work.table.rules.defers_commission, finding_kinds(simulation)) == (False, [])


@pytest.mark.parametrize("changes", [{"decks": 2}, {"cut_cards_from_end": 20}, {"burn": False}, {"fixed_order": True}])
def test_a_shoe_that_nobody_has_begun_is_bound_as_well(changes: dict[str, int]) -> None:
    simulation = SimulatedTable("big_table", decks=1, cut_cards_from_end=14)
    assert published(simulation, **changes) is EffectiveFrom.NEW_SHOE


def test_rules_for_which_a_shoe_is_committed_to_can_give_way_only_to_others_of_that_shape() -> None:
    simulation = seated()
    published(simulation, decks=2)
    shoe_played(simulation)
    version = drafted(simulation, maximum=100_000)
    with pytest.raises(r.CommittedShoeConflict):
        simulation.work.on_table(rules_lifecycle.publish_rules, version=version, by="staff:2", at=simulation.now)
    simulation.work.on_table(
        rules_lifecycle.reject_rules, version=version, reason="The shoe is bound.", by="staff:2", at=simulation.now
    )
    simulation.write()
    assert published(simulation, decks=2, maximum=100_000) is EffectiveFrom.NEXT_SHOE
    shoe_played(simulation)
    assert (of_the_shoe_in_play(simulation), simulation.work.table.rules.maximum) == ((3, 5, 2), 100_000)
    assert finding_kinds(simulation) == []


def test_withdrawn_rules_play_no_shoe_to_its_end_for_others_that_wait() -> None:
    simulation = seated()
    simulation.work.on_table(
        rules_lifecycle.retire_rules,
        version=simulation.work.table.rules.version,
        reason="Printed wrong.",
        by="staff:2",
        at=simulation.now,
    )
    simulation.write()
    version = drafted(simulation, decks=2)
    with pytest.raises(r.RetiredRulesCannotWait):
        simulation.work.on_table(rules_lifecycle.publish_rules, version=version, by="staff:2", at=simulation.now)


def test_no_round_is_played_by_withdrawn_rules_while_others_wait_for_a_shoe() -> None:
    simulation = seated()
    published(simulation, decks=2)
    simulation.work.on_table(
        rules_lifecycle.retire_rules,
        version=simulation.work.table.rules.version,
        reason="Printed wrong.",
        by="staff:2",
        at=simulation.now,
    )
    simulation.write()
    for action in ("place", "confirm", "deal"):
        simulation.do(action, PLAYERS[0], "banker", 2500)
    before = simulation.work.table.rounds
    simulation.do("place", PLAYERS[0], "banker", 2500)
    assert (simulation.work.table.round, simulation.work.table.rounds, finding_kinds(simulation)) == (None, before, [])


@pytest.mark.parametrize(
    ("kind", "change", "what"),
    [
        (
            "RulesPublished",
            lambda e: {"effective_from": EffectiveFrom.NEXT_SHOE},
            "version takes effect at another time",
        ),
        (
            "ShoeCommitted",
            lambda e: {"shape": replace(e.shape, decks=3)},
            "shoe composition differs from its commitment",
        ),
        ("ShoeCommitted", lambda e: {"shape": None}, "event can't be read"),
    ],
)
def test_a_forged_binding_is_reported(two_shapes: SimulatedTable, kind: str, change: object, what: str) -> None:
    rows = list(two_shapes.rows)
    forge(two_shapes, kind, change, last=True)
    found = finding_kinds(two_shapes)
    two_shapes.rows[:] = rows
    assert what in found


def test_rules_in_force_before_their_shoe_are_reported(two_shapes: SimulatedTable) -> None:
    """Pretend that a contribution made the committed shoe look better with other decks."""
    rows = list(two_shapes.rows)
    forge(two_shapes, "RulesPublished", lambda event: {"effective_from": EffectiveFrom.NEXT_SHOE})
    start = next(place for place, row in enumerate(rows) if row.type == "ShoeStarted" and place > 10)
    place = next(place for place, row in enumerate(rows) if row.type == "RulesTookEffect")
    took = two_shapes.rows.pop(place)
    two_shapes.rows.insert(start, took)
    notes = FindingCollector()
    PlayReplay(notes).replay(two_shapes.rows)
    two_shapes.rows[:] = rows
    named = {finding.kind for finding in notes.findings}
    assert {"version takes effect at another time", "shoe composition differs from its commitment"} <= named


@pytest.fixture(scope="module")
def two_shapes() -> SimulatedTable:
    """Play three shoes, the last of two decks instead of one."""
    simulation = seated()
    published(simulation, decks=2)
    shoe_played(simulation)
    shoe_played(simulation)
    assert {CATALOGUE.decode(row.type, 1, row.data).shape.decks for row in simulation.rows
            if row.type == "ShoeCommitted"} == {1, 2}  # fmt: skip
    assert finding_kinds(simulation) == []
    return simulation
