"""The audit follows the show of each deal: how long it lasts, who skips it, and that no round opens during it."""

from datetime import timedelta
from uuid import UUID

import pytest

from tests.baccarat.audit.simulated_table import PLAYERS, SimulatedTable, finding_kinds, forge, types


def play_with_show(**rules):
    """Play a round whose show the players skip, and one whose show runs until the next opens."""
    simulation = SimulatedTable("atlantic_city", **rules)
    for player in PLAYERS:
        simulation.do("sit", player, None, None)
    simulation.do("pass_turn", PLAYERS[0], None, None)  # alone in the round that sitting down opened
    simulation.do("deal", None, None, None)
    simulation.do("play", None, "banker", 2500)
    for player in PLAYERS:
        simulation.do("skip", player, None, None)
    simulation.do("play", None, "banker", 2500)
    simulation.do("end_show", None, None, None)
    return simulation


def test_a_show_has_no_findings_whether_it_is_skipped_or_ends():
    simulation = play_with_show()
    assert finding_kinds(simulation) == []
    assert types(simulation).count("ShowSkipRequested") == 3
    assert types(simulation).count("RoundOpened") == 4


@pytest.mark.parametrize(
    ("kind", "change", "what"),
    [
        ("RoundSettled", lambda e: {"betting_opens_at": e.settled_at}, "length of the show differs"),
        ("ShowSkipRequested", lambda e: {"player": PLAYERS[1]}, "event out of place"),
        ("ShowSkipRequested", lambda e: {"seat": 3}, "event out of place"),
        ("ShowSkipRequested", lambda e: {"player": UUID(int=99)}, "show cut short"),
        ("ShowSkipRequested", lambda e: {"requested_at": e.requested_at + timedelta(minutes=1)}, "event out of place"),
    ],
)
def test_a_forged_show_is_reported(kind, change, what):
    simulation = play_with_show()
    forge(simulation, kind, change)
    assert what in finding_kinds(simulation)


def test_a_round_that_opens_while_the_last_deal_is_shown_is_reported():
    simulation = play_with_show()
    simulation.rows = [row for row in simulation.rows if row.type != "ShowSkipRequested"]
    assert "show cut short" in finding_kinds(simulation)


def test_a_least_cycle_has_no_findings_and_what_cuts_it_short_is_reported():
    simulation = play_with_show(minimum_cycle_seconds=20)
    assert finding_kinds(simulation) == []
    forge(simulation, "RoundOpened", lambda e: {"opened_at": e.opened_at - timedelta(seconds=19)}, last=True)
    assert "cycle cut short" in finding_kinds(simulation)


def test_a_show_that_nobody_may_skip_has_no_findings_unless_it_is_skipped():
    simulation = play_with_show(may_hurry=False)
    assert "ShowSkipRequested" not in types(simulation)
    assert finding_kinds(simulation) == []
    forge(simulation, "RoundOpened", lambda e: {"opened_at": e.opened_at - timedelta(seconds=5)}, last=True)
    assert "show cut short" in finding_kinds(simulation)
