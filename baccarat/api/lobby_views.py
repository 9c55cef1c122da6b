"""The lobby and a table's board over HTTP: each view is one call."""

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from baccarat import lobby
from baccarat.api import lobby_documents
from baccarat.api.boards_shown import LobbyQuery
from baccarat.api.views import id_after
from casino.api import paging
from casino.operators.views import EitherView, PlayerView


class TableStatistics(EitherView):
    @lobby_documents.statistics
    def get(self, request: Request, table: UUID) -> Response:
        del request
        return Response(lobby.statistics(table=table, operator=self.caller.operator))


class Lobby(PlayerView):
    @lobby_documents.lobby
    def get(self, request: Request) -> Response:
        page, caller = paging.asked(request, str), self.caller
        query = LobbyQuery(data={name: request.query_params[name] for name in request.query_params.keys() & {"book"}})
        query.is_valid(raise_exception=True)
        found = lobby.tables(
            operator=caller.operator,
            viewer=caller.player,
            book=query.validated_data["book"],
            after=id_after(page),
            limit=page.fetch,
        )
        return Response(paging.answer(page, found, key=lambda line: (line["id"],), item=lambda line: line))
