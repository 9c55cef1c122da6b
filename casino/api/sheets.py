"""Tables as files that people open: CSV and XLSX. No cell of either is a formula."""

import csv
import io
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from itertools import chain, islice
from typing import IO, Any, Final

CSV: Final = "text/csv"
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
BYTE_ORDER_MARK: Final = "\ufeff"
"""Without it Excel reads a CSV file in the code page of its machine, and names become garbage."""
_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)
_FORMULA: Final = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t", "\r", "\n")
_PIECE: Final = 1 << 16
"""Characters or bytes that are gathered before they are sent."""
MAX_ROWS: Final = 1_048_575
"""Rows below the header of one sheet of a workbook; the others are on further sheets."""
MAX_TEXT: Final = 32_767
"""UTF-16 units of a cell of a workbook."""
_CUT: Final = "… (cut: the CSV file has all of it)"
MAX_DIGITS: Final = 15
"""Spreadsheets round numbers that have more."""
_WIDEST: Final = 48
_EPOCH: Final = datetime(1899, 12, 30, tzinfo=UTC)


class ColumnType(StrEnum):
    """The type of a column's values. MONEY is a decimal in its currency's decimals, RATE a share of one."""

    TEXT = "text"
    INTEGER = "integer"
    MONEY = "money"
    RATE = "rate"
    TIMESTAMP = "timestamp"
    BOOLEAN = "boolean"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: the types of its columns by name, and rows whose cells are written alike in every format.

    Amounts and rates are decimal strings, times are RFC 3339 or `datetime`; None is an empty cell. The first `keys`
    columns stay in sight in a workbook.
    """

    name: str
    columns: Mapping[str, ColumnType]
    rows: Iterable[Sequence[Any]]
    keys: int = 1


def escape_cell(cell: str) -> str:
    """Put an apostrophe before text that a spreadsheet would read as a formula; plain numbers stay numbers.

    Source: OWASP, "CSV Injection".
    """
    return f"'{cell}" if cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell) else cell


def format_cell(cell: Any) -> str:
    """Return a cell as text: a time in RFC 3339, nothing for None."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, datetime):
        return cell.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return str(cell)


def write_csv(rows: Iterable[Sequence[Any]]) -> Iterator[bytes]:
    """Write rows as CSV (RFC 4180) in UTF-8 with a byte order mark, in pieces."""
    text = io.StringIO(newline="")
    text.write(BYTE_ORDER_MARK)
    writer = csv.writer(text)
    for row in rows:
        writer.writerow([escape_cell(format_cell(cell)) for cell in row])
        if text.tell() >= _PIECE:
            yield text.getvalue().encode()
            text.seek(0)
            text.truncate()
    yield text.getvalue().encode()


def sheet_as_csv(sheet: Sheet) -> Iterator[bytes]:
    """Write a table with a header as CSV, in pieces."""
    return write_csv(chain([list(sheet.columns)], sheet.rows))


def write_xlsx(sheets: Iterable[Sheet], *, made_at: datetime | None = None) -> IO[bytes]:
    """Write tables as the sheets of a workbook in a temporary file; rows are read one at a time.

    The same tables made at the same time give the same bytes.
    """
    from xlsxwriter import Workbook

    file = tempfile.TemporaryFile()  # noqa: SIM115  (the caller reads it, and it vanishes when it is closed)
    workbook = Workbook(file, {"constant_memory": True, "use_zip64": True})
    if made_at is not None:
        workbook.set_properties({"created": made_at.astimezone(UTC).replace(tzinfo=None)})
    formats = _Formats(workbook)
    for sheet in sheets:
        for number, rows in enumerate(_pages(iter(sheet.rows)), start=1):
            _write_page(workbook, formats, sheet, rows, number)
    workbook.close()
    file.seek(0)
    return file


def pieces_of(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file in pieces, and close it."""
    with file:
        while piece := file.read(_PIECE):
            yield piece


class _Formats:
    """The formats of a workbook's cells, each made once."""

    def __init__(self, workbook: Any) -> None:
        self._workbook = workbook
        self._made: dict[str, Any] = {}
        self.header = workbook.add_format({"bold": True, "bottom": 1})
        self.time = self.of("yyyy-mm-dd hh:mm:ss")

    def of(self, number_format: str) -> Any:
        if number_format not in self._made:
            self._made[number_format] = self._workbook.add_format({"num_format": number_format})
        return self._made[number_format]

    def decimals(self, places: int) -> Any:
        return self.of(f"#,##0.{'0' * places}" if places else "#,##0")


def _pages(rows: Iterator[Sequence[Any]]) -> Iterator[Iterable[Sequence[Any]]]:
    """Yield the rows of one sheet after another, the first one's also where there are none."""
    yield islice(rows, MAX_ROWS)
    for first in rows:
        yield chain([first], islice(rows, MAX_ROWS - 1))


def _write_page(workbook: Any, formats: _Formats, sheet: Sheet, rows: Iterable[Sequence[Any]], number: int) -> None:
    page = workbook.add_worksheet(sheet.name if number == 1 else f"{sheet.name} {number}")
    page.freeze_panes(1, sheet.keys)
    page.set_landscape()
    page.fit_to_pages(1, 0)
    page.repeat_rows(0)
    widths = [len(name) for name in sheet.columns]
    for index, name in enumerate(sheet.columns):
        page.write_string(0, index, name, formats.header)
    kinds, line = list(sheet.columns.values()), 0
    for line, row in enumerate(rows, start=1):
        for index, (cell, kind) in enumerate(zip(row, kinds, strict=True)):
            if cell is not None:
                widths[index] = max(widths[index], _write_cell(page, formats, (line, index), cell, kind))
    for index, width in enumerate(widths):
        page.set_column(index, index, min(width, _WIDEST) + 2)
    page.autofilter(0, 0, line, len(widths) - 1)


def _write_cell(page: Any, formats: _Formats, at: tuple[int, int], cell: Any, kind: ColumnType) -> int:
    """Write a cell by its column's type, as text where a spreadsheet could not show it exactly; return its width."""
    text = format_cell(cell)
    if kind is ColumnType.BOOLEAN and isinstance(cell, bool):
        page.write_boolean(*at, cell)
    elif kind is ColumnType.TIMESTAMP and text:
        page.write_number(*at, (datetime.fromisoformat(text) - _EPOCH) / timedelta(days=1), formats.time)
        return 19
    elif kind in _NUMERIC and _NUMBER.fullmatch(text) and len(Decimal(text).as_tuple().digits) <= MAX_DIGITS:
        page.write_number(*at, float(text), formats.decimals(len(text.partition(".")[2])))
        return len(text) + len(text) // 4  # with its separators of thousands
    else:
        page.write_string(*at, _cut(text))
    return len(text)


_NUMERIC: Final = frozenset({ColumnType.INTEGER, ColumnType.MONEY, ColumnType.RATE})


def _cut(text: str) -> str:
    """Cut a text that a cell cannot hold, and say so in it."""
    if len(text) <= MAX_TEXT // 2 or len(units := text.encode("utf-16-le")) <= 2 * MAX_TEXT:
        return text
    return units[: 2 * (MAX_TEXT - len(_CUT))].decode("utf-16-le", "ignore") + _CUT
