"""The roads of the scoreboard, against a printed example, an oracle, another package, and themselves; marks as text."""

import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.domain.rules.cards import parse, unshuffled_shoe
from baccarat.domain.rules.deal import Outcome, deal
from baccarat.domain.rules.roads import (
    COLUMNS_BACK,
    MAX_RUN_LENGTH,
    ROWS,
    WINNERS,
    Board,
    DerivedRoadName,
    RoundMark,
    append_mark,
    find_pairs,
    parse_last,
    parse_mark,
    parse_run,
    remove_mark,
    tally,
)
from tests.baccarat.domain.rules import roads_oracle as oracle

OUTCOMES = {"B": Outcome.BANKER, "P": Outcome.PLAYER, "T": Outcome.TIE}
LETTERS = {outcome: letter for letter, outcome in OUTCOMES.items()}
WORKED = "BBBPPBPPPPBBPBBBBBBBPPBTPP"
sequences = st.text(alphabet="BPT", max_size=120)
streaky = st.lists(st.tuples(st.sampled_from("BPT"), st.integers(1, 14)), max_size=20).map(
    lambda runs: "".join(letter * length for letter, length in runs)
)


def marks(outcomes: str) -> list[RoundMark]:
    return [RoundMark(number, OUTCOMES[letter]) for number, letter in enumerate(outcomes, 1)]


def make_board(outcomes: str) -> Board:
    return Board(marks(outcomes))


def colours(board: Board, road: DerivedRoadName) -> str:
    return "".join(entry.colour[0].upper() for entry in board.derived[road].entries)


def drawn(board: Board) -> list[str]:
    """Return the big road as rows of text; a small letter carries a tie."""
    cells = {
        (entry.cell.column, entry.cell.row): entry.winner[0] if entry.ties else entry.winner[0].upper()
        for entry in board.big_road
    }
    width = max((column for column, _ in cells), default=0)
    return ["".join(cells.get((column, row), ".") for column in range(1, width + 1)) for row in range(1, ROWS + 1)]


def runs_of(text: str) -> list[int]:
    return [len(run) for run in oracle.streaks(text.replace("R", "P"))]


def test_the_worked_example_is_drawn_as_printed() -> None:
    board = make_board(WORKED)
    assert drawn(board) == [
        "BPBPBPBPbP",
        "BP.PB.BP.P",
        "B..P..B...",
        "...P..B...",
        "......B...",
        "......BB..",
    ]
    assert colours(board, DerivedRoadName.BIG_EYE_BOY) == "RBBBRRBRBBBRRRRRBRBBB"
    assert colours(board, DerivedRoadName.SMALL_ROAD) == "BRBRBBBBRBRRRRBBBBR"
    assert colours(board, DerivedRoadName.COCKROACH_PIG) == "RRBBRRRRRRBRRBRRRR"
    assert board.totals()._asdict() == {"banker": 14, "player": 11, "tie": 1, "hands": 26}


def test_the_worked_examples_derived_roads_are_laid_out_as_printed() -> None:
    board = make_board(WORKED)
    lengths = {
        DerivedRoadName.BIG_EYE_BOY: [1, 3, 2, 1, 1, 3, 5, 1, 1, 3],
        DerivedRoadName.SMALL_ROAD: [1, 1, 1, 1, 4, 1, 1, 4, 4, 1],
        DerivedRoadName.COCKROACH_PIG: [2, 2, 6, 1, 2, 1, 4],
    }
    for road, expected in lengths.items():
        cells = [entry.cell for entry in board.derived[road].entries]
        assert [sum(cell.streak == streak for cell in cells) for streak in range(1, len(expected) + 1)] == expected
        assert runs_of(colours(board, road)) == expected


@pytest.mark.parametrize(("outcomes", "marks_"), [("BBPP", "R"), ("BBPB", "B"), ("BPBP", "RR"), ("BB", ""), ("", "")])
def test_the_smallest_cases_of_big_eye_boy(outcomes: str, marks_: str) -> None:
    assert colours(make_board(outcomes), DerivedRoadName.BIG_EYE_BOY) == marks_


def test_ties_before_the_first_win_are_kept_and_draw_nothing() -> None:
    board = make_board("TTB")
    assert (board.leading_ties, drawn(board)[0], board.columns) == (2, "B", ["--B"])
    assert (make_board("TT").leading_ties, make_board("TT").big_road, make_board("TT").columns) == (2, [], ["--"])


def test_a_tie_is_in_the_previous_winners_column_and_a_new_winner_begins_another() -> None:
    assert make_board("BBTPTPTBP").columns == ["BB-", "P-P-", "B", "P"]


def test_the_bead_plate_goes_down_six_rows_then_right() -> None:
    assert make_board("BPTBPTB").bead_plate() == [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (2, 1)]


def test_two_long_streaks_turn_right_one_above_the_other() -> None:
    cells = [(entry.cell.column, entry.cell.row) for entry in make_board("B" * 9 + "P" * 8).big_road]
    assert cells[5:9] == [(1, 6), (2, 6), (3, 6), (4, 6)]
    assert cells[9:] == [(2, 1), (2, 2), (2, 3), (2, 4), (2, 5), (3, 5), (4, 5), (5, 5)]


def test_every_short_sequence_agrees_with_the_oracle() -> None:
    for length in range(9):
        for letters in product("BP", repeat=length):
            _agrees("".join(letters))


@given(sequences | streaky)
def test_long_sequences_agree_with_the_oracle(outcomes: str) -> None:
    _agrees(outcomes)


def _agrees(outcomes: str) -> None:
    board = make_board(outcomes)
    wins = outcomes.replace("T", "")
    assert [len(run) for run in oracle.streaks(outcomes)] == [
        len([entry for entry in board.big_road if entry.cell.streak == streak])
        for streak in range(1, len(oracle.streaks(outcomes)) + 1)
    ]
    assert [(entry.cell.column, entry.cell.row) for entry in board.big_road] == oracle.drawn(wins)
    for road, back in COLUMNS_BACK.items():
        expected = oracle.derived(outcomes, back)
        assert colours(board, road) == expected
        cells = [(entry.cell.column, entry.cell.row) for entry in board.derived[road].entries]
        assert cells == oracle.drawn(expected)


@given(streaky)
def test_no_two_entries_share_a_cell_and_none_is_outside_the_six_rows(outcomes: str) -> None:
    board = make_board(outcomes)
    roads = [[entry.cell for entry in board.big_road]]
    roads += [[entry.cell for entry in road.entries] for road in board.derived.values()]
    for cells in roads:
        positions = [(cell.column, cell.row) for cell in cells]
        assert len(set(positions)) == len(positions)
        assert all(1 <= row <= ROWS and column >= 1 for column, row in positions)


@given(sequences | streaky, st.sampled_from("BPT"))
def test_one_more_round_only_adds_or_puts_a_tie_on_the_last_win(outcomes: str, more: str) -> None:
    before, after = make_board(outcomes), make_board(outcomes + more)
    wins = len(before.big_road)
    assert [entry._replace(ties=0) for entry in after.big_road[:wins]] == [
        entry._replace(ties=0) for entry in before.big_road
    ]
    assert after.big_road[: wins - 1] == before.big_road[: wins - 1] or not wins
    assert len(after.big_road) == wins + (more != "T")
    for road in DerivedRoadName:
        entries = before.derived[road].entries
        assert after.derived[road].entries[: len(entries)] == entries
        assert len(after.derived[road].entries) - len(entries) in ((0,) if more == "T" else (0, 1))
    assert "".join(after.columns).startswith("".join(before.columns))
    assert after.columns[: max(len(before.columns) - 1, 0)] == before.columns[:-1]


@given(sequences | streaky)
def test_a_prediction_is_the_mark_of_the_next_round_and_changes_nothing(outcomes: str) -> None:
    board = make_board(outcomes)
    for letter, winner in zip("BP", WINNERS, strict=True):
        predicted = board.predict(winner)
        after = make_board(outcomes + letter)
        for road in DerivedRoadName:
            new = after.derived[road].entries[len(board.derived[road].entries) :]
            assert predicted.derived[road] == (new[0] if new else None)
        assert predicted.big_road._replace(number=0) == after.big_road[-1]._replace(number=0)
    assert vars_of(board) == vars_of(make_board(outcomes))


def vars_of(board: Board) -> tuple[object, ...]:
    roads = [road.entries for road in board.derived.values()]
    return board.marks, board.columns, board.big_road, board.leading_ties, roads


@given(sequences)
def test_totals_and_columns_count_every_round_once(outcomes: str) -> None:
    board = make_board(outcomes)
    expected = (outcomes.count("B"), outcomes.count("P"), outcomes.count("T"), len(outcomes))
    assert tuple(board.totals()) == expected
    assert "".join(board.columns) == outcomes.replace("T", "-")
    assert all(len(set(column) - {"-"}) <= 1 for column in board.columns)


round_marks = st.builds(
    RoundMark, st.integers(1, 10**9), st.sampled_from(Outcome), st.booleans(), st.booleans(), st.booleans()
)


@given(st.lists(round_marks, max_size=MAX_RUN_LENGTH + 5))
def test_a_run_reads_as_it_was_written(marks_: list[RoundMark]) -> None:
    run = ""
    for mark in marks_:
        run = append_mark(run, mark, max_marks=None)
    assert parse_run(run) == tuple(marks_)
    assert tally(run) == Board(marks_).totals()
    assert parse_last(run, 20) == tuple(marks_[-20:])


def test_a_mark_encodes_the_winner_pairs_and_natural() -> None:
    assert str(RoundMark(7, Outcome.BANKER, natural=True)) == "7Bn"
    assert str(RoundMark(8, Outcome.PLAYER, player_pair=True, banker_pair=True)) == "8Ppb"
    assert parse_run("9T") == (RoundMark(9, Outcome.TIE),)


@pytest.mark.parametrize("text", ["B", "7", "7X", "7Bx", "7Bnp", "7B,8P", "\N{ARABIC-INDIC DIGIT SEVEN}B"])
def test_a_malformed_mark_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a mark"):
        parse_mark(text)


def test_the_mark_after_a_full_run_begins_a_new_run() -> None:
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


def test_only_a_voided_rounds_mark_is_removed() -> None:
    assert remove_mark("1B 11P 111T", 11) == "1B 111T"
    assert remove_mark("1B 11P", 2) == "1B 11P"
    assert remove_mark("1B", 1) == ""


@pytest.mark.parametrize(
    ("cards", "sides"),
    [("9h 2c 9d 3c", "p"), ("9h 2c 8d 2s", "b"), ("Th Kc Td Kh 2c", "pb"), ("Th Kc Qd Jh", ""), ("9h 2c 9d", "")],
)
def test_a_pair_is_two_first_cards_of_one_rank(cards: str, sides: str) -> None:
    assert find_pairs([parse(card) for card in cards.split()]) == sides


SHOES = 2000
CUT = 14
COLOURS = {"red": "s", "blue": "C", None: " "}


def play_out(generator: random.Random) -> list[Outcome]:
    """Return the outcomes of a shuffled shoe of eight decks."""
    shoe, outcomes, position = list(unshuffled_shoe(8)), [], 0
    generator.shuffle(shoe)
    while position < len(shoe) - CUT:
        dealt = deal(shoe[position : position + 6])
        position += len(dealt.cards)
        outcomes.append(dealt.outcome)
    return outcomes


def lengths(board: Board) -> list[int]:
    """Return the length of each streak of the big road."""
    streaks = [entry.cell.streak for entry in board.big_road]
    return [streaks.count(streak) for streak in range(1, max(streaks, default=0) + 1)]
