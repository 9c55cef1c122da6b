"""Statements over HTTP: one account of a player over a period, as JSON in pages or as CSV in one stream."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from django.http import HttpResponseBase
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.fields import present_money
from casino.kernel.money import format_amount
from casino.operators.principals import Principal
from wallet.api import csv_renderer
from wallet.api.serializers import StatementFormat, StatementQuery, present_statement_line
from wallet.ledger import queries
from wallet.ledger.accounts import AccountKind
from wallet.ledger.queries import AccountStatement
from wallet.ledger.store import StatementLine

COLUMNS: Final = ("sequence", "recorded_at", "kind", "amount", "balance", "currency", "entry", "event")
QUERY_PARAMETERS: Final = ("account", "money_type", "table", "from", "to", "kind", "format")


def statement_response(request: Request, caller: Principal, player: Any) -> HttpResponseBase:
    """Answer a statement in the form that was asked for. Raises UnknownPlayer, PeriodReversed,
    ValidationError, Rejected.
    """
    query = StatementQuery(
        data={name: request.query_params[name] for name in QUERY_PARAMETERS if name in request.query_params}
    )
    query.is_valid(raise_exception=True)
    which = query.validated_data
    page = paging.parse_page_request(request, int)
    stated = queries.player_statement(
        operator=caller.operator,
        player=player,
        kind=AccountKind(which["account"].value),
        money_type=which["money_type"],
        currency=caller.currency,
        table=which["table"],
        since=which["from"],
        until=which["to"],
        kinds=which["kind"],
    )
    wanted = which["format"] or StatementFormat(getattr(request.accepted_renderer, "format", StatementFormat.JSON))
    if wanted is StatementFormat.CSV:
        name = f"statement-{stated.account.kind}-{stated.account.money_type}.csv"
        return csv_renderer.download(request, format_statement_csv(stated), name=name)
    request.accepted_renderer, request.accepted_media_type = JSONRenderer(), JSONRenderer.media_type
    return Response(_shown(stated, page))


def _shown(stated: AccountStatement, page: paging.PageRequest) -> dict[str, Any]:
    currency = stated.account.currency
    lines = stated.lines(before=None if page.after is None else page.after[0], limit=page.fetch_limit)
    shown = paging.present_page(
        page, lines, key=lambda line: (line.sequence,), item=lambda line: present_statement_line(line, currency)
    )
    return {
        "opening": present_money(stated.opening.balance, currency),
        "closing": present_money(stated.closing.balance, currency),
        "moved": present_money(stated.net_change, currency),
        **shown,
    }


def format_statement_csv(stated: AccountStatement) -> Iterator[str]:
    """Write a statement as CSV (RFC 4180), oldest first, between its opening and its closing balance."""
    currency = stated.account.currency
    opening, closing = format_amount(stated.opening.balance, currency), format_amount(stated.closing.balance, currency)
    yield csv_renderer.format_csv([COLUMNS, ("", "", "opening balance", "", opening, currency, "", "")])
    for lines in stated.pages():
        yield csv_renderer.format_csv([_row(line, currency) for line in lines])
    yield csv_renderer.format_csv([("", "", "closing balance", "", closing, currency, "", "")])


def _row(line: StatementLine, currency: str) -> Sequence[object]:
    return (
        line.sequence,
        line.recorded_at.isoformat().replace("+00:00", "Z"),
        line.kind,
        format_amount(line.amount, currency),
        format_amount(line.balance, currency),
        currency,
        line.entry,
        line.cause,
    )
