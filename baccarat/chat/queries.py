"""Reads of chats and the responses they fill: what players see of a table's chat, and moderators of a player."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final, NamedTuple
from uuid import UUID

from django.db.models import F, Q
from msgspec import Meta

from baccarat.chat import storage
from baccarat.chat.events import ChatReportOutcome, ModerationReason
from baccarat.chat.models import ChatMessage, FilterWord, ModerationAction
from baccarat.chat.rules import ModerationState, Sanction
from baccarat.domain.tables.refusals import UnknownTable
from baccarat.queries.nicknames import shown_nicknames
from baccarat.services.seats import TableActor
from casino.api.shapes import ItemList, Page, Shape, Timestamp
from casino.crypto import crypto_shredding
from casino.events.sql import fetch
from casino.operators.services import require_player

Row = tuple[Any, ...]
_MAX_ID: Final = UUID(int=2**128 - 1)
_STATUS: Final = """
    SELECT sitting.seat, closed.id IS NOT NULL, moderation.mute_reason, moderation.muted_until, clock_timestamp()
      FROM baccarat_table AS play
      LEFT JOIN baccarat_sitting AS sitting ON sitting.id = %s
      LEFT JOIN chat_closedchat AS closed ON closed.id = %s
      LEFT JOIN chat_playermoderation AS moderation ON moderation.player_id = %s
     WHERE play.id = %s AND play.operator_id = %s
"""
_REPORTS: Final = """
    SELECT report.id, report.table_id, report.seat, report.player_id, report.reporter_id, report.reason,
           report.reported_at, report.message_id, message.text, closure.outcome, closure.note, closure.by,
           closure.closed_at
      FROM chat_chatreport AS report
      LEFT JOIN chat_chatreportclosure AS closure ON closure.report_id = report.id
      LEFT JOIN chat_chatmessage AS message ON message.id = report.message_id
     WHERE report.operator_id = %s AND report.id < %s AND (%s OR closure.report_id IS NULL)
     ORDER BY report.id DESC LIMIT %s
"""


class ChatMessageResponse(Shape):
    """A message as players see it: plain text, to be displayed as text and never as markup."""

    id: UUID
    seat: Annotated[int, Meta(description="Where its writer sat then.", examples=[2])]
    nickname: Annotated[
        str | None,
        Meta(description="The writer's as at the table, null unless they show it to others.", examples=["Ace"]),
    ]
    you: Annotated[bool, Meta(description="Whether you wrote it.")]
    text: Annotated[str, Meta(description="Listed words are masked with asterisks.", examples=["Good luck, ****!"])]
    sent_at: Timestamp


class Restriction(Shape):
    """A mute or a ban."""

    until: Annotated[Timestamp | None, Meta(description="Null for a permanent one.")]
    reason: ModerationReason

    @classmethod
    def of(cls, sanction: Sanction | None) -> "Restriction | None":
        """Present a sanction, None for none."""
        return None if sanction is None else cls(until=sanction.until, reason=sanction.reason)


class Moderation(Shape):
    """A player's last mute and ban; `until` may have passed."""

    player: UUID
    mute: Restriction | None
    ban: Restriction | None

    @classmethod
    def of(cls, player: UUID, state: ModerationState) -> "Moderation":
        """Present a player's state."""
        return cls(player=player, mute=Restriction.of(state.mute), ban=Restriction.of(state.ban))


class ModerationActionKind(StrEnum):
    """What a moderator did: the name of its event."""

    MUTED = "PlayerMuted"
    UNMUTED = "PlayerUnmuted"
    BANNED = "PlayerBanned"
    UNBANNED = "PlayerUnbanned"


class ModerationActionResponse(Shape):
    """An action of a moderator."""

    id: UUID
    kind: ModerationActionKind
    reason: ModerationReason | None
    until: Timestamp | None
    note: Annotated[str, Meta(examples=["Second warning."])]
    by: Annotated[str, Meta(examples=["operator:op_5f0c9a1b2c3d4e5f6a7b"])]
    acted_at: Timestamp


class PlayerMessage(Shape):
    """A message as moderators see it."""

    id: UUID
    table: UUID
    seat: Annotated[int, Meta(examples=[2])]
    original_text: Annotated[str, Meta(description="As the player wrote it.", examples=["Good luck, darn!"])]
    displayed_text: Annotated[str, Meta(description="As players see it.", examples=["Good luck, ****!"])]
    sent_at: Timestamp


class ChatReportResponse(Shape):
    """A report as moderators see it."""

    id: UUID
    table: UUID
    seat: Annotated[int, Meta(examples=[2])]
    player: Annotated[UUID, Meta(description="Who was reported.")]
    reporter: UUID
    reason: Annotated[str, Meta(examples=["Rude again and again."])]
    reported_at: Timestamp
    message: Annotated[UUID | None, Meta(description="Null where the report is about no single message.")]
    message_text: Annotated[
        str | None, Meta(description="The message as it was written.", examples=["Good luck, darn!"])
    ]
    outcome: Annotated[ChatReportOutcome | None, Meta(description="Null while the report is open.", examples=[None])]
    note: Annotated[str | None, Meta(examples=[None])]
    closed_by: Annotated[str | None, Meta(examples=[None])]
    closed_at: Annotated[Timestamp | None, Meta(examples=[None])]


class FilterWordResponse(Shape):
    """A word that is masked, with its look-alikes."""

    word: Annotated[str, Meta(examples=["Darn"])]
    normalized: Annotated[str, Meta(description="The form in which words are compared.", examples=["darn"])]
    all_operators: Annotated[
        bool, Meta(description="Whether it holds for every operator; those are not yours to remove.", examples=[False])
    ]
    added_at: Timestamp


class FilterWordList(ItemList[FilterWordResponse]):
    """The words that are masked in an operator's chats."""


class Chat(Page[ChatMessageResponse]):
    """A page of a table's chat, newest first, and its state for you."""

    open: Annotated[bool, Meta(description="False where you have closed it.")]
    can_write: Annotated[bool, Meta(description="You sit here, have not closed the chat and are not muted.")]
    mute: Annotated[Restriction | None, Meta(description="Null unless you are muted.", examples=[None])]


class ModerationPage(Page[ModerationActionResponse]):
    """A player's last mute and ban, and a page of what moderators did, newest first."""

    player: UUID
    mute: Restriction | None
    ban: Restriction | None


class PlayerMessagePage(Page[PlayerMessage]):
    """A page of a player's messages, newest first."""


class ChatReportPage(Page[ChatReportResponse]):
    """A page of reports, newest first."""


class DisplayedMessage(NamedTuple):
    """What the stream sends of a message beside its event."""

    text: str
    nickname: str | None


UNKNOWN_MESSAGE: Final = DisplayedMessage("", None)


def chat_status(*, actor: TableActor) -> dict[str, Any]:
    """Return the fields of a `Chat` beside its messages. Raises UnknownTable."""
    key = f"{actor.table}/{actor.player}"
    rows = fetch(_STATUS, [key, key, actor.player, actor.table, actor.operator])
    if not rows:
        raise UnknownTable
    seat, closed, reason, until, now = rows[0]
    sanction = None if reason is None else Sanction(until, ModerationReason(reason))
    mute = sanction if sanction is not None and sanction.is_active(now) else None
    can_write = seat is not None and not closed and mute is None
    return {"open": not closed, "can_write": can_write, "mute": Restriction.of(mute)}


def history(*, table: UUID, viewer: UUID, after: UUID | None, limit: int) -> list[ChatMessageResponse]:
    """List a table's messages as players see them, newest first, older than `after`."""
    messages = ChatMessage.objects.filter(table_id=table, id__lt=after or _MAX_ID).order_by("-id")
    rows = _decrypted(messages.values_list("id", "seat", "player_id", "displayed_text", "sent_at")[:limit])
    nicknames = shown_nicknames(places={(table, player, seat) for _, seat, player, *_ in rows})
    return [
        ChatMessageResponse(message, seat, nicknames.get((table, player, seat)), player == viewer, text, sent_at)
        for message, seat, player, text, sent_at in rows
    ]


def list_player_messages(*, operator: UUID, player: UUID, after: UUID | None, limit: int) -> list[PlayerMessage]:
    """List a player's messages as they were written, newest first. Raises UnknownPlayer."""
    require_player(operator=operator, player=player)
    messages = ChatMessage.objects.filter(player_id=player, operator_id=operator, id__lt=after or _MAX_ID)
    columns = ("id", "table_id", "seat", "text", "displayed_text", "sent_at")
    return [PlayerMessage(*row) for row in _decrypted(messages.order_by("-id").values_list(*columns)[:limit])]


def reports(*, operator: UUID, include_closed: bool, after: UUID | None, limit: int) -> list[ChatReportResponse]:
    """List an operator's open reports, or all of them, newest first."""
    rows = fetch(_REPORTS, [operator, after or _MAX_ID, include_closed, limit])
    return [ChatReportResponse(*row) for row in _decrypted(rows)]


def list_moderation_actions(
    *, operator: UUID, player: UUID, after: UUID | None, limit: int
) -> list[ModerationActionResponse]:
    """List what moderators did about a player, newest first."""
    actions = ModerationAction.objects.filter(player_id=player, operator_id=operator, id__lt=after or _MAX_ID)
    columns = ("id", "kind", "reason", "until", "note", "by", "acted_at")
    rows = _decrypted(actions.order_by("-id").values_list(*columns)[:limit])
    return [ModerationActionResponse(*row) for row in rows]


def player_moderation(*, operator: UUID, player: UUID) -> Moderation:
    """Return a player's last mute and ban. Raises UnknownPlayer."""
    require_player(operator=operator, player=player)
    return Moderation.of(player, storage.load_moderation(operator=operator, player=player))


def list_filter_words(*, operator: UUID) -> list[FilterWordResponse]:
    """List the words that are masked for an operator, its own and those of all."""
    words = FilterWord.objects.filter(Q(operator_id=operator) | Q(operator_id=None))
    return [
        FilterWordResponse(word, normalized, owner is None, added_at)
        for word, normalized, owner, added_at in words.order_by(
            "normalized", F("operator_id").asc(nulls_last=True)
        ).values_list("word", "normalized", "operator_id", "added_at")
    ]


def list_own_filter_words(*, operator: UUID | None) -> list[str]:
    """List the words of an operator's own list or, with None, of the list for all."""
    return list(FilterWord.objects.filter(operator_id=operator).order_by("normalized").values_list("word", flat=True))


def load_displayed(*, messages: Sequence[UUID]) -> dict[UUID, DisplayedMessage]:
    """Return messages of any table as players see them; unknown ones are left out."""
    if not messages:
        return {}
    columns = ("id", "displayed_text", "table_id", "player_id", "seat")
    rows = _decrypted(ChatMessage.objects.filter(id__in=messages).values_list(*columns))
    nicknames = shown_nicknames(places={(table, player, seat) for _, _, table, player, seat in rows})
    return {
        message: DisplayedMessage(text, nicknames.get((table, player, seat)))
        for message, text, table, player, seat in rows
    }


def references(*, table: UUID, since: datetime, until: datetime) -> list[dict[str, Any]]:
    """Return id, seat, player and time of the messages sent at a table in an interval, oldest first, no texts."""
    messages = ChatMessage.objects.filter(table_id=table, sent_at__gte=since, sent_at__lte=until)
    rows = messages.order_by("id").values_list("id", "seat", "player_id", "sent_at")
    return [dict(zip(("id", "seat", "player", "sent_at"), row, strict=True)) for row in rows]


def _decrypted(rows: Iterable[Row]) -> list[Row]:
    """Rows with their ciphertexts decrypted; all keys are fetched in one query."""
    rows = list(rows)
    ciphertexts = [value for row in rows for value in row if crypto_shredding.is_encrypted(value)]
    texts = iter(crypto_shredding.decrypt_many(ciphertexts))
    return [tuple(next(texts) if crypto_shredding.is_encrypted(value) else value for value in row) for row in rows]
