"""Reads of the lobby and of a table's board: one query each, whatever the number of tables."""

from typing import Any, Final
from uuid import UUID

from baccarat import projections
from baccarat.board_picture import board_picture, lobby_picture
from baccarat.tables.refusals import UnknownTable
from casino.events.rows import fetch
from casino.kernel.money import Book

_TABLE: Final = "SELECT state::text FROM baccarat_table WHERE id = %s AND operator_id = %s"
_TABLES: Final = """
SELECT kept.state::text, running.phase, running.number, running.deadline_at
FROM baccarat_table AS kept LEFT JOIN baccarat_round AS running ON running.id = kept.round_id
WHERE kept.operator_id = %s AND kept.id > %s AND %s = ANY (string_to_array(kept.books, ','))
ORDER BY kept.id LIMIT %s
"""
_ALL_TABLES: Final = _TABLES.replace("AND %s = ANY (string_to_array(kept.books, ','))", "")
_FIRST: Final = UUID(int=0)


def statistics(*, table: UUID, operator: UUID) -> dict[str, Any]:
    """This will draw a table's board: the columns, totals and roads of its run. Raises UnknownTable."""
    rows = fetch(_TABLE, [table, operator])
    if not rows:
        raise UnknownTable
    return board_picture(projections.decode_table(rows[0][0]))


def tables(*, operator: UUID, viewer: UUID, book: Book | None, after: UUID | None, limit: int) -> list[dict[str, Any]]:
    """This will list an operator's tables for a player, in the order they were opened; `book` None is either book."""
    first = after or _FIRST
    if book is None:
        rows = fetch(_ALL_TABLES, [operator, first, limit])
    else:
        rows = fetch(_TABLES, [operator, first, book.value, limit])
    return [
        lobby_picture(projections.decode_table(state), viewer=viewer, phase=phase, number=number, deadline_at=deadline)
        for state, phase, number, deadline in rows
    ]
