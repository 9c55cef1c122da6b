"""A table's chat over HTTP, for players: read and write messages, close the chat, report others."""

from typing import Annotated, Any, Final
from uuid import UUID

from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat.chat import queries, services
from baccarat.chat.queries import Chat, ChatMessageResponse
from baccarat.chat.refusals import (
    AlreadyReported,
    CannotReportYourself,
    ChatIsClosed,
    MessageEmpty,
    MessageNotPrintable,
    MessageTooLong,
    OnlySeatedMayWrite,
    PlayerIsMuted,
    SeatIsEmpty,
    TooManyMessages,
    TooManyReports,
    UnknownMessage,
)
from baccarat.domain.rules.table_rules import SEATS
from baccarat.domain.tables.refusals import UnknownSeat, UnknownTable
from baccarat.queries.nicknames import shown_nicknames
from baccarat.queries.offered import require_offered
from baccarat.services.seats import TableActor
from casino.api import paging
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Body, OptionalNoteText, integer, parse_body
from casino.api.shapes import Shape
from casino.crypto.crypto_shredding import PersonalDataErased
from casino.operators.base_views import PlayerView, metadata

MAX_NOTE_LENGTH: Final = 500


class ChatMessageRequest(Body):
    """Something to say at a table."""

    text: Annotated[str, Meta(description="One line of plain text, 1 to 200 characters, as people count them.")]


class ChatOpenRequest(Body):
    """Whether the chat is open."""

    open: bool


class MessageReportRequest(Body):
    """What is wrong with a message."""

    reason: OptionalNoteText = OptionalNoteText()


class PlayerReportRequest(MessageReportRequest, kw_only=True):
    """What is wrong with the player in a seat."""

    seat: Annotated[int, integer(*SEATS)]


class ChatOpen(Shape):
    """Whether the chat is open."""

    open: Annotated[bool, Meta(examples=[False])]


class ChatReportCreated(Shape):
    """The new report."""

    id: UUID


class ChatView(PlayerView):
    """Base of the views of a table's chat."""

    def check_permissions(self, request: Request) -> None:
        """Check that the table is for the player. Raises UnknownTable."""
        super().check_permissions(request)
        require_offered(self.caller, table=self.kwargs["table"])

    def table_actor(self, request: Request, table: UUID) -> TableActor:
        return TableActor(table, self.caller.operator, self.caller.player, metadata(request))


class TableChatView(ChatView):
    """The messages at a table."""

    @operation(
        "getTableChat",
        "Read a table's chat, newest first",
        description=(
            "For players who sit at the table or watch it. Writers are identified by the seat they had, and by their "
            "nickname if they show it."
        ),
        parameters=paging.PARAMETERS,
        returns=Chat,
        refusals=(UnknownTable,),
    )
    def get(self, request: Request, table: UUID) -> Response:
        page, after = parse_id_page(request)
        status = queries.chat_status(actor=self.table_actor(request, table))
        messages = queries.history(table=table, viewer=self.caller.player, after=after, limit=page.fetch_limit)
        return Response(paging.page(Chat, page, messages, key=id_key, item=lambda message: message, **status))

    @operation(
        "sendChatMessage",
        "Say something at the table",
        description=(
            "For players with a seat. At most 5 messages in 10 seconds. Bad language is masked with asterisks. The "
            "live stream sends everyone at the table an event `ChatMessageSent` with `message`, `seat`, `nickname` "
            "(null unless the writer shows it) and `text`."
        ),
        request=ChatMessageRequest,
        example={"text": "Good luck, darn!"},
        returns=ChatMessageResponse,
        status=201,
        refusals=(
            ChatIsClosed,
            MessageEmpty,
            MessageNotPrintable,
            MessageTooLong,
            OnlySeatedMayWrite,
            PersonalDataErased,
            PlayerIsMuted,
            TooManyMessages,
            UnknownTable,
        ),
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        text = parse_body(ChatMessageRequest, request).text
        message = services.say(actor=self.table_actor(request, table), text=text)
        place = (table, message.player, message.seat)
        response = ChatMessageResponse(
            id=message.id,
            seat=message.seat,
            nickname=shown_nicknames(places=[place]).get(place),
            you=True,
            text=message.displayed_text,
            sent_at=message.sent_at,
        )
        return Response(response, status=201)


class ChatOpenView(ChatView):
    """Whether the caller has closed the chat of a table."""

    @operation(
        "setTableChatOpen",
        "Close the chat of a table for yourself, or open it again",
        request=ChatOpenRequest,
        example={"open": False},
        returns=ChatOpen,
        description=("A closed chat is neither shown nor sent to you; the others at the table go on."),
        refusals=(UnknownTable,),
    )
    def put(self, request: Request, table: UUID) -> Response:
        is_open = parse_body(ChatOpenRequest, request).open
        services.set_open(actor=self.table_actor(request, table), is_open=is_open)
        return Response(ChatOpen(is_open))


class ReportMessageView(ChatView):
    """Reports of one message."""

    @operation(
        "reportChatMessage",
        "Report a message to the moderators",
        description="Once for each message. Nobody at the table is notified.",
        request=MessageReportRequest,
        example={"reason": "Rude again and again."},
        returns=ChatReportCreated,
        status=201,
        refusals=(
            AlreadyReported,
            CannotReportYourself,
            PersonalDataErased,
            TooManyReports,
            UnknownMessage,
            UnknownTable,
        ),
    )
    @idempotent
    def post(self, request: Request, table: UUID, message: UUID) -> Response:
        reason = parse_body(MessageReportRequest, request).reason
        report = services.report_message(actor=self.table_actor(request, table), message=message, reason=reason)
        return Response(ChatReportCreated(report), status=201)


class ReportPlayerView(ChatView):
    """Reports of the player in a seat."""

    @operation(
        "reportTablePlayer",
        "Report the player in a seat to the moderators",
        description="At most 5 reports in 10 minutes. Nobody at the table is notified.",
        request=PlayerReportRequest,
        example={"seat": 2, "reason": "Spoils the game."},
        returns=ChatReportCreated,
        status=201,
        refusals=(
            AlreadyReported,
            CannotReportYourself,
            PersonalDataErased,
            SeatIsEmpty,
            TooManyReports,
            UnknownSeat,
            UnknownTable,
        ),
    )
    @idempotent
    def post(self, request: Request, table: UUID) -> Response:
        body = parse_body(PlayerReportRequest, request)
        report = services.report_player(actor=self.table_actor(request, table), seat=body.seat, reason=body.reason)
        return Response(ChatReportCreated(report), status=201)


def parse_id_page(request: Request) -> tuple[paging.PageRequest, UUID | None]:
    """Parse which page to return, and the id that it comes after. Raises RequestRejected."""
    page = paging.parse_page_request(request, str)
    return page, None if page.after is None else paging.parse_uuid(page.after[0])


def id_key(item: Any) -> tuple[str]:
    """Return the key of an item of a page: its id."""
    return (str(item.id),)
