"""What operators record about their players: KYC status and tags, notes, and complaints."""

from typing import Annotated, Final
from uuid import UUID

from msgspec import Meta
from msgspec.structs import asdict
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat import acts
from baccarat.risk import players
from baccarat.risk.models import KycStatus, PlayerStatus, Screening
from baccarat.risk.players import NumberedNote
from baccarat.risk.refusals import InvalidPlayerStatus, InvalidScreening, ReceivedInFuture
from casino.api import paging
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Body, Moment, Query, Text, parse_body, parse_query, verbatim
from casino.api.shapes import Page, Shape, Timestamp
from casino.compliance import cases
from casino.compliance.cases_api import CaseResponse
from casino.crypto.crypto_shredding import PersonalDataErased
from casino.operators import assertions
from casino.operators.base_views import OperatorView
from casino.operators.models import Player
from casino.operators.refusals import UnknownPlayer
from casino.operators.services import find_player, list_players

MAX_TAG_LENGTH: Final = 30


class PlayerText(Text):
    limit, multiline = players.MAX_TEXT_LENGTH, True


class ListName(Text):
    limit = players.MAX_SOURCE_LENGTH


class PlayerStatusRequest(Body):
    """The KYC status, the tags, or both. What is left out stays as it is; `tags` replace all tags."""

    kyc: KycStatus | None = None
    tags: Annotated[
        Annotated[tuple[Annotated[str, verbatim(MAX_TAG_LENGTH)], ...], Meta(max_length=players.MAX_TAGS)] | None,
        Meta(
            description="Words of your own, of small letters, digits and hyphens, such as `vip`. Name no person in "
            "them."
        ),
    ] = None


class PlayerStatusesQuery(Query):
    """Selects players."""

    kyc: Annotated[KycStatus | None, Meta(description="Only those with this KYC status.")] = None
    tag: Annotated[str, verbatim(MAX_TAG_LENGTH, "Only those with this tag.")] | None = None


class PlayerStatusResponse(Shape):
    """How far a player's identity is verified, and the tags."""

    player: UUID
    reference: Annotated[str, Meta(examples=["customer-8812"])]
    kyc: Annotated[KycStatus, Meta(description="`unknown` until somebody sets it. Values may be added.")]
    tags: Annotated[tuple[str, ...], Meta(description="In alphabetical order.", examples=[["vip"]])]
    set_by: Annotated[str | None, Meta(examples=["desk:agent-9"])]
    set_at: Annotated[Timestamp | None, Meta(description="Null if nobody has set anything.")]

    @classmethod
    def of(cls, player: Player, status: PlayerStatus | None) -> "PlayerStatusResponse":
        """Present the status of a player whose personal fields are decrypted."""
        if status is None:
            return cls(player.id, player.reference, KycStatus.UNKNOWN, (), None, None)
        tags = tuple(status.tags)
        return cls(player.id, player.reference, KycStatus(status.kyc), tags, status.by, status.at)


class PlayerStatusPage(Page[PlayerStatusResponse]):
    """Players with their status, in the order of their registration."""


class PlayerNoteRequest(Body):
    """A note for staff; the player is not shown it."""

    text: PlayerText


class PlayerNoteResponse(Shape):
    """A note about a player."""

    number: Annotated[int, Meta(description="The notes about a player are numbered from 1.")]
    text: Annotated[str, Meta(examples=["Asked for a payslip."])]
    by: Annotated[str, Meta(examples=["desk:agent-9"])]
    at: Timestamp

    @classmethod
    def of(cls, note: NumberedNote) -> "PlayerNoteResponse":
        """Present a decrypted note."""
        return cls(note.number, note.text, note.by, note.at)


class PlayerNotePage(Page[PlayerNoteResponse]):
    """Notes about a player, newest first."""


class ComplaintRequest(Body):
    """What a player complains about."""

    text: Annotated[PlayerText, Meta(description="In the player's words.")]
    received_at: Annotated[Moment | None, Meta(description="When it reached you; by default now.")] = None


class PlayerStatusesView(OperatorView):
    """The status of the caller's players."""

    for_brands = frozenset({"GET"})

    @operation(
        "listPlayerStatuses",
        "List your players with KYC status and tags, in the order of their registration",
        parameters=[PlayerStatusesQuery, *paging.PARAMETERS],
        returns=PlayerStatusPage,
        description="All players, or those with a KYC status, a tag, or both.",
    )
    def get(self, request: Request) -> Response:
        page = paging.parse_page_request(request, str)
        chosen = players.has_status(**asdict(parse_query(PlayerStatusesQuery, request)))
        listed = list_players(
            operator=self.caller.operator,
            after=None if page.after is None else paging.parse_uuid(page.after[0]),
            limit=page.fetch_limit,
            brand=self.caller.brand,
            among=Player.objects.filter(chosen).values_list("id", flat=True) if chosen else None,
        )
        statuses = players.statuses_of([player.id for player in listed])
        rows = [PlayerStatusResponse.of(player, statuses.get(player.id)) for player in listed]
        return Response(
            paging.page(PlayerStatusPage, page, rows, key=lambda row: (str(row.player),), item=lambda row: row)
        )


class PlayerStatusView(OperatorView):
    """The status of one of the caller's players."""

    act = acts.ASSESS_PLAYER

    @operation(
        "getPlayerStatus",
        "Show a player's KYC status and tags",
        returns=PlayerStatusResponse,
        description="What you or the casino's staff set last.",
        refusals=(UnknownPlayer,),
    )
    def get(self, _request: Request, player: UUID) -> Response:
        row = find_player(operator=self.caller.operator, player=player)
        return Response(PlayerStatusResponse.of(row, players.current_status(player)))

    @operation(
        "setPlayerStatus",
        "Set a player's KYC status, tags or both",
        request=PlayerStatusRequest,
        parameters=[assertions.OPTIONAL_PARAMETER],
        example={"kyc": "verified", "tags": ["vip"]},
        returns=PlayerStatusResponse,
        description=(
            "It keeps nobody from playing: for that, exclude or stop the player. Withdrawals may be held by it, as the "
            "policy for them says. Earlier values are kept, with who set them and when."
        ),
        refusals=(InvalidPlayerStatus, UnknownPlayer),
    )
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        body, operator = parse_body(PlayerStatusRequest, request), self.caller.operator
        status = players.set_status(operator=operator, player=player, by=self.use_person_or_key(), **asdict(body))
        return Response(PlayerStatusResponse.of(find_player(operator=operator, player=player), status))


class ScreeningRequest(Body):
    """What your screening found, or does not find any more."""

    status: Screening
    listed: bool
    on: Annotated[Moment, Meta(description="When the screening said so.")]
    list_name: Annotated[ListName, Meta(description="Whose list. Name no person in it.")]


class ScreeningFact(Shape):
    """What a screening found last about one status."""

    status: Screening
    listed: bool
    on: Annotated[str, Meta(description="A day.", examples=["2026-11-01"])]
    list_name: Annotated[str, Meta(examples=["UN consolidated list"])]


class PlayerScreeningResponse(Shape):
    """What screenings found about a player."""

    player: UUID
    statuses: tuple[ScreeningFact, ...]

    @classmethod
    def of(cls, player: UUID, status: PlayerStatus | None) -> "PlayerScreeningResponse":
        """Present what is known of a player."""
        found = {} if status is None else status.screening
        facts = (
            ScreeningFact(Screening(name), each["listed"], each["on"], each["source"])
            for name, each in sorted(found.items())
        )
        return cls(player, tuple(facts))


class ScreeningView(OperatorView):
    """What screenings found about one of the caller's players."""

    act = acts.SCREEN_PLAYER
    confidential = True

    @operation(
        "getPlayerScreening",
        "Show what screenings for sanctions and politically exposed persons found about a player",
        returns=PlayerScreeningResponse,
        description="The last word about each status. The player is not shown it.",
        refusals=(UnknownPlayer,),
    )
    def get(self, _request: Request, player: UUID) -> Response:
        status = players.status_of(operator=self.caller.operator, player=player)
        return Response(PlayerScreeningResponse.of(player, status))

    @operation(
        "setPlayerScreening",
        "Record what a screening found about a player",
        request=ScreeningRequest,
        parameters=[assertions.OPTIONAL_PARAMETER],
        example={"status": "sanctions", "listed": True, "on": "2026-11-01", "list_name": "UN consolidated list"},
        returns=PlayerScreeningResponse,
        description=(
            "The casino screens nobody itself. While a player is listed, withdrawals are held until your compliance "
            "desk releases them. Earlier values are kept, with who set them and when."
        ),
        refusals=(InvalidScreening, UnknownPlayer),
    )
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        body, operator = parse_body(ScreeningRequest, request), self.caller.operator
        status = players.set_screening(
            operator=operator,
            player=player,
            found=body.status,
            listed=body.listed,
            on=body.on.date(),
            source=body.list_name,
            by=self.use_person_or_key(),
        )
        return Response(PlayerScreeningResponse.of(player, status))


class PlayerNotesView(OperatorView):
    """Notes about one of the caller's players."""

    act = acts.ASSESS_PLAYER

    @operation(
        "listPlayerNotes",
        "List the notes about a player, newest first",
        parameters=paging.PARAMETERS,
        returns=PlayerNotePage,
        description="Notes of your staff and of the casino's. The player is not shown them.",
        refusals=(UnknownPlayer,),
    )
    def get(self, request: Request, player: UUID) -> Response:
        page = paging.parse_page_request(request, int)
        before = None if page.after is None else page.after[0]
        rows = players.notes_of(operator=self.caller.operator, player=player, before=before, limit=page.fetch_limit)
        return Response(
            paging.page(PlayerNotePage, page, rows, key=lambda note: (note.number,), item=PlayerNoteResponse.of)
        )

    @operation(
        "addPlayerNote",
        "Add a note about a player",
        request=PlayerNoteRequest,
        parameters=[assertions.OPTIONAL_PARAMETER],
        example={"text": "Asked for a payslip."},
        returns=PlayerNoteResponse,
        status=201,
        description="For good: it can't be changed. It is encrypted under the player's key, and ends with an erasure.",
        refusals=(PersonalDataErased, UnknownPlayer),
    )
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        text, operator = parse_body(PlayerNoteRequest, request).text, self.caller.operator
        note = players.add_note(operator=operator, player=player, text=text, by=self.use_person_or_key())
        return Response(PlayerNoteResponse.of(note), status=201)


class ComplaintsView(OperatorView):
    """Complaints of one of the caller's players."""

    act = acts.ASSESS_PLAYER

    @operation(
        "fileComplaint",
        "File a player's complaint: open a case with the deadline of its answer",
        request=ComplaintRequest,
        parameters=[assertions.OPTIONAL_PARAMETER],
        example={"text": "The third card came late.", "received_at": "2026-11-01T09:00:00Z"},
        returns=CaseResponse,
        status=201,
        description=(
            "The deadline is what the rules of your jurisdiction leave from `received_at` on. Each complaint is a case "
            "of its own: read, assign and resolve it as any case, and list them with `GET /cases?kind=complaint`."
        ),
        refusals=(PersonalDataErased, ReceivedInFuture, UnknownPlayer),
    )
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        body, operator = parse_body(ComplaintRequest, request), self.caller.operator
        case = players.open_complaint(operator=operator, player=player, by=self.use_person_or_key(), **asdict(body))
        return Response(CaseResponse.of(cases.find_case(case, operator=operator)), status=201)
