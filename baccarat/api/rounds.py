"""Rounds: lists, one round in full, its events, shoe and proof, and dispute packs."""

from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat import acts
from baccarat.domain.fairness.commitment import CardOpening
from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.rounds.refusals import RoundIsRunning, UnknownRound
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.tables.refusals import UnknownTable
from baccarat.proofs import dispute_pack
from baccarat.proofs.export import export_round
from baccarat.proofs.loader import TABLE_EVENTS
from baccarat.proofs.refusals import NothingToProve, NotInThatRound, RoundNotSealed
from baccarat.queries import rounds, shoes
from baccarat.queries.offered import require_offered
from baccarat.queries.round_view import CardText, RoundResponse
from baccarat.queries.rounds import RoundEventList, RoundFilter, RoundPage, RoundStatus
from baccarat.queries.shoes import RoundShoe
from casino.api import paging
from casino.api.client_ip import client_ip
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Body, PeriodQuery, Query, parse_body, parse_query, verbatim
from casino.api.shapes import CurrencyCode, HexText, ItemList, Shape, Timestamp, open_enum
from casino.api.views import BaseApiView
from casino.checkpoints import records as checkpoints
from casino.events.periods import PeriodReversed
from casino.operators.base_views import OperatorOrPlayerView, OperatorView
from casino.operators.principals import PlayerPrincipal, Principal

TimeText = Annotated[str, Meta(extra_json_schema={"format": "date-time"}, examples=["2026-11-21T09:00:00.250000Z"])]
"""A time in the proof. Its text is part of the proven content, so it is never reformatted."""


class ProofRound(Shape):
    """Summary of the round."""

    id: UUID
    table: UUID
    operator: UUID
    number: int
    rules: Annotated[HexText, Meta(description="Digest of `rules`, as recorded.")]
    rules_label: Annotated[str, Meta(examples=["mini@1"])]
    currency: CurrencyCode
    phase: Literal["settled", "voided"]
    opened_at: TimeText
    settled_at: TimeText | None
    shoe_position: Annotated[int | None, Meta(description="The first card's place in the shoe.")]
    cards: tuple[CardText, ...]
    player_total: int | None
    banker_total: int | None
    natural: bool | None
    outcome: Outcome | None


class ProofShoe(Shape):
    """The shoe: its seed once it is revealed; of a long one the round's own seed, or its cards opened one by one."""

    id: UUID
    decks: int
    commitment: HexText
    contributions: tuple[Contribution, ...]
    cut: HexText
    seed: HexText | None
    round_seed: HexText | None
    root: HexText | None
    shoe_position: int | None
    openings: tuple[CardOpening, ...]
    dealt: tuple[CardText, ...]


class ProofEvent(Shape):
    """An event of the log with its digest; `data` and `metadata` are null where they are withheld from this reader."""

    position: int
    id: int
    transaction: int
    stream: str
    version: int
    type: Annotated[
        str,
        open_enum(sorted({*rounds.EVENT_NAMES, *TABLE_EVENTS}), example="BettingClosed"),
    ]
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
    inclusion_proofs: tuple[ProofPath, ...]
    checkpoint: Annotated[
        str | None,
        Meta(description="A signed note (C2SP) with its cosignatures; null while no checkpoint was signed."),
    ]
    keys: tuple[dict[str, Any], ...]


class DisputePackUrlRequest(Body):
    """Hours until the link expires: 1 to 168, by default a day."""

    hours: Annotated[int, Meta(ge=1, le=dispute_pack.MAX_HOURS)] = dispute_pack.DEFAULT_HOURS


class DisputePackUrl(Shape):
    """A link to a dispute pack. Anybody with the link can download the pack until it expires."""

    url: Annotated[str, Meta(examples=["https://casino.example/api/v1/dispute-packs/eyJyb3VuZCI6IjAx:1vMHxA:Zk3"])]
    expires_at: Timestamp


class DisputePackKey(Shape):
    """A key that manifests of dispute packs are signed with."""

    public_key: Annotated[HexText, Meta(description="Ed25519.")]


class DisputePackKeyList(ItemList[DisputePackKey]):
    """The keys that manifests of dispute packs are signed with, the one in use first."""


class TableRoundsQuery(Query):
    """Selects rounds of a table."""

    number: Annotated[
        Annotated[int, Meta(ge=1, le=2**31 - 1)] | None, Meta(description="Only the round with this number.")
    ] = None


class RoundsQuery(PeriodQuery):
    """Selects rounds."""

    player: Annotated[UUID | None, Meta(description="Only those in which this player of yours has a wager.")] = None
    wager: Annotated[UUID | None, Meta(description="Only the one with this wager.")] = None
    table: Annotated[UUID | None, Meta(description="Only those at this table.")] = None
    status: Annotated[RoundStatus | None, Meta(description="Only those with this status.")] = None
    rules: Annotated[str, verbatim(64, "Only those by the rules with this digest, at any table.")] | None = None


class OfferedView(OperatorOrPlayerView):
    """A view of a table or a round, which is unknown to those for whom it is not."""

    def check_permissions(self, request: Request) -> None:
        """Check the table or the round in the address as well. Raises UnknownTable, UnknownRound."""
        super().check_permissions(request)
        require_offered(self.caller, table=self.kwargs.get("table"), round_=self.kwargs.get("round"))


class ProofQuery(Query):
    """How soon the proof has to be whole."""

    soon: Annotated[
        bool,
        Meta(
            description="With `true`, a checkpoint that covers the round is signed within seconds if there is none "
            "yet: ask again."
        ),
    ] = False


class RoundProofView(OfferedView):
    @operation(
        "getRoundProof",
        "Export a round for independent verification",
        returns=RoundProof,
        parameters=[ProofQuery],
        description=(
            "Available for settled and voided rounds, to the operator and to players of the round (without staff notes "
            "and other players' money). Check it at /play/verify/, with the stand-alone verifier served there, or with "
            "`manage.py verify`. Some checks are only possible once a checkpoint is signed and the shoe has ended: the "
            "verifiers list them, and a later export contains what they need."
        ),
        refusals=(
            NotInThatRound,
            NothingToProve,
            RoundNotSealed,
            UnknownRound,
        ),
    )
    def get(self, request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        caller, soon = self.caller, parse_query(ProofQuery, request).soon
        document = export_round(round_=round, operator=caller.operator, viewer=viewer(caller))
        if soon and len(document["inclusion_proofs"]) < len(document["events"]):
            checkpoints.ask()
        return Response(msgspec.convert(document, RoundProof))


class DisputePackUrlView(OperatorView):
    act = acts.SHARE_PACK

    @operation(
        "createDisputePackUrl",
        "Create a link to the dispute pack of a round",
        returns=DisputePackUrl,
        status=201,
        request=DisputePackUrlRequest,
        example={"hours": 24},
        description=(
            "A ZIP with the proof, the verifier, events, wagers, ledger entries, a readable timeline, and a signed "
            "manifest. Anybody with the link can download it until it expires; each download is recorded with the IP "
            "address."
        ),
        refusals=(
            NothingToProve,
            UnknownRound,
        ),
    )
    @idempotent
    def post(self, request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        hours, caller = parse_body(DisputePackUrlRequest, request).hours, self.caller
        link = dispute_pack.sign_pack_url(round_=round, operator=caller.operator, by=caller.actor, hours=hours)
        url = request.build_absolute_uri(reverse("dispute-pack", args=[link.token]))
        return Response(DisputePackUrl(url=url, expires_at=link.expires_at), status=201)


class DisputePackKeysView(OperatorOrPlayerView):
    @operation(
        "listDisputePackKeys",
        "List the public keys that dispute packs are signed with",
        returns=DisputePackKeyList,
        description=(
            "Verify the signature of a dispute pack's manifest with them. Keys of earlier packs stay in the list."
        ),
    )
    def get(self, _request: Request) -> Response:
        return Response(DisputePackKeyList.of(DisputePackKey(key) for key in dispute_pack.public_keys()))


class DownloadDisputePackView(BaseApiView):
    """The dispute pack. The signed, expiring link is the only credential."""

    authentication_classes: list[Any] = []

    @extend_schema(exclude=True)
    def get(self, request: Request, token: str) -> HttpResponse:
        """Return the ZIP. Raises UnknownPackUrl."""
        pack = dispute_pack.fetch_pack(token=token, address=client_ip(request._request) or "")  # noqa: SLF001  (DRF's wrapper)
        response = HttpResponse(pack.content, content_type="application/zip")
        response["Content-Disposition"] = f'attachment; filename="{pack.name}"'
        response["Cache-Control"] = "no-store"
        response["Referrer-Policy"] = "no-referrer"
        return response


def viewer(caller: Principal) -> UUID | None:
    """Return the player for whom a response is redacted, None for an operator."""
    return caller.player if isinstance(caller, PlayerPrincipal) else None


class TableRoundsView(OfferedView):
    @operation(
        "listTableRounds",
        "List a table's rounds, newest first",
        returns=RoundPage,
        parameters=[TableRoundsQuery, *paging.PARAMETERS],
        description=(
            "With `number`, the one round with that number at the table. An operator sees all bets, a"
            " player only their own."
        ),
        refusals=(UnknownTable,),
    )
    def get(self, request: Request, table: UUID) -> Response:
        page, caller = paging.parse_page_request(request, int), self.caller
        number = parse_query(TableRoundsQuery, request).number
        if number is not None:
            round_ = rounds.round_of_table(operator=caller.operator, table=table, viewer=viewer(caller), number=number)
            return Response(RoundPage(items=() if round_ is None else (round_,), next=None))
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
        parameters=[RoundsQuery, *paging.PARAMETERS],
        description=(
            "An operator's server gets the rounds at all its tables, a player those that they bet in. Parameters "
            "narrow the list down, together if there are several; an id that you have none of gives an empty list."
        ),
        refusals=(PeriodReversed,),
    )
    def get(self, request: Request) -> Response:
        page, player = paging.parse_page_request(request, str), viewer(self.caller)
        before = None if page.after is None else paging.parse_uuid(page.after[0])
        query = parse_query(RoundsQuery, request)
        if player is not None and query.player not in {None, player}:
            return Response(RoundPage(items=(), next=None))
        where = RoundFilter(
            operator=self.caller.operator,
            player=player or query.player,
            wager=query.wager,
            table=query.table,
            rules=query.rules,
            status=query.status,
            since=query.since,
            until=query.until,
        )
        rows = rounds.list_rounds(where, viewer=player, before=before, limit=page.fetch_limit)
        return Response(paging.page(RoundPage, page, rows, key=lambda row: (str(row.id),), item=lambda row: row))


class RoundView(OfferedView):
    @operation(
        "getRound",
        "Show one round in full",
        returns=RoundResponse,
        description=("Seats, stakes, cards, outcome and payouts. A player sees no ids of other players."),
        refusals=(UnknownRound,),
    )
    def get(self, _request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        caller = self.caller
        return Response(rounds.load_round(round_=round, operator=caller.operator, viewer=viewer(caller)))


class RoundEventsView(OfferedView):
    @operation(
        "listRoundEvents",
        "List a round's events as recorded",
        returns=RoundEventList,
        description="Amounts in events are minor units. A player sees the ids of no other player.",
        refusals=(UnknownRound,),
    )
    def get(self, _request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        caller = self.caller
        return Response(rounds.round_events(round_=round, operator=caller.operator, viewer=viewer(caller)))


class RoundShoeView(OfferedView):
    @operation(
        "getRoundShoe",
        "Show the shoe of an ended round, with proofs of its cards",
        returns=RoundShoe,
        description=(
            "A long shoe's seed stays secret until the shoe ends. Until then each card of the round, and the card "
            "turned over at the start, is proven by its salt and its path to the root that was published before the "
            "first bet."
        ),
        refusals=(
            RoundIsRunning,
            UnknownRound,
        ),
    )
    def get(self, _request: Request, round: UUID) -> Response:  # noqa: A002  (the path's own word)
        return Response(shoes.disclose_shoe(round_=round, operator=self.caller.operator))
