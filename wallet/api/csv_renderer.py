"""Sheets of comma-separated values: made row by row, and streamed."""

import csv
import io
from collections.abc import AsyncIterator, Iterator, Sequence

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import StreamingHttpResponse
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from casino.kernel.csv_escape import escape_cell


class CsvRenderer(BaseRenderer):
    """Lets callers ask for `text/csv` by Accept; the rows are streamed by the view itself."""

    media_type = "text/csv"
    format = "csv"


def download(request: Request, rows: Iterator[str], *, name: str) -> StreamingHttpResponse:
    """Answer with a file of this name, written as it is sent."""
    under_asgi = isinstance(request._request, ASGIRequest)  # noqa: SLF001  (the wrapper has no public name for it)
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingHttpResponse(
        one_by_one(rows) if under_asgi else rows, content_type="text/csv; charset=utf-8", headers=headers
    )


async def one_by_one(rows: Iterator[str]) -> AsyncIterator[str]:
    """Read a blocking iterator without holding up the event loop."""
    following = sync_to_async(lambda: next(rows, None))
    while (row := await following()) is not None:
        yield row


def format_csv(rows: Sequence[Sequence[object]]) -> str:
    """Write rows as CSV (RFC 4180)."""
    sheet = io.StringIO()
    csv.writer(sheet).writerows([[escape_cell(str(cell)) for cell in row] for row in rows])
    return sheet.getvalue()
