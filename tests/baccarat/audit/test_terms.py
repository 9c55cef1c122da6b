"""Rounds from before there were terms keep their course, and their tables continue with terms."""

from unittest import mock

import msgspec

from baccarat.domain import dealer
from baccarat.domain.fairness.cut import Contribution, compute_cut
from baccarat.domain.fairness.shuffle import Scheme, shuffle
from baccarat.domain.rounds import events as re
from baccarat.domain.rounds.decider import ROUND
from baccarat.domain.rounds.state import INITIAL as NO_ROUND
from baccarat.domain.rules.wagers import Spot
from baccarat.domain.tables.evolve import evolve
from baccarat.storage.event_registry import CATALOGUE
from tests.baccarat.audit.simulated_table import OPERATOR, PLAYERS, TABLE, SimulatedTable, finding_kinds, forge, types


def record(simulation, event):
    """Record an event of the round as it was then, without asking today's decider."""
    work = simulation.work
    before = NO_ROUND if isinstance(event, re.RoundOpened) else work.round
    work.round, work.table = ROUND.evolve(before, event), evolve(work.table, event)
    round_ = work.round.require_opened().round
    work._add_changes(f"round-{round_}", work.round_version, [event])
    work.round_version += 1
    work.changed_rounds[round_] = (work.round, work.round_version)
    simulation.write()


def play_before_terms():
    """Play a round that opened without terms, cut while its betting was open, and one after it."""
    with mock.patch.object(dealer, "NEWEST", Scheme.OPEN_CUT):
        simulation = SimulatedTable("mini")
        following = simulation.draw_seed()
        shape = simulation.work.table.rules.shape
        announced = dealer.commitment_to(following, table=TABLE, number=2, shape=shape)
    simulation.do("sit", PLAYERS[0], None, None)
    named = simulation.work.table.next_shoe
    simulation.work.new_seeds.append(following)
    seat = simulation.work.table.seats[0]
    simulation.work.round_version = 0
    record(
        simulation,
        re.RoundOpened(
            round=simulation.entropy().round,
            table=TABLE,
            operator=OPERATOR,
            number=1,
            rules=simulation.work.table.rules.label,
            shoe=named.shoe,
            commitment=named.commitment,
            seats=(re.SeatInRound(seat.seat, seat.player, seat.money_type),),
            opened_at=simulation.now,
            deadline_at=None,
            contributions=(),
            terms="",
            next_shoe=announced,
            scheme=Scheme.OPEN_CUT,
        ),
    )
    record(simulation, re.CutContributed(1, PLAYERS[0], "a1b2", simulation.now))
    for action in ("place", "confirm", "deal"):
        simulation.do(action, PLAYERS[0], Spot.BANKER, 2500)
    for action in ("cut", "place", "confirm", "deal"):
        simulation.do(action, PLAYERS[0], Spot.BANKER, 2500)
    return simulation, named, following


def test_a_round_that_opened_without_terms_is_cut_as_it_was_and_the_next_one_has_terms():
    simulation, named, following = play_before_terms()
    assert finding_kinds(simulation) == []
    first, second = (state for state, _ in simulation.states.values())

    cut = compute_cut(named.shoe, [Contribution(1, "a1b2")])
    assert (first.cut, first.phase) == (cut.hex(), "settled")
    assert first.cards == shuffle(
        simulation.seeds[named.shoe], cut=cut, decks=8, scheme=Scheme.OPEN_CUT, first=len(first.cards)
    )
    assert (second.require_opened().shoe, second.phase) == (following.shoe, "settled")
    assert second.require_opened().terms
    assert second.require_opened().contributions == ()  # what was added between the two rounds counts for the third
    assert not types(simulation).count("TermsFixed")  # both deals fixed the next terms with their cards


def test_a_contribution_forged_in_a_round_without_terms_is_reported():
    simulation, *_ = play_before_terms()
    forge(simulation, "CutContributed", lambda event: {"contribution": "a1b3"})
    assert "cards are not the shoe's" in finding_kinds(simulation)


def test_an_opening_of_the_first_schema_is_one_without_terms():
    simulation, *_ = play_before_terms()
    row = next(row for row in simulation.rows if row.type == "RoundOpened")
    fields = msgspec.json.decode(row.data)
    old = {name: value for name, value in fields.items() if name not in {"contributions", "terms"}}

    assert CATALOGUE.decode("RoundOpened", 1, msgspec.json.encode(old)) == CATALOGUE.decode(
        row.type, row.schema, row.data
    )
