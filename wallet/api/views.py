"""The wallet's part of the API: players and their money, for operators and for players themselves."""

from typing import Any, Final
from uuid import UUID

from django.http import HttpResponseBase
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.error_catalogue import INVALID_CURSOR, RequestRejected
from casino.api.fields import parse_body, present_money
from casino.api.idempotency import idempotent
from casino.operators.base_views import OperatorView, PlayerView, metadata
from casino.operators.queries import find_player, list_players
from wallet.api import csv_renderer, documents, statements
from wallet.api.serializers import (
    CreditRequest,
    PlayerRequest,
    present_balances,
    present_player,
)
from wallet.ledger import player_accounts, queries
from wallet.responsible_gaming import queries as protection

STATEMENT_RENDERERS: Final = [JSONRenderer, csv_renderer.CsvRenderer]


class PlayerListView(OperatorView):
    """The caller's players."""

    @documents.register_player
    @idempotent
    def post(self, request: Request) -> Response:
        given = parse_body(PlayerRequest, request)
        player = player_accounts.register_player(
            operator=self.caller.operator, currency=self.caller.currency, metadata=metadata(request), **given
        )
        return Response(present_player(player), status=201)

    @documents.list_players
    def get(self, request: Request) -> Response:
        page = paging.parse_page_request(request, str)
        after = None if page.after is None else _id(page.after[0])
        players = list_players(operator=self.caller.operator, after=after, limit=page.fetch_limit)
        return Response(paging.present_page(page, players, key=lambda player: (str(player.id),), item=present_player))


class PlayerDetailView(OperatorView):
    """One of the caller's players."""

    @documents.get_player
    def get(self, request: Request, player: UUID) -> Response:
        del request
        return Response(present_player(find_player(operator=self.caller.operator, player=player)))


class SandboxCreditsView(OperatorView):
    """Credits from nothing, for trying things out."""

    @documents.credit_player
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        given = parse_body(CreditRequest, request)
        balance = player_accounts.credit_sandbox_player(
            operator=self.caller.operator,
            player=player,
            sandbox=self.caller.sandbox,
            metadata=metadata(request),
            **given,
        )
        shown = {
            "player": player,
            "money_type": given["money_type"].value,
            "balance": present_money(balance, given["currency"]),
        }
        return Response(shown, status=201)


class PlayerBalancesView(OperatorView):
    """What one of the caller's players has."""

    @documents.player_balances
    def get(self, request: Request, player: UUID) -> Response:
        del request
        return Response(_balances(self.caller.operator, player))


class PlayerStatementView(OperatorView):
    """What moved on an account of one of the caller's players."""

    renderer_classes = STATEMENT_RENDERERS

    @documents.player_statement
    def get(self, request: Request, player: UUID) -> HttpResponseBase:
        return statements.statement_response(request, self.caller, player)


class MyBalancesView(PlayerView):
    """What the player who asks has."""

    @documents.my_balances
    def get(self, request: Request) -> Response:
        del request
        return Response(_balances(self.caller.operator, self.caller.player))


class MyStatementView(PlayerView):
    """What moved on an account of the player who asks."""

    renderer_classes = STATEMENT_RENDERERS

    @documents.my_statement
    def get(self, request: Request) -> HttpResponseBase:
        return statements.statement_response(request, self.caller, self.caller.player)


def _balances(operator: UUID, player: UUID) -> dict[str, Any]:
    balances = queries.player_balances(operator=operator, player=player)
    return present_balances(balances, protection.reminder(operator=operator, player=player))


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise RequestRejected(INVALID_CURSOR) from None
