"""The board that a table keeps: one mark for each settled round of its shoe, or of its run; none for a voided one."""

from dataclasses import replace
from uuid import UUID

from baccarat.domain.rounds import events as re
from baccarat.domain.rounds.events import RoundVoided, VoidReason
from baccarat.domain.rounds.forcing import CardsForced
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.roads import MAX_RUN_LENGTH, parse_run
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables.events import ShoeEnded, ShoeStarted
from baccarat.domain.tables.evolve import GameEvent, fold_table
from baccarat.domain.tables.evolve import evolve as evolve_table
from baccarat.domain.tables.state import TableState
from tests.support.examples import ANN, BIG, MINI, OPENED, SHOE, opened, table_opened

PLAIN = tuple(map(Card, ("4c", "2d", "3h", "5s")))
PAIRS = tuple(map(Card, ("4c", "2d", "4h", "2s")))


def round_id(number: int) -> UUID:
    return UUID(int=1000 + number)


def begun(rules: TableRules = MINI) -> TableState:
    return fold_table([table_opened(rules)])


def told(state: TableState, *events: GameEvent) -> TableState:
    for event in events:
        state = evolve_table(state, event)
    return state


def in_hand(state: TableState, number: int) -> TableState:
    return told(state, replace(opened(ANN), round=round_id(number), number=number))


def played(state: TableState, number: int, outcome: Outcome = Outcome.BANKER, *, cards: tuple[Card, ...] = PLAIN,
           natural: bool = False) -> TableState:  # fmt: skip
    settled = re.RoundSettled(
        outcome=outcome,
        player_total=7,
        banker_total=7,
        natural=natural,
        wagers=(),
        settled_at=OPENED,
        betting_opens_at=OPENED,
        seed=None,
    )
    return told(in_hand(state, number), re.CardsDealt(shoe_position=0, cards=cards, next_terms=None), settled)


def voided(number: int) -> RoundVoided:
    return RoundVoided(
        round=round_id(number),
        was_settled=True,
        requested_by="staff:1",
        approved_by="staff:2",
        reason=VoidReason.MALFUNCTION,
        note="x",
        seats=(),
        voided_at=OPENED,
        seed=None,
        number=number,
        burned_count=0,
        closing=None,
    )


def shoe(number: int) -> ShoeStarted:
    return ShoeStarted(
        shoe=SHOE,
        number=number,
        commitment="c0" * 32,
        turned_card=Card("5h"),
        burned_count=5,
        started_at=OPENED,
        first_round=1,
        contributions=(),
        cut="",
        root="40" * 32,
        closing=None,
    )


def ended() -> ShoeEnded:
    return ShoeEnded(shoe=SHOE, seed="5e" * 32, cards_dealt=410, collected=(), ended_at=OPENED)


def test_each_settled_round_leaves_its_mark_with_pairs_and_natural() -> None:
    state = played(begun(), 1, cards=PAIRS)
    state = played(state, 2, Outcome.TIE, natural=True)
    assert state.marks == "1Bpb 2Tn"
    assert state.pairs == ""


def test_a_round_in_which_nobody_bet_leaves_none() -> None:
    state = told(
        in_hand(played(begun(), 1), 2), re.RoundLapsed(reason="no_wagers", lapsed_at=OPENED, seed=None, closing=None)
    )
    assert played(state, 3, Outcome.PLAYER).marks == "1B 3P"


def test_a_round_with_chosen_cards_leaves_none_and_the_next_one_does() -> None:
    chosen = told(in_hand(played(begun(), 1), 2), CardsForced(cards=PAIRS, forced_at=OPENED))
    settled = played(chosen, 2, cards=PAIRS)
    assert played(settled, 3, Outcome.PLAYER).marks == "1B 3P"
    for end in (
        re.RoundLapsed(reason="no_wagers", lapsed_at=OPENED, seed=None, closing=None),
        replace(voided(2), was_settled=False),
    ):
        assert played(told(chosen, end), 3, Outcome.PLAYER).marks == "1B 3P"


def test_a_voided_round_loses_its_mark_and_one_voided_in_play_never_had_any() -> None:
    state = played(played(played(begun(), 1), 2, Outcome.TIE), 3)
    assert told(state, voided(2)).marks == "1B 3B"
    dealt = told(in_hand(state, 4), re.CardsDealt(shoe_position=0, cards=PAIRS, next_terms=None))
    assert dealt.pairs == "pb"
    after = told(dealt, replace(voided(4), was_settled=False))
    assert (after.marks, after.pairs, after.round) == ("1B 2T 3B", "", None)


def test_a_void_from_before_rounds_were_numbered_in_it_leaves_the_board_alone() -> None:
    state = played(begun(), 1)
    assert told(state, replace(voided(1), number=0)).marks == "1B"


def test_a_long_shoes_board_stays_until_the_next_shoe_begins() -> None:
    state = told(begun(BIG), shoe(1))
    for number in range(1, MAX_RUN_LENGTH + 11):
        state = played(state, number)
    assert len(parse_run(state.marks)) == MAX_RUN_LENGTH + 10
    state = told(state, ended())
    assert len(parse_run(state.marks)) == MAX_RUN_LENGTH + 10
    assert told(state, shoe(2)).marks == ""


def test_where_every_round_has_its_own_shoe_a_full_board_is_wiped_for_the_next_mark() -> None:
    state = begun()
    for number in range(1, MAX_RUN_LENGTH + 1):
        state = played(state, number)
    assert len(parse_run(state.marks)) == MAX_RUN_LENGTH
    assert played(state, MAX_RUN_LENGTH + 1, Outcome.PLAYER).marks == f"{MAX_RUN_LENGTH + 1}P"
    assert len(parse_run(played(told(state, voided(5)), MAX_RUN_LENGTH + 1).marks)) == MAX_RUN_LENGTH
