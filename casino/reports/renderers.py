"""Render a report's document as a file: JSON, CSV, XLSX or PDF."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import msgspec

from casino.api.sheets import XLSX, ColumnType, Sheet, pieces_of, write_csv, write_xlsx
from casino.kernel.persons import STAFF
from casino.operators.notices import names_of
from casino.reports.document import NO_ACTIVITY, column_order, header, read, totals
from casino.reports.intervals import ReportPeriod
from casino.reports.models import Report
from casino.reports.refusals import UnknownFormat


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
    body = content if renderer.render is None else renderer.render(_with_people(read(content)))
    return RenderedReport(name, renderer.media_type, body)


def _with_people(document: dict[str, Any]) -> dict[str, Any]:
    """Name members of staff among the cells by their logins, as they are now."""
    cells = {cell for row in document["rows"] for cell in row if isinstance(cell, str) and cell.startswith(f"{STAFF}:")}
    names = names_of(cells) if cells else {}
    rows = [[names.get(cell, cell) if isinstance(cell, str) else cell for cell in row] for row in document["rows"]]
    return {**document, "rows": rows}


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
    """Render comma-separated values: header, column names, rows, totals, separated by empty lines."""
    lines: list[Sequence[Any]] = [*header(document), [], [column["name"] for column in document["columns"]]]
    lines += document["rows"] if document["has_activity"] else [[NO_ACTIVITY]]
    if document["totals"]:
        lines += [[], ["Totals"], *totals(document)]
    return b"".join(write_csv(lines))


def render_xlsx(document: dict[str, Any]) -> bytes:
    """Render a workbook: the rows with their key columns first, the totals, and what the report is about."""
    columns = {column["name"]: ColumnType(column["kind"]) for column in document["columns"]}
    indexes = column_order(document)
    order = {name: columns[name] for name in (list(columns)[index] for index in indexes)}

    def sheet(name: str, rows: Sequence[Sequence[Any]]) -> Sheet:
        return Sheet(name, order, ([row[index] for index in indexes] for row in rows), keys=3)

    about = Sheet("About", {"about": ColumnType.TEXT, "value": ColumnType.TEXT}, header(document))
    sheets = [sheet("Report", document["rows"]), *([sheet("Totals", totals(document))] if document["totals"] else [])]
    made_at = datetime.fromisoformat(document["generated_at"])
    return b"".join(pieces_of(write_xlsx([*sheets, about], made_at=made_at)))


def render_pdf(document: dict[str, Any]) -> bytes:
    from casino.reports import pdf

    return pdf.render_pdf(document)


# PDF needs a heavy library, imported when such a file is rendered.
RENDERERS: Final[Mapping[str, Renderer]] = {
    "json": Renderer("application/json", None),
    "csv": Renderer("text/csv; charset=utf-8", render_csv),
    "xlsx": Renderer(XLSX, render_xlsx),
    "pdf": Renderer("application/pdf", render_pdf),
}
