"""From round to round, with ids, seeds and times that are given."""

from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from baccarat.domain import dealer
from baccarat.domain.dealer import Entropy
from baccarat.domain.fairness.closing import NO_DIGEST
from baccarat.domain.fairness.commitment import Drawing, shoe_root
from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.shuffle import round_seed, shuffle
from baccarat.domain.fairness.terms import digest_cards
from baccarat.domain.rounds import betting, voiding
from baccarat.domain.rounds.events import BettingClosed, ShoeCommitment, VoidReason
from baccarat.domain.rounds.forcing import SCENARIOS, Scenario
from baccarat.domain.rounds.refusals import RoundIsNotDue
from baccarat.domain.rounds.state import Phase
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.recorded import record
from baccarat.domain.rules.table_rules import Shuffle, TableRules
from baccarat.domain.tables import decisions
from baccarat.domain.tables.events import EffectiveFrom, ShoeStarted, TermsFixed
from baccarat.domain.tables.state import INITIAL, PendingRules, RulesLifecycle
from baccarat.domain.unit_of_work import ShoeSeed, UnitOfWork
from tests.support.drawings import cards_of, cut_from
from tests.support.examples import AC, ANN, BEN, BIG, DEADLINE, MINI, OPENED, TABLE, P, confirm, open_table, place, sit

FIXED = replace(BIG, fixed_order=True)


def fresh(number: int) -> Entropy:
    """Return new ids with this number; the committed shoe is always the one of the number before."""
    seed, before = number.to_bytes(32, "big"), max(number - 1, 0).to_bytes(32, "big")
    return Entropy(
        round=UUID(int=1000 + number), shoe=UUID(int=2000 + number), seed=seed, blind=seed, committed_seed=before
    )


def commitment(seed: int, *, number: int, rules: TableRules = AC) -> ShoeCommitment:
    """Return the commitment to a seed for the round with this number."""
    entropy = fresh(seed)
    return dealer.commitment_to(ShoeSeed(entropy.shoe, entropy.seed), table=TABLE, number=number, shape=rules.shape)


def seated(*players: UUID, rules: TableRules = AC) -> UnitOfWork:
    journal = UnitOfWork(table=INITIAL, table_version=0)
    first = commitment(0, number=1, rules=rules)
    journal.on_table(open_table(rules), next_shoe=None if rules.shuffle is Shuffle.SHOE else first)
    if journal.table.has_long_shoe():
        dealer.commit_shoe(journal, entropy=fresh(0), now=OPENED)
    for number, player in enumerate(players, 1):
        _sit(journal, number, player)
    return journal


def _sit(journal: UnitOfWork, number: int, player: UUID) -> None:
    journal.on_table(sit(number, player))


def in_round(*players: UUID, rules: TableRules = AC) -> UnitOfWork:
    journal = seated(*players, rules=rules)
    dealer.open_round(journal, entropy=fresh(1), now=OPENED)
    return journal


def bet(journal: UnitOfWork, player: UUID, at: datetime = OPENED) -> None:
    rules = journal.table.rules
    journal.on_round(place(P, rules.minimum, by=player, rules=rules, at=at))
    journal.on_round(confirm(by=player, rules=rules, at=at))


def finish(journal: UnitOfWork, at: datetime = OPENED) -> None:
    """Deal from the first seed; the next round has the ids of its number, and the seed of the one before."""
    seed = fresh(0).seed
    following = fresh(journal.table.rounds + 1)
    entropy = replace(following, committed_seed=fresh(1).seed, shoe_seed=seed)
    dealer.deal_round(journal, seed=seed, entropy=entropy, now=at)


def test_a_round_opens_for_those_seated_with_a_committed_seed_and_a_deadline() -> None:
    journal = in_round(ANN, BEN)

    facts = journal.round.require_opened()
    assert [seat.player for seat in facts.seats] == [ANN, BEN]
    assert (facts.number, facts.rules_label, facts.deadline_at) == (1, "atlantic_city@1", DEADLINE)
    assert (facts.shoe, facts.commitment) == (fresh(0).shoe, commitment(0, number=1).commitment)
    fixed = journal.table.terms
    assert fixed is not None
    announced = next(event.next_shoe for event in journal.new_events() if isinstance(event, TermsFixed))
    assert announced == commitment(1, number=2)
    assert fixed.terms.next_commitment == announced.commitment
    assert (facts.terms, facts.number) == (fixed.terms.digest(), fixed.terms.number)
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

    cards = cards_of(fresh(0).seed, cut_from(commitment(0, number=1).commitment), first=6)
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
    assert [page.stream.split("-")[0] for page in journal.changes] == ["table", "round", "table"]
    assert journal.table.fixed_terms() is not None


@pytest.mark.parametrize("word", ["pass", "bet", "leave", "sit down"])
def test_a_word_from_anybody_keeps_the_table_going(word: str) -> None:
    journal = in_round(ANN, BEN)
    if word == "pass":
        journal.on_round(betting.pass_turn, player=ANN, at=OPENED)
    elif word == "bet":
        bet(journal, ANN)
    elif word == "leave":
        dealer.leave_round(journal, player=ANN)
        journal.on_table(decisions.leave_seat, player=ANN, game_balance=0, at=OPENED)
    else:
        _sit(journal, 5, UUID(int=77))

    finish(journal, at=DEADLINE)

    assert journal.round.require_opened().number == 2


def test_dealing_too_early_is_refused() -> None:
    journal = in_round(ANN, BEN)
    bet(journal, ANN)

    with pytest.raises(RoundIsNotDue):
        finish(journal, at=DEADLINE - timedelta(microseconds=1))


def test_a_long_shoe_of_fixed_order_burns_and_is_dealt_from_where_it_stands() -> None:
    journal = in_round(ANN, rules=FIXED)
    shoe = journal.table.shoe
    assert shoe is not None
    cards = cards_of(fresh(0).seed, cut_from(shoe.commitment))
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


def test_each_round_of_a_long_shoe_draws_from_what_is_left_by_a_seed_of_its_own() -> None:
    journal = in_round(ANN, rules=BIG)
    shoe = journal.table.shoe
    assert shoe is not None
    seed, cut, out = fresh(0).seed, bytes.fromhex(shoe.cut), shoe.cards.split()
    assert (shoe.root, out, journal.round.require_opened().commitment) == (None, [*cards_of(seed, cut, first=1)], None)
    place = shoe.cards_used

    for number in (1, 2, 3):
        terms = journal.table.terms
        assert terms is not None
        bet(journal, ANN)
        finish(journal)
        dealt, own = list(journal.changed_rounds.values())[-2][0], round_seed(seed, number)
        drawn = shuffle(own, cut=cut, decks=8, first=6, out=[Card(card) for card in out])
        assert dealt.cards == drawn[: len(dealt.cards)]
        assert (dealt.shoe_position, dealt.seed) == (place, own.hex())
        assert Drawing(TABLE, shoe.shoe, number).opens(terms.terms.commitment, own)
        assert (terms.terms.next_place, terms.terms.cards) == (place, digest_cards(out))
        place, out = place + len(dealt.cards), [*out, *dealt.cards]

    assert journal.revealed_shoes == []
    assert [secret.shoe for secret in journal.new_seeds] == [fresh(0).shoe, fresh(1).shoe]


@pytest.mark.parametrize("seed", [None, fresh(7).seed])
def test_the_terms_of_a_round_wait_for_the_seed_of_its_shoe(seed: bytes | None) -> None:
    journal = in_round(ANN, rules=BIG)
    bet(journal, ANN)

    entropy = replace(fresh(2), committed_seed=fresh(1).seed, shoe_seed=seed)
    dealer.deal_round(journal, seed=fresh(0).seed, entropy=entropy, now=OPENED)

    assert (journal.round.phase, journal.table.fixed_terms(), journal.table.round) == (Phase.SETTLED, None, None)
    dealer.open_round(journal, entropy=replace(fresh(3), shoe_seed=fresh(0).seed), now=OPENED)
    assert journal.round.require_opened().number == 2


def test_a_void_round_of_a_long_shoe_burns_nothing_and_the_next_one_draws_anew_from_the_same_cards() -> None:
    journal = in_round(ANN, rules=BIG)
    shoe = journal.table.shoe
    assert shoe is not None
    bet(journal, ANN)
    lost, place = dealer.next_cards(journal, fresh(0).seed)
    assert dealer.max_burned_cards(journal) == 0
    shown = dealer.seed_revealed_by_round(journal, fresh(0).seed)
    closing = dealer.closing_inputs(journal, fresh(3))
    journal.on_round(
        voiding.void_round,
        by="staff:1",
        reason=VoidReason.MALFUNCTION,
        note="x",
        seed=shown,
        at=OPENED,
        burn=0,
        closing=closing,
        rules=journal.table.rules,
    )
    dealer.open_round(journal, entropy=replace(fresh(2), shoe_seed=fresh(0).seed), now=OPENED)

    assert next(iter(journal.changed_rounds.values()))[0].seed == round_seed(fresh(0).seed, 1).hex()
    drawn, at = dealer.next_cards(journal, fresh(0).seed)
    assert (at, journal.table.shoe) == (place, shoe)
    assert drawn != lost


def test_chosen_cards_take_places_of_a_long_shoe_but_none_of_its_cards() -> None:
    journal = in_round(ANN, rules=BIG)
    shoe = journal.table.shoe
    assert shoe is not None
    chosen = SCENARIOS[Scenario.TIE]
    journal.on_round(betting.force_cards, cards=chosen, decks=8, at=OPENED)
    bet(journal, ANN)

    finish(journal)

    assert list(journal.changed_rounds.values())[-2][0].cards == chosen
    after = journal.table.shoe
    assert after is not None
    assert (after.cards_used, after.cards) == (shoe.cards_used + len(chosen), shoe.cards)


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
    assert names[-6:] == ["RoundSettled", "ShoeEnded", "ShoeStarted", "ShoeCommitted", "TermsFixed", "RoundOpened"]


def test_what_players_add_while_a_shoe_runs_cuts_the_next_one() -> None:
    journal = in_round(ANN, rules=FIXED)
    coming, shoe = journal.table.next_shoe, journal.table.shoe
    assert coming is not None
    assert shoe is not None
    dealer.contribute_to_cut(journal, player=ANN, contribution="a1b2", now=OPENED)
    journal.table = replace(journal.table, shoe=replace(shoe, cards_used=404, cut_card_out=True))
    bet(journal, ANN)

    finish(journal)

    started = journal.table.shoe
    assert started is not None
    fixed = cut_from(coming.commitment, (1, "a1b2"))
    assert (started.shoe, started.cut) == (coming.shoe, fixed.hex())
    assert started.root == shoe_root(fresh(1).seed, cut=fixed, decks=8)
    (event,) = [each for page in journal.changes for each in page.events if isinstance(each, ShoeStarted)][1:]
    assert event.turned_card == cards_of(fresh(1).seed, fixed, first=1)[0]


def test_what_players_add_while_betting_is_open_cuts_the_shoe_of_the_next_round() -> None:
    journal = in_round(ANN, BEN)
    before = journal.round.cut
    dealer.contribute_to_cut(journal, player=BEN, contribution="0b", now=OPENED)
    bet(journal, ANN)
    dealer.contribute_to_cut(journal, player=ANN, contribution="0a", now=OPENED)
    journal.on_round(betting.pass_turn, player=BEN, at=OPENED)

    finish(journal)

    first, second = journal.changed_rounds[fresh(1).round][0], journal.round
    uncut = cut_from(commitment(0, number=1).commitment)
    assert first.cut == before == uncut.hex()
    assert first.cards == cards_of(fresh(0).seed, uncut, first=len(first.cards))
    fixed = cut_from(commitment(1, number=2).commitment, (1, "0a"), (2, "0b"))
    assert (second.cut, second.require_opened().number) == (fixed.hex(), 2)
    bet(journal, ANN)
    journal.on_round(betting.pass_turn, player=BEN, at=OPENED)
    dealer.deal_round(journal, seed=fresh(1).seed, entropy=fresh(3), now=OPENED)
    dealt = journal.changed_rounds[second.require_opened().round][0]
    assert dealt.cards == cards_of(fresh(1).seed, fixed, first=len(dealt.cards))


def test_terms_are_fixed_as_the_round_before_ends_and_what_is_added_later_counts_for_the_round_after() -> None:
    journal = in_round(ANN, rules=MINI)
    dealer.contribute_to_cut(journal, player=ANN, contribution="aa", now=OPENED)
    bet(journal, ANN)

    finish(journal)

    fixed, coming, later = journal.table.fixed_terms(), journal.table.coming_shoe, journal.table.next_shoe
    assert fixed is not None
    assert coming is not None
    assert later is not None
    assert (fixed.terms.number, fixed.terms.shoe, fixed.terms.next_commitment) == (2, coming.shoe, later.commitment)
    assert fixed.contributions == (Contribution(1, "aa"),)
    assert fixed.terms.cut == cut_from(coming.commitment, (1, "aa")).hex()
    dealer.contribute_to_cut(journal, player=ANN, contribution="bb", now=OPENED)
    dealer.open_round(journal, entropy=replace(fresh(5), committed_seed=fresh(1).seed), now=OPENED)
    assert (journal.round.require_opened().terms, journal.round.cut) == (fixed.digest, fixed.terms.cut)
    following = journal.table.next_shoe
    assert following is not None
    assert [each.contribution for each in following.contributions] == ["bb"]


def test_each_closing_names_the_one_before_it_and_its_own_blind() -> None:
    journal = in_round(ANN, rules=MINI)
    for number in (3, 4):
        bet(journal, ANN)
        own = journal.round.require_opened().shoe.int - 2000
        entropy = replace(fresh(number), sealed_head=f"{number:02x}" * 32)
        dealer.deal_round(journal, seed=fresh(own).seed, entropy=entropy, now=OPENED)
        dealer.open_round(journal, entropy=replace(fresh(number + 5), committed_seed=fresh(1).seed), now=OPENED)

    first, second = [event.closing for event in journal.new_events() if isinstance(event, BettingClosed)]
    assert first is not None
    assert second is not None
    assert (first.before, second.before) == (NO_DIGEST, first.digest)
    assert (first.sealed_head, second.sealed_head) == ("03" * 32, "04" * 32)
    assert (first.blind, second.blind) == (fresh(3).seed.hex(), fresh(4).seed.hex())
    assert journal.table.last_closing == second.digest


def test_terms_of_a_long_shoe_name_the_next_place_and_the_cards_seen_so_far() -> None:
    journal = in_round(ANN, rules=FIXED)
    shoe = journal.table.shoe
    assert shoe is not None
    bet(journal, ANN)
    finish(journal)

    fixed, now = journal.table.terms, journal.table.shoe
    assert fixed is not None
    assert now is not None
    seen = (*shoe.cards.split(), *next(iter(journal.changed_rounds.values()))[0].cards)
    assert (fixed.terms.next_place, fixed.terms.cards) == (now.cards_used, digest_cards(seen))
    assert (fixed.terms.shoe, fixed.terms.cut, fixed.terms.commitment) == (now.shoe, now.cut, now.commitment)
    assert journal.round.require_opened().terms == fixed.digest


def test_terms_are_fixed_anew_only_if_the_rules_have_changed() -> None:
    journal = in_round(ANN, rules=MINI)
    bet(journal, ANN)
    finish(journal)
    first = journal.table.fixed_terms()
    assert first is not None
    events = len(journal.new_events())

    dealer.fix_terms(journal, entropy=fresh(8), now=OPENED)
    assert len(journal.new_events()) == events

    pending = PendingRules(record(replace(MINI, version=2, minimum=1000)), EffectiveFrom.NEXT_ROUND)
    lifecycle = RulesLifecycle(in_force=record(MINI), latest_version=2, pending=pending)
    journal.table = replace(journal.table, rules_lifecycle=lifecycle)
    shoes = journal.table.committed_shoes()
    dealer.open_round(journal, entropy=replace(fresh(8), committed_seed=fresh(1).seed), now=OPENED)

    again = journal.table.terms
    assert again is not None
    assert again.terms == replace(first.terms, rules=again.terms.rules)
    assert again.terms.rules != first.terms.rules
    opened = journal.round.require_opened()
    assert (opened.terms, opened.rules, opened.rules_label) == (again.digest, again.terms.rules, "mini@2")
    assert shoes[1:] == (journal.table.next_shoe,)


@pytest.mark.parametrize("seed", [None, b"another seed of thirty-two bytes"])
def test_no_shoe_starts_with_another_seed_than_the_committed_one(seed: bytes | None) -> None:
    journal = seated(ANN, rules=BIG)

    dealer.open_round(journal, entropy=replace(fresh(1), committed_seed=seed), now=OPENED)

    assert (journal.table.shoe, journal.table.round) == (None, None)


def test_an_empty_round_lapses_and_a_round_with_somebody_in_it_does_not() -> None:
    journal = in_round(ANN, BEN)
    dealer.leave_round(journal, player=ANN)
    dealer.lapse_if_empty(journal, seed=fresh(1).seed, entropy=fresh(9), now=OPENED)
    assert journal.round.phase is Phase.BETTING

    dealer.leave_round(journal, player=BEN)
    dealer.lapse_if_empty(journal, seed=fresh(1).seed, entropy=fresh(9), now=OPENED)
    assert (journal.round.phase, journal.round.seed) == (Phase.LAPSED, fresh(1).seed.hex())
    assert journal.round.cards == ()


def test_a_round_that_is_set_aside_does_not_lapse_when_its_players_leave() -> None:
    journal = in_round(ANN)
    journal.on_round(voiding.suspend_round, reason="SeedUnavailable", at=OPENED)

    dealer.leave_round(journal, player=ANN)
    dealer.lapse_if_empty(journal, seed=fresh(1).seed, entropy=fresh(9), now=OPENED)

    assert journal.round.phase is Phase.BETTING
    assert journal.revealed_shoes == []
