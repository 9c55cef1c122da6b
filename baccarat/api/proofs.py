"""Proofs of rounds, and dispute packs."""

from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.api.rounds import viewer
from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.rules.deal import Outcome
from baccarat.proofs import pack_keys, signed_urls
from baccarat.proofs.export import export_round
from baccarat.queries.round_view import CardText
from casino.api.client_ip import address_of
from casino.api.fields import StrictSerializer, WholeNumberField, parse_body
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.shapes import CurrencyCode, HexText, ItemList, Shape, Timestamp
from casino.api.views import BaseApiView
from casino.operators.base_views import OperatorOrPlayerView, OperatorView

TimeText = Annotated[str, Meta(extra_json_schema={"format": "date-time"}, examples=["2026-11-21T09:00:00.250000Z"])]
"""A time as the proof has it: its text is part of what is proven."""


class ProofRound(Shape):
    """What happened, in short."""

    id: UUID
    table: UUID
    operator: UUID
    number: int
    rules: Annotated[str, Meta(examples=["mini@1"])]
    currency: CurrencyCode
    phase: Literal["settled", "voided"]
    opened_at: TimeText
    settled_at: TimeText | None
    position: Annotated[int | None, Meta(description="The first card's place in the shoe.")]
    cards: tuple[CardText, ...]
    player_total: int | None
    banker_total: int | None
    natural: bool | None
    outcome: Outcome | None


class ProofCard(Shape):
    """One card of a shoe that is still in play, with its path to the shoe's root."""

    position: int
    card: CardText
    salt: HexText
    path: tuple[HexText, ...]


class ProofShoe(Shape):
    """The shoe: its seed once it is revealed, else the cards of this round opened one by one."""

    id: UUID
    decks: int
    commitment: HexText
    contributions: tuple[Contribution, ...]
    cut: HexText
    seed: HexText | None
    root: HexText | None
    position: int | None
    openings: tuple[ProofCard, ...]


class ProofEvent(Shape):
    """An event of the log with its digest; `data` and `metadata` are null where they are withheld from this reader."""

    position: int
    id: int
    stream: str
    version: int
    type: Annotated[str, Meta(examples=["BettingClosed"])]
    schema: int
    data: dict[str, Any] | None
    metadata: dict[str, Any] | None
    recorded_at: TimeText
    previous: HexText
    digest: HexText


class ProofPath(Shape):
    """The way from an event up to the root of the checkpoint's tree."""

    position: int
    path: tuple[HexText, ...]


class RoundProof(Shape):
    """One round in the format `casino.round.v1`: it proves itself, by any of the verifiers."""

    format: Literal["casino.round.v1"]
    exported_at: TimeText
    round: ProofRound
    rules: Annotated[dict[str, Any], Meta(description="As recorded, amounts in minor units.")]
    shoe: ProofShoe
    events: tuple[ProofEvent, ...]
    inclusion: tuple[ProofPath, ...]
    checkpoint: Annotated[dict[str, Any] | None, Meta(description="Null while no checkpoint was signed.")]
    keys: tuple[dict[str, Any], ...]


class DisputePackUrlRequest(StrictSerializer):
    """For how many hours the link works: 1 to 168, a day when left out."""

    hours = WholeNumberField(
        required=False, default=signed_urls.DEFAULT_HOURS, min_value=1, max_value=signed_urls.MAX_HOURS
    )


class DisputePackUrl(Shape):
    """Where anybody with the link can download the dispute pack until it expires."""

    url: Annotated[str, Meta(examples=["https://casino.example/api/v1/dispute-packs/eyJyb3VuZCI6IjAx:1vMHxA:Zk3"])]
    expires_at: Timestamp


class DisputePackKey(Shape):
    """A key that manifests of dispute packs are signed with."""

    public_key: Annotated[HexText, Meta(description="Ed25519.")]


class DisputePackKeyList(ItemList[DisputePackKey]):
    """The keys that manifests of dispute packs are signed with, the one in use first."""


class RoundProofView(OperatorOrPlayerView):
    @operation(
        "getRoundProof",
        "Export a round so that anyone can check it",
        returns=RoundProof,
        description=(
            "Only of a round that was settled or voided: to the operator, and to a player who was in it (without "
            "staff's notes and other players' money). Check it on /play/verify/, with the stand-alone verifier that is "
            "served there, or with `manage.py verify`. They name what can't be checked yet, as no checkpoint was "
            "signed since or the shoe still runs: export it again later."
        ),
    )
    def get(self, request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        del request
        caller = self.caller
        document = export_round(round_=round, operator=caller.operator, viewer=viewer(caller))
        return Response(msgspec.convert(document, RoundProof))


class DisputePackUrlView(OperatorView):
    @operation(
        "createDisputePackUrl",
        "Create a link to everything about one round",
        returns=DisputePackUrl,
        status=201,
        request=DisputePackUrlRequest,
        example={"hours": 24},
        description=(
            "A ZIP with the proof, the verifier, events, wagers, ledger entries, the timeline in words, and a signed "
            "manifest. Anybody with the link can download it until it expires; each download is recorded, with the "
            "address."
        ),
    )
    @idempotent
    def post(self, request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        hours, caller = parse_body(DisputePackUrlRequest, request)["hours"], self.caller
        link = signed_urls.sign_pack_url(round_=round, operator=caller.operator, by=caller.actor, hours=hours)
        url = request.build_absolute_uri(reverse("dispute-pack", args=[link.token]))
        return Response(DisputePackUrl(url=url, expires_at=link.expires_at), status=201)


class DisputePackKeysView(OperatorOrPlayerView):
    @operation(
        "listDisputePackKeys", "List the public keys that dispute packs are signed with", returns=DisputePackKeyList
    )
    def get(self, request: Request) -> Response:
        del request
        return Response(DisputePackKeyList.of(DisputePackKey(key) for key in pack_keys.public_keys()))


class DownloadDisputePackView(BaseApiView):
    """The pack itself, for anybody with the link: no credential, but a signature and an end."""

    authentication_classes: list[Any] = []

    @extend_schema(exclude=True)
    def get(self, request: Request, token: str) -> HttpResponse:
        """Answer with the ZIP. Raises UnknownPackUrl."""
        pack = signed_urls.fetch_pack(token=token, address=address_of(request._request) or "")  # noqa: SLF001  (DRF's wrapper)
        answer = HttpResponse(pack.content, content_type="application/zip")
        answer["Content-Disposition"] = f'attachment; filename="{pack.name}"'
        answer["Cache-Control"] = "no-store"
        answer["Referrer-Policy"] = "no-referrer"
        return answer
