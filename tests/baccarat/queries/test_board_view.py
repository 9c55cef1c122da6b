"""A table's board and its line in the lobby as they are drawn."""

from dataclasses import replace
from typing import Any

from baccarat.domain.rules.roads import MAX_RUN_LENGTH
from baccarat.domain.tables.evolve import fold_table
from baccarat.domain.tables.state import TableState
from baccarat.queries import board_view
from baccarat.queries.board_view import LOBBY_COLUMNS, RECENT_RESULTS
from tests.support.examples import ANN, BEN, BIG, DEADLINE, MINI, OPENED, seat_taken, table_opened
from tests.support.shapes import as_json
from wallet.funding.events import Funding


def present_board(table: TableState) -> Any:
    return as_json(board_view.present_board(table))


def test_a_fresh_table_has_an_empty_board() -> None:
    shown = present_board(fold_table([table_opened(MINI)]))
    assert shown["totals"] == {"banker": 0, "player": 0, "tie": 0, "hands": 0}
    assert (shown["columns"], shown["bead_plate"], shown["big_road"]) == ([], [], {"leading_ties": 0, "cells": []})
    first = {"winner": "banker", "number": 1, "ties": 0, "streak": 1, "depth": 1, "column": 1, "row": 1}
    assert shown["ask"]["banker"] == {
        "big_road": first, "big_eye_boy": None, "small_road": None, "cockroach_pig": None,
    }  # fmt: skip


def test_the_board_says_which_run_it_is() -> None:
    mini, big = fold_table([table_opened(MINI)]), fold_table([table_opened(BIG)])
    assert (present_board(mini)["shoe"], present_board(mini)["board_capacity"]) == (None, MAX_RUN_LENGTH)
    assert (present_board(big)["shoe"], present_board(big)["board_capacity"]) == (None, None)
    assert present_board(replace(big, shoes=3))["shoe"] == 3


def test_every_mark_is_on_the_bead_plate_and_every_win_on_the_big_road() -> None:
    state = replace(fold_table([table_opened(MINI)]), marks="3T 4Bp 5Tn 7P")
    shown = present_board(state)
    assert [(bead["number"], bead["outcome"], bead["row"]) for bead in shown["bead_plate"]] == [
        (3, "tie", 1), (4, "banker", 2), (5, "tie", 3), (7, "player", 4),
    ]  # fmt: skip
    assert shown["bead_plate"][1]["player_pair"] is True
    assert shown["big_road"] == {
        "leading_ties": 1,
        "cells": [
            {"winner": "banker", "number": 4, "ties": 1, "streak": 1, "depth": 1, "column": 1, "row": 1},
            {"winner": "player", "number": 7, "ties": 0, "streak": 2, "depth": 1, "column": 2, "row": 1},
        ],
    }
    assert shown["columns"] == ["-B-", "P"]
    ask = shown["ask"]["player"]
    assert (ask["big_road"]["column"], ask["big_road"]["row"]) == (2, 2)
    assert ask["big_eye_boy"] == {"colour": "blue", "streak": 1, "depth": 1, "column": 1, "row": 1}
    assert ask["small_road"] is None


def test_the_lobby_shows_the_last_results_free_seats_and_the_viewers_own() -> None:
    marks = " ".join(f"{number}B" for number in range(1, RECENT_RESULTS + 6))
    table = replace(fold_table([table_opened(BIG), seat_taken(2, ANN), seat_taken(14, BEN)]), marks=marks)
    presented = board_view.present_lobby_table(
        table,
        viewer=ANN,
        phase="betting",
        number=26,
        opened_at=OPENED,
        deadline_at=DEADLINE,
        last_visited_at=None,
        funding=Funding.SEAMLESS,
    )
    line = as_json(presented)
    assert [mark["number"] for mark in line["results"]] == list(range(6, RECENT_RESULTS + 6))
    assert line["totals"]["hands"] == RECENT_RESULTS + 5
    assert (line["players"], line["free_seats"]) == (2, [1, *range(3, 14)])
    assert line["you"] == {"seat": 2, "money_type": "real"}
    assert (line["minimum"], line["chips"][0], line["caller"]) == ("25.00", "25.00", False)
    assert line["funding"] == "seamless"
    assert str(BEN) not in str(line)


def test_the_lobby_cuts_the_big_road_to_its_last_columns() -> None:
    marks = " ".join(f"{number}{'BP'[number % 2]}" for number in range(1, LOBBY_COLUMNS + 11))
    table = replace(fold_table([table_opened(MINI)]), marks=marks)
    presented = board_view.present_lobby_table(
        table,
        viewer=ANN,
        phase=None,
        number=None,
        opened_at=None,
        deadline_at=None,
        last_visited_at=None,
        funding=Funding.HOUSE,
    )
    columns = [cell["column"] for cell in as_json(presented)["big_road"]["cells"]]
    assert columns == list(range(11, LOBBY_COLUMNS + 11))
