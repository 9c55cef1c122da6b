"""Moderation of chats over HTTP, for the operator's server: mutes, bans, reports and filter words."""

from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

import msgspec
from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from baccarat import acts
from baccarat.chat import moderation, queries
from baccarat.chat.api import id_key, parse_id_page
from baccarat.chat.events import ChatReportOutcome, ModerationReason
from baccarat.chat.moderation import ModerationContext
from baccarat.chat.queries import (
    ChatReportPage,
    FilterWordList,
    FilterWordResponse,
    Moderation,
    ModerationPage,
    PlayerMessagePage,
)
from baccarat.chat.refusals import (
    ChatReportAlreadyClosed,
    FilterWordExists,
    InvalidFilterWord,
    InvalidModeration,
    PlayerNotBanned,
    PlayerNotMuted,
    UnknownChatReport,
    UnknownFilterWord,
)
from casino.api import paging
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Body, OptionalNoteText, Query, Text, parse_body, parse_query
from casino.crypto.crypto_shredding import PersonalDataErased
from casino.operators.base_views import OperatorView, metadata
from casino.operators.refusals import UnknownPlayer

_SANCTION: Final = {"reason": "language", "minutes": 60, "note": "Second warning."}
_NOTE: Final = {"note": "Has apologised."}


class ChatReportFilter(StrEnum):
    """Which reports to list."""

    OPEN = "open"
    ALL = "all"


class NoteRequest(Body):
    """A note for other staff."""

    note: OptionalNoteText = OptionalNoteText()


class ModerationRequest(NoteRequest, kw_only=True):
    """Reason and length of a mute or ban."""

    reason: ModerationReason
    minutes: Annotated[int | None, Meta(description="1 to 525600, or null for a permanent one.")]


class ChatReportClosingRequest(NoteRequest, kw_only=True):
    """The outcome of a report."""

    outcome: ChatReportOutcome


class ChatReportsQuery(Query):
    """Which reports to list."""

    status: Annotated[ChatReportFilter, Meta(description="Open reports, or all.")] = ChatReportFilter.OPEN


class Word(Text):
    limit = 40


class FilterWordRequest(Body):
    """A word."""

    word: Word


class ModerationActionView(OperatorView):
    """Base of the views that act on a player."""

    def moderation_context(self, request: Request, player: UUID, note: str) -> ModerationContext:
        return ModerationContext(self.caller.operator, player, note, metadata(request))


class MuteView(ModerationActionView):
    """Mutes of a player."""

    act = acts.MODERATE

    @operation(
        "mutePlayer",
        "Mute a player in all chats",
        description="It replaces an earlier mute.",
        request=ModerationRequest,
        example=_SANCTION,
        returns=Moderation,
        refusals=(
            InvalidModeration,
            PersonalDataErased,
            UnknownPlayer,
        ),
    )
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        body = parse_body(ModerationRequest, request)
        context = self.moderation_context(request, player, body.note)
        state = moderation.mute(context=context, reason=body.reason, minutes=body.minutes)
        return Response(Moderation.of(player, state))


class UnmuteView(ModerationActionView):
    """Ends of mutes."""

    act = acts.MODERATE

    @operation(
        "unmutePlayer",
        "Let a muted player write again",
        request=NoteRequest,
        example=_NOTE,
        returns=Moderation,
        description=("At once, in all chats."),
        refusals=(
            PersonalDataErased,
            PlayerNotMuted,
            UnknownPlayer,
        ),
    )
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        context = self.moderation_context(request, player, parse_body(NoteRequest, request).note)
        return Response(Moderation.of(player, moderation.unmute(context=context)))


class BanView(ModerationActionView):
    """Bans of a player."""

    act = acts.BAN_PLAYER

    @operation(
        "banPlayer",
        "Ban a player from the casino",
        description=(
            "Open sessions end and no new one opens. Confirmed wagers are dealt and settled, the seat is released in "
            "its time, and the operator's support pays out what is left."
        ),
        request=ModerationRequest,
        example=_SANCTION,
        returns=Moderation,
        refusals=(
            InvalidModeration,
            PersonalDataErased,
            UnknownPlayer,
        ),
    )
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        body = parse_body(ModerationRequest, request)
        context = self.moderation_context(request, player, body.note)
        state = moderation.ban(context=context, reason=body.reason, minutes=body.minutes)
        return Response(Moderation.of(player, state))


class UnbanView(ModerationActionView):
    """Ends of bans."""

    act = acts.BAN_PLAYER

    @operation(
        "unbanPlayer",
        "Let a banned player in again",
        request=NoteRequest,
        example=_NOTE,
        returns=Moderation,
        description=("New sessions can be opened again. Say in the note why."),
        refusals=(
            PersonalDataErased,
            PlayerNotBanned,
            UnknownPlayer,
        ),
    )
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        context = self.moderation_context(request, player, parse_body(NoteRequest, request).note)
        return Response(Moderation.of(player, moderation.unban(context=context)))


class PlayerModerationView(OperatorView):
    """A player's mute and ban, and how they came about."""

    @operation(
        "getPlayerModeration",
        "Show a player's mute and ban, and what moderators did, newest first",
        parameters=paging.PARAMETERS,
        returns=ModerationPage,
        description=("Whether the player is muted or banned and until when, and what moderators did."),
        refusals=(UnknownPlayer,),
    )
    def get(self, request: Request, player: UUID) -> Response:
        (page, after), operator = parse_id_page(request), self.caller.operator
        state = msgspec.structs.asdict(queries.player_moderation(operator=operator, player=player))
        actions = queries.list_moderation_actions(operator=operator, player=player, after=after, limit=page.fetch_limit)
        return Response(paging.page(ModerationPage, page, actions, key=id_key, item=lambda action: action, **state))


class PlayerMessageListView(OperatorView):
    """The messages of a player."""

    @operation(
        "listPlayerMessages",
        "List a player's chat messages, newest first, as they were written",
        parameters=paging.PARAMETERS,
        returns=PlayerMessagePage,
        description=("With the words that were masked for others, for moderators."),
        refusals=(UnknownPlayer,),
    )
    def get(self, request: Request, player: UUID) -> Response:
        page, after = parse_id_page(request)
        messages = queries.list_player_messages(
            operator=self.caller.operator, player=player, after=after, limit=page.fetch_limit
        )
        return Response(paging.page(PlayerMessagePage, page, messages, key=id_key, item=lambda message: message))


class ChatReportListView(OperatorView):
    """Reports of messages and players."""

    @operation(
        "listChatReports",
        "List reports of messages and players, newest first",
        parameters=[ChatReportsQuery, *paging.PARAMETERS],
        returns=ChatReportPage,
        description=(
            "Players report messages and players. Open reports by default; `status=all` shows the closed ones too."
        ),
    )
    def get(self, request: Request) -> Response:
        page, after = parse_id_page(request)
        reports = queries.reports(
            operator=self.caller.operator,
            include_closed=parse_query(ChatReportsQuery, request).status is ChatReportFilter.ALL,
            after=after,
            limit=page.fetch_limit,
        )
        return Response(paging.page(ChatReportPage, page, reports, key=id_key, item=lambda report: report))


class CloseReportView(OperatorView):
    """Outcomes of reports."""

    act = acts.MODERATE

    @operation(
        "closeChatReport",
        "Close a report with its outcome",
        request=ChatReportClosingRequest,
        example={"outcome": "action_taken", "note": "Muted for an hour."},
        responses={204: None},
        description=("Say what came of it. Mute or ban the player by calls of their own."),
        refusals=(
            ChatReportAlreadyClosed,
            PersonalDataErased,
            UnknownChatReport,
        ),
    )
    @idempotent
    def post(self, request: Request, report: UUID) -> Response:
        body = parse_body(ChatReportClosingRequest, request)
        moderation.close_report(
            operator=self.caller.operator,
            report=report,
            outcome=body.outcome,
            note=body.note,
            metadata=metadata(request),
        )
        return Response(status=204)


class FilterWordListView(OperatorView):
    """The words that are masked in the operator's chats."""

    act = acts.EDIT_FILTER_WORDS

    @operation(
        "listChatFilterWords",
        "List the words that are masked in the operator's chats",
        returns=FilterWordList,
        description=("The words of your own list. They are masked beside those that the platform masks for all."),
    )
    def get(self, _request: Request) -> Response:
        return Response(FilterWordList.of(queries.list_filter_words(operator=self.caller.operator)))

    @operation(
        "addChatFilterWord",
        "Mask a word from now on",
        description=(
            "Whole words, whatever their case, accents, spacing and look-alikes (`d@rn`, `d a r n`). Old messages stay."
        ),
        request=FilterWordRequest,
        example={"word": "darn"},
        returns=FilterWordResponse,
        status=201,
        refusals=(
            FilterWordExists,
            InvalidFilterWord,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        word = parse_body(FilterWordRequest, request).word
        added = moderation.add_filter_word(operator=self.caller.operator, word=word, metadata=metadata(request))
        response = FilterWordResponse(
            word=added.word, normalized=added.normalized, all_operators=False, added_at=added.added_at
        )
        return Response(response, status=201)


class RemoveFilterWordView(OperatorView):
    """Words that are masked no longer."""

    act = acts.EDIT_FILTER_WORDS

    @operation(
        "removeChatFilterWord",
        "Stop masking a word",
        request=FilterWordRequest,
        example={"word": "darn"},
        responses={204: None},
        description=("Messages from now on are not masked for it. Old messages stay as they are shown."),
        refusals=(UnknownFilterWord,),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        word = parse_body(FilterWordRequest, request).word
        moderation.remove_filter_word(operator=self.caller.operator, word=word, metadata=metadata(request))
        return Response(status=204)
