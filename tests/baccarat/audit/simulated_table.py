"""A table played in memory as the deciders allow, with its log, and the replay of that log."""

from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from hypothesis import strategies as st

from baccarat.audit.log_replay import LogReplay
from baccarat.audit.parallel import TableGroupReplay
from baccarat.audit.report import FindingCollector
from baccarat.domain import dealer
from baccarat.domain.rounds import betting, dealing, voiding
from baccarat.domain.rounds import events as re
from baccarat.domain.rounds.events import VoidReason
from baccarat.domain.rounds.forcing import SCENARIOS
from baccarat.domain.rounds.voiding import needs_second_person
from baccarat.domain.rules.presets import rules_for
from baccarat.domain.rules.table_rules import Shuffle
from baccarat.domain.tables import decisions
from baccarat.domain.tables.state import INITIAL
from baccarat.domain.unit_of_work import ShoeSeed, UnitOfWork
from baccarat.storage.event_registry import CATALOGUE
from casino.events.records import RecordedEvent
from casino.kernel.errors import Refusal
from casino.kernel.money import MoneyType
from tests.support.spots import SPOTS
from wallet.responsible_gaming.allowance import Allowance

NOW = datetime(2026, 1, 2, tzinfo=UTC)
TABLE, OPERATOR = UUID(int=1), UUID(int=2)
PLAYERS = [UUID(int=number) for number in (11, 12, 13)]


class PlayReplay(LogReplay):
    """Replays play alone: a simulation has none of the changes on which persons agree."""

    effects = TableGroupReplay.effects


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
        self.work.on_table(
            decisions.open_table, table=TABLE, operator=OPERATOR, name=preset, rules=rules, next_shoe=first,
            money_types=(MoneyType.PLAY,), edge_spots=(), edge_accepted=False, at=NOW,
        )  # fmt: skip
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
                    RecordedEvent(
                        number, number, change.stream, version, draft.type, draft.schema, draft.data, b"{}", NOW
                    )
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
                    self.balances[wager.player] += wager.returned

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
        committed, shoe = None if next_shoe is None else self.seeds[next_shoe.shoe], self.work.table.shoe
        entropy = dealer.Entropy(UUID(int=self.count), drawn.shoe, drawn.seed, bytes(32), committed_seed=committed)
        return entropy if shoe is None else replace(entropy, shoe_seed=self.seeds[shoe.shoe])

    def cut(self, player, _spot, amount):
        dealer.contribute_to_cut(self.work, player=player, contribution=amount.to_bytes(4, "big").hex(), now=self.now)

    def sit(self, player, _spot, amount):
        seat = PLAYERS.index(player) + 1
        funds = self.balances[player] = 10**6
        self.at_table(
            decisions.take_seat, player, seat=seat, money_type=MoneyType.PLAY, buy_in=funds, allowance=Allowance(funds)
        )
        if self.work.table.rules.turn_seconds is not None:
            dealer.open_round(self.work, entropy=self.entropy(), now=self.now)

    def leave_round(self, player):
        dealer.leave_round(self.work, player=player)
        if dealer.is_empty(self.work):
            seed = self.seeds[self.work.round.require_opened().shoe]
            dealer.lapse_if_empty(self.work, seed=seed, entropy=self.entropy(), now=self.now)

    def leave(self, player, _spot, _amount):
        self.leave_round(player)
        self.at_table(decisions.leave_seat, player, game_balance=self.balances[player])
        dealer.open_next_round(self.work, entropy=self.entropy(), now=self.now)

    def free(self, player, _spot, amount):
        self.leave_round(player)
        silence, away, gone = timedelta(seconds=amount), timedelta(seconds=1), timedelta(seconds=2500)
        balance, seen = self.balances[player], self.now - silence
        self.at_table(
            decisions.free_seat, player, game_balance=balance, last_seen_at=seen, away_after=away, gone_after=gone
        )
        dealer.open_next_round(self.work, entropy=self.entropy(), now=self.now)

    def move(self, player, _spot, amount):
        self.leave_round(player)
        self.at_table(decisions.change_seat, player, seat=3 + amount % 7)
        dealer.open_next_round(self.work, entropy=self.entropy(), now=self.now)

    def rebuy(self, player, _spot, amount):
        part = self.work.round.seat_of(player)
        if part is None or part.stakes is None or not self.work.round.is_running():
            self.at_table(decisions.rebuy, player, amount=amount, allowance=Allowance(amount))
            self.balances[player] += amount

    def at_table(self, decide, player, **inputs):
        self.work.on_table(decide, player=player, at=self.now, **inputs)

    def act(self, decide, **inputs):
        self.work.on_round(decide, at=self.now, **inputs)

    def bet(self, decide, player, **inputs):
        self.act(
            decide, player=player, allowance=Allowance(self.balances[player]), rules=self.work.table.rules, **inputs
        )

    def place(self, player, spot, amount):
        if self.work.table.seat_of(player) is not None:
            dealer.open_round(self.work, entropy=self.entropy(), now=self.now)
        self.bet(betting.place_chips, player, spot=spot, amount=amount)

    def undo(self, player, _spot, _amount):
        self.act(betting.undo_placement, player=player)

    def clear(self, player, _spot, _amount):
        self.act(betting.clear_chips, player=player)

    def rebet(self, player, _spot, _amount):
        seat = self.work.table.seat_of(player)
        stakes = {} if seat is None else dict(seat.last_wager or {})
        self.bet(betting.repeat_wager, player, stakes=stakes)

    def double(self, player, _spot, _amount):
        self.bet(betting.double_stakes, player)

    def confirm(self, player, _spot, _amount):
        self.bet(betting.confirm_wager, player)

    def pass_turn(self, player, _spot, _amount):
        self.act(betting.pass_turn, player=player)

    def force(self, _player, _spot, amount):
        if self.work.table.round is None:
            dealer.open_round(self.work, entropy=self.entropy(), now=self.now)
        cards = list(SCENARIOS.values())[amount % len(SCENARIOS)]
        self.act(betting.force_cards, cards=tuple(cards), decks=self.work.table.rules.decks)

    def suspend(self, _player, _spot, _amount):
        self.act(voiding.suspend_round, reason="failure")

    def resume(self, _player, _spot, _amount):
        self.act(voiding.resume_round, by="somebody")

    def deal(self, _player, _spot, _amount):
        if self.work.table.round is None:
            return
        seed = self.seeds[self.work.round.require_opened().shoe]
        dealer.deal_round(self.work, seed=seed, entropy=self.entropy(), now=self.now)

    def look(self, player, _spot, _amount):
        self.act(dealing.look_at_cards, player=player, rules=self.work.table.rules)

    def hand_back(self, player, _spot, _amount):
        self.act(dealing.hand_back_cards, player=player)

    def void(self, _player, _spot, _amount):
        if self.work.table.round is None:
            return
        seed, burn = self.seeds[self.work.round.require_opened().shoe], dealer.max_burned_cards(self.work)
        shown = dealer.seed_revealed_by_round(self.work, seed)
        pinned, rules = dealer.closing_inputs(self.work, self.entropy()), self.work.table.rules
        agreed = "staff:2" if needs_second_person(self.work.round) else None
        self.act(
            voiding.void_round, by="staff:1", reason=VoidReason.OTHER, note="x", seed=shown, burn=burn, closing=pinned,
            rules=rules, approved_by=agreed,
        )  # fmt: skip
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
        self.at_table(decisions.request_show_skip, player)
        dealer.open_round(self.work, entropy=self.entropy(), now=self.now)

    def end_show(self, _player, _spot, _amount):
        """Let the worker open the next round when the show is over."""
        if self.work.table.round is None and self.work.table.betting_opens_at is not None:
            self.now = max(self.now, self.work.table.betting_opens_at)
            dealer.end_show(self.work, entropy=self.entropy(), now=self.now)

    def wait(self, _player, _spot, _amount):
        self.now += timedelta(seconds=15)


ACTIONS = ["play", "play", "play", "place", "place", "confirm", "deal", "rebet", "double"]
ACTIONS += ["end_show", "end_show", "skip", "skip", "cut", "cut", "look", "look", "hand_back", "void", "free"]
ACTIONS += ["force", "sit", "leave", "undo", "clear", "pass_turn", "wait", "suspend", "resume", "move", "rebuy"]
STEPS = st.tuples(
    st.sampled_from(ACTIONS),
    st.sampled_from(PLAYERS),
    st.sampled_from(SPOTS),
    st.sampled_from([100, 2500, 2500, 10_000, 50_000]),
)


def replay(simulation):
    """Replay the log and return the replay, the findings and all rounds."""
    notes, traces = FindingCollector(), {}
    log_replay = PlayReplay(notes)
    for row in simulation.rows:
        log_replay.replay([row])
        traces.update(log_replay.running)
        traces.update((f"round-{each.opened.round}", each) for each in log_replay.ended)
    return log_replay, notes, traces


def types(simulation):
    return [row.type for row in simulation.rows]


def finding_kinds(simulation):
    return [finding.kind for finding in replay(simulation)[1].findings]


def forge(simulation, kind, change, last=False):
    """Change one event of a type: the first, or the last."""
    places = [place for place, row in enumerate(simulation.rows) if row.type == kind]
    place = places[-1 if last else 0]
    row = simulation.rows[place]
    event = CATALOGUE.decode(row.type, row.schema, row.data)
    values = {name: getattr(event, name) for name in type(event).__slots__}
    forged = type(event)(**{**values, **change(event)})
    simulation.rows[place] = row._replace(data=CATALOGUE.encode(forged).data)
