"""Comma-separated values (RFC 4180): the header, an empty line, the columns' names, rows, an empty line, totals.

Text that a spreadsheet would take for a formula is made harmless.
"""

import csv
import io
from typing import Any, Final

from casino.kernel.csv_escape import escape_cell
from casino.reports.document import NO_ACTIVITY, header, totals
from casino.reports.renderers.base import Renderer


def render_csv(document: dict[str, Any]) -> bytes:
    """Write the sheet as UTF-8."""
    sheet = io.StringIO()
    writer = csv.writer(sheet)
    writer.writerows([escape_cell(cell) for cell in line] for line in header(document))
    writer.writerow([])
    writer.writerow([column["name"] for column in document["columns"]])
    writer.writerows(map(_line, document["rows"]))
    if not document["activity"]:
        writer.writerow([NO_ACTIVITY])
    if document["totals"]:
        writer.writerow([])
        writer.writerow(["Totals"])
        writer.writerows(map(_line, totals(document)))
    return sheet.getvalue().encode()


def _line(row: list[Any]) -> list[str]:
    return [escape_cell(cell) if isinstance(cell, str) else _plain(cell) for cell in row]


def _plain(cell: Any) -> str:
    if cell is None:
        return ""
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


CSV: Final = Renderer("csv", "text/csv; charset=utf-8", render_csv)
