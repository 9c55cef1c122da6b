"""The roads of the scoreboard, held against a printed example, an oracle of another make, and themselves."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.roads.board import WINNERS, Board
from baccarat.domain.rules.roads.derived import COLUMNS_BACK, DerivedRoadName
from baccarat.domain.rules.roads.grid import ROWS
from baccarat.domain.rules.roads.marks import RoundMark
from tests.baccarat.domain.rules.roads import oracle

OUTCOMES = {"B": Outcome.BANKER, "P": Outcome.PLAYER, "T": Outcome.TIE}
WORKED = "BBBPPBPPPPBBPBBBBBBBPPBTPP"
sequences = st.text(alphabet="BPT", max_size=120)
streaky = st.lists(st.tuples(st.sampled_from("BPT"), st.integers(1, 14)), max_size=20).map(
    lambda runs: "".join(letter * length for letter, length in runs)
)


def marks(outcomes: str) -> list[RoundMark]:
    return [RoundMark(number, OUTCOMES[letter]) for number, letter in enumerate(outcomes, 1)]


def board(outcomes: str) -> Board:
    return Board(marks(outcomes))


def colours(found: Board, road: DerivedRoadName) -> str:
    return "".join(entry.colour[0].upper() for entry in found.derived[road].entries)


def drawn(found: Board) -> list[str]:
    """The big road as rows of text; a small letter carries a tie."""
    cells = {
        (entry.cell.column, entry.cell.row): entry.winner[0] if entry.ties else entry.winner[0].upper()
        for entry in found.big_road
    }
    width = max((column for column, _ in cells), default=0)
    return ["".join(cells.get((column, row), ".") for column in range(1, width + 1)) for row in range(1, ROWS + 1)]


def runs_of(text: str) -> list[int]:
    return [len(run) for run in oracle.streaks(text.replace("R", "P"))]


def test_the_worked_example_is_drawn_as_printed() -> None:
    found = board(WORKED)
    assert drawn(found) == [
        "BPBPBPBPbP",
        "BP.PB.BP.P",
        "B..P..B...",
        "...P..B...",
        "......B...",
        "......BB..",
    ]
    assert colours(found, DerivedRoadName.BIG_EYE_BOY) == "RBBBRRBRBBBRRRRRBRBBB"
    assert colours(found, DerivedRoadName.SMALL_ROAD) == "BRBRBBBBRBRRRRBBBBR"
    assert colours(found, DerivedRoadName.COCKROACH_PIG) == "RRBBRRRRRRBRRBRRRR"
    assert found.totals()._asdict() == {"banker": 14, "player": 11, "tie": 1, "hands": 26}


def test_the_worked_examples_derived_roads_are_laid_out_as_printed() -> None:
    found = board(WORKED)
    lengths = {
        DerivedRoadName.BIG_EYE_BOY: [1, 3, 2, 1, 1, 3, 5, 1, 1, 3],
        DerivedRoadName.SMALL_ROAD: [1, 1, 1, 1, 4, 1, 1, 4, 4, 1],
        DerivedRoadName.COCKROACH_PIG: [2, 2, 6, 1, 2, 1, 4],
    }
    for road, expected in lengths.items():
        places = [entry.cell for entry in found.derived[road].entries]
        assert [sum(place.streak == streak for place in places) for streak in range(1, len(expected) + 1)] == expected
        assert runs_of(colours(found, road)) == expected


@pytest.mark.parametrize(("outcomes", "marks_"), [("BBPP", "R"), ("BBPB", "B"), ("BPBP", "RR"), ("BB", ""), ("", "")])
def test_the_smallest_cases_of_big_eye_boy(outcomes: str, marks_: str) -> None:
    assert colours(board(outcomes), DerivedRoadName.BIG_EYE_BOY) == marks_


def test_ties_before_the_first_win_are_kept_and_draw_nothing() -> None:
    found = board("TTB")
    assert (found.leading_ties, drawn(found)[0], found.columns) == (2, "B", ["--B"])
    assert (board("TT").leading_ties, board("TT").big_road, board("TT").columns) == (2, [], ["--"])


def test_a_tie_stands_in_the_previous_winners_column_and_a_new_winner_begins_another() -> None:
    assert board("BBTPTPTBP").columns == ["BB-", "P-P-", "B", "P"]


def test_the_bead_plate_goes_down_six_rows_then_right() -> None:
    assert board("BPTBPTB").bead_plate() == [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (2, 1)]


def test_two_long_streaks_turn_right_one_above_the_other() -> None:
    places = [(entry.cell.column, entry.cell.row) for entry in board("B" * 9 + "P" * 8).big_road]
    assert places[5:9] == [(1, 6), (2, 6), (3, 6), (4, 6)]
    assert places[9:] == [(2, 1), (2, 2), (2, 3), (2, 4), (2, 5), (3, 5), (4, 5), (5, 5)]


def test_every_short_sequence_agrees_with_the_oracle() -> None:
    for length in range(9):
        for letters in product("BP", repeat=length):
            _agrees("".join(letters))


@given(sequences | streaky)
def test_long_sequences_agree_with_the_oracle(outcomes: str) -> None:
    _agrees(outcomes)


def _agrees(outcomes: str) -> None:
    found = board(outcomes)
    wins = outcomes.replace("T", "")
    assert [len(run) for run in oracle.streaks(outcomes)] == [
        len([entry for entry in found.big_road if entry.cell.streak == streak])
        for streak in range(1, len(oracle.streaks(outcomes)) + 1)
    ]
    assert [(entry.cell.column, entry.cell.row) for entry in found.big_road] == oracle.drawn(wins)
    for road, back in COLUMNS_BACK.items():
        expected = oracle.derived(outcomes, back)
        assert colours(found, road) == expected
        places = [(entry.cell.column, entry.cell.row) for entry in found.derived[road].entries]
        assert places == oracle.drawn(expected)


@given(streaky)
def test_no_two_entries_share_a_cell_and_none_is_outside_the_six_rows(outcomes: str) -> None:
    found = board(outcomes)
    roads = [[entry.cell for entry in found.big_road]]
    roads += [[entry.cell for entry in road.entries] for road in found.derived.values()]
    for places in roads:
        cells = [(place.column, place.row) for place in places]
        assert len(set(cells)) == len(cells)
        assert all(1 <= row <= ROWS and column >= 1 for column, row in cells)


@given(sequences | streaky, st.sampled_from("BPT"))
def test_one_round_more_only_adds_or_puts_a_tie_on_the_last_win(outcomes: str, more: str) -> None:
    before, after = board(outcomes), board(outcomes + more)
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
def test_ask_tells_the_mark_that_the_next_round_will_bring_and_changes_nothing(outcomes: str) -> None:
    found = board(outcomes)
    for letter, winner in zip("BP", WINNERS, strict=True):
        asked = found.ask(winner)
        after = board(outcomes + letter)
        for road in DerivedRoadName:
            new = after.derived[road].entries[len(found.derived[road].entries) :]
            assert asked[road] == (new[0].colour if new else None)
    assert vars_of(found) == vars_of(board(outcomes))


def vars_of(found: Board) -> tuple[object, ...]:
    roads = [road.entries for road in found.derived.values()]
    return found.marks, found.columns, found.big_road, found.leading_ties, roads


@given(sequences)
def test_totals_and_columns_count_every_round_once(outcomes: str) -> None:
    found = board(outcomes)
    expected = (outcomes.count("B"), outcomes.count("P"), outcomes.count("T"), len(outcomes))
    assert tuple(found.totals()) == expected
    assert "".join(found.columns) == outcomes.replace("T", "-")
    assert all(len(set(column) - {"-"}) <= 1 for column in found.columns)
