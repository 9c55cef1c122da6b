"""Marks as text: what is written is read again, a full run begins anew, a voided round's mark goes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.domain.rules.cards import parse
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.roads.board import Board
from baccarat.domain.rules.roads.marks import (
    MAX_RUN_LENGTH,
    RoundMark,
    append_mark,
    find_pairs,
    parse_last,
    parse_mark,
    parse_run,
    remove_mark,
    tally,
)

marks = st.builds(
    RoundMark, st.integers(1, 10**9), st.sampled_from(Outcome), st.booleans(), st.booleans(), st.booleans()
)


@given(st.lists(marks, max_size=MAX_RUN_LENGTH + 5))
def test_a_run_reads_as_it_was_written(given_: list[RoundMark]) -> None:
    run = ""
    for mark in given_:
        run = append_mark(run, mark, max_marks=None)
    assert parse_run(run) == tuple(given_)
    assert tally(run) == Board(given_).totals()
    assert parse_last(run, 20) == tuple(given_[-20:])


def test_a_mark_says_who_won_with_pairs_and_natural() -> None:
    assert str(RoundMark(7, Outcome.BANKER, natural=True)) == "7Bn"
    assert str(RoundMark(8, Outcome.PLAYER, player_pair=True, banker_pair=True)) == "8Ppb"
    assert parse_run("9T") == (RoundMark(9, Outcome.TIE),)


@pytest.mark.parametrize("text", ["B", "7", "7X", "7Bx", "7Bnp", "7B,8P", "\N{ARABIC-INDIC DIGIT SEVEN}B"])
def test_what_is_no_mark_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a mark"):
        parse_mark(text)


def test_a_full_run_begins_anew_with_the_next_mark() -> None:
    run = ""
    for number in range(1, MAX_RUN_LENGTH + 1):
        run = append_mark(run, RoundMark(number, Outcome.BANKER), max_marks=MAX_RUN_LENGTH)
    assert len(parse_run(run)) == MAX_RUN_LENGTH
    assert (
        append_mark(run, RoundMark(MAX_RUN_LENGTH + 1, Outcome.TIE), max_marks=MAX_RUN_LENGTH)
        == f"{MAX_RUN_LENGTH + 1}T"
    )
    assert (
        len(parse_run(append_mark(run, RoundMark(MAX_RUN_LENGTH + 1, Outcome.TIE), max_marks=None)))
        == MAX_RUN_LENGTH + 1
    )


def test_a_voided_rounds_mark_goes_and_no_other() -> None:
    assert remove_mark("1B 11P 111T", 11) == "1B 111T"
    assert remove_mark("1B 11P", 2) == "1B 11P"
    assert remove_mark("1B", 1) == ""


@pytest.mark.parametrize(
    ("cards", "found"),
    [("9h 2c 9d 3c", "p"), ("9h 2c 8d 2s", "b"), ("Th Kc Td Kh 2c", "pb"), ("Th Kc Qd Jh", ""), ("9h 2c 9d", "")],
)
def test_a_pair_is_two_first_cards_of_one_rank(cards: str, found: str) -> None:
    assert find_pairs([parse(card) for card in cards.split()]) == found
