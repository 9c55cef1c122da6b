"""Provable fairness: cutting, the shoes of a table, and the shoe of a round."""

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.api.actions import ContributionField, TableActionView, action
from baccarat.queries import fairness, shoes
from baccarat.queries.fairness import TableFairness
from baccarat.queries.shoes import RoundShoe
from baccarat.services import cut
from casino.api.fields import StrictSerializer, parse_body
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.operators.base_views import OperatorOrPlayerView


class CutRequest(StrictSerializer):
    """What a player adds to the shoe."""

    contribution = ContributionField()


class ContributeToCutView(TableActionView):
    @action(
        "contributeToCut",
        "Cut the shoe",
        CutRequest,
        {"contribution": "9f2c5e7a41b0d863"},
        "The order of a shoe follows from the house's seed, which the table has committed to, and from the cut: what "
        "seats have added since. The next shoe and its commitment are shown as `next_shoe`, before anybody can bet on "
        "it. Where each round has a shoe of its own, contribute while betting on it is open, or with the stakes that "
        "open it; at a table with a long shoe, to the next one, until it starts. A seat's last contribution counts, 1 "
        "to 32 bytes of your own choice in hex; everyone at the table may see it. No contribution is needed to play.",
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        return Response(cut.contribute(actor=self.actor(table), **parse_body(CutRequest, request)))


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
