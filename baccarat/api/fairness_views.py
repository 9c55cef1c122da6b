"""Cutting, and what is told of shoes, over HTTP: each view is one call."""

from uuid import UUID

import msgspec
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.api import fairness_documents
from baccarat.api.actions import Action
from baccarat.api.bodies import Cut, TableClosing
from baccarat.queries import fairness, shoes
from baccarat.services import closing, cut
from casino.api.fields import parse_body
from casino.api.idempotency import idempotent
from casino.operators.base_views import OperatorOrPlayerView, OperatorView, metadata


class GiveCut(Action):
    @fairness_documents.give_cut
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        return Response(cut.contribute(actor=self.guest(table), **parse_body(Cut, request)))


class TableFairness(OperatorOrPlayerView):
    @fairness_documents.table_fairness
    def get(self, request: Request, table: UUID) -> Response:
        del request
        return Response(fairness.fairness(table=table, operator=self.caller.operator))


class CloseTable(OperatorView):
    @fairness_documents.close_table
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        operator = self.caller.operator
        given = parse_body(TableClosing, request)
        closing.close_table(table=table, operator=operator, reason=given["reason"], metadata=metadata(request))
        return Response(fairness.fairness(table=table, operator=operator))


class RoundShoe(OperatorOrPlayerView):
    @fairness_documents.round_shoe
    def get(self, request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        del request
        found = shoes.disclose_shoe(round_=round, operator=self.caller.operator)
        return Response({"round": str(round), **msgspec.to_builtins(found)})
