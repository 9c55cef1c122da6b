"""The lobby and a table's board over HTTP: each view is one call."""

from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.api import lobby_documents
from baccarat.api.board_shown import LobbyQuery, StatisticsQuery
from baccarat.api.views import id_after
from baccarat.queries import lobby
from casino.api import paging
from casino.api.fields import StrictSerializer
from casino.operators.base_views import OperatorOrPlayerView, PlayerView


def _query(shape: type[StrictSerializer], request: Request, *names: str) -> dict[str, Any]:
    """What the query says by these names. Raises ValidationError."""
    query = shape(data={name: request.query_params[name] for name in names if name in request.query_params})
    query.is_valid(raise_exception=True)
    found: dict[str, Any] = query.validated_data
    return found


class TableStatistics(OperatorOrPlayerView):
    @lobby_documents.statistics
    def get(self, request: Request, table: UUID) -> Response:
        asked = _query(StatisticsQuery, request, "shoe")
        return Response(lobby.table_board(table=table, operator=self.caller.operator, shoe=asked["shoe"]))


class Lobby(PlayerView):
    @lobby_documents.lobby
    def get(self, request: Request) -> Response:
        page, caller = paging.parse_page_request(request, str), self.caller
        asked = _query(LobbyQuery, request, "money_type")
        found = lobby.tables(
            operator=caller.operator,
            viewer=caller.player,
            money_type=asked["money_type"],
            after=id_after(page),
            limit=page.fetch_limit,
        )
        return Response(paging.present_page(page, found, key=lambda line: (line["id"],), item=lambda line: line))
