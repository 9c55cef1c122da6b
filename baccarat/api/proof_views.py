"""The proof of a round over HTTP: each view is one call."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.api import proof_documents
from baccarat.api.proof_serializers import PackAsked
from baccarat.api.views import viewer
from baccarat.proofs import pack_keys, signed_urls
from baccarat.proofs.export import export_round
from casino.api.client_ip import address_of
from casino.api.fields import parse_body
from casino.api.idempotency import idempotent
from casino.api.views import BaseApiView
from casino.operators.base_views import OperatorOrPlayerView, OperatorView


class RoundProof(OperatorOrPlayerView):
    @proof_documents.round_proof
    def get(self, request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        del request
        caller = self.caller
        return Response(export_round(round_=round, operator=caller.operator, viewer=viewer(caller)))


class DisputePack(OperatorView):
    @proof_documents.link_pack
    @idempotent
    def post(self, request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        hours, caller = parse_body(PackAsked, request)["hours"], self.caller
        link = signed_urls.sign_pack_url(round_=round, operator=caller.operator, by=caller.actor, hours=hours)
        url = request.build_absolute_uri(reverse("dispute-pack", args=[link.token]))
        return Response({"url": url, "expires_at": link.expires_at}, status=201)


class PackKeys(OperatorOrPlayerView):
    @proof_documents.pack_keys
    def get(self, request: Request) -> Response:
        del request
        return Response({"items": [{"public": key} for key in pack_keys.public_keys()]})


class FetchPack(BaseApiView):
    """The pack itself, for whoever has the link: no credential, but a signature and an end."""

    authentication_classes: list[Any] = []

    @extend_schema(exclude=True)
    def get(self, request: Request, token: str) -> HttpResponse:
        """Hand the ZIP out. Raises UnknownPackLink."""
        pack = signed_urls.fetch_pack(token=token, address=address_of(request._request) or "")  # noqa: SLF001  (DRF's wrapper)
        answer = HttpResponse(pack.content, content_type="application/zip")
        answer["Content-Disposition"] = f'attachment; filename="{pack.name}"'
        answer["Cache-Control"] = "no-store"
        answer["Referrer-Policy"] = "no-referrer"
        return answer
