"""PDF on landscape A4: the header on the first page, the columns' titles and the page's number on each."""

from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from fpdf import FPDF, FPDF_VERSION
from fpdf.enums import TableBordersLayout
from fpdf.fonts import FontFace, TTFFont

from casino.reports.definition import ColumnType
from casino.reports.document import NO_ACTIVITY, header, totals

FONT: Final = "report"
_NUMBERS: Final = frozenset({ColumnType.COUNT, ColumnType.MONEY, ColumnType.RATE})
MAX_FONT_SIZE: Final = 6.5
MIN_FONT_SIZE: Final = 3.5
"""Sizes of type in points; below the smaller one, cells break."""
_WIDEST: Final = 50.0
"""Millimetres that a column may take; longer text breaks."""
_BOLD: Final = 1.13
"""How much wider a heading's letters are."""
MAX_ROWS: Final = 2_000
"""Rows that are put on paper; all of them are in the other forms."""
_HEADING: Final = FontFace(emphasis="BOLD", fill_color=(230, 236, 233))


class ReportPdf(FPDF):
    """Pages with a foot: what it is, its id, and which page this is."""

    footer_text = ""

    def footer(self) -> None:
        self.set_y(-12)
        self.set_font(FONT, size=6)
        self.cell(0, 5, self.footer_text)
        self.cell(0, 5, f"{self.page_no()} / {{nb}}", align="R")


def render_pdf(document: dict[str, Any]) -> bytes:
    """Write the report as PDF; the same document gives the same bytes."""
    sheet = ReportPdf(orientation="landscape", format="A4")
    sheet.set_creation_date(datetime.fromisoformat(document["generated_at"]))
    sheet.set_title(document["title"])
    sheet.set_producer(f"fpdf2 {FPDF_VERSION}")
    for style, file in (("", "DejaVuSans.ttf"), ("B", "DejaVuSans-Bold.ttf")):
        sheet.add_font(FONT, style, _fonts() / file)
    sheet.footer_text = (
        f"{document['title']}, {document['interval']['label']}, {document['id']} version {document['version']}"
    )
    sheet.set_auto_page_break(True, margin=15)
    sheet.add_page()
    _head(sheet, document)
    if document["has_activity"]:
        _grid(sheet, document)
    else:
        sheet.set_font(FONT, "B", size=12)
        sheet.cell(0, 12, NO_ACTIVITY)
    return bytes(sheet.output())


@lru_cache(maxsize=1)
def _fonts() -> Path:
    """Where matplotlib keeps the DejaVu fonts, found without loading it: names may be in any alphabet."""
    found = find_spec("matplotlib")
    if found is None or found.origin is None:
        raise LookupError("The fonts of PDF files come with matplotlib, which is not installed.")
    return Path(found.origin).parent / "mpl-data" / "fonts" / "ttf"


def _head(sheet: ReportPdf, document: dict[str, Any]) -> None:
    sheet.set_font(FONT, "B", size=14)
    sheet.cell(0, 9, document["title"], new_x="LMARGIN", new_y="NEXT")
    sheet.set_font(FONT, size=7)
    sheet.multi_cell(0, 4, document["description"], new_x="LMARGIN", new_y="NEXT")
    sheet.ln(1)
    for name, value in header(document):
        sheet.cell(45, 4, name)
        sheet.multi_cell(0, 4, _legible(sheet, value), new_x="LMARGIN", new_y="NEXT")
    if len(document["rows"]) > MAX_ROWS:
        sheet.cell(0, 4, f"The first {MAX_ROWS} of {len(document['rows'])} rows; all of them are in the other forms.")
    sheet.ln(3)


def _grid(sheet: ReportPdf, document: dict[str, Any]) -> None:
    columns = document["columns"]
    aligned = ["RIGHT" if ColumnType(column["kind"]) in _NUMBERS else "LEFT" for column in columns]
    lines = [[_legible(sheet, cell) for cell in line] for line in _lines(document)]
    size, widths = _sized(sheet, lines)
    sheet.set_font(FONT, size=size)
    with sheet.table(
        col_widths=widths,
        text_align=aligned,
        line_height=size * 0.55,
        headings_style=_HEADING,
        borders_layout=TableBordersLayout.HORIZONTAL_LINES,
        first_row_as_headings=True,
    ) as table:
        for line in lines:
            table.row(line)


def _sized(sheet: ReportPdf, lines: list[list[str]]) -> tuple[float, tuple[float, ...]]:
    """The largest type, up to LARGEST, in which no number and no word of a heading breaks; and each column's width."""
    sheet.set_font(FONT, size=MAX_FONT_SIZE)
    headings, *rows = lines
    wanted = []
    for place, heading in enumerate(headings):
        word = max(map(sheet.get_string_width, heading.split())) * _BOLD
        cell = max((sheet.get_string_width(row[place]) for row in rows), default=0.0)
        wanted.append(max(word, min(cell, _WIDEST)))
    around = 2 * sheet.c_margin + 0.2
    room = sheet.epw - around * len(wanted)
    scale = min(1.0, room / sum(wanted))
    return max(MIN_FONT_SIZE, MAX_FONT_SIZE * scale), tuple(width * scale + around for width in wanted)


def _legible(sheet: FPDF, text: str) -> str:
    """What the font has no letter for by its number, as a box would tell nobody whose name it was."""
    font = sheet.fonts[FONT]
    known = font.cmap if isinstance(font, TTFFont) else {}
    return "".join(each if ord(each) in known or not each.isprintable() else f"[U+{ord(each):04X}]" for each in text)


def _lines(document: dict[str, Any]) -> Iterator[list[str]]:
    columns = document["columns"]
    yield [column["title"] for column in columns]
    for row in [*document["rows"][:MAX_ROWS], *totals(document)]:
        yield [_text(cell, column["kind"]) for cell, column in zip(row, columns, strict=True)]


def _text(cell: Any, kind: str) -> str:
    if cell is None:
        return ""
    if kind == ColumnType.MOMENT.value:
        return f"{datetime.fromisoformat(cell):%Y-%m-%d %H:%M:%S}"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return f"…{cell[-12:]}" if isinstance(cell, str) and len(cell) == 36 and cell.count("-") == 4 else str(cell)
