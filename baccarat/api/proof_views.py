"""The proof of a round over HTTP: each view is one call."""

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.api import proof_documents
from baccarat.api.views import viewer
from baccarat.proofs.export import export
from casino.operators.views import EitherView


class RoundProof(EitherView):
    @proof_documents.round_proof
    def get(self, request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        del request
        caller = self.caller
        return Response(export(round_=round, operator=caller.operator, viewer=viewer(caller)))
