"""What a workbook says, as another program reads it."""

import io
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from openpyxl import load_workbook

from casino.api.sheets import format_cell

MEDIA_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def open_workbook(content: bytes) -> Any:
    """Open a workbook, and demand that none of its cells is a formula."""
    workbook = load_workbook(io.BytesIO(content))
    for sheet in workbook.worksheets:
        assert not [cell.coordinate for row in sheet.iter_rows() for cell in row if cell.data_type == "f"]
    return workbook


def rows_of(content: bytes, sheet: str) -> list[list[str]]:
    """Return the rows of a sheet as CSV has them; times are as exact as spreadsheets show them, to the millisecond."""
    return [[as_text(cell) for cell in row] for row in open_workbook(content)[sheet].iter_rows()]


def as_text(cell: Any) -> str:
    """Return a cell as its format shows it, without separators of thousands."""
    if isinstance(cell.value, datetime):
        return format_cell(cell.value.replace(tzinfo=UTC))
    if isinstance(cell.value, int | float) and not isinstance(cell.value, bool):
        return f"{cell.value:.{len(cell.number_format.partition('.')[2])}f}"
    return format_cell(cell.value)


def differences(line: Sequence[str], cells: Sequence[str]) -> list[tuple[str, str]]:
    """Return where a row of a sheet differs from one of another format by more than a time's microseconds."""
    return [(one, other) for one, other in zip(line, cells, strict=True) if one != other and not _is_one(one, other)]


def _is_one(one: str, other: str) -> bool:
    return abs(datetime.fromisoformat(one) - datetime.fromisoformat(other)) < timedelta(milliseconds=1)
