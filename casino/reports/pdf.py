"""Render a report as PDF on landscape A4: the header on the first page, column titles and a page number on each."""

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
from casino.reports.document import NO_ACTIVITY, header, title, totals

FONT: Final = "report"
_NUMBERS: Final = frozenset({ColumnType.INTEGER, ColumnType.MONEY, ColumnType.RATE})
MAX_FONT_SIZE: Final = 6.5
MIN_FONT_SIZE: Final = 3.5
"""Font sizes in points; a table that needs a smaller one breaks its cells into lines."""
_MAX_COLUMN_WIDTH: Final = 50.0
"""In millimetres; longer text breaks into lines."""
_BOLD_WIDTH_RATIO: Final = 1.13
"""Width of bold text relative to regular text."""
MAX_ROWS: Final = 2_000
"""Maximum rows in a PDF file; the other formats have all of them."""
_HEADING: Final = FontFace(emphasis="BOLD", fill_color=(230, 236, 233))


class ReportPdf(FPDF):
    """A document whose footer shows its title, id and page number."""

    footer_text = ""

    def footer(self) -> None:
        self.set_y(-12)
        self.set_font(FONT, size=6)
        self.cell(0, 5, self.footer_text)
        self.cell(0, 5, f"{self.page_no()} / {{nb}}", align="R")


def render_pdf(document: dict[str, Any]) -> bytes:
    """Render a document; the same document gives the same bytes."""
    sheet = ReportPdf(orientation="landscape", format="A4")
    sheet.set_creation_date(datetime.fromisoformat(document["generated_at"]))
    sheet.set_title(title(document))
    sheet.set_producer(f"fpdf2 {FPDF_VERSION}")
    for style, file in (("", "DejaVuSans.ttf"), ("B", "DejaVuSans-Bold.ttf")):
        sheet.add_font(FONT, style, _font_folder() / file)
    sheet.footer_text = (
        f"{title(document)}, {document['interval']['label']}, {document['id']} version {document['version']}"
    )
    sheet.set_auto_page_break(True, margin=15)
    sheet.add_page()
    _write_header(sheet, document)
    if document["has_activity"]:
        _write_table(sheet, document)
    else:
        sheet.set_font(FONT, "B", size=12)
        sheet.cell(0, 12, NO_ACTIVITY)
    return bytes(sheet.output())


@lru_cache(maxsize=1)
def _font_folder() -> Path:
    """Return the folder of the DejaVu fonts, which have many alphabets, without importing matplotlib."""
    spec = find_spec("matplotlib")
    if spec is None or spec.origin is None:
        raise LookupError("The fonts of PDF files come with matplotlib, which is not installed.")
    return Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"


def _write_header(sheet: ReportPdf, document: dict[str, Any]) -> None:
    sheet.set_font(FONT, "B", size=14)
    sheet.cell(0, 9, title(document), new_x="LMARGIN", new_y="NEXT")
    sheet.set_font(FONT, size=7)
    sheet.multi_cell(0, 4, document["description"], new_x="LMARGIN", new_y="NEXT")
    sheet.ln(1)
    for name, value in header(document):
        sheet.cell(45, 4, name)
        sheet.multi_cell(0, 4, _replace_missing_glyphs(sheet, value), new_x="LMARGIN", new_y="NEXT")
    if len(document["rows"]) > MAX_ROWS:
        sheet.cell(0, 4, f"The first {MAX_ROWS} of {len(document['rows'])} rows; the other formats have all of them.")
    sheet.ln(3)


def _write_table(sheet: ReportPdf, document: dict[str, Any]) -> None:
    columns = document["columns"]
    alignment = ["RIGHT" if ColumnType(column["kind"]) in _NUMBERS else "LEFT" for column in columns]
    lines = [[_replace_missing_glyphs(sheet, cell) for cell in line] for line in _lines(document)]
    size, widths = _fit(sheet, lines)
    sheet.set_font(FONT, size=size)
    with sheet.table(
        col_widths=widths,
        text_align=alignment,
        line_height=size * 0.55,
        headings_style=_HEADING,
        borders_layout=TableBordersLayout.HORIZONTAL_LINES,
        first_row_as_headings=True,
    ) as table:
        for line in lines:
            table.row(line)


def _fit(sheet: ReportPdf, lines: list[list[str]]) -> tuple[float, tuple[float, ...]]:
    """Return the font size, at most MAX_FONT_SIZE, at which no number and no heading's word breaks, and all widths."""
    sheet.set_font(FONT, size=MAX_FONT_SIZE)
    headings, *rows = lines
    text_widths = []
    for index, heading in enumerate(headings):
        word = max(map(sheet.get_string_width, heading.split())) * _BOLD_WIDTH_RATIO
        cell = max((sheet.get_string_width(row[index]) for row in rows), default=0.0)
        text_widths.append(max(word, min(cell, _MAX_COLUMN_WIDTH)))
    padding = 2 * sheet.c_margin + 0.2
    available = sheet.epw - padding * len(text_widths)
    scale = min(1.0, available / sum(text_widths))
    return max(MIN_FONT_SIZE, MAX_FONT_SIZE * scale), tuple(width * scale + padding for width in text_widths)


def _replace_missing_glyphs(sheet: FPDF, text: str) -> str:
    """Replace characters that the font lacks by their code points: an empty box would make a name unreadable."""
    font = sheet.fonts[FONT]
    glyphs = font.cmap if isinstance(font, TTFFont) else {}
    return "".join(
        character if ord(character) in glyphs or not character.isprintable() else f"[U+{ord(character):04X}]"
        for character in text
    )


def _lines(document: dict[str, Any]) -> Iterator[list[str]]:
    columns = document["columns"]
    yield [column["title"] for column in columns]
    for row in [*document["rows"][:MAX_ROWS], *totals(document)]:
        yield [_text(cell, column["kind"]) for cell, column in zip(row, columns, strict=True)]


def _text(cell: Any, kind: str) -> str:
    if cell is None:
        return ""
    if kind == ColumnType.TIMESTAMP.value:
        return f"{datetime.fromisoformat(cell):%Y-%m-%d %H:%M:%S}"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return f"…{cell[-12:]}" if isinstance(cell, str) and len(cell) == 36 and cell.count("-") == 4 else str(cell)
