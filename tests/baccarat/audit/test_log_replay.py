"""The audit's replay agrees with the deciders whatever players do, and reports forged events."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baccarat.audit.report import FindingCollector
from baccarat.audit.traces import OUT_OF_PLACE
from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.terms import digest_cards
from baccarat.domain.rounds.events import HandedBackBy, Side
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.presets import PRESETS
from baccarat.domain.rules.recorded import record
from baccarat.domain.tables.events import PlaceInShoe
from baccarat.storage.event_registry import CATALOGUE
from casino.kernel.money import MoneyType
from tests.baccarat.audit.simulated_table import (
    NOW,
    PLAYERS,
    STEPS,
    TABLE,
    PlayReplay,
    SimulatedTable,
    finding_kinds,
    forge,
    replay,
    types,
)
from tests.support.depth import examples
from tests.support.instant import NO_SHOW


@settings(max_examples=examples(25))
@given(preset=st.sampled_from(list(PRESETS)), steps=st.lists(STEPS, min_size=15, max_size=60))
def test_histories_that_the_deciders_allow_have_no_findings_and_fold_to_the_same_states(preset, steps):
    simulation = SimulatedTable(preset)
    for player in PLAYERS:
        simulation.do("sit", player, None, None)
    for step in steps:
        simulation.do(*step)
    log_replay, notes, traces = replay(simulation)
    assert notes.findings == []
    assert log_replay.tables[f"table-{TABLE}"].state() == simulation.work.table
    assert {key: (trace.state(), trace.version) for key, trace in traces.items()} == simulation.states


def play_one_shoe(**overrides):
    """Play at a shoe table until its shoe has ended."""
    overrides = {"show_milliseconds": NO_SHOW, **overrides}
    simulation = SimulatedTable("big_table", decks=1, cut_cards_from_end=14, **overrides)
    simulation.do("sit", PLAYERS[0], None, None)
    while not any(row.type == "ShoeEnded" for row in simulation.rows):
        for action in ("place", "confirm", "deal"):
            simulation.do(action, PLAYERS[0], "banker", 2500)
    return simulation


def play_with_forced_cards():
    """Play a round with chosen cards in a shoe that then goes on to its end."""
    simulation = SimulatedTable("big_table", decks=1, cut_cards_from_end=30, show_milliseconds=NO_SHOW, caller=False)
    simulation.do("sit", PLAYERS[0], None, None)
    simulation.do("force", None, None, 0)
    while not any(row.type == "ShoeEnded" for row in simulation.rows):
        for action in ("place", "confirm", "deal"):
            simulation.do(action, PLAYERS[0], "banker", 2500)
    return simulation


def test_chosen_cards_have_no_findings_and_the_rest_of_their_shoe_is_checked():
    simulation = play_with_forced_cards()
    assert finding_kinds(simulation) == []
    forge(simulation, "CardsForced", lambda e: {"cards": e.cards[::-1]})
    assert "cards are not the chosen ones" in finding_kinds(simulation)


def test_cards_chosen_after_a_seat_has_acted_are_reported():
    simulation = play_with_forced_cards()
    chosen = next(row for row in simulation.rows if row.type == "CardsForced")
    at, confirmed = simulation.rows.index(chosen), types(simulation).index("WagerConfirmed")
    simulation.rows.insert(confirmed, simulation.rows.pop(at))
    assert OUT_OF_PLACE in finding_kinds(simulation)


def play_with_caller(**rules):
    """Play one round whose player looks at the cards and hands them back, and one in which the time runs out."""
    simulation = SimulatedTable("big_table", decks=1, cut_cards_from_end=14, show_milliseconds=NO_SHOW, **rules)
    for player in PLAYERS:
        simulation.do("sit", player, None, None)
    simulation.do("pass_turn", PLAYERS[0], None, None)  # alone in the round that sitting down opened
    simulation.do("deal", None, None, None)
    for handed_back in (True, False):
        for player, amount in zip(PLAYERS, (5000, 5000, 2500), strict=True):
            simulation.do("place", player, "player", amount)
            simulation.do("confirm", player, None, None)
        simulation.do("deal", None, None, None)
        simulation.do("look", PLAYERS[0], None, None)
        if handed_back:
            simulation.do("hand_back", PLAYERS[0], None, None)
        simulation.do("wait", None, None, None)
        simulation.do("deal", None, None, None)
    return simulation


def test_a_ceremony_has_no_findings_whoever_ends_it():
    simulation = play_with_caller()
    assert finding_kinds(simulation) == []
    assert types(simulation).count("CardsLookedAt") == types(simulation).count("CardsHandedBack") == 2
    assert types(simulation).count("HandTurned") == 4


def test_cards_seen_in_a_voided_round_are_never_dealt():
    simulation = play_with_caller(fixed_order=True)
    for _ in range(12):  # to the end of the shoe and beyond: burned cards count as dealt
        simulation.do("place", PLAYERS[0], "player", 2500)
        simulation.do("confirm", PLAYERS[0], None, None)
        simulation.do("wait", None, None, None)
        simulation.do("deal", None, None, None)
        simulation.do("look", PLAYERS[0], None, None)
        before = simulation.work.table.shoe
        simulation.do("void", None, None, None)
        after = simulation.work.table.shoe
        assert after.number == before.number + 1 or after.cards_used == before.cards_used + 6
    assert simulation.work.table.shoes > 1
    assert finding_kinds(simulation) == []


@pytest.mark.parametrize(
    ("kind", "change", "what"),
    [
        ("CardsHandedOut", lambda e: {"seat": 2}, "cards with the wrong seat"),
        ("CardsHandedOut", lambda e: {"until": e.until + timedelta(seconds=1)}, "time for the cards differs"),
        ("CardsLookedAt", lambda e: {"seat": 2}, "cards with the wrong seat"),
        ("CardsLookedAt", lambda e: {"until": e.until + timedelta(seconds=1)}, "time for the cards differs"),
        ("CardsLookedAt", lambda e: {"looked_at": e.looked_at + timedelta(minutes=1)}, "event out of place"),
        ("CardsHandedBack", lambda e: {"by": HandedBackBy.TIME}, "time for the cards differs"),
        ("CardsHandedBack", lambda e: {"seat": 3}, "cards with the wrong seat"),
        ("HandTurned", lambda e: {"cards": e.cards[::-1]}, "hands not turned as dealt"),
        ("HandTurned", lambda e: {"side": Side.BANKER}, "hands not turned as dealt"),
    ],
)
def test_a_forged_ceremony_is_reported(kind, change, what):
    simulation = play_with_caller()
    forge(simulation, kind, change)
    assert what in finding_kinds(simulation)


@pytest.mark.parametrize("kind", ["CardsHandedOut", "CardsHandedBack", "HandTurned"])
def test_a_ceremony_without_one_of_its_steps_is_reported(kind):
    simulation = play_with_caller()
    place = types(simulation).index(kind)
    del simulation.rows[place]
    assert finding_kinds(simulation) != []


def test_a_needless_burn_is_reported():
    simulation = play_with_caller()
    for action in ("place", "confirm", "void"):
        simulation.do(action, PLAYERS[0], "banker", 2500)
    assert finding_kinds(simulation) == []
    forge(simulation, "RoundVoided", lambda event: {"burned_count": 6})
    assert "burned cards differ" in finding_kinds(simulation)


def test_a_shoe_played_to_its_end_has_no_findings():
    simulation = play_one_shoe()
    assert finding_kinds(simulation) == []
    assert sum(row.type == "CardsDealt" for row in simulation.rows) > 3


@pytest.mark.parametrize(
    ("kind", "change", "what"),
    [
        ("ShoeEnded", lambda e: {"seed": "ab" * 32}, "seed does not open the commitment"),
        ("ShoeStarted", lambda e: {"root": "ab" * 32}, "root is not the shoe's"),
        (
            "TermsFixed",
            lambda e: {"place": replace(e.place, commitment="ab" * 32)},
            "seed does not open the commitment",
        ),
        ("ShoeEnded", lambda e: {"cards_dealt": e.cards_dealt + 1}, "cards out of the shoe differ"),
        ("ShoeEnded", lambda e: {"collected": ()}, "collected commission differs"),
        ("ShoeStarted", lambda e: {"commitment": "00" * 32}, "seed does not open the commitment"),
        ("ShoeStarted", lambda e: {"burned_count": e.burned_count + 1}, "burned cards differ"),
        ("ShoeStarted", lambda e: {"number": 2}, "shoe number differs"),
        ("CardsDealt", lambda e: {"shoe_position": e.shoe_position + 1}, "place in the shoe differs"),
        ("CardsDealt", lambda e: {"cards": (*e.cards, Card("Ah"))}, "cards are not a legal deal"),
        ("RoundOpened", lambda e: {"number": 5}, "round number differs"),
        ("RoundOpened", lambda e: {"deadline_at": None}, "deadline differs"),
        ("RoundOpened", lambda e: {"shoe": UUID(int=5)}, "round is dealt from another shoe"),
        ("RoundOpened", lambda e: {"seats": ()}, "seats of the round differ"),
        ("RoundSettled", lambda e: {"wagers": e.wagers * 2}, "wager settled twice"),
        ("RoundSettled", lambda e: {"wagers": ()}, "wager not settled"),
        ("RoundSettled", lambda e: {"seed": "00" * 32}, "cards are not the shoe's"),
        ("RoundSettled", lambda e: {"seed": None}, "seed missing"),
        ("WagerConfirmed", lambda e: {"player": PLAYERS[2]}, "wager of another player"),
        ("WagerConfirmed", lambda e: {"confirmed_at": NOW + timedelta(days=1)}, "wager confirmed late"),
        ("WagerConfirmed", lambda e: {"stakes": {"banker": 10**7}}, "stake over the maximum"),
        ("BettingClosed", lambda e: {"closed_at": NOW}, "times out of order"),
        ("BettingClosed", lambda e: {"closing": None}, "closing differs"),
        ("BettingClosed", lambda e: {"closing": replace(e.closing, blind="ab" * 32)}, "closing differs"),
        ("BettingClosed", lambda e: {"closing": replace(e.closing, before="ab" * 32)}, "closing differs"),
        ("BettingClosed", lambda e: {"closing": replace(e.closing, digest="ab" * 32)}, "closing differs"),
        ("WagerConfirmed", lambda e: {"raised": {"banker": 100}}, "closing differs"),
        ("ChipsPlaced", lambda e: {"amount": 1}, "stake not makeable"),
        ("ChipsPlaced", lambda e: {"seat": 9}, "seat not in the round"),
        ("SeatTaken", lambda e: {"seat": 99}, "unknown seat"),
        ("TableOpened", lambda e: {"money_types": (MoneyType.REAL,)}, "money_type not offered"),
    ],
)
def test_a_forged_event_is_reported(kind, change, what):
    simulation = play_one_shoe()
    forge(simulation, kind, change)
    assert what in finding_kinds(simulation)


@pytest.mark.parametrize(
    ("kind", "change", "what"),
    [
        ("ShoeEnded", lambda e: {"seed": "ab" * 32}, "cards are not the shoe's"),
        ("ShoeStarted", lambda e: {"root": "ab" * 32}, "root is not the shoe's"),
        ("TermsFixed", lambda e: {"place": replace(e.place, commitment="ab" * 32)}, "terms differ"),
        ("RoundSettled", lambda e: {"seed": "00" * 32}, "seed revealed early"),
    ],
)
def test_a_forged_event_of_a_shoe_of_fixed_order_is_reported(kind, change, what):
    simulation = play_one_shoe(fixed_order=True)
    assert finding_kinds(simulation) == []
    forge(simulation, kind, change)
    assert what in finding_kinds(simulation)


def test_a_shoe_used_after_its_last_round_is_reported():
    simulation = play_one_shoe()
    end = next(place for place, row in enumerate(simulation.rows) if row.type == "ShoeEnded")
    shoe = next(CATALOGUE.decode(row.type, 1, row.data) for row in simulation.rows if row.type == "ShoeStarted")
    del simulation.rows[end : end + 2]
    forge(simulation, "RoundOpened", lambda event: {"shoe": shoe.shoe}, last=True)
    assert "cut card ignored" in finding_kinds(simulation)


def test_a_shoe_used_twice_is_reported():
    simulation = SimulatedTable("mini")
    simulation.do("sit", PLAYERS[0], None, None)
    for _ in range(2):
        for action in ("place", "confirm", "deal"):
            simulation.do(action, PLAYERS[0], "banker", 2500)
    dealt = [CATALOGUE.decode(row.type, row.schema, row.data) for row in simulation.rows if row.type == "CardsDealt"]
    assert finding_kinds(simulation) == []
    forge(simulation, "CardsDealt", with_terms(shoe=dealt[0].next_terms.shoe), last=True)
    assert finding_kinds(simulation) == ["shoe used twice"]


def with_terms(**changes):
    """Return a change of the terms that were fixed with cards."""
    return lambda event: {"next_terms": replace(event.next_terms, **changes)}


def test_terms_that_were_not_fixed_with_the_cards_are_missed():
    simulation = SimulatedTable("mini")
    simulation.do("sit", PLAYERS[0], None, None)
    for _ in range(2):
        simulation.do("play", PLAYERS[0], "banker", 2500)
    forge(simulation, "CardsDealt", lambda event: {"next_terms": None})
    assert "terms differ" in finding_kinds(simulation)


@pytest.mark.parametrize("preset", ["mini", "atlantic_city"])
@pytest.mark.parametrize(
    ("kind", "change", "expected"),
    [
        ("CardsDealt", with_terms(number=9), {"terms differ"}),
        ("RoundOpened", lambda e: {"shoe": UUID(int=5)}, {"shoe differs from the committed one"}),
        ("RoundOpened", lambda e: {"commitment": "00" * 32}, {"shoe differs from the committed one"}),
        ("RoundOpened", lambda e: {"terms": "00" * 32}, {"terms differ"}),
        (
            "RoundOpened",
            lambda e: {"contributions": (Contribution(1, "aa"),)},
            {"cut differs from the contributions", "cards are not the shoe's"},
        ),
        ("TermsFixed", lambda e: {"next_shoe": None}, {"next shoe not committed"}),
        ("TermsFixed", lambda e: {"number": 9}, {"terms differ"}),
        ("TermsFixed", lambda e: {"place": PlaceInShoe(0, digest_cards(()), "00" * 32, "00" * 32)}, {"terms differ"}),
        ("TermsFixed", lambda e: {"digest": "00" * 32}, {"terms differ"}),
        (
            "TermsFixed",
            lambda e: {"next_shoe": replace(e.next_shoe, shape=replace(e.next_shoe.shape, decks=6))},
            {"shoe composition differs from its commitment"},
        ),
        (
            "TableOpened",
            lambda e: {"next_shoe": replace(e.next_shoe, commitment="00" * 32)},
            {"shoe differs from the committed one"},
        ),
    ],
)
def test_a_round_uses_the_shoe_committed_to_before_it_and_commits_to_the_next(preset, kind, change, expected):
    simulation = SimulatedTable(preset)
    simulation.do("sit", PLAYERS[0], None, None)
    for _ in range(2):
        simulation.do("play", PLAYERS[0], "banker", 2500)
    assert finding_kinds(simulation) == []
    forge(simulation, kind, change, last=True)
    assert expected <= set(finding_kinds(simulation))


def test_each_seed_of_a_round_settled_twice_is_checked_against_its_cards():
    simulation = SimulatedTable("mini")
    simulation.do("sit", PLAYERS[0], None, None)
    for action in ("place", "confirm", "deal"):
        simulation.do(action, PLAYERS[0], "banker", 2500)
    simulation.rows.append(
        simulation.rows[-1]._replace(id=len(simulation.rows) + 1, version=simulation.rows[-1].version + 1)
    )
    forge(simulation, "RoundSettled", lambda event: {"seed": "ab" * 32})
    stream = simulation.rows[-1].stream
    notes = FindingCollector()
    PlayReplay(notes, disputed=frozenset({stream})).replay(simulation.rows)
    kinds = [finding.kind for finding in notes.findings]
    assert kinds.count("seed does not open the commitment") == kinds.count("cards are not the shoe's") == 1


def test_rules_under_the_digest_of_others_are_reported():
    simulation = SimulatedTable("mini")
    forge(simulation, "TableOpened", lambda event: {"rules": replace(event.rules, digest="ab" * 32)})
    assert finding_kinds(simulation)[0] == "rules differ from their digest"


def test_impossible_rules_are_reported_without_a_crash():
    simulation = SimulatedTable("mini")
    simulation.do("sit", PLAYERS[0], None, None)
    for action in ("place", "confirm", "deal"):
        simulation.do(action, PLAYERS[0], "banker", 2500)
    forge(simulation, "TableOpened", lambda event: {"rules": record(replace(event.rules.decoded, chips=(0,)))})
    assert finding_kinds(simulation)[0] == "rules are not playable"
    assert "event can't be explained" in finding_kinds(simulation)
