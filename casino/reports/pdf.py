"""Render a report as PDF on landscape A4: the header on the first page, column titles and a page number on each."""

import unicodedata
from collections.abc import Container, Iterator
from datetime import datetime
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from fontTools import unicodedata as scripts
from fpdf import FPDF, FPDF_VERSION
from fpdf.enums import TableBordersLayout
from fpdf.fonts import FontFace, TTFFont

from casino.api.sheets import ColumnType
from casino.reports.document import NO_ACTIVITY, column_order, header, name_columns, title, totals

FONT: Final = "report"
BUILT_IN: Final = "helvetica"
"""The font of every PDF reader, with Latin-1 alone: for a folder without Noto Sans."""
_CJK: Final = frozenset({"Han", "Hangul", "Hiragana", "Katakana", "Bopomofo"})
_SIMPLIFIED: Final = 2
"""The number of Noto Sans CJK SC in its collection."""
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
MAX_PLACES: Final = 12
"""Cells without a font that are named."""
_LATIN_1: Final = 0x100
_HEADING: Final = FontFace(emphasis="BOLD", fill_color=(230, 236, 233))


class ReportPdf(FPDF):
    """A document whose footer shows its title, id and page number."""

    footer_text = ""
    face = BUILT_IN

    def __init__(self, **layout: Any) -> None:
        super().__init__(**layout)
        self.fallbacks: list[str] = []

    def footer(self) -> None:
        self.set_y(-12)
        self.set_font(self.face, size=6)
        self.cell(0, 5, self.footer_text)
        self.cell(0, 5, f"{self.page_no()} / {{nb}}", align="R")

    def lacks(self, text: str) -> bool:
        """Return whether no font has one of these characters."""
        return not text.isascii() and any(not self._has(character) for character in text)

    def printable(self, text: str) -> str:
        """Replace characters that no font has by their code points: an empty box would make a name unreadable."""
        if text.isascii():
            return text
        shown = (each if self._has(each) else f"[U+{ord(each):04X}]" for each in text if not self._vanishes(each))
        return "".join(shown)

    def _has(self, character: str) -> bool:
        return self._vanishes(character) or (
            ord(character) < _LATIN_1
            if self.face == BUILT_IN
            else any(ord(character) in self._glyphs(font) for font in (FONT, *self.fallbacks))
        )

    def _vanishes(self, character: str) -> bool:
        """Return whether a character has no picture of its own and no font: marks of direction and joiners."""
        invisible = unicodedata.category(character) in {"Cc", "Cf"}
        return invisible and (self.face == BUILT_IN or ord(character) not in self._glyphs(FONT))

    def _glyphs(self, name: str) -> Container[int]:
        font = self.fonts[name]
        return font.cmap if isinstance(font, TTFFont) else ()


def render_pdf(document: dict[str, Any]) -> bytes:
    """Render a document with names instead of ids, where it has both; the same document gives the same bytes."""
    document = _arranged(document)
    sheet = ReportPdf(orientation="landscape", format="A4")
    sheet.set_creation_date(datetime.fromisoformat(document["generated_at"]))
    sheet.set_title(title(document))
    sheet.set_producer(f"fpdf2 {FPDF_VERSION}")
    lines = list(_lines(document))
    _add_fonts(sheet, "".join([title(document), *(value for _, value in header(document)), *map("".join, lines)]))
    sheet.footer_text = (
        f"{title(document)}, {document['interval']['label']}, {document['id']} version {document['version']}"
    )
    sheet.set_auto_page_break(True, margin=15)
    sheet.add_page()
    _write_header(sheet, document, lines)
    if document["has_activity"]:
        _write_table(sheet, document, lines)
    else:
        sheet.set_font(sheet.face, "B", size=12)
        sheet.cell(0, 12, NO_ACTIVITY)
    return bytes(sheet.output())


def _arranged(document: dict[str, Any]) -> dict[str, Any]:
    """Put the columns as people read them, and leave out ids whose names are beside them."""
    names = name_columns(document)
    order = list(dict.fromkeys(names.get(index, index) for index in column_order(document)))
    tables = {part: [[row[index] for index in order] for row in document[part]] for part in ("rows", "totals")}
    return {**document, **tables, "columns": [document["columns"][index] for index in order]}


def _add_fonts(sheet: ReportPdf, text: str) -> None:
    """Add Noto Sans and those of its fonts that the scripts of a text need, as far as `PDF_FONTS` has them."""
    fonts = _fonts(settings.PDF_FONTS)
    base = fonts.get("NotoSans-Regular.ttf")
    if base is None:
        return
    sheet.face = FONT
    sheet.add_font(FONT, "", base)
    sheet.add_font(FONT, "B", fonts.get("NotoSans-Bold.ttf", base))
    names = {scripts.script_name(scripts.script(character)) for character in set(text)}
    for name in sorted({"CJK" if each in _CJK else each.replace("_", "").replace(" ", "") for each in names}):
        file = fonts.get(f"NotoSans{name}-Regular.{'ttc' if name == 'CJK' else 'ttf'}")
        if file is not None:
            sheet.add_font(name.lower(), "", file, collection_font_number=_SIMPLIFIED if name == "CJK" else 0)
            sheet.fallbacks.append(name.lower())
    sheet.set_fallback_fonts(sheet.fallbacks, exact_match=False)
    sheet.set_text_shaping(use_shaping_engine=True)


@lru_cache(maxsize=4)
def _fonts(folder: str) -> dict[str, Path]:
    """Return the files of Noto Sans in a folder, and in those below it, by name."""
    return {file.name: file for file in sorted(Path(folder).rglob("NotoSans*.tt[cf]"))} if folder else {}


def _write_header(sheet: ReportPdf, document: dict[str, Any], lines: list[list[str]]) -> None:
    sheet.set_font(sheet.face, "B", size=14)
    sheet.cell(0, 9, title(document), new_x="LMARGIN", new_y="NEXT")
    sheet.set_font(sheet.face, size=7)
    sheet.multi_cell(0, 4, sheet.printable(document["description"]), new_x="LMARGIN", new_y="NEXT")
    sheet.ln(1)
    for name, value in header(document):
        sheet.cell(45, 4, name)
        sheet.multi_cell(0, 4, sheet.printable(value), new_x="LMARGIN", new_y="NEXT")
    if len(document["rows"]) > MAX_ROWS:
        sheet.cell(0, 4, f"The first {MAX_ROWS} of {len(document['rows'])} rows; the other formats have all of them.")
        sheet.ln(4)
    places = _unprintable(sheet, document, lines)
    if places:
        where = "; ".join(places[:MAX_PLACES]) + (f" and {len(places) - MAX_PLACES} more" * (len(places) > MAX_PLACES))
        told = f"There is no font here for characters of: {where}. They are written as [U+...]; the XLSX file has them."
        sheet.multi_cell(0, 4, told, new_x="LMARGIN", new_y="NEXT")
    sheet.ln(3)


def _unprintable(sheet: ReportPdf, document: dict[str, Any], lines: list[list[str]]) -> list[str]:
    """Return where there are characters without a font: lines of the header, and columns with their rows."""
    places = [name for name, value in header(document) if sheet.lacks(value)]
    cells = [
        (column, number)
        for column, column_title in enumerate(lines[0])
        for number, line in enumerate(lines[1:], start=1)
        if sheet.lacks(line[column])
    ]
    for column, found in groupby(cells, key=lambda cell: cell[0]):
        rows = [str(number) for _, number in found]
        more = f" and {len(rows) - MAX_PLACES} more" * (len(rows) > MAX_PLACES)
        places.append(f"{lines[0][column]} in row{'s' * (len(rows) > 1)} {', '.join(rows[:MAX_PLACES])}{more}")
    return places


def _write_table(sheet: ReportPdf, document: dict[str, Any], lines: list[list[str]]) -> None:
    columns = document["columns"]
    alignment = ["RIGHT" if ColumnType(column["kind"]) in _NUMBERS else "LEFT" for column in columns]
    lines = [list(map(sheet.printable, line)) for line in lines]
    size, widths = _fit(sheet, lines)
    sheet.set_font(sheet.face, size=size)
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
    sheet.set_font(sheet.face, size=MAX_FONT_SIZE)
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
    return f"...{cell[-12:]}" if isinstance(cell, str) and len(cell) == 36 and cell.count("-") == 4 else str(cell)
