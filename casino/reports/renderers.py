"""Render a report's document as a file: JSON, CSV, Parquet or PDF."""

import csv
import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

import msgspec

from casino.kernel import money
from casino.kernel.csv_escape import escape_cell
from casino.reports.definition import ColumnType
from casino.reports.document import NO_ACTIVITY, RATE_DECIMALS, header, read, totals
from casino.reports.intervals import ReportPeriod
from casino.reports.models import Report
from casino.reports.refusals import UnknownFormat

MONEY_DECIMALS: Final = money.MAX_EXPONENT
"""The most of any currency, so that amounts of all of them fit one column."""


@dataclass(frozen=True, slots=True)
class Renderer:
    """`render` turns a document into bytes; None sends the stored document, so that its SHA-256 is the recorded one."""

    media_type: str
    render: Callable[[dict[str, Any]], bytes] | None


@dataclass(frozen=True, slots=True)
class RenderedReport:
    name: str
    media_type: str
    content: bytes


class _HeadOperator(msgspec.Struct):
    slug: str


class _Head(msgspec.Struct):
    """What a file's name takes from the document."""

    operator: _HeadOperator


def format_names() -> list[str]:
    return list(RENDERERS)


def render_report(report: Report, format_name: str) -> RenderedReport:
    """Render a stored version as a file. Raises UnknownFormat."""
    renderer = RENDERERS.get(format_name)
    if renderer is None:
        raise UnknownFormat(f"{format_name[:40]!r} is none of {', '.join(format_names())}.")
    content = bytes(report.content)
    name = f"{file_stem(report)}.{format_name}"
    body = content if renderer.render is None else renderer.render(read(content))
    return RenderedReport(name, renderer.media_type, body)


def file_stem(report: Report) -> str:
    """Return the name of a version's files: operator, report, period in the operator's time zone, version.

    One of an interval that was not over says so.
    """
    slug = msgspec.json.decode(bytes(report.content), type=_Head).operator.slug
    period = re.sub(r"[^0-9T-]+", "", report.label.replace(" to ", "-").replace(" ", "T")).strip("-T")
    prefix = f"{report.period}-" if report.period in {ReportPeriod.LIFETIME, ReportPeriod.INTERVAL} else ""
    so_far = "" if report.generated_at >= report.until else "-so-far"
    return f"{slug}-{report.name}-{prefix}{period}-v{report.version}{so_far}"


def render_csv(document: dict[str, Any]) -> bytes:
    """Render comma-separated values (RFC 4180): header, column names, rows, totals, separated by empty lines.

    Text that a spreadsheet would interpret as a formula is escaped.
    """
    sheet = io.StringIO()
    writer = csv.writer(sheet)
    writer.writerows([escape_cell(cell) for cell in line] for line in header(document))
    writer.writerow([])
    writer.writerow([column["name"] for column in document["columns"]])
    writer.writerows(map(_csv_line, document["rows"]))
    if not document["has_activity"]:
        writer.writerow([NO_ACTIVITY])
    if document["totals"]:
        writer.writerow([])
        writer.writerow(["Totals"])
        writer.writerows(map(_csv_line, totals(document)))
    return sheet.getvalue().encode()


def _csv_line(row: list[Any]) -> list[str]:
    return [escape_cell(cell) if isinstance(cell, str) else _csv_cell(cell) for cell in row]


def _csv_cell(cell: Any) -> str:
    if cell is None:
        return ""
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


def render_parquet(document: dict[str, Any]) -> bytes:
    """Render the rows with typed columns, money as decimal128, and the header as metadata; no totals."""
    import pyarrow as arrow
    from pyarrow import parquet

    types = {
        ColumnType.TEXT: arrow.string(),
        ColumnType.INTEGER: arrow.int64(),
        ColumnType.MONEY: arrow.decimal128(38, MONEY_DECIMALS),
        ColumnType.RATE: arrow.decimal128(38, RATE_DECIMALS),
        ColumnType.TIMESTAMP: arrow.timestamp("us", tz="UTC"),
        ColumnType.BOOLEAN: arrow.bool_(),
    }
    fields, arrays = [], []
    for index, column in enumerate(document["columns"]):
        kind = ColumnType(column["kind"])
        cells = [_parquet_cell(row[index], kind) for row in document["rows"]]
        fields.append(arrow.field(column["name"], types[kind], metadata={"title": column["title"]}))
        arrays.append(arrow.array(cells, type=types[kind]))
    schema = arrow.schema(fields, metadata=dict(header(document)))
    sink = io.BytesIO()
    parquet.write_table(arrow.Table.from_arrays(arrays, schema=schema), sink, compression="zstd")
    return sink.getvalue()


_PARSERS: Final[dict[ColumnType, Callable[[Any], Any]]] = {
    ColumnType.MONEY: Decimal,
    ColumnType.RATE: Decimal,
    ColumnType.TIMESTAMP: datetime.fromisoformat,
}


def _parquet_cell(cell: Any, kind: ColumnType) -> Any:
    parse = _PARSERS.get(kind)
    return cell if cell is None or parse is None else parse(cell)


def render_pdf(document: dict[str, Any]) -> bytes:
    from casino.reports import pdf

    return pdf.render_pdf(document)


# Parquet and PDF need heavy libraries, imported when one of these files is rendered.
RENDERERS: Final[Mapping[str, Renderer]] = {
    "json": Renderer("application/json", None),
    "csv": Renderer("text/csv; charset=utf-8", render_csv),
    "parquet": Renderer("application/vnd.apache.parquet", render_parquet),
    "pdf": Renderer("application/pdf", render_pdf),
}
