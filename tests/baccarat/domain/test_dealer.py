"""From round to round, with ids, seeds and times that are given."""

from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from baccarat.domain import dealer
from baccarat.domain.dealer import Entropy
from baccarat.domain.fairness.commitment import commit, shoe_root
from baccarat.domain.fairness.cut import NO_CUT, Contribution, compute_cut
from baccarat.domain.fairness.shuffle import shuffle
from baccarat.domain.rounds import commands as rc
from baccarat.domain.rounds.events import ShoeCommitment
from baccarat.domain.rounds.refusals import RoundIsNotDue
from baccarat.domain.rounds.state import Phase
from baccarat.domain.rules.table_rules import Shuffle, TableRules
from baccarat.domain.tables import commands as tc
from baccarat.domain.tables.events import ShoeStarted
from baccarat.domain.tables.state import INITIAL
from baccarat.domain.unit_of_work import ShoeSeed, UnitOfWork
from casino.kernel.money import MoneyType
from tests.support.examples import AC, ANN, BEN, BIG, DEADLINE, MINI, OPENED, P, confirm, open_table, place


def fresh(number: int) -> Entropy:
    """Return new ids with this number; the committed shoe is always the one of the number before."""
    seed, before = number.to_bytes(32, "big"), max(number - 1, 0).to_bytes(32, "big")
    return Entropy(round=UUID(int=1000 + number), shoe=UUID(int=2000 + number), seed=seed, committed_seed=before)


def seated(*players: UUID, rules: TableRules = AC) -> UnitOfWork:
    journal = UnitOfWork(table=INITIAL, table_version=0)
    first = dealer.commitment_to(ShoeSeed(fresh(0).shoe, fresh(0).seed), shape=rules.shape)
    journal.decide_on_table(replace(open_table(rules), next_shoe=None if rules.shuffle is Shuffle.SHOE else first))
    if journal.table.has_long_shoe():
        dealer.commit_shoe(journal, entropy=fresh(0), now=OPENED)
    for number, player in enumerate(players, 1):
        _sit(journal, number, player)
    return journal


def _sit(journal: UnitOfWork, number: int, player: UUID) -> None:
    journal.decide_on_table(
        tc.TakeSeat(player=player, seat=number, money_type=MoneyType.REAL, buy_in=0, available=0, now=OPENED)
    )


def in_round(*players: UUID, rules: TableRules = AC) -> UnitOfWork:
    journal = seated(*players, rules=rules)
    dealer.open_round(journal, entropy=fresh(1), now=OPENED)
    return journal


def bet(journal: UnitOfWork, player: UUID, at: datetime = OPENED) -> None:
    rules = journal.table.rules
    journal.decide_on_round(place(P, rules.minimum, by=player, rules=rules, at=at))
    journal.decide_on_round(confirm(by=player, rules=rules, at=at))


def finish(journal: UnitOfWork, at: datetime = OPENED) -> None:
    """Deal from the first seed; the next round has the ids of its number, and the seed of the one before."""
    seed = fresh(0).seed
    following = fresh(journal.table.rounds + 1)
    dealer.deal_round(journal, seed=seed, entropy=replace(following, committed_seed=fresh(1).seed), now=at)


def test_a_round_opens_for_those_seated_with_a_committed_seed_and_a_deadline() -> None:
    journal = in_round(ANN, BEN)

    facts = journal.round.require_opened()
    assert [seat.player for seat in facts.seats] == [ANN, BEN]
    assert (facts.number, facts.rules, facts.deadline_at) == (1, "atlantic_city@1", DEADLINE)
    assert (facts.shoe, facts.commitment) == (fresh(0).shoe, commit(fresh(0).seed))
    assert facts.next_shoe == ShoeCommitment(fresh(1).shoe, commit(fresh(1).seed), AC.shape)
    assert [(secret.shoe, secret.seed) for secret in journal.new_seeds] == [(fresh(1).shoe, fresh(1).seed)]


def test_no_round_opens_at_an_empty_table_or_while_one_runs() -> None:
    empty = seated()
    dealer.open_round(empty, entropy=fresh(1), now=OPENED)
    assert empty.table.round is None

    journal = in_round(ANN)
    dealer.open_round(journal, entropy=fresh(2), now=OPENED)
    assert journal.table.round == fresh(1).round
    assert len(journal.new_seeds) == 1


def test_a_table_without_a_turn_has_no_deadline_and_opens_no_round_by_itself() -> None:
    journal = in_round(ANN, rules=MINI)
    assert journal.round.require_opened().deadline_at is None
    bet(journal, ANN)

    finish(journal)

    assert journal.round.phase is Phase.SETTLED
    assert journal.table.round is None


def test_the_cards_are_the_first_of_the_committed_order_and_the_seed_is_shown_with_them() -> None:
    journal = in_round(ANN, rules=MINI)
    bet(journal, ANN)

    finish(journal)

    cards = shuffle(fresh(0).seed, cut=NO_CUT, decks=8, first=6)
    assert journal.round.cards == cards[: len(journal.round.cards)]
    assert journal.round.seed == fresh(0).seed.hex()
    assert journal.revealed_shoes == [fresh(0).shoe]


def test_the_next_round_opens_at_once_at_a_table_with_turns() -> None:
    journal = in_round(ANN)
    bet(journal, ANN)

    finish(journal)

    assert (journal.round.require_opened().number, journal.round.phase) == (2, Phase.BETTING)
    assert (journal.round.require_opened().shoe, journal.table.next_shoe.shoe) == (fresh(1).shoe, fresh(2).shoe)


def test_a_table_where_nobody_said_a_word_rests() -> None:
    journal = in_round(ANN, BEN)

    finish(journal, at=DEADLINE)

    assert journal.table.round is None
    assert [page.stream.split("-")[0] for page in journal.changes] == ["table", "round"]


@pytest.mark.parametrize("word", ["pass", "bet", "leave", "sit down"])
def test_a_word_from_anybody_keeps_the_table_going(word: str) -> None:
    journal = in_round(ANN, BEN)
    if word == "pass":
        journal.decide_on_round(rc.PassTurn(player=ANN, now=OPENED))
    elif word == "bet":
        bet(journal, ANN)
    elif word == "leave":
        dealer.leave_round(journal, player=ANN)
        journal.decide_on_table(tc.LeaveSeat(player=ANN, game_balance=0, now=OPENED))
    else:
        _sit(journal, 5, UUID(int=77))

    finish(journal, at=DEADLINE)

    assert journal.round.require_opened().number == 2


def test_dealing_too_early_is_refused() -> None:
    journal = in_round(ANN, BEN)
    bet(journal, ANN)

    with pytest.raises(RoundIsNotDue):
        finish(journal, at=DEADLINE - timedelta(microseconds=1))


def test_a_long_shoe_burns_and_is_dealt_from_where_it_stands() -> None:
    journal = in_round(ANN, rules=BIG)
    cards = shuffle(fresh(0).seed, cut=NO_CUT, decks=8)
    shoe = journal.table.shoe
    assert shoe is not None
    assert journal.round.require_opened().commitment is None
    out = shoe.cards_used

    for _ in range(3):
        bet(journal, ANN)
        finish(journal)
        rounds = list(journal.changed_rounds.values())
        dealt = rounds[-2][0]
        assert (dealt.shoe_position, dealt.seed) == (out, None)
        assert dealt.cards == cards[out : out + len(dealt.cards)]
        out += len(dealt.cards)

    assert journal.revealed_shoes == []
    assert [secret.shoe for secret in journal.new_seeds] == [fresh(0).shoe, fresh(1).shoe]


def test_the_end_of_a_shoe_reveals_its_seed_and_the_next_round_has_a_new_one() -> None:
    journal = in_round(ANN, rules=BIG)
    shoe = journal.table.shoe
    assert shoe is not None
    journal.table = replace(journal.table, shoe=replace(shoe, cards_used=404, cut_card_out=True))
    bet(journal, ANN)

    finish(journal)

    assert journal.revealed_shoes == [fresh(0).shoe]
    assert (journal.table.shoes, journal.round.require_opened().shoe) == (2, fresh(1).shoe)
    names = [type(event).__name__ for page in journal.changes for event in page.events]
    assert names[-5:] == ["RoundSettled", "ShoeEnded", "ShoeStarted", "ShoeCommitted", "RoundOpened"]


def test_what_players_add_while_a_shoe_runs_cuts_the_next_one() -> None:
    journal = in_round(ANN, rules=BIG)
    coming, shoe = journal.table.next_shoe, journal.table.shoe
    assert coming is not None
    assert shoe is not None
    dealer.contribute_to_cut(journal, player=ANN, contribution="a1b2", now=OPENED)
    journal.table = replace(journal.table, shoe=replace(shoe, cards_used=404, cut_card_out=True))
    bet(journal, ANN)

    finish(journal)

    started = journal.table.shoe
    assert started is not None
    fixed = compute_cut(coming.shoe, [Contribution(1, "a1b2")])
    assert (started.shoe, started.cut) == (coming.shoe, fixed.hex())
    assert started.root == shoe_root(fresh(1).seed, cut=fixed, decks=8)
    (event,) = [each for page in journal.changes for each in page.events if isinstance(each, ShoeStarted)][1:]
    assert event.turned_card == shuffle(fresh(1).seed, cut=fixed, decks=8, first=1)[0]


def test_what_players_add_while_betting_is_open_cuts_the_shoe_of_that_round() -> None:
    journal = in_round(ANN, BEN)
    dealer.contribute_to_cut(journal, player=BEN, contribution="0b", now=OPENED)
    bet(journal, ANN)
    dealer.contribute_to_cut(journal, player=ANN, contribution="0a", now=OPENED)
    journal.decide_on_round(rc.PassTurn(player=BEN, now=OPENED))

    finish(journal)

    round_ = journal.changed_rounds[fresh(1).round][0]
    fixed = compute_cut(fresh(0).shoe, [Contribution(1, "0a"), Contribution(2, "0b")])
    assert round_.cut == fixed.hex()
    assert round_.cards == shuffle(fresh(0).seed, cut=fixed, decks=8, first=len(round_.cards))


@pytest.mark.parametrize("seed", [None, b"another seed of thirty-two bytes"])
def test_no_shoe_starts_with_another_seed_than_the_committed_one(seed: bytes | None) -> None:
    journal = seated(ANN, rules=BIG)

    dealer.open_round(journal, entropy=replace(fresh(1), committed_seed=seed), now=OPENED)

    assert (journal.table.shoe, journal.table.round) == (None, None)


def test_an_empty_round_lapses_and_a_round_with_somebody_in_it_does_not() -> None:
    journal = in_round(ANN, BEN)
    dealer.leave_round(journal, player=ANN)
    dealer.lapse_if_empty(journal, seed=fresh(1).seed, now=OPENED)
    assert journal.round.phase is Phase.BETTING

    dealer.leave_round(journal, player=BEN)
    dealer.lapse_if_empty(journal, seed=fresh(1).seed, now=OPENED)
    assert (journal.round.phase, journal.round.seed) == (Phase.LAPSED, fresh(1).seed.hex())
    assert journal.round.cards == ()


def test_a_round_that_is_set_aside_does_not_lapse_when_its_players_leave() -> None:
    journal = in_round(ANN)
    journal.decide_on_round(rc.SuspendRound(reason="SeedUnavailable", now=OPENED))

    dealer.leave_round(journal, player=ANN)
    dealer.lapse_if_empty(journal, seed=fresh(1).seed, now=OPENED)

    assert journal.round.phase is Phase.BETTING
    assert journal.revealed_shoes == []
