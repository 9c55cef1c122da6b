"""Provable fairness: the shoes of a table, and the shoe of a round."""

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.queries import fairness, shoes
from baccarat.queries.fairness import TableFairness
from baccarat.queries.shoes import RoundShoe
from casino.api.openapi import operation
from casino.operators.base_views import OperatorOrPlayerView


class TableFairnessView(OperatorOrPlayerView):
    @operation(
        "getTableFairness",
        "Show what a table has committed to, who has cut, and what it has revealed",
        returns=TableFairness,
        description=(
            "The shoe in play, the next one, committed to ahead of its first bet, and the latest whose seeds are "
            "revealed: with seed and cut anyone can recompute a shoe."
        ),
    )
    def get(self, request: Request, table: UUID) -> Response:
        del request
        return Response(fairness.table_fairness(table=table, operator=self.caller.operator))


class RoundShoeView(OperatorOrPlayerView):
    @operation(
        "getRoundShoe",
        "Show the shoe of a round that has ended, with its cards proven",
        returns=RoundShoe,
        description=(
            "A long shoe's seed stays secret until its end: until then each card of the round, and the one turned when "
            "the shoe started, is proven by its salt and its path to the root published before the shoe's first bet."
        ),
    )
    def get(self, request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        del request
        return Response(shoes.disclose_shoe(round_=round, operator=self.caller.operator))
