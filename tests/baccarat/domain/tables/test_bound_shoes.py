"""A shoe is played as it was committed to: no change of rules picks its cards, whoever knows its seed."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from baccarat.audit.findings import FindingCollector
from baccarat.audit.fold import LogReplay
from baccarat.domain.rules.table_rules import ShoeShape
from baccarat.domain.rules.wagers import Spot
from baccarat.domain.tables import commands as c
from baccarat.domain.tables import rules_refusals as r
from baccarat.domain.tables.rules_events import EffectiveFrom
from baccarat.storage.event_registry import CATALOGUE
from tests.baccarat.audit.test_fold import PLAYERS, House, folded, forge, whats

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def drafted(house: House, **changes: object) -> int:
    rules = replace(house.journal.table.rules, **changes)
    house.journal.decide_on_table(c.DraftRules(rules, 7500, "", "staff:1", house.now))
    house.write()
    version: int = house.journal.table.current_rules_lifecycle().latest_version
    return version


def published(house: House, **changes: object) -> EffectiveFrom:
    """What new rules wait for, once one has drafted and another published them."""
    version = drafted(house, **changes)
    house.journal.decide_on_table(c.PublishRules(version, "staff:2", house.now))
    house.write()
    waiting = house.journal.table.current_rules_lifecycle().pending
    assert waiting is not None
    return waiting.effective_from


def seated(**overrides: object) -> House:
    house = House("big_table", decks=1, cut_cards_from_end=14, caller=False, look_seconds=None,
                  hand_back_seconds=None, **overrides)  # fmt: skip
    house.do("sit", PLAYERS[0], None, None)
    return house


def shoe_played(house: House) -> None:
    """Rounds until another shoe is in play."""
    before = house.journal.table.shoes
    while house.journal.table.shoes == before:
        for action in ("place", "confirm", "deal"):
            house.do(action, PLAYERS[0], Spot.BANKER, 2500)


def of_the_shoe_in_play(house: House) -> tuple[int, int, int]:
    """Its number, the version of the rules in force, and the decks they say."""
    table = house.journal.table
    return table.shoe.number, table.rules.version, table.rules.decks


def test_other_decks_wait_for_a_shoe_that_is_committed_to_after_their_publishing() -> None:
    house = seated()
    house.do("cut", PLAYERS[0], None, 7)
    assert published(house, decks=2) is EffectiveFrom.NEW_SHOE
    assert house.journal.table.next_shoe.shape == ShoeShape(decks=1, cut_cards_from_end=14, burn=True)

    shoe_played(house)
    assert of_the_shoe_in_play(house) == (2, 2, 1)  # committed to, and cut, before
    assert house.journal.table.next_shoe.shape.decks == 2
    shoe_played(house)
    assert of_the_shoe_in_play(house) == (3, 3, 2)
    shoe_played(house)
    assert whats(house) == []
    assert folded(house)[0].tables[f"table-{house.journal.table.require_opened().table}"].state() == house.journal.table


def test_what_does_not_shape_a_shoe_waits_as_before() -> None:
    house = seated()
    assert published(house, maximum=100_000) is EffectiveFrom.NEXT_ROUND
    assert published(house, commission=None) is EffectiveFrom.NEXT_SHOE
    shoe_played(house)
    assert (house.journal.table.rules.commission, whats(house)) == (None, [])


@pytest.mark.parametrize("changes", [{"decks": 2}, {"cut_cards_from_end": 20}, {"burn": False}])
def test_a_shoe_that_nobody_has_begun_is_bound_as_well(changes: dict[str, int]) -> None:
    house = House("big_table", decks=1, cut_cards_from_end=14)
    assert published(house, **changes) is EffectiveFrom.NEW_SHOE


def test_rules_for_which_a_shoe_is_committed_to_can_give_way_only_to_others_of_that_shape() -> None:
    house = seated()
    published(house, decks=2)
    shoe_played(house)
    version = drafted(house, maximum=100_000)
    with pytest.raises(r.CommittedShoeConflict):
        house.journal.decide_on_table(c.PublishRules(version, "staff:2", house.now))
    house.journal.decide_on_table(c.RejectRules(version, "The shoe is bound.", "staff:2", house.now))
    house.write()
    assert published(house, decks=2, maximum=100_000) is EffectiveFrom.NEXT_SHOE
    shoe_played(house)
    assert (of_the_shoe_in_play(house), house.journal.table.rules.maximum) == ((3, 5, 2), 100_000)
    assert whats(house) == []


def test_withdrawn_rules_play_no_shoe_to_its_end_for_others_that_wait() -> None:
    house = seated()
    house.journal.decide_on_table(
        c.RetireRules(house.journal.table.rules.version, "Printed wrong.", "staff:2", house.now)
    )
    house.write()
    version = drafted(house, decks=2)
    with pytest.raises(r.RetiredRulesCannotWait):
        house.journal.decide_on_table(c.PublishRules(version, "staff:2", house.now))


def test_no_round_is_played_by_withdrawn_rules_while_others_wait_for_a_shoe() -> None:
    house = seated()
    published(house, decks=2)
    house.journal.decide_on_table(
        c.RetireRules(house.journal.table.rules.version, "Printed wrong.", "staff:2", house.now)
    )
    house.write()
    for action in ("place", "confirm", "deal"):
        house.do(action, PLAYERS[0], Spot.BANKER, 2500)
    before = house.journal.table.rounds
    house.do("place", PLAYERS[0], Spot.BANKER, 2500)
    assert (house.journal.table.round, house.journal.table.rounds, whats(house)) == (None, before, [])


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
def test_a_forged_binding_is_named(two_shapes: House, kind: str, change: object, what: str) -> None:
    rows = list(two_shapes.rows)
    forge(two_shapes, kind, change, last=True)
    found = whats(two_shapes)
    two_shapes.rows[:] = rows
    assert what in found


def test_rules_put_into_force_before_their_shoe_are_named(two_shapes: House) -> None:
    """As if a contribution had made the committed shoe look better with other decks."""
    rows = list(two_shapes.rows)
    forge(two_shapes, "RulesPublished", lambda event: {"effective_from": EffectiveFrom.NEXT_SHOE})
    start = next(place for place, row in enumerate(rows) if row.type == "ShoeStarted" and place > 10)
    place = next(place for place, row in enumerate(rows) if row.type == "RulesTookEffect")
    took = two_shapes.rows.pop(place)
    two_shapes.rows.insert(start, took)
    notes = FindingCollector()
    LogReplay(notes).replay(two_shapes.rows)
    two_shapes.rows[:] = rows
    named = {finding.kind for finding in notes.findings}
    assert {"version takes effect at another time", "shoe composition differs from its commitment"} <= named


@pytest.fixture(scope="module")
def two_shapes() -> House:
    """Three shoes, the last of two decks instead of one."""
    house = seated()
    published(house, decks=2)
    shoe_played(house)
    shoe_played(house)
    assert {CATALOGUE.decode(row.type, 1, row.data).shape.decks for row in house.rows
            if row.type == "ShoeCommitted"} == {1, 2}  # fmt: skip
    assert whats(house) == []
    return house
