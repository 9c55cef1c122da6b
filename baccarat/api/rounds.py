"""Rounds: lists, one round in full, and its events."""

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.queries import rounds
from baccarat.queries.round_view import RoundResponse
from baccarat.queries.rounds import RoundEventList, RoundPage
from casino.api import paging
from casino.api.openapi import operation
from casino.operators.base_views import OperatorOrPlayerView
from casino.operators.principals import PlayerPrincipal, Principal


def viewer(caller: Principal) -> UUID | None:
    """Return the player for whom an answer is redacted; None for an operator."""
    return caller.player if isinstance(caller, PlayerPrincipal) else None


class TableRoundsView(OperatorOrPlayerView):
    @operation(
        "listTableRounds", "List a table's rounds, newest first", returns=RoundPage, parameters=paging.PARAMETERS
    )
    def get(self, request: Request, table: UUID) -> Response:
        page, caller = paging.parse_page_request(request, int), self.caller
        before = None if page.after is None else page.after[0]
        rows = rounds.rounds_of_table(
            operator=caller.operator, table=table, viewer=viewer(caller), before=before, limit=page.fetch_limit
        )
        return Response(paging.page(RoundPage, page, rows, key=lambda row: (row.number,), item=lambda row: row))


class RoundsView(OperatorOrPlayerView):
    @operation(
        "listRounds",
        "List rounds, newest first: an operator's, or those a player bet in",
        returns=RoundPage,
        parameters=paging.PARAMETERS,
    )
    def get(self, request: Request) -> Response:
        page, player = paging.parse_page_request(request, str), viewer(self.caller)
        before = None if page.after is None else paging.parse_uuid(page.after[0])
        if player is None:
            rows = rounds.rounds_of_operator(operator=self.caller.operator, before=before, limit=page.fetch_limit)
        else:
            rows = rounds.rounds_of_player(player=player, before=before, limit=page.fetch_limit)
        return Response(paging.page(RoundPage, page, rows, key=lambda row: (str(row.id),), item=lambda row: row))


class RoundView(OperatorOrPlayerView):
    @operation("getRound", "Show one round in full", returns=RoundResponse)
    def get(self, request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        del request
        caller = self.caller
        return Response(rounds.load_round(round_=round, operator=caller.operator, viewer=viewer(caller)))


class RoundEventsView(OperatorOrPlayerView):
    @operation(
        "listRoundEvents",
        "List a round's events as recorded",
        returns=RoundEventList,
        description="Amounts in events are minor units. A player sees the ids of no other player.",
    )
    def get(self, request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        del request
        caller = self.caller
        return Response(rounds.round_events(round_=round, operator=caller.operator, viewer=viewer(caller)))
