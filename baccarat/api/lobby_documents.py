"""How the board and the lobby are documented."""

from typing import Any, Final

from drf_spectacular.utils import OpenApiParameter, extend_schema

from baccarat.api import board_shown
from baccarat.api.examples import TABLE_ID, answer
from casino.api import paging
from casino.kernel.money import MoneyType

_TOTALS: Final = {"banker": 2, "player": 1, "tie": 1, "hands": 4}
_NO_COLOURS: Final = {"big_eye_boy": None, "small_road": None, "cockroach_pig": None}


def _mark(number: int, outcome: str, *, natural: bool = False) -> dict[str, Any]:
    return {"number": number, "outcome": outcome, "player_pair": False, "banker_pair": False, "natural": natural}


def _place(streak: int, depth: int) -> dict[str, int]:
    return {"streak": streak, "depth": depth, "column": streak, "row": depth}


_MARKS: Final = [_mark(1, "banker"), _mark(2, "tie"), _mark(3, "banker", natural=True), _mark(4, "player")]
_BOARD: Final = {
    "table": TABLE_ID,
    "shoe": None,
    "board_capacity": 72,
    "totals": _TOTALS,
    "columns": ["B-B", "P"],
    "bead_plate": [{**mark, "column": 1, "row": row} for row, mark in enumerate(_MARKS, 1)],
    "big_road": {
        "leading_ties": 0,
        "cells": [
            {"winner": "banker", "number": 1, "ties": 1, **_place(1, 1)},
            {"winner": "banker", "number": 3, "ties": 0, **_place(1, 2)},
            {"winner": "player", "number": 4, "ties": 0, **_place(2, 1)},
        ],
    },
    "big_eye_boy": [],
    "small_road": [],
    "cockroach_pig": [],
    "ask": {"banker": {**_NO_COLOURS, "big_eye_boy": "blue"}, "player": {**_NO_COLOURS, "big_eye_boy": "red"}},
}
_LINE: Final = {
    "id": TABLE_ID,
    "name": "Mini 1",
    "money_types": ["play"],
    "preset": "mini",
    "currency": "EUR",
    "chips": ["1.00", "5.00", "25.00", "100.00", "500.00"],
    "minimum": "5.00",
    "maximum": "300.00",
    "turn_seconds": None,
    "caller": False,
    "seats": 1,
    "free_seats": [],
    "you": {"seat": 1, "money_type": "play"},
    "phase": "betting",
    "round_number": 5,
    "deadline_at": None,
    "shoe": None,
    "board_capacity": 72,
    "totals": _TOTALS,
    "results": _MARKS,
}

statistics = extend_schema(
    operation_id="getTableStatistics",
    summary="Show a table's results in columns and roads",
    description=(
        "The run is the shoe's; where the cards are shuffled before every round it is up to 72 rounds, after which the "
        "board is wiped as for a new shoe. Rounds in which nobody bet and voided rounds leave no mark. `columns`: a "
        "new one when the winner changes, a tie in the column of the previous winner. Roads are drawn in six rows: a "
        "streak goes down its column and, at the last row or above a taken cell, turns right and stays on that row; a "
        "new streak begins in row 1, one column after the start of the last. `streak` and `depth` are the logical "
        "place, for drawing it otherwise. Big Eye Boy, Small Road and Cockroach Pig are red where the big road is "
        "regular."
    ),
    parameters=[
        OpenApiParameter("shoe", int, description="The number of a long shoe; the one in play when left out."),
    ],
    responses=board_shown.BoardShown,
    examples=[answer(_BOARD)],
)
lobby = extend_schema(
    operation_id="getLobby",
    summary="List the tables to play at, with their last results",
    description="`phase`, `round_number` and `deadline_at` are of the round in hand; null where none is.",
    parameters=[
        OpenApiParameter(
            "money_type",
            str,
            enum=[money_type.value for money_type in MoneyType],
            description="Only tables that play for it.",
        ),
        *paging.PARAMETERS,
    ],
    responses=board_shown.LobbyPage,
    examples=[answer({"items": [_LINE], "next": None})],
)
