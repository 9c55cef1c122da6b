"""Tables and rounds over HTTP, for operators' servers and for players: each view is one call."""

from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.api import documents
from baccarat.api.bodies import TableOpening
from baccarat.domain.rules import odds, odds_page
from baccarat.queries import tables
from baccarat.services import opening
from casino.api import paging
from casino.api.error_catalogue import INVALID_CURSOR, RequestRejected
from casino.api.fields import parse_body
from casino.api.idempotency import idempotent
from casino.operators.auth import OperatorKeyAuthentication, OperatorOrPlayerAuthentication
from casino.operators.base_views import OperatorOrPlayerView, metadata
from casino.operators.principals import PlayerPrincipal, Principal


def viewer(caller: Principal) -> UUID | None:
    """Return the player whose eyes see the answer; None for an operator."""
    return caller.player if isinstance(caller, PlayerPrincipal) else None


def id_after(page: paging.PageRequest) -> UUID | None:
    """Read the id that a cursor holds, None on the first page. Raises Rejected (invalid_cursor)."""
    if page.after is None:
        return None
    try:
        return UUID(page.after[0])
    except ValueError:
        raise RequestRejected(INVALID_CURSOR) from None


class Tables(OperatorOrPlayerView):
    def get_authenticators(self) -> list[Any]:
        """Let operators alone open tables."""
        return (
            [OperatorKeyAuthentication()]
            if getattr(self.request, "method", None) == "POST"
            else [OperatorOrPlayerAuthentication()]
        )

    @documents.list_tables
    def get(self, request: Request) -> Response:
        page = paging.parse_page_request(request, str)
        found = tables.tables(operator=self.caller.operator, after=id_after(page), limit=page.fetch_limit)
        return Response(paging.present_page(page, found, key=lambda line: (line["id"],), item=lambda line: line))

    @documents.open_table
    @idempotent
    def post(self, request: Request) -> Response:
        given, operator = parse_body(TableOpening, request), self.caller.operator
        table = opening.open_table(
            operator=operator,
            name=given["name"],
            preset=given["preset"],
            currency=given["currency"],
            money_types=given["money_types"],
            edge_accepted=given["accept_player_edge"],
            overrides=given["rules"],
            acknowledgement=given["acknowledgement"],
            metadata=metadata(request),
        )
        return Response(tables.table(table=table, operator=operator, viewer=None), status=201)


class Table(OperatorOrPlayerView):
    @documents.show_table
    def get(self, request: Request, table: UUID) -> Response:
        del request
        caller = self.caller
        return Response(tables.table(table=table, operator=caller.operator, viewer=viewer(caller)))


class TableOdds(OperatorOrPlayerView):
    @documents.table_odds
    def get(self, request: Request, table: UUID) -> Response:
        del request
        rules = tables.rules(table=table, operator=self.caller.operator)
        return Response(odds_page.odds_document(odds.odds_sheet(rules)))


class TableRounds(OperatorOrPlayerView):
    @documents.table_rounds
    def get(self, request: Request, table: UUID) -> Response:
        page, caller = paging.parse_page_request(request, int), self.caller
        before = None if page.after is None else page.after[0]
        found = tables.rounds_of_table(
            operator=caller.operator, table=table, viewer=viewer(caller), before=before, limit=page.fetch_limit
        )
        return Response(paging.present_page(page, found, key=lambda line: (line["number"],), item=lambda line: line))


class Rounds(OperatorOrPlayerView):
    @documents.rounds
    def get(self, request: Request) -> Response:
        page, player = paging.parse_page_request(request, str), viewer(self.caller)
        before = id_after(page)
        if player is None:
            found = tables.rounds_of_operator(operator=self.caller.operator, before=before, limit=page.fetch_limit)
        else:
            found = tables.rounds_of_player(player=player, before=before, limit=page.fetch_limit)
        return Response(paging.present_page(page, found, key=lambda line: (line["id"],), item=lambda line: line))


class Round(OperatorOrPlayerView):
    @documents.show_round
    def get(self, request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        del request
        caller = self.caller
        return Response(tables.round_(round_=round, operator=caller.operator, viewer=viewer(caller)))


class RoundEvents(OperatorOrPlayerView):
    @documents.round_events
    def get(self, request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        del request
        caller = self.caller
        found = tables.round_events(round_=round, operator=caller.operator, viewer=viewer(caller))
        return Response({"items": found})
