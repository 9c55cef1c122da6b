"""Any moves, in any order, by anyone, at any preset: what always holds. Pure: time, ids and seeds are the machine's."""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import Phase as Do
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from baccarat.domain import dealer
from baccarat.domain.dealer import Entropy, commitment_to
from baccarat.domain.postings import TableAccounts, entry_for
from baccarat.domain.rounds import betting, dealing
from baccarat.domain.rounds import events as re
from baccarat.domain.rounds.cut import own_cut_in_hex
from baccarat.domain.rounds.events import HandTurned
from baccarat.domain.rounds.state import INITIAL as NO_ROUND
from baccarat.domain.rounds.state import Phase, RoundState, fold_round
from baccarat.domain.rules.presets import PRESETS, rules_for
from baccarat.domain.rules.table_rules import Shuffle
from baccarat.domain.tables import decisions
from baccarat.domain.tables import events as te
from baccarat.domain.tables.evolve import fold_table
from baccarat.domain.tables.state import INITIAL, FixedTerms, TableState
from baccarat.domain.unit_of_work import ShoeSeed, UnitOfWork
from baccarat.storage.projections import due_at
from casino.kernel.errors import Refusal
from casino.kernel.money import MoneyType
from tests.support.depth import examples
from tests.support.examples import OPENED, OPERATOR, RoundDecision, TableDecision
from tests.support.examples import TABLE as TABLE_ID
from tests.support.spots import SPOTS
from wallet.ledger.accounts import NEVER_NEGATIVE, AccountKind, AccountName
from wallet.responsible_gaming.allowance import Allowance

pytestmark = pytest.mark.hypothesis

PLAYERS = tuple(UUID(int=number) for number in range(11, 15))
CHIPS = (1, 2, 5, 20, 25, 60, 200, 301)
FUNDS = 500_000
FIRST = ShoeSeed(UUID(int=90_000), bytes(32))
"""The shoe that is committed to when a table opens that shuffles for each round."""
PLACE = TableAccounts(operator=OPERATOR, table=TABLE_ID, currency="EUR")

anybody = st.integers(0, 7)
spots = st.sampled_from(SPOTS)
Move = Callable[[UnitOfWork], object]


class TableMachine(RuleBasedStateMachine):
    """A table, its rounds, and a ledger that is nothing but the entries that follow from events."""

    preset = "mini"

    def __init__(self) -> None:
        super().__init__()
        self.table = INITIAL
        self.streams: defaultdict[str, list[Any]] = defaultdict(list)
        self.rounds: dict[UUID, RoundState] = {}
        self.log: list[Any] = []
        self.seeds: dict[UUID, bytes] = {}
        self.named: dict[int, re.ShoeCommitment | None] = {}
        self.terms: dict[int, FixedTerms] = {}
        self.revealed: list[UUID] = []
        self.balances: Counter[AccountName] = Counter()
        self.owing: Counter[UUID] = Counter()
        self.now = OPENED
        self.drawn = 0

    @initialize(cut=st.integers(12, 30))
    def open(self, cut: int) -> None:
        rules = rules_for(self.preset, currency="EUR")
        if rules.cut_cards_from_end is not None:  # a short shoe, so that its end comes
            rules = replace(rules, decks=1, cut_cards_from_end=cut)
        first = commitment_to(FIRST, table=TABLE_ID, number=1, shape=rules.shape)
        opening = partial(
            decisions.open_table,
            table=TABLE_ID,
            operator=OPERATOR,
            name="any",
            rules=rules,
            money_types=(MoneyType.REAL, MoneyType.PLAY),
            edge_spots=("banker",),
            edge_accepted=True,  # of one deck, its Banker is the player's where commissions are rounded down
            at=OPENED,
            next_shoe=None if rules.shuffle is Shuffle.SHOE else first,
        )
        for player in PLAYERS:
            for money_type in MoneyType:
                self.balances[PLACE.player(player, money_type)] = FUNDS

        def opens(journal: UnitOfWork) -> None:
            journal.on_table(opening)
            if rules.shuffle is not Shuffle.SHOE:
                journal.new_seeds.append(FIRST)
            if journal.table.has_long_shoe():
                dealer.commit_shoe(journal, entropy=self._fresh(), now=self.now)

        assert self._try(opens)
        for number, player in enumerate(PLAYERS[: rules.seats], 1):
            self.sit(player, number, MoneyType.PLAY if number == 3 else MoneyType.REAL, 90_000)

    # -- moves ----------------------------------------------------------------------------------------------------

    @rule(
        player=st.sampled_from(PLAYERS),
        seat=st.integers(0, 6),
        money_type=st.sampled_from(MoneyType),
        buy_in=st.sampled_from((0, 400, 90_000)),
    )
    def sit(self, player: UUID, seat: int, money_type: MoneyType, buy_in: int) -> None:
        allowance = Allowance(self.balances[PLACE.player(player, money_type)])
        place: Any = {"player": player, "seat": seat, "money_type": money_type, "buy_in": buy_in}

        def move(journal: UnitOfWork) -> None:
            journal.on_table(decisions.take_seat, allowance=allowance, at=self.now, **place)
            if journal.table.rules.turn_seconds is not None:
                self._open(journal)

        self._try(move)

    @rule(who=anybody, spot=spots, chips=st.sampled_from(CHIPS))
    def place(self, who: int, spot: str, chips: int) -> None:
        player = self._who(who)
        self._try(lambda journal: self._place(journal, player, spot, chips))

    @rule(who=anybody)
    def confirm(self, who: int) -> None:
        player = self._who(who)
        self._try(lambda journal: self._confirm(journal, player))

    @rule(who=anybody, spot=spots, chips=st.sampled_from(CHIPS))
    def bet(self, who: int, spot: str, chips: int) -> None:
        player = self._who(who)

        def move(journal: UnitOfWork) -> None:
            self._place(journal, player, spot, chips)
            self._confirm(journal, player)

        self._try(move)

    @rule(
        rounds=st.sampled_from((1, 2, 8)),
        says=st.lists(st.tuples(spots, st.sampled_from(CHIPS), st.booleans()), min_size=4, max_size=4),
    )
    def play_on(self, rounds: int, says: list[tuple[str, int, bool]]) -> None:
        """Every seat bets, or passes where it can't or won't, and a dealer comes; some rounds in a row."""
        for _ in range(rounds):
            for seat, (spot, chips, bets) in zip(self.table.seats, says, strict=False):
                if bets or self.table.rules.turn_seconds is None:
                    self._bet(seat.player, spot, chips)
                self._say(partial(betting.pass_turn, player=seat.player, at=self.now))
            self.deal()

    @rule(who=anybody)
    def rebet_and_deal(self, who: int) -> None:
        player = self._who(who)

        def move(journal: UnitOfWork) -> None:
            seat = self._open_for(journal, player)
            stakes = {} if seat is None else dict(seat.last_wager or {})
            journal.on_round(betting.repeat_wager, stakes=stakes, **self._bettor(journal.table, player))
            self._confirm(journal, player)

        self._try(move)

    @rule(who=anybody, decide=st.sampled_from((betting.undo_placement, betting.clear_chips, betting.pass_turn)))
    def say(self, who: int, decide: Callable[..., Any]) -> None:
        self._say(partial(decide, player=self._who(who), at=self.now))

    @rule(who=anybody)
    def double(self, who: int) -> None:
        self._say(partial(betting.double_stakes, **self._bettor(self.table, self._who(who))))

    @rule(who=anybody, contribution=st.binary(min_size=1, max_size=32))
    def cut(self, who: int, contribution: bytes) -> None:
        """Anybody adds to the cut; it takes only what may still count."""
        player, given = self._who(who), contribution.hex()
        took = self._try(
            lambda journal: dealer.contribute_to_cut(journal, player=player, contribution=given, now=self.now)
        )
        if took:
            assert self.table.next_shoe is not None
            assert given in {each.contribution for each in self.table.next_shoe.contributions}
            fixed = self.table.terms
            assert fixed is None or fixed.terms.shoe != self.table.next_shoe.shoe

    @rule(who=anybody, hands_back=st.booleans())
    def take_the_cards(self, who: int, hands_back: bool) -> None:
        """Anybody asks to look, or to hand back; the seat that has the cards does as often as the others."""
        ceremony = self._in_hand().ceremony
        held = next((seat.player for seat in self.table.seats if ceremony and seat.seat == ceremony.seat), None)
        player = held if held is not None and who % 2 else self._who(who)
        rules, round_ = self.table.rules, self._in_hand()
        if hands_back:
            decide: RoundDecision = partial(dealing.hand_back_cards, player=player, at=self.now)
        else:
            decide = partial(dealing.look_at_cards, player=player, rules=rules, at=self.now)
        took = self._try(lambda journal: journal.on_round(decide))
        may = held == player and round_.phase is Phase.CLOSED and ceremony is not None
        assert took == (may and ceremony.handed_back is None and self.now < ceremony.until)  # type: ignore[union-attr]

    @rule(who=anybody, amount=st.sampled_from((-5, 0, 500, 90_000)))
    def rebuy(self, who: int, amount: int) -> None:
        player = self._who(who)
        seat = self.table.seat_of(player)
        available = 0 if seat is None else self.balances[PLACE.player(player, seat.money_type)]
        command = partial(decisions.rebuy, player=player, amount=amount, allowance=Allowance(available), at=self.now)
        self._try(lambda journal: journal.on_table(command))

    @rule(who=anybody, seat=st.integers(0, 6))
    def move_seat(self, who: int, seat: int) -> None:
        player = self._who(who)
        taken = self.table.seat_of(player)
        if taken is None or taken.seat != seat:
            command = partial(decisions.change_seat, player=player, seat=seat, at=self.now)
            self._try(lambda journal: self._step_out(journal, player, command))

    @rule(who=anybody)
    def leave(self, who: int) -> None:
        player = self._who(who)
        command = partial(decisions.leave_seat, player=player, game_balance=self._game(player), at=self.now)
        self._try(lambda journal: self._step_out(journal, player, command))

    @rule(who=anybody, silence=st.sampled_from((1, 90, 1200)))
    def be_freed(self, who: int, silence: int) -> None:
        """Nothing was heard of the player for some seconds."""
        player = self._who(who)
        command = partial(
            decisions.free_seat,
            player=player,
            game_balance=self._game(player),
            last_seen_at=self.now - timedelta(seconds=silence),
            away_after=timedelta(seconds=90),
            gone_after=timedelta(seconds=1200),
            at=self.now,
        )
        seat = self.table.seat_of(player)
        if self._try(lambda journal: self._step_out(journal, player, command)):
            assert seat is not None
            assert silence == 1200 or (
                silence == 90 and seat.missed_turns >= (self.table.rules.seat_kept_rounds or 10**6)
            )

    @rule(seconds=st.sampled_from((1, 6, 15)))
    def wait(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule()
    def deal(self) -> None:
        """Deal if the round is due; it must refuse otherwise."""
        round_ = self._in_hand()
        if not round_.is_running():
            return
        due = due_at(round_)
        seed = self.seeds[round_.require_opened().shoe]
        dealt = self._try(lambda journal: dealer.deal_round(journal, seed=seed, entropy=self._fresh(), now=self.now))
        assert dealt == (due is not None and due <= self.now)

    @rule(who=anybody)
    def skip_the_show(self, who: int) -> None:
        player = self._who(who)

        def move(journal: UnitOfWork) -> None:
            journal.on_table(decisions.request_show_skip, player=player, at=self.now)
            self._open(journal)

        self._try(move)

    @rule()
    def end_the_show(self) -> None:
        """End the show as a worker does; it must refuse before its time."""
        if self.table.betting_opens_at is None or self.table.round is not None:
            return
        over = not self.table.show_runs(self.now)
        assert over == self._try(lambda journal: dealer.end_show(journal, entropy=self._fresh(), now=self.now))
        assert over == (self.table.betting_opens_at is None)

    # -- what always holds ----------------------------------------------------------------------------------------

    @invariant()
    def replaying_the_events_gives_the_states(self) -> None:
        assert fold_table(self.log) == self.table
        for identity, state in self.rounds.items():
            assert fold_round(self.streams[f"round-{identity}"]) == state

    @invariant()
    def hands_are_turned_over_where_there_is_a_caller_and_nobody_has_the_cards(self) -> None:
        for state in self.rounds.values():
            if state.phase is Phase.SETTLED and state.ceremony is not None:
                assert state.ceremony.handed_back is not None
            assert state.ceremony is None or self.table.rules.caller
        turned = sum(isinstance(event, HandTurned) for event in self.log)
        dealt = sum(isinstance(event, re.CardsDealt) for event in self.log)
        assert turned == (2 * dealt if self.table.rules.caller else 0)

    @invariant()
    def no_turn_begins_before_the_show_is_over_or_skipped_by_all(self) -> None:
        opens_at, seated, skipping = None, set(), set()
        for event in self.log:
            match event:
                case te.SeatTaken(player=player):
                    seated.add(player)
                case te.SeatLeft(player=player) | te.SeatReleased(player=player):
                    seated.discard(player)
                case te.ShowSkipRequested(player=player):
                    skipping.add(player)
                case re.RoundSettled():
                    assert event.betting_opens_at > event.settled_at
                    opens_at, skipping = event.betting_opens_at, set()
                case re.RoundOpened() if opens_at is not None and event.deadline_at is not None:
                    assert event.opened_at >= opens_at or seated <= skipping
                    opens_at = None  # the show is over, also for who sits down from now on

    @invariant()
    def one_round_at_a_time(self) -> None:
        running = [identity for identity, state in self.rounds.items() if state.is_running()]
        assert running == ([] if self.table.round is None else [self.table.round])
        numbers = [state.require_opened().number for state in self.rounds.values()]
        assert numbers == list(range(1, len(numbers) + 1))

    @invariant()
    def every_confirmed_wager_is_settled_once_and_nothing_else_is(self) -> None:
        for state in self.rounds.values():
            wagers, ended = state.confirmed_seats(), state.phase is Phase.SETTLED
            assert all((seat.settlement is not None) is ended for seat in wagers)
            assert all(seat.settlement is None for seat in state.seats if seat not in wagers)
            assert bool(wagers) or not ended
            assert state.phase is not Phase.LAPSED or not wagers
        confirmed = sum(isinstance(event, re.WagerConfirmed) for event in self.log)
        settled = sum(len(event.wagers) for event in self.log if isinstance(event, re.RoundSettled))
        assert confirmed == settled + len(self._in_hand().confirmed_seats())

    @invariant()
    def what_is_paid_and_kept_is_what_was_won(self) -> None:
        for event in self.log:
            for wager in event.wagers if isinstance(event, re.RoundSettled) else ():
                lost = sum(result.stake for result in wager.results if result.result == "lose")
                assert wager.returned == wager.staked - lost + wager.won - wager.commission

    @invariant()
    def money_is_neither_made_nor_lost(self) -> None:
        for money_type in MoneyType:
            total = sum(balance for account, balance in self.balances.items() if account.money_type is money_type)
            assert total in {0, FUNDS * len(PLAYERS)}
        assert [a for a, balance in self.balances.items() if a.kind in NEVER_NEGATIVE and balance < 0] == []

    @invariant()
    def stakes_in_play_are_those_of_the_round_in_hand(self) -> None:
        in_play: Counter[MoneyType] = Counter()
        for seat in self._in_hand().confirmed_seats():
            in_play[seat.money_type] += sum((seat.stakes or {}).values())
        assert all(
            self.balances[PLACE.house(AccountKind.STAKES, money_type)] == in_play[money_type]
            for money_type in MoneyType
        )

    @invariant()
    def what_a_seat_owes_is_what_was_deferred_since_the_last_collection_and_lies_in_its_rack(self) -> None:
        racks = {a: balance for a, balance in self.balances.items() if a.kind is AccountKind.RACK and balance}
        assert racks == {PLACE.rack(seat.player, seat.money_type): seat.owed for seat in self.table.seats if seat.owed}
        assert {seat.player: seat.owed for seat in self.table.seats if seat.owed} == +self.owing

    @invariant()
    def chips_on_the_table_are_covered_by_the_game_balance(self) -> None:
        round_ = self._in_hand()
        assert all(
            sum(seat.placed_stakes().values()) <= self._game(seat.player, seat.money_type) for seat in round_.seats
        )

    @invariant()
    def a_seed_is_shown_once_and_only_when_its_shoe_is_over(self) -> None:
        in_use = {shoe.shoe for shoe in (self.table.shoe, *self.table.committed_shoes()) if shoe is not None}
        if self.table.round is not None:
            in_use.add(self._in_hand().require_opened().shoe)
        assert len(set(self.revealed)) == len(self.revealed)
        assert set(self.seeds) - set(self.revealed) == in_use

    # -- the shell's part, without a database ---------------------------------------------------------------------

    def _try(self, move: Move) -> bool:
        """As a transaction does it: all of a move or, when it is refused, nothing. Tells whether it was allowed."""
        round_ = self._in_hand()
        version = 0 if self.table.round is None else len(self.streams[f"round-{self.table.round}"])
        table_version = len(self.streams[f"table-{TABLE_ID}"])
        journal = UnitOfWork(table=self.table, table_version=table_version, round=round_, round_version=version)
        try:
            move(journal)
        except Refusal:
            return False
        self._commit(journal)
        return True

    def _commit(self, journal: UnitOfWork) -> None:
        assert len({page.stream for page in journal.changes}) == len(journal.changes)
        for page in journal.changes:
            assert page.expected_version == len(self.streams[page.stream])
            self.streams[page.stream] += page.events
            self.log += page.events
            for event in page.events:
                self._post(event)
                self._require_named(event)
        self.table = journal.table
        for identity, (state, version) in journal.changed_rounds.items():
            assert version == len(self.streams[f"round-{identity}"])
            self.rounds[identity] = state
        self.seeds |= {secret.shoe: secret.seed for secret in journal.new_seeds}
        self.revealed += journal.revealed_shoes

    def _require_terms(self, event: Any, terms: te.TermsFixed | re.NextTerms) -> None:
        """Check that an event has fixed the terms that the table keeps, and named a shoe for the round after."""
        fixed = fold_table(self.log[: self.log.index(event) + 1]).terms
        assert fixed is not None
        assert (terms.number, getattr(terms, "digest", fixed.digest)) == (fixed.terms.number, fixed.terms.digest())
        self.terms[terms.number] = fixed
        if terms.next_shoe is not None:
            assert terms.number + 1 not in self.named
            assert terms.next_shoe.shape == self.table.rules.shape
            self.named[terms.number + 1] = terms.next_shoe

    def _require_named(self, event: Any) -> None:
        """Check that a round opens on its terms, and on the own shoe that was announced a round before it."""
        if isinstance(event, te.TableOpened):
            self.named[1] = event.next_shoe
        elif isinstance(event, te.TermsFixed):
            self._require_terms(event, event)
        elif isinstance(event, re.CardsDealt) and event.next_terms is not None:
            self._require_terms(event, event.next_terms)
        elif isinstance(event, re.RoundOpened):
            fixed, named = self.terms[event.number], self.named.get(event.number)
            assert (event.terms, event.shoe) == (fixed.digest, fixed.terms.shoe)
            if event.commitment is not None:
                assert named is not None
                assert (named.shoe, named.commitment) == (event.shoe, event.commitment)
                assert event.contributions == fixed.contributions
                assert own_cut_in_hex(event) == fixed.terms.cut

    def _post(self, event: Any) -> None:
        entry = entry_for(event, 1, PLACE)
        for posting in () if entry is None else entry.postings:
            self.balances[posting.account] += posting.amount
        if isinstance(event, re.RoundSettled):
            self.owing.update({wager.player: wager.commission for wager in event.wagers if wager.deferred})
        elif isinstance(event, te.ShoeEnded):
            self.owing.subtract({each.player: each.amount for each in event.collected})
        elif isinstance(event, (te.SeatLeft, te.SeatReleased)):
            self.owing.subtract({event.player: event.commission_collected})

    def _who(self, number: int) -> UUID:
        """Mostly somebody with a seat."""
        seats = self.table.seats
        return seats[number % len(seats)].player if seats and number < 7 else PLAYERS[number % len(PLAYERS)]

    def _bet(self, player: UUID, spot: str, chips: int) -> None:
        def move(journal: UnitOfWork) -> None:
            self._place(journal, player, spot, chips)
            self._confirm(journal, player)

        self._try(move)

    def _say(self, decide: RoundDecision) -> None:
        self._try(lambda journal: journal.on_round(decide))

    def _in_hand(self) -> RoundState:
        return NO_ROUND if self.table.round is None else self.rounds[self.table.round]

    def _game(self, player: UUID, money_type: MoneyType | None = None) -> int:
        seat = self.table.seat_of(player)
        if money_type is None and seat is None:
            return 0
        return self.balances[PLACE.game(player, money_type or seat.money_type)]  # type: ignore[union-attr]

    def _fresh(self) -> Entropy:
        self.drawn += 1
        coming = next(iter(self.table.committed_shoes()), None)
        return Entropy(
            round=UUID(int=10_000 + self.drawn),
            shoe=UUID(int=90_000 + self.drawn),
            seed=self.drawn.to_bytes(32, "big"),
            blind=self.drawn.to_bytes(32, "little"),
            committed_seed=None if coming is None else self.seeds[coming.shoe],
            shoe_seed=None if self.table.shoe is None else self.seeds[self.table.shoe.shoe],
        )

    def _open(self, journal: UnitOfWork) -> None:
        dealer.open_round(journal, entropy=self._fresh(), now=self.now)

    def _open_for(self, journal: UnitOfWork, player: UUID) -> Any:
        seat = journal.table.seat_of(player)
        if seat is not None:
            self._open(journal)
        return seat

    def _place(self, journal: UnitOfWork, player: UUID, spot: str, chips: int) -> None:
        self._open_for(journal, player)
        amount = chips * journal.table.rules.chips[0]
        journal.on_round(betting.place_chips, spot=spot, amount=amount, **self._bettor(journal.table, player))

    def _confirm(self, journal: UnitOfWork, player: UUID) -> None:
        journal.on_round(betting.confirm_wager, **self._bettor(journal.table, player))

    def _bettor(self, table: TableState, player: UUID) -> Any:
        return {"player": player, "allowance": Allowance(self._game(player)), "rules": table.rules, "at": self.now}

    def _step_out(self, journal: UnitOfWork, player: UUID, decide: TableDecision) -> None:
        dealer.leave_round(journal, player=player)
        if dealer.is_empty(journal):
            seed = self.seeds[journal.round.require_opened().shoe]
            dealer.lapse_if_empty(journal, seed=seed, entropy=self._fresh(), now=self.now)
        journal.on_table(decide)
        dealer.open_next_round(journal, entropy=self._fresh(), now=self.now)


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_whatever_anybody_does_at_a_table_the_invariants_hold(preset: str) -> None:
    machine = type(f"TableMachine_{preset}", (TableMachine,), {"preset": preset})

    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples(15),
            stateful_step_count=40,
            suppress_health_check=list(HealthCheck),
            phases=(Do.generate,),  # a failing example of forty steps is read sooner than shrunk
        ),
    )
