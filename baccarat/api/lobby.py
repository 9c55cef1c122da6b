"""The lobby, and a table's scoreboard."""

from typing import Any
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.queries import lobby
from baccarat.queries.board_view import LobbyPage, Scoreboard
from casino.api import paging
from casino.api.fields import MoneyTypeField, parse_query
from casino.api.openapi import operation
from casino.operators.base_views import OperatorOrPlayerView, PlayerView


class StatisticsQuery(serializers.Serializer[Any]):
    """Which run of rounds the board shows."""

    shoe = serializers.IntegerField(
        required=False,
        default=None,
        min_value=1,
        max_value=1_000_000,
        help_text="The number of a long shoe; the one in play when left out.",
    )


class LobbyQuery(serializers.Serializer[Any]):
    """Which tables the lobby lists."""

    money_type = MoneyTypeField(required=False, default=None, help_text="Only tables that play for it.")


class TableStatisticsView(OperatorOrPlayerView):
    @operation(
        "getTableStatistics",
        "Show a table's results in columns and roads",
        returns=Scoreboard,
        parameters=[StatisticsQuery],
        description=(
            "The run is the shoe's; where the cards are shuffled before every round it is up to 72 rounds, after which "
            "the board is wiped as for a new shoe. Rounds in which nobody bet and voided rounds leave no mark. "
            "`columns`: a new one when the winner changes, a tie in the column of the previous winner. Roads are drawn "
            "in six rows: a streak goes down its column and, at the last row or above a taken cell, turns right and "
            "stays on that row; a new streak begins in row 1, one column after the start of the last. `streak` and "
            "`depth` are the logical place, for drawing it otherwise. Big Eye Boy, Small Road and Cockroach Pig are "
            "red where the big road is regular."
        ),
    )
    def get(self, request: Request, table: UUID) -> Response:
        shoe = parse_query(StatisticsQuery, request)["shoe"]
        return Response(lobby.table_board(table=table, operator=self.caller.operator, shoe=shoe))


class LobbyView(PlayerView):
    @operation(
        "getLobby",
        "List the tables to play at, with their last results",
        returns=LobbyPage,
        parameters=[LobbyQuery, *paging.PARAMETERS],
        description="`phase`, `round_number` and `deadline_at` are of the round in hand; null where there is none.",
    )
    def get(self, request: Request) -> Response:
        page, caller = paging.parse_page_request(request, str), self.caller
        rows = lobby.lobby_tables(
            operator=caller.operator,
            viewer=caller.player,
            money_type=parse_query(LobbyQuery, request)["money_type"],
            after=None if page.after is None else paging.parse_uuid(page.after[0]),
            limit=page.fetch_limit,
        )
        return Response(paging.page(LobbyPage, page, rows, key=lambda row: (str(row.id),), item=lambda row: row))
