"""The audit's replay agrees with the deciders whatever players do, and reports forged events."""

from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baccarat.audit.log_replay import LogReplay
from baccarat.audit.report import FindingCollector
from baccarat.audit.traces import OUT_OF_PLACE
from baccarat.domain import dealer
from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.terms import digest_cards
from baccarat.domain.rounds import commands as rc
from baccarat.domain.rounds import events as re
from baccarat.domain.rounds.events import HandedBackBy, Side, VoidReason
from baccarat.domain.rounds.forcing import SCENARIOS
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.presets import PRESETS, rules_for
from baccarat.domain.rules.table_rules import Shuffle
from baccarat.domain.rules.wagers import Spot
from baccarat.domain.tables import commands as tc
from baccarat.domain.tables.events import PlaceInShoe
from baccarat.domain.tables.state import INITIAL
from baccarat.domain.unit_of_work import ShoeSeed, UnitOfWork
from baccarat.storage.event_registry import CATALOGUE
from casino.events.records import RecordedEvent
from casino.kernel.errors import Refusal
from casino.kernel.money import MoneyType
from tests.support.instant import NO_SHOW

NOW = datetime(2026, 1, 2, tzinfo=UTC)
TABLE, OPERATOR = UUID(int=1), UUID(int=2)
PLAYERS = [UUID(int=number) for number in (11, 12, 13)]


class SimulatedTable:
    """One table played in memory, with its balances, clock, seeds and recorded events."""

    def __init__(self, preset, **overrides):
        self.now = NOW
        self.balances = defaultdict(lambda: 10**6)
        self.rows = []
        self.states = {}
        self.seeds = {}
        self.count = 100
        rules = rules_for(preset, currency="EUR", **overrides)
        self.work = UnitOfWork(INITIAL, 0)
        first = None
        if rules.shuffle is not Shuffle.SHOE:
            self.work.new_seeds.append(self.draw_seed())
            first = dealer.commitment_to(self.work.new_seeds[0], table=TABLE, number=1, shape=rules.shape)
        opening = tc.OpenTable(TABLE, OPERATOR, preset, rules, (MoneyType.PLAY,), (), False, NOW, next_shoe=first)
        self.work.decide_on_table(opening)
        if self.work.table.has_long_shoe():
            dealer.commit_shoe(self.work, entropy=self.entropy(), now=NOW)
        self.write()

    def write(self):
        """Append the changes to the log and begin a new unit of work, as a transaction would."""
        work = self.work
        for change in work.changes:
            for version, event in enumerate(change.events, change.expected_version + 1):
                self.apply_to_balances(event)
                draft = CATALOGUE.encode(event)
                number = len(self.rows) + 1
                self.rows.append(
                    RecordedEvent(number, change.stream, version, draft.type, draft.schema, draft.data, b"{}", NOW)
                )
        self.seeds.update((secret.shoe, secret.seed) for secret in work.new_seeds)
        self.states.update((f"round-{key}", value) for key, value in work.changed_rounds.items())
        self.work = UnitOfWork(work.table, work.table_version, work.round, work.round_version)

    def apply_to_balances(self, event):
        match event:
            case re.WagerConfirmed(player=player, stakes=stakes):
                self.balances[player] -= sum(stakes.values())
            case re.RoundVoided(seats=seats):
                for seat in seats:
                    self.balances[seat.player] += seat.to_game
            case re.RoundSettled(wagers=wagers):
                for wager in wagers:
                    self.balances[wager.player] += wager.returned - (wager.commission if wager.deferred else 0)

    def do(self, action, player, spot, amount):
        self.now += timedelta(seconds=2)
        try:
            getattr(self, action)(player, spot, amount)
        except Refusal:
            work = self.work
            self.work = UnitOfWork(
                work.loaded_table, self.version(), work.loaded_round, self.round_version(work.loaded_round)
            )
            return
        self.write()

    def version(self):
        return sum(row.stream == f"table-{TABLE}" for row in self.rows)

    def round_version(self, round_):
        return 0 if round_.opened is None else self.states[f"round-{round_.opened.round}"][1]

    def draw_seed(self):
        self.count += 1
        return ShoeSeed(UUID(int=self.count + 10**6), self.count.to_bytes(32, "big"))

    def entropy(self):
        next_shoe, drawn = next(iter(self.work.table.committed_shoes()), None), self.draw_seed()
        committed = None if next_shoe is None else self.seeds[next_shoe.shoe]
        return dealer.Entropy(UUID(int=self.count), drawn.shoe, drawn.seed, bytes(32), committed_seed=committed)

    def cut(self, player, _spot, amount):
        dealer.contribute_to_cut(self.work, player=player, contribution=amount.to_bytes(4, "big").hex(), now=self.now)

    def sit(self, player, _spot, amount):
        seat = PLAYERS.index(player) + 1
        self.work.decide_on_table(tc.TakeSeat(player, seat, MoneyType.PLAY, 10**6, 10**6, self.now))
        self.balances[player] = 10**6
        if self.work.table.rules.turn_seconds is not None:
            dealer.open_round(self.work, entropy=self.entropy(), now=self.now)

    def leave(self, player, _spot, _amount):
        dealer.leave_round(self.work, player=player)
        if dealer.is_empty(self.work):
            seed = self.seeds[self.work.round.require_opened().shoe]
            dealer.lapse_if_empty(self.work, seed=seed, entropy=self.entropy(), now=self.now)
        self.work.decide_on_table(tc.LeaveSeat(player, self.balances[player], self.now))
        dealer.open_next_round(self.work, entropy=self.entropy(), now=self.now)

    def free(self, player, _spot, amount):
        dealer.leave_round(self.work, player=player)
        if dealer.is_empty(self.work):
            seed = self.seeds[self.work.round.require_opened().shoe]
            dealer.lapse_if_empty(self.work, seed=seed, entropy=self.entropy(), now=self.now)
        silence, away, gone = timedelta(seconds=amount), timedelta(seconds=1), timedelta(seconds=2500)
        self.work.decide_on_table(tc.FreeSeat(player, self.balances[player], self.now - silence, away, gone, self.now))
        dealer.open_next_round(self.work, entropy=self.entropy(), now=self.now)

    def move(self, player, _spot, amount):
        dealer.leave_round(self.work, player=player)
        if dealer.is_empty(self.work):
            seed = self.seeds[self.work.round.require_opened().shoe]
            dealer.lapse_if_empty(self.work, seed=seed, entropy=self.entropy(), now=self.now)
        self.work.decide_on_table(tc.ChangeSeat(player, 3 + amount % 7, self.now))
        dealer.open_next_round(self.work, entropy=self.entropy(), now=self.now)

    def rebuy(self, player, _spot, amount):
        part = self.work.round.seat_of(player)
        if part is None or part.stakes is None or not self.work.round.is_running():
            self.work.decide_on_table(tc.Rebuy(player, amount, amount, self.now))
            self.balances[player] += amount

    def place(self, player, spot, amount):
        if self.work.table.seat_of(player) is not None:
            dealer.open_round(self.work, entropy=self.entropy(), now=self.now)
        rules = self.work.table.rules
        self.work.decide_on_round(rc.PlaceChips(player, spot, amount, self.balances[player], rules, self.now))

    def undo(self, player, _spot, _amount):
        self.work.decide_on_round(rc.UndoPlacement(player, self.now))

    def clear(self, player, _spot, _amount):
        self.work.decide_on_round(rc.ClearChips(player, self.now))

    def rebet(self, player, _spot, _amount):
        seat = self.work.table.seat_of(player)
        stakes = {} if seat is None else dict(seat.last_wager or {})
        rules = self.work.table.rules
        self.work.decide_on_round(rc.RepeatWager(player, stakes, self.balances[player], rules, self.now))

    def confirm(self, player, _spot, _amount):
        rules = self.work.table.rules
        self.work.decide_on_round(rc.ConfirmWager(player, self.balances[player], rules, self.now))

    def pass_turn(self, player, _spot, _amount):
        self.work.decide_on_round(rc.PassTurn(player, self.now))

    def force(self, _player, _spot, amount):
        if self.work.table.round is None:
            dealer.open_round(self.work, entropy=self.entropy(), now=self.now)
        cards = list(SCENARIOS.values())[amount % len(SCENARIOS)]
        self.work.decide_on_round(rc.ForceCards(tuple(cards), self.work.table.rules.decks, self.now))

    def suspend(self, _player, _spot, _amount):
        self.work.decide_on_round(rc.SuspendRound("failure", self.now))

    def resume(self, _player, _spot, _amount):
        self.work.decide_on_round(rc.ResumeRound("somebody", self.now))

    def deal(self, _player, _spot, _amount):
        if self.work.table.round is None:
            return
        seed = self.seeds[self.work.round.require_opened().shoe]
        dealer.deal_round(self.work, seed=seed, entropy=self.entropy(), now=self.now)

    def look(self, player, _spot, _amount):
        self.work.decide_on_round(rc.LookAtCards(player, self.work.table.rules, self.now))

    def hand_back(self, player, _spot, _amount):
        self.work.decide_on_round(rc.HandBackCards(player, self.now))

    def void(self, _player, _spot, _amount):
        if self.work.table.round is None:
            return
        shoe, long = self.work.round.require_opened().shoe, self.work.table.shoe is not None
        seed, burn = self.seeds[shoe], dealer.max_burned_cards(self.work)
        shown = None if long else seed.hex()
        pinned, currency = dealer.closing_inputs(self.work, self.entropy()), self.work.table.rules.currency
        self.work.decide_on_round(
            rc.VoidRound("staff:1", VoidReason.OTHER, "x", shown, self.now, burn, pinned, currency)
        )
        if self.work.table.round is not None:  # a player has looked
            self.work.decide_on_round(rc.ApproveVoid("staff:2", (), False, self.now, shown, burn))
        dealer.end_finished_shoe(self.work, seed=seed, now=self.now)
        dealer.open_next_round(self.work, entropy=self.entropy(), now=self.now)

    def play(self, _player, spot, amount):
        """Play a whole round: every player bets the same, then the turn ends."""
        for player in PLAYERS:
            self.do("place", player, spot, amount)
            self.do("confirm", player, spot, amount)
        self.now += timedelta(seconds=15)
        self.deal(None, None, None)

    def skip(self, player, _spot, _amount):
        self.work.decide_on_table(tc.RequestShowSkip(player, self.now))
        dealer.open_round(self.work, entropy=self.entropy(), now=self.now)

    def end_show(self, _player, _spot, _amount):
        """Let the worker open the next round when the show is over."""
        if self.work.table.round is None and self.work.table.betting_opens_at is not None:
            self.now = max(self.now, self.work.table.betting_opens_at)
            dealer.end_show(self.work, entropy=self.entropy(), now=self.now)

    def wait(self, _player, _spot, _amount):
        self.now += timedelta(seconds=15)


ACTIONS = ["play", "play", "play", "place", "place", "confirm", "deal", "rebet"]
ACTIONS += ["end_show", "end_show", "skip", "skip", "cut", "cut", "look", "look", "hand_back", "void", "free"]
ACTIONS += ["force", "sit", "leave", "undo", "clear", "pass_turn", "wait", "suspend", "resume", "move", "rebuy"]
STEPS = st.tuples(
    st.sampled_from(ACTIONS),
    st.sampled_from(PLAYERS),
    st.sampled_from(Spot),
    st.sampled_from([100, 2500, 2500, 10_000, 50_000]),
)


def replay(simulation):
    """Replay the log and return the replay, the findings and all rounds."""
    notes, traces = FindingCollector(), {}
    log_replay = LogReplay(notes)
    for row in simulation.rows:
        log_replay.replay([row])
        traces.update(log_replay.running)
        traces.update((f"round-{each.opened.round}", each) for each in log_replay.ended)
    return log_replay, notes, traces


@settings(max_examples=25, deadline=None)
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
            simulation.do(action, PLAYERS[0], Spot.BANKER, 2500)
    return simulation


def play_with_forced_cards():
    """Play a round with chosen cards in a shoe that then goes on to its end."""
    simulation = SimulatedTable("big_table", decks=1, cut_cards_from_end=30, show_milliseconds=NO_SHOW, caller=False)
    simulation.do("sit", PLAYERS[0], None, None)
    simulation.do("force", None, None, 0)
    while not any(row.type == "ShoeEnded" for row in simulation.rows):
        for action in ("place", "confirm", "deal"):
            simulation.do(action, PLAYERS[0], Spot.BANKER, 2500)
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


def play_with_caller():
    """Play one round whose player looks at the cards and hands them back, and one in which the time runs out."""
    simulation = SimulatedTable("big_table", decks=1, cut_cards_from_end=14, show_milliseconds=NO_SHOW)
    for player in PLAYERS:
        simulation.do("sit", player, None, None)
    simulation.do("pass_turn", PLAYERS[0], None, None)  # alone in the round that sitting down opened
    simulation.do("deal", None, None, None)
    for handed_back in (True, False):
        for player, amount in zip(PLAYERS, (5000, 5000, 2500), strict=True):
            simulation.do("place", player, Spot.PLAYER, amount)
            simulation.do("confirm", player, None, None)
        simulation.do("deal", None, None, None)
        simulation.do("look", PLAYERS[0], None, None)
        if handed_back:
            simulation.do("hand_back", PLAYERS[0], None, None)
        simulation.do("wait", None, None, None)
        simulation.do("deal", None, None, None)
    return simulation


def types(simulation):
    return [row.type for row in simulation.rows]


def test_a_ceremony_has_no_findings_whoever_ends_it():
    simulation = play_with_caller()
    assert finding_kinds(simulation) == []
    assert types(simulation).count("CardsLookedAt") == types(simulation).count("CardsHandedBack") == 2
    assert types(simulation).count("HandTurned") == 4


def test_cards_seen_in_a_voided_round_are_never_dealt():
    simulation = play_with_caller()
    for _ in range(12):  # to the end of the shoe and beyond: burned cards count as dealt
        simulation.do("place", PLAYERS[0], Spot.PLAYER, 2500)
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
        simulation.do(action, PLAYERS[0], Spot.BANKER, 2500)
    assert finding_kinds(simulation) == []
    forge(simulation, "RoundVoided", lambda event: {"burned_count": 6})
    assert "burned cards differ" in finding_kinds(simulation)


def finding_kinds(simulation):
    return [finding.kind for finding in replay(simulation)[1].findings]


def test_a_shoe_played_to_its_end_has_no_findings():
    simulation = play_one_shoe()
    assert finding_kinds(simulation) == []
    assert sum(row.type == "CardsDealt" for row in simulation.rows) > 3


def forge(simulation, kind, change, last=False):
    """Change one event of a type: the first, or the last."""
    places = [place for place, row in enumerate(simulation.rows) if row.type == kind]
    place = places[-1 if last else 0]
    row = simulation.rows[place]
    event = CATALOGUE.decode(row.type, row.schema, row.data)
    values = {name: getattr(event, name) for name in type(event).__slots__}
    forged = type(event)(**{**values, **change(event)})
    simulation.rows[place] = row._replace(data=CATALOGUE.encode(forged).data)


@pytest.mark.parametrize(
    ("kind", "change", "what"),
    [
        ("ShoeEnded", lambda e: {"seed": "ab" * 32}, "cards are not the shoe's"),
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
        ("RoundSettled", lambda e: {"seed": "00" * 32}, "seed revealed early"),
        ("WagerConfirmed", lambda e: {"player": PLAYERS[2]}, "wager of another player"),
        ("WagerConfirmed", lambda e: {"confirmed_at": NOW + timedelta(days=1)}, "wager confirmed late"),
        ("WagerConfirmed", lambda e: {"stakes": {Spot.BANKER: 10**7}}, "stake over the maximum"),
        ("BettingClosed", lambda e: {"closed_at": NOW}, "times out of order"),
        ("BettingClosed", lambda e: {"closing": None}, "closing differs"),
        ("BettingClosed", lambda e: {"closing": replace(e.closing, blind="ab" * 32)}, "closing differs"),
        ("BettingClosed", lambda e: {"closing": replace(e.closing, before="ab" * 32)}, "closing differs"),
        ("BettingClosed", lambda e: {"closing": replace(e.closing, digest="ab" * 32)}, "closing differs"),
        ("WagerConfirmed", lambda e: {"raised": {Spot.BANKER: 100}}, "closing differs"),
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
            simulation.do(action, PLAYERS[0], Spot.BANKER, 2500)
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
        simulation.do("play", PLAYERS[0], Spot.BANKER, 2500)
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
        ("TermsFixed", lambda e: {"place": PlaceInShoe(0, digest_cards(()), "00" * 32)}, {"terms differ"}),
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
        simulation.do("play", PLAYERS[0], Spot.BANKER, 2500)
    assert finding_kinds(simulation) == []
    forge(simulation, kind, change, last=True)
    assert expected <= set(finding_kinds(simulation))


def test_each_seed_of_a_round_settled_twice_is_checked_against_its_cards():
    simulation = SimulatedTable("mini")
    simulation.do("sit", PLAYERS[0], None, None)
    for action in ("place", "confirm", "deal"):
        simulation.do(action, PLAYERS[0], Spot.BANKER, 2500)
    simulation.rows.append(
        simulation.rows[-1]._replace(id=len(simulation.rows) + 1, version=simulation.rows[-1].version + 1)
    )
    forge(simulation, "RoundSettled", lambda event: {"seed": "ab" * 32})
    stream = simulation.rows[-1].stream
    notes = FindingCollector()
    LogReplay(notes, disputed=frozenset({stream})).replay(simulation.rows)
    kinds = [finding.kind for finding in notes.findings]
    assert kinds.count("seed does not open the commitment") == kinds.count("cards are not the shoe's") == 1


def test_impossible_rules_are_reported_without_a_crash():
    simulation = SimulatedTable("mini")
    simulation.do("sit", PLAYERS[0], None, None)
    for action in ("place", "confirm", "deal"):
        simulation.do(action, PLAYERS[0], Spot.BANKER, 2500)
    rules = {name: getattr(simulation.work.table.rules, name) for name in type(simulation.work.table.rules).__slots__}
    forge(simulation, "TableOpened", lambda event: {"rules": type(event.rules)(**{**rules, "decks": 0})})
    assert finding_kinds(simulation)[0] == "rules are not playable"
    assert "event can't be explained" in finding_kinds(simulation)
