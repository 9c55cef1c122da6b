"""The rows of a report as pages show them: key columns first, names instead of ids, each linked to its page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from casino.api.sheets import ColumnType
from casino.backoffice import html
from casino.backoffice.base import as_uuid
from casino.backoffice.scope import may_view
from casino.backoffice.sections import Grid
from casino.backoffice.subjects import nicknames
from casino.reports.document import column_order, name_columns

_NUMBERS: Final = {ColumnType.INTEGER.value, ColumnType.MONEY.value, ColumnType.RATE.value}
MAX_FROZEN: Final = 3


@dataclass(frozen=True, slots=True)
class ReportLayout:
    """Which columns of a document a page shows, in which order, and by which others those of ids are named."""

    columns: Sequence[dict[str, str]]
    order: Sequence[int]
    named: Mapping[int, int]

    @classmethod
    def of(cls, content: dict[str, Any]) -> "ReportLayout":
        named = name_columns(content)
        order = [index for index in column_order(content) if index not in named.values()]
        return cls(content["columns"], order, named)

    @property
    def titles(self) -> list[str]:
        return [self.columns[index]["title"] for index in self.order]

    def numeric(self) -> frozenset[str]:
        return frozenset(column["title"] for column in self.columns if column["kind"] in _NUMBERS)

    def cells(self, rows: Sequence[Sequence[Any]]) -> list[list[object]]:
        """Return the cells of rows, with the names of players read at once."""
        names = self._players(rows)
        return [[self._cell(index, row, names) for index in self.order] for row in rows]

    def _players(self, rows: Sequence[Sequence[Any]]) -> dict[str, str]:
        places = [index for index in self.order if self.columns[index]["name"] == "player"]
        if not places or not may_view(html.PAGES["player"]):
            return {}
        keys = [key for row in rows for index in places if (key := as_uuid(str(row[index] or ""))) is not None]
        return {str(key): name for key, name in nicknames(keys).items()}

    def _cell(self, index: int, row: Sequence[Any], players: dict[str, str]) -> object:
        cell, column = row[index], self.columns[index]
        if cell is None or cell == "":
            return html.NOTHING
        if column["kind"] == ColumnType.TIMESTAMP.value:
            return datetime.fromisoformat(cell)
        if isinstance(cell, bool):
            return "yes" if cell else "no"
        key = as_uuid(cell) if isinstance(cell, str) and len(cell) == len(str(UUID(int=0))) else None
        if key is None:
            return cell
        text = (row[self.named[index]] if index in self.named else "") or players.get(cell) or html.short(key)
        return html.page(column["name"], key, text)


def rows_grid(title: str, content: dict[str, Any], rows: Sequence[Sequence[Any]], *, empty: str, note: str) -> Grid:
    """Show rows of a document."""
    layout = ReportLayout.of(content)
    return Grid(title, layout.titles, layout.cells(rows), empty, note=note, numeric=layout.numeric(), frozen=MAX_FROZEN)
