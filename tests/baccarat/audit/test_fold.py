"""Whatever players do, the audit's own fold agrees with the deciders and finds nothing; forged events it does name."""

from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baccarat.audit.findings import FindingCollector
from baccarat.audit.fold import LogReplay
from baccarat.domain import dealer
from baccarat.domain.rounds import commands as rc
from baccarat.domain.rounds import events as re
from baccarat.domain.rounds import void_events as ve
from baccarat.domain.rounds.ceremony_events import HandedBackBy, Side
from baccarat.domain.rounds.void_events import VoidReason
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.presets import PRESETS, Shuffle, rules_for
from baccarat.domain.rules.wagers import Spot
from baccarat.domain.tables import commands as tc
from baccarat.domain.tables.state import INITIAL
from baccarat.domain.unit_of_work import ShoeSeed, UnitOfWork
from baccarat.storage.event_registry import CATALOGUE
from casino.events.records import RecordedEvent
from casino.kernel.errors import Refusal
from casino.kernel.money import MoneyType

NOW = datetime(2026, 1, 2, tzinfo=UTC)
TABLE, OPERATOR = UUID(int=1), UUID(int=2)
PLAYERS = [UUID(int=number) for number in (11, 12, 13)]


class House:
    """One table played in memory: balances, clock and seeds are kept here, events as the store would give them."""

    def __init__(self, preset, **overrides):
        self.now = NOW
        self.balances = defaultdict(lambda: 10**6)
        self.rows = []
        self.states = {}
        self.seeds = {}
        self.count = 100
        rules = rules_for(preset, currency="EUR", **overrides)
        self.journal = UnitOfWork(INITIAL, 0)
        first = None
        if rules.shuffle is not Shuffle.SHOE:
            self.journal.new_seeds.append(self.drawn())
            first = dealer.commitment_to(self.journal.new_seeds[0], shape=rules.shape)
        opening = tc.OpenTable(TABLE, OPERATOR, preset, rules, (MoneyType.PLAY,), (), False, NOW, next_shoe=first)
        self.journal.decide_on_table(opening)
        if self.journal.table.has_long_shoe():
            dealer.commit_shoe(self.journal, entropy=self.fresh(), now=NOW)
        self.write()

    def write(self):
        """Take what the journal holds to the log, and load a fresh journal, as a transaction would."""
        journal = self.journal
        for page in journal.changes:
            for version, event in enumerate(page.events, page.expected_version + 1):
                self.money(event)
                draft = CATALOGUE.encode(event)
                number = len(self.rows) + 1
                self.rows.append(
                    RecordedEvent(number, page.stream, version, draft.type, draft.schema, draft.data, b"{}", NOW)
                )
        self.seeds.update((secret.shoe, secret.seed) for secret in journal.new_seeds)
        self.states.update((f"round-{key}", value) for key, value in journal.changed_rounds.items())
        self.journal = UnitOfWork(journal.table, journal.table_version, journal.round, journal.round_version)

    def money(self, event):
        match event:
            case re.WagerConfirmed(player=player, stakes=stakes):
                self.balances[player] -= sum(stakes.values())
            case ve.RoundVoided(seats=seats):
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
            journal = self.journal
            self.journal = UnitOfWork(
                journal.loaded_table, self.version(), journal.loaded_round, self.round_version(journal.loaded_round)
            )
            return
        self.write()

    def version(self):
        return sum(row.stream == f"table-{TABLE}" for row in self.rows)

    def round_version(self, round_):
        return 0 if round_.opened is None else self.states[f"round-{round_.opened.round}"][1]

    def drawn(self):
        self.count += 1
        return ShoeSeed(UUID(int=self.count + 10**6), self.count.to_bytes(32, "big"))

    def fresh(self):
        coming, drawn = self.journal.table.next_shoe, self.drawn()
        committed = None if coming is None else self.seeds[coming.shoe]
        return dealer.Entropy(UUID(int=self.count), drawn.shoe, drawn.seed, committed)

    def cut(self, player, _spot, amount):
        dealer.contribute_to_cut(
            self.journal, player=player, contribution=amount.to_bytes(4, "big").hex(), now=self.now
        )

    def sit(self, player, _spot, amount):
        seat = PLAYERS.index(player) + 1
        self.journal.decide_on_table(tc.TakeSeat(player, seat, MoneyType.PLAY, 10**6, 10**6, self.now))
        self.balances[player] = 10**6
        if self.journal.table.rules.turn_seconds is not None:
            dealer.open_round(self.journal, entropy=self.fresh(), now=self.now)

    def leave(self, player, _spot, _amount):
        dealer.leave_round(self.journal, player=player)
        if dealer.is_empty(self.journal):
            seed = self.seeds[self.journal.round.require_opened().shoe]
            dealer.lapse_if_empty(self.journal, seed=seed, now=self.now)
        self.journal.decide_on_table(tc.LeaveSeat(player, self.balances[player], self.now))
        dealer.open_next_round(self.journal, entropy=self.fresh(), now=self.now)

    def be_freed(self, player, _spot, amount):
        dealer.leave_round(self.journal, player=player)
        if dealer.is_empty(self.journal):
            seed = self.seeds[self.journal.round.require_opened().shoe]
            dealer.lapse_if_empty(self.journal, seed=seed, now=self.now)
        silence, away, gone = timedelta(seconds=amount), timedelta(seconds=1), timedelta(seconds=2500)
        self.journal.decide_on_table(
            tc.FreeSeat(player, self.balances[player], self.now - silence, away, gone, self.now)
        )
        dealer.open_next_round(self.journal, entropy=self.fresh(), now=self.now)

    def move(self, player, _spot, amount):
        dealer.leave_round(self.journal, player=player)
        if dealer.is_empty(self.journal):
            seed = self.seeds[self.journal.round.require_opened().shoe]
            dealer.lapse_if_empty(self.journal, seed=seed, now=self.now)
        self.journal.decide_on_table(tc.ChangeSeat(player, 3 + amount % 7, self.now))
        dealer.open_next_round(self.journal, entropy=self.fresh(), now=self.now)

    def rebuy(self, player, _spot, amount):
        part = self.journal.round.seat_of(player)
        if part is None or part.stakes is None or not self.journal.round.is_running():
            self.journal.decide_on_table(tc.Rebuy(player, amount, amount, self.now))
            self.balances[player] += amount

    def place(self, player, spot, amount):
        if self.journal.table.seat_of(player) is not None:
            dealer.open_round(self.journal, entropy=self.fresh(), now=self.now)
        rules = self.journal.table.rules
        self.journal.decide_on_round(rc.PlaceChips(player, spot, amount, self.balances[player], rules, self.now))

    def undo(self, player, _spot, _amount):
        self.journal.decide_on_round(rc.UndoPlacement(player, self.now))

    def clear(self, player, _spot, _amount):
        self.journal.decide_on_round(rc.ClearChips(player, self.now))

    def rebet(self, player, _spot, _amount):
        seat = self.journal.table.seat_of(player)
        stakes = {} if seat is None else dict(seat.last_wager or {})
        rules = self.journal.table.rules
        self.journal.decide_on_round(rc.RepeatWager(player, stakes, self.balances[player], rules, self.now))

    def confirm(self, player, _spot, _amount):
        rules = self.journal.table.rules
        self.journal.decide_on_round(rc.ConfirmWager(player, self.balances[player], rules, self.now))

    def skip(self, player, _spot, _amount):
        self.journal.decide_on_round(rc.PassTurn(player, self.now))

    def put_aside(self, _player, _spot, _amount):
        self.journal.decide_on_round(rc.SuspendRound("trouble", self.now))

    def resume(self, _player, _spot, _amount):
        self.journal.decide_on_round(rc.ResumeRound("somebody", self.now))

    def deal(self, _player, _spot, _amount):
        if self.journal.table.round is None:
            return
        seed = self.seeds[self.journal.round.require_opened().shoe]
        dealer.deal_round(self.journal, seed=seed, entropy=self.fresh(), now=self.now)

    def look(self, player, _spot, _amount):
        self.journal.decide_on_round(rc.LookAtCards(player, self.journal.table.rules, self.now))

    def hand_back(self, player, _spot, _amount):
        self.journal.decide_on_round(rc.HandBackCards(player, self.now))

    def void(self, _player, _spot, _amount):
        if self.journal.table.round is None:
            return
        shoe, long = self.journal.round.require_opened().shoe, self.journal.table.shoe is not None
        seed, burn = self.seeds[shoe], dealer.max_burned_cards(self.journal)
        shown = None if long else seed.hex()
        self.journal.decide_on_round(rc.VoidRound("staff:1", VoidReason.OTHER, "x", shown, self.now, burn))
        dealer.end_finished_shoe(self.journal, seed=seed, now=self.now)
        dealer.open_next_round(self.journal, entropy=self.fresh(), now=self.now)

    def play(self, _player, spot, amount):
        """A whole round: everybody who may bets the same, then the turn is over."""
        for player in PLAYERS:
            self.do("place", player, spot, amount)
            self.do("confirm", player, spot, amount)
        self.now += timedelta(seconds=15)
        self.deal(None, None, None)

    def wait(self, _player, _spot, _amount):
        self.now += timedelta(seconds=15)


ACTIONS = ["play", "play", "play", "place", "place", "confirm", "deal", "rebet"]
ACTIONS += ["cut", "cut", "look", "look", "hand_back", "void", "be_freed"]
ACTIONS += ["sit", "leave", "undo", "clear", "skip", "wait", "put_aside", "resume", "move", "rebuy"]
STEPS = st.tuples(
    st.sampled_from(ACTIONS),
    st.sampled_from(PLAYERS),
    st.sampled_from(Spot),
    st.sampled_from([100, 2500, 2500, 10_000, 50_000]),
)


def folded(house):
    """The house followed, with what was found and every round that there was."""
    notes, traces = FindingCollector(), {}
    fold = LogReplay(notes)
    for row in house.rows:
        fold.replay([row])
        traces.update(fold.running)
        traces.update((f"round-{each.opened.round}", each) for each in fold.ended)
    return fold, notes, traces


@settings(max_examples=25, deadline=None)
@given(preset=st.sampled_from(list(PRESETS)), steps=st.lists(STEPS, min_size=15, max_size=60))
def test_all_that_the_deciders_allow_is_found_sound_and_folds_to_the_same_states(preset, steps):
    house = House(preset)
    for player in PLAYERS:
        house.do("sit", player, None, None)
    for step in steps:
        house.do(*step)
    fold, notes, traces = folded(house)
    assert notes.findings == []
    assert fold.tables[f"table-{TABLE}"].state() == house.journal.table
    assert {key: (trace.state(), trace.version) for key, trace in traces.items()} == house.states


def rounds_of_a_shoe(**overrides):
    """A shoe table played until its shoe has ended."""
    house = House("big_table", decks=1, cut_cards_from_end=14, **overrides)
    house.do("sit", PLAYERS[0], None, None)
    while not any(row.type == "ShoeEnded" for row in house.rows):
        for action in ("place", "confirm", "deal"):
            house.do(action, PLAYERS[0], Spot.BANKER, 2500)
    return house


def with_a_caller():
    """A round in which the first player looked at the cards and handed them back, and one taken back by time."""
    house = House("big_table", decks=1, cut_cards_from_end=14)
    for player in PLAYERS:
        house.do("sit", player, None, None)
    house.do("skip", PLAYERS[0], None, None)  # alone in the round that sitting down opened
    house.do("deal", None, None, None)
    for handed_back in (True, False):
        for player, amount in zip(PLAYERS, (5000, 5000, 2500), strict=True):
            house.do("place", player, Spot.PLAYER, amount)
            house.do("confirm", player, None, None)
        house.do("deal", None, None, None)
        house.do("look", PLAYERS[0], None, None)
        if handed_back:
            house.do("hand_back", PLAYERS[0], None, None)
        house.do("wait", None, None, None)
        house.do("deal", None, None, None)
    return house


def types(house):
    return [row.type for row in house.rows]


def test_a_ceremony_is_sound_whoever_ends_it():
    house = with_a_caller()
    assert whats(house) == []
    assert types(house).count("CardsLookedAt") == types(house).count("CardsHandedBack") == 2
    assert types(house).count("HandTurned") == 4


def test_cards_that_a_player_saw_of_a_void_round_are_never_dealt():
    house = with_a_caller()
    for _ in range(12):  # to the end of the shoe and beyond: burned cards count as dealt
        house.do("place", PLAYERS[0], Spot.PLAYER, 2500)
        house.do("confirm", PLAYERS[0], None, None)
        house.do("wait", None, None, None)
        house.do("deal", None, None, None)
        house.do("look", PLAYERS[0], None, None)
        before = house.journal.table.shoe
        house.do("void", None, None, None)
        after = house.journal.table.shoe
        assert after.number == before.number + 1 or after.cards_used == before.cards_used + 6
    assert house.journal.table.shoes > 1
    assert whats(house) == []


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
def test_a_forged_ceremony_is_named(kind, change, what):
    house = with_a_caller()
    forge(house, kind, change)
    assert what in whats(house)


@pytest.mark.parametrize("kind", ["CardsHandedOut", "CardsHandedBack", "HandTurned"])
def test_a_ceremony_that_lacks_a_step_is_named(kind):
    house = with_a_caller()
    place = types(house).index(kind)
    del house.rows[place]
    assert whats(house) != []


def test_a_burn_that_nobody_had_to_make_is_named():
    house = with_a_caller()
    for action in ("place", "confirm", "void"):
        house.do(action, PLAYERS[0], Spot.BANKER, 2500)
    assert whats(house) == []
    forge(house, "RoundVoided", lambda event: {"burned_count": 6})
    assert "burned cards differ" in whats(house)


def whats(house):
    return [finding.kind for finding in folded(house)[1].findings]


def test_a_shoe_played_to_its_end_is_sound():
    house = rounds_of_a_shoe()
    assert whats(house) == []
    assert sum(row.type == "CardsDealt" for row in house.rows) > 3


def forge(house, kind, change, last=False):
    """Change one event of a type: the first, or the last."""
    places = [place for place, row in enumerate(house.rows) if row.type == kind]
    place = places[-1 if last else 0]
    row = house.rows[place]
    event = CATALOGUE.decode(row.type, row.schema, row.data)
    values = {name: getattr(event, name) for name in type(event).__slots__}
    forged = type(event)(**{**values, **change(event)})
    house.rows[place] = row._replace(data=CATALOGUE.encode(forged).data)


@pytest.mark.parametrize(
    ("kind", "change", "what"),
    [
        ("ShoeEnded", lambda e: {"seed": "ab" * 32}, "cards are not the shoe's"),
        ("ShoeEnded", lambda e: {"cards_dealt": e.cards_dealt + 1}, "cards out of the shoe differ"),
        ("ShoeEnded", lambda e: {"collected": ()}, "collected commission differs"),
        ("ShoeStarted", lambda e: {"commitment": "00" * 32}, "seed does not open the commitment"),
        ("ShoeStarted", lambda e: {"burned_count": e.burned_count + 1}, "burned cards differ"),
        ("ShoeStarted", lambda e: {"number": 2}, "shoe number differs"),
        ("CardsDealt", lambda e: {"position": e.position + 1}, "place in the shoe differs"),
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
        ("ChipsPlaced", lambda e: {"amount": 1}, "stake not makeable"),
        ("ChipsPlaced", lambda e: {"seat": 9}, "seat not in the round"),
        ("SeatTaken", lambda e: {"seat": 99}, "unknown seat"),
        ("TableOpened", lambda e: {"money_types": (MoneyType.REAL,)}, "money_type not offered"),
    ],
)
def test_a_forged_event_is_named(kind, change, what):
    house = rounds_of_a_shoe()
    forge(house, kind, change)
    assert what in whats(house)


def test_a_shoe_that_goes_on_after_its_last_round_is_named():
    house = rounds_of_a_shoe()
    end = next(place for place, row in enumerate(house.rows) if row.type == "ShoeEnded")
    shoe = next(CATALOGUE.decode(row.type, 1, row.data) for row in house.rows if row.type == "ShoeStarted")
    del house.rows[end : end + 2]
    forge(house, "RoundOpened", lambda event: {"shoe": shoe.shoe}, last=True)
    assert "cut card ignored" in whats(house)


def test_a_shoe_used_twice_is_named():
    house = House("mini")
    house.do("sit", PLAYERS[0], None, None)
    for _ in range(2):
        for action in ("place", "confirm", "deal"):
            house.do(action, PLAYERS[0], Spot.BANKER, 2500)
    opened = [CATALOGUE.decode(row.type, 1, row.data) for row in house.rows if row.type == "RoundOpened"]
    assert whats(house) == []
    again = replace(opened[-1].next_shoe, shoe=opened[0].shoe)
    forge(house, "RoundOpened", lambda event: {"next_shoe": again}, last=True)
    assert whats(house) == ["shoe used twice"]


@pytest.mark.parametrize("preset", ["mini", "atlantic_city"])
@pytest.mark.parametrize(
    ("kind", "change", "found"),
    [
        ("RoundOpened", lambda e: {"shoe": UUID(int=5)}, {"shoe differs from the committed one"}),
        ("RoundOpened", lambda e: {"commitment": "00" * 32}, {"shoe differs from the committed one"}),
        ("RoundOpened", lambda e: {"next_shoe": None}, {"next shoe not committed"}),
        (
            "RoundOpened",
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
def test_a_round_is_played_with_the_shoe_that_was_named_before_it_and_names_the_next(preset, kind, change, found):
    house = House(preset)
    house.do("sit", PLAYERS[0], None, None)
    for _ in range(2):
        house.do("play", PLAYERS[0], Spot.BANKER, 2500)
    assert whats(house) == []
    forge(house, kind, change, last=True)
    assert found <= set(whats(house)) <= found | {"seed does not open the commitment"}


def test_each_seed_of_a_round_that_settles_twice_is_tried_with_its_cards():
    house = House("mini")
    house.do("sit", PLAYERS[0], None, None)
    for action in ("place", "confirm", "deal"):
        house.do(action, PLAYERS[0], Spot.BANKER, 2500)
    house.rows.append(house.rows[-1]._replace(id=len(house.rows) + 1, version=house.rows[-1].version + 1))
    forge(house, "RoundSettled", lambda event: {"seed": "ab" * 32})
    stream = house.rows[-1].stream
    notes = FindingCollector()
    LogReplay(notes, disputed=frozenset({stream})).replay(house.rows)
    found = [finding.kind for finding in notes.findings]
    assert found.count("seed does not open the commitment") == found.count("cards are not the shoe's") == 1


def test_rules_that_no_table_can_have_are_findings_and_no_crash():
    house = House("mini")
    house.do("sit", PLAYERS[0], None, None)
    for action in ("place", "confirm", "deal"):
        house.do(action, PLAYERS[0], Spot.BANKER, 2500)
    rules = {name: getattr(house.journal.table.rules, name) for name in type(house.journal.table.rules).__slots__}
    forge(house, "TableOpened", lambda event: {"rules": type(event.rules)(**{**rules, "decks": 0})})
    assert whats(house)[0] == "rules are not playable"
    assert "event can't be explained" in whats(house)
