"""Reads of the lobby and of a table's board: one query each, whatever the number of tables."""

from dataclasses import replace
from typing import Final
from uuid import UUID

from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.roads.marks import RoundMark, append_mark, find_pairs
from baccarat.domain.tables.refusals import UnknownShoe, UnknownTable
from baccarat.queries.board_view import LobbyTable, Scoreboard, present_board, present_lobby_table
from baccarat.storage import projections
from casino.events.sql import fetch
from casino.kernel.money import MoneyType

_TABLE: Final = "SELECT state::text FROM baccarat_table WHERE id = %s AND operator_id = %s"
_TABLES: Final = """
SELECT kept.state::text, running.phase, running.number, running.deadline_at
FROM baccarat_table AS kept LEFT JOIN baccarat_round AS running ON running.id = kept.round_id
WHERE kept.operator_id = %s AND kept.id > %s AND kept.state->>'closed' IS DISTINCT FROM 'true'
  AND kept.state->>'pending_closure' IS NULL
AND %s = ANY (string_to_array(kept.money_types, ','))
ORDER BY kept.id LIMIT %s
"""
_ALL_TABLES: Final = _TABLES.replace("AND %s = ANY (string_to_array(kept.money_types, ','))", "")
_FIRST: Final = UUID(int=0)

# From which round on the shoe was dealt, and from which the next one.
_SHOES: Final = """
SELECT (data->>'number')::int, (data->>'first_round')::int FROM events_event
WHERE stream = %s AND type = 'ShoeStarted' AND (data->>'number')::int IN (%s, %s)
"""
_ROUNDS: Final = """
SELECT number, outcome, cards, (state->>'natural')::boolean FROM baccarat_round
WHERE table_id = %s AND number >= %s AND number < %s AND phase = 'settled' ORDER BY number
"""


def table_board(*, table: UUID, operator: UUID, shoe: int | None = None) -> Scoreboard:
    """Return a table's board: the columns, totals and roads of its run, or of a long shoe that has ended.

    Raises UnknownTable, UnknownShoe.
    """
    rows = fetch(_TABLE, [table, operator])
    if not rows:
        raise UnknownTable
    state = projections.decode_table(rows[0][0])
    if shoe is None or (shoe == state.shoes and state.has_long_shoe()):
        return present_board(state)
    return present_board(replace(state, shoes=shoe, marks=_marks_of(table, shoe)))


def _marks_of(table: UUID, shoe: int) -> str:
    """Return the marks of a finished long shoe, from its settled rounds. Raises UnknownShoe."""
    begun = dict(fetch(_SHOES, [f"table-{table}", shoe, shoe + 1]))
    first, following = begun.get(shoe), begun.get(shoe + 1)
    if not first or not following:
        raise UnknownShoe
    run = ""
    for number, outcome, cards, natural in fetch(_ROUNDS, [table, first, following]):
        pairs = find_pairs(cards.split())
        run = append_mark(run, RoundMark(number, Outcome(outcome), "p" in pairs, "b" in pairs, natural), max_marks=None)
    return run


def lobby_tables(
    *, operator: UUID, viewer: UUID, money_type: MoneyType | None, after: UUID | None, limit: int
) -> list[LobbyTable]:
    """List an operator's tables for a player, in the order they were opened; `money_type` None includes both."""
    first = after or _FIRST
    if money_type is None:
        rows = fetch(_ALL_TABLES, [operator, first, limit])
    else:
        rows = fetch(_TABLES, [operator, first, money_type.value, limit])
    return [
        present_lobby_table(
            projections.decode_table(state), viewer=viewer, phase=phase, number=number, deadline_at=deadline
        )
        for state, phase, number, deadline in rows
    ]
