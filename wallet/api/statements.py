"""Statements over HTTP: one account of a player over a period, as JSON in pages or as CSV in one stream."""

import csv
import io
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpResponseBase, StreamingHttpResponse
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.fields import money
from casino.kernel.money import text
from casino.operators.principals import Principal
from wallet import queries
from wallet.accounts import AccountKind
from wallet.api.serializers import Form, StatementQuery, shown_line
from wallet.ledger import StatementLine
from wallet.queries import Statement

COLUMNS: Final = ("sequence", "recorded_at", "kind", "amount", "balance", "currency", "entry", "event")
ASKED: Final = ("account", "book", "table", "from", "to", "kind", "format")
_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")


class CsvRenderer(BaseRenderer):
    """Lets callers ask for `text/csv` by Accept; the rows are streamed by the view itself."""

    media_type = "text/csv"
    format = "csv"


def answer(request: Request, caller: Principal, player: Any) -> HttpResponseBase:
    """This will answer a statement in the form that was asked for. Raises UnknownPlayer, PeriodReversed,
    ValidationError, Rejected.
    """
    query = StatementQuery(data={name: request.query_params[name] for name in ASKED if name in request.query_params})
    query.is_valid(raise_exception=True)
    which = query.validated_data
    page = paging.asked(request, int)
    stated = queries.player_statement(
        operator=caller.operator,
        player=player,
        kind=AccountKind(which["account"].value),
        book=which["book"],
        currency=caller.currency,
        table=which["table"],
        since=which["from"],
        until=which["to"],
        kinds=which["kind"],
    )
    wanted = which["format"] or Form(getattr(request.accepted_renderer, "format", Form.JSON))
    if wanted is Form.CSV:
        return _download(request, stated)
    request.accepted_renderer, request.accepted_media_type = JSONRenderer(), JSONRenderer.media_type
    return Response(_shown(stated, page))


def _shown(stated: Statement, page: paging.Page) -> dict[str, Any]:
    currency = stated.account.currency
    lines = stated.lines(before=None if page.after is None else page.after[0], limit=page.fetch)
    shown = paging.answer(page, lines, key=lambda line: (line.sequence,), item=lambda line: shown_line(line, currency))
    return {
        "opening": money(stated.opening.balance, currency),
        "closing": money(stated.closing.balance, currency),
        "moved": money(stated.moved, currency),
        **shown,
    }


def _download(request: Request, stated: Statement) -> StreamingHttpResponse:
    rows = written(stated)
    under_asgi = isinstance(request._request, ASGIRequest)  # noqa: SLF001  (the wrapper has no public name for it)
    name = f"statement-{stated.account.kind}-{stated.account.book}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingHttpResponse(
        one_by_one(rows) if under_asgi else rows, content_type="text/csv; charset=utf-8", headers=headers
    )


async def one_by_one(rows: Iterator[str]) -> AsyncIterator[str]:
    """This will read a blocking iterator without holding up the event loop."""
    following = sync_to_async(lambda: next(rows, None))
    while (row := await following()) is not None:
        yield row


def written(stated: Statement) -> Iterator[str]:
    """This will write a statement as CSV (RFC 4180), oldest first, between its opening and its closing balance."""
    currency = stated.account.currency
    opening, closing = text(stated.opening.balance, currency), text(stated.closing.balance, currency)
    yield _csv([COLUMNS, ("", "", "opening balance", "", opening, currency, "", "")])
    for lines in stated.pages():
        yield _csv([_row(line, currency) for line in lines])
    yield _csv([("", "", "closing balance", "", closing, currency, "", "")])


def _row(line: StatementLine, currency: str) -> Sequence[object]:
    return (
        line.sequence,
        line.recorded_at.isoformat().replace("+00:00", "Z"),
        line.kind,
        text(line.amount, currency),
        text(line.balance, currency),
        currency,
        line.entry,
        line.cause,
    )


def _csv(rows: Sequence[Sequence[object]]) -> str:
    sheet = io.StringIO()
    csv.writer(sheet).writerows([[harmless(str(cell)) for cell in row] for row in rows])
    return sheet.getvalue()


def harmless(cell: str) -> str:
    """This will keep a spreadsheet from reading text as a formula; plain numbers stay numbers."""
    return f"'{cell}" if cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell) else cell
