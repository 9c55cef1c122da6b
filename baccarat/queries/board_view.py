"""The board of a table as it is drawn, and its line in the lobby: plain JSON-ready values. Columns and rows from 1."""

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from baccarat.domain.rules.roads.board import WINNERS, BigRoadEntry, Board
from baccarat.domain.rules.roads.derived import DerivedRoadEntry
from baccarat.domain.rules.roads.grid import GridCell
from baccarat.domain.rules.roads.marks import MAX_RUN_LENGTH, RoundMark, parse_last, parse_run, tally
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables.state import TableState
from casino.kernel.money import format_amount

RECENT_RESULTS: Final = 20
"""How many of the last results the lobby shows."""


def present_board(table: TableState) -> dict[str, Any]:
    """Draw the statistics of a table's run: totals, columns, bead plate, roads and "ask"."""
    board = Board(parse_run(table.marks))
    return {
        "table": str(table.require_opened().table),
        **_run(table),
        "totals": board.totals()._asdict(),
        "columns": board.columns,
        "bead_plate": [
            {**present_mark(mark), "column": column, "row": row}
            for mark, (column, row) in zip(board.marks, board.bead_plate(), strict=True)
        ],
        "big_road": {"leading_ties": board.leading_ties, "cells": [_big(entry) for entry in board.big_road]},
        **{name.value: [_derived(entry) for entry in road.entries] for name, road in board.derived.items()},
        "ask": {winner.value: board.ask(winner) for winner in WINNERS},
    }


def present_mark(mark: RoundMark) -> dict[str, Any]:
    """Draw one round's mark."""
    return mark._asdict()


def present_lobby_table(
    table: TableState, *, viewer: UUID, phase: str | None, number: int | None, deadline_at: datetime | None
) -> dict[str, Any]:
    """Draw a table's line in the lobby for `viewer`; the last three say how the round in hand stands."""
    facts, seat = table.require_opened(), table.seat_of(viewer)
    taken = {each.seat for each in table.seats}
    return {
        "id": str(facts.table),
        "name": facts.name,
        "money_types": list(facts.money_types),
        **_rules(table.rules),
        "seats": table.rules.seats,
        "free_seats": [place for place in range(1, table.rules.seats + 1) if place not in taken],
        "you": None if seat is None else {"seat": seat.seat, "money_type": seat.money_type},
        "phase": phase,
        "round_number": number,
        "deadline_at": deadline_at,
        **_run(table),
        "totals": tally(table.marks)._asdict(),
        "results": [present_mark(mark) for mark in parse_last(table.marks, RECENT_RESULTS)],
    }


def _rules(rules: TableRules) -> dict[str, Any]:
    currency = rules.currency
    return {
        "preset": rules.preset,
        "currency": currency,
        "chips": [format_amount(chip, currency) for chip in rules.chips],
        "minimum": format_amount(rules.minimum, currency),
        "maximum": format_amount(rules.maximum, currency),
        "turn_seconds": rules.turn_seconds,
        "caller": rules.caller,
    }


def _run(table: TableState) -> dict[str, int | None]:
    """What the run of marks is: a shoe's, by its number, or up to `board_capacity` rounds of a table without one."""
    if table.has_long_shoe():
        return {"shoe": table.shoes or None, "board_capacity": None}
    return {"shoe": None, "board_capacity": MAX_RUN_LENGTH}


def _big(entry: BigRoadEntry) -> dict[str, Any]:
    return {"winner": entry.winner, "number": entry.number, "ties": entry.ties, **_place(entry.cell)}


def _derived(entry: DerivedRoadEntry) -> dict[str, Any]:
    return {"colour": entry.colour, **_place(entry.cell)}


def _place(place: GridCell) -> dict[str, int]:
    return place._asdict()
