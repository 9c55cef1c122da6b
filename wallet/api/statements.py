"""Statements over HTTP: one account of a player over a period, as JSON in pages or as CSV in one stream."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from django.http import HttpResponseBase
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.fields import money
from casino.kernel.money import text
from casino.operators.principals import Principal
from wallet.api import csv_renderer
from wallet.api.serializers import Form, StatementQuery, shown_line
from wallet.ledger import queries
from wallet.ledger.accounts import AccountKind
from wallet.ledger.queries import Statement
from wallet.ledger.store import StatementLine

COLUMNS: Final = ("sequence", "recorded_at", "kind", "amount", "balance", "currency", "entry", "event")
ASKED: Final = ("account", "book", "table", "from", "to", "kind", "format")


def answer(request: Request, caller: Principal, player: Any) -> HttpResponseBase:
    """Answer a statement in the form that was asked for. Raises UnknownPlayer, PeriodReversed,
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
        name = f"statement-{stated.account.kind}-{stated.account.book}.csv"
        return csv_renderer.download(request, written(stated), name=name)
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


def written(stated: Statement) -> Iterator[str]:
    """Write a statement as CSV (RFC 4180), oldest first, between its opening and its closing balance."""
    currency = stated.account.currency
    opening, closing = text(stated.opening.balance, currency), text(stated.closing.balance, currency)
    yield csv_renderer.written([COLUMNS, ("", "", "opening balance", "", opening, currency, "", "")])
    for lines in stated.pages():
        yield csv_renderer.written([_row(line, currency) for line in lines])
    yield csv_renderer.written([("", "", "closing balance", "", closing, currency, "", "")])


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
