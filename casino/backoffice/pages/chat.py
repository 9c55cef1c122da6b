"""Chat moderation: messages, reports, moderators' actions and the word filter."""

from collections.abc import Collection, Sequence
from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from baccarat.chat import moderation, word_lists
from baccarat.chat.events import ChatReportOutcome, ModerationReason
from baccarat.chat.masking import normalize_word
from baccarat.chat.models import ChatMessage, ChatReport, ChatReportClosure, FilterWord, ModerationAction
from baccarat.chat.moderation import ModerationContext
from baccarat.chat.refusals import FilterWordNotYours
from casino.backoffice import html, scope
from casino.backoffice.actions import row_action, staff_metadata
from casino.backoffice.badges import closed_reports
from casino.backoffice.base import as_uuid
from casino.backoffice.columns import LabelledRowsAdmin, column, short_id_column, time_column
from casino.backoffice.filters import case_filter, operator_filter, since_by_uuid
from casino.backoffice.forms import EnumSelectField, OptionalNoteForm, RowForm, line_field
from casino.backoffice.sections import Facts, Section
from casino.crypto import crypto_shredding

MODERATE: Final = "chat.moderate"
BAN: Final = "chat.ban_player"
EDIT_WORDS: Final = "chat.edit_filter_words"


class SanctionForm(RowForm):
    """Why a player is muted or banned, and for how long."""

    reason = EnumSelectField(ModerationReason, label="Reason")
    minutes = forms.IntegerField(label="Minutes (empty: no end)", min_value=1, max_value=999_999, required=False)
    note = line_field("Note for staff", required=False)


class CloseReportForm(RowForm):
    """What came of a report."""

    outcome = EnumSelectField(ChatReportOutcome, label="Outcome")
    note = line_field("Note for staff", required=False)


class WordForm(RowForm):
    """A word to mask."""

    word = line_field("Word", max_length=40)


class ModerationAdmin(LabelledRowsAdmin):
    """Base of the lists about players in chats: moderators mute and ban the player of a row."""

    ordering = ("-id",)
    search_help_text = "id, table's id or player's id"
    place = column(
        "table",
        lambda row: html.with_note(html.page("table", row.table_id, html.short(row.table_id)), f"seat {row.seat}"),
    )

    def search_condition(self, term: str) -> Q | None:
        """Search for an id, a table or a player."""
        identity = as_uuid(term)
        return None if identity is None else Q(pk=identity) | Q(table_id=identity) | Q(player_id=identity)

    @row_action("Mute", title="Mute the player", permission=MODERATE, form=SanctionForm, tone="bad")
    def mute(self, request: HttpRequest, row: Any, data: dict[str, Any]) -> str:
        """Mute the player in all chats."""
        context = _context(request, row, data)
        moderation.mute(context=context, reason=data["reason"], minutes=data["minutes"])
        return "Muted in all chats."

    @row_action("Unmute", title="Unmute the player", permission=MODERATE, form=OptionalNoteForm)
    def unmute(self, request: HttpRequest, row: Any, data: dict[str, Any]) -> str:
        """Unmute the player."""
        moderation.unmute(context=_context(request, row, data))
        return "The player may write again."

    @row_action(
        "Ban",
        title="Ban from the casino",
        permission=BAN,
        form=SanctionForm,
        tone="bad",
        help_text="The session ends and none can be opened. Confirmed wagers are settled; support pays out the rest.",
    )
    def ban(self, request: HttpRequest, row: Any, data: dict[str, Any]) -> str:
        """Ban the player from the casino."""
        context = _context(request, row, data)
        moderation.ban(context=context, reason=data["reason"], minutes=data["minutes"])
        return "Banned from the casino; the session has ended."

    @row_action("Unban", title="Lift the ban", permission=BAN, form=OptionalNoteForm)
    def unban(self, request: HttpRequest, row: Any, data: dict[str, Any]) -> str:
        """Lift the player's ban."""
        moderation.unban(context=_context(request, row, data))
        return "The player may come in again."

    def about(self, row: Any) -> Sequence[tuple[str, object]]:
        """Name operator and player, with links to more about the player."""
        player = str(row.player_id)
        return (
            *self.facts(row, "operator", "player"),
            ("Messages", html.listing("chat_chatmessage", "all of this player's", q=player)),
            ("Reports", html.listing("chat_chatreport", "all about this player", q=player)),
            ("Moderator actions", html.listing("chat_moderationaction", "all about this player", q=player)),
            ("Log", html.event_log(f"chat-{player}")),
            ("Id", html.code(row.pk)),
        )


@admin.register(ChatMessage)
class ChatMessageAdmin(ModerationAdmin):
    """Messages as written, newest first. Found by id, table or player."""

    list_display = ("written", "place", "player", "operator", "sent")
    list_filter = (operator_filter(), since_by_uuid())
    written = column("message", lambda message: message.text)
    sent = time_column("sent_at", "sent")

    def sections(self, _request: HttpRequest, obj: Any) -> Sequence[Section]:
        """Show a message as written and as displayed."""
        facts = (
            ("As written", obj.text),
            ("As players see it", obj.displayed_text),
            *self.facts(obj, "place", "sent"),
            *self.about(obj),
        )
        return (Facts("Message", facts),)


@admin.register(ChatReport)
class ChatReportAdmin(ModerationAdmin):
    """Reports, newest first; the filter `Waiting` is the queue."""

    list_display = ("short_id", "status", "reason_", "player", "place", "operator", "reported")
    list_filter = (
        operator_filter(),
        case_filter("status", {"open": ("Waiting", Q(closed=False)), "closed": ("Closed", Q(closed=True))}),
        since_by_uuid(),
    )
    short_id = short_id_column()
    status = column(
        "status", lambda report: html.badge("closed", "good") if report.closed else html.badge("waiting", "warn")
    )
    reason_ = column("reason", lambda report: report.reason or html.NOTHING)
    reported = time_column("reported_at", "reported")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Add whether each report is closed."""
        rows: QuerySet[Any] = super().get_queryset(request).annotate(closed=closed_reports())
        return rows

    @row_action(
        "Close",
        title="Close this report",
        permission=MODERATE,
        form=CloseReportForm,
        applies=lambda _, report: not report.closed,
    )
    def close(self, request: HttpRequest, report: ChatReport, data: dict[str, Any]) -> str:
        """Close the report with its outcome."""
        moderation.close_report(
            operator=report.operator_id,
            report=report.pk,
            outcome=data["outcome"],
            note=data["note"],
            metadata=staff_metadata(request, report.operator_id),
        )
        return "The report is closed."

    def sections(self, _request: HttpRequest, obj: Any) -> Sequence[Section]:
        """Show a report with its message and its outcome."""
        message = ChatMessage.objects.filter(pk=obj.message_id).first() if obj.message_id else None
        closure = ChatReportClosure.objects.filter(pk=obj.pk).first()
        crypto_shredding.decrypt_rows([row for row in (message, closure) if row is not None])
        facts = (
            *self.facts(obj, "status", "reason_"),
            ("Message", html.NOTHING if message is None else html.page("message", message.pk, message.text)),
            ("Table", self.place(obj)),
            ("Reported by", html.page("player", obj.reporter_id)),
            ("Reported (UTC)", self.reported(obj)),
            ("Outcome", html.NOTHING if closure is None else closure.outcome.replace("_", " ")),
            ("Note", html.NOTHING if closure is None else closure.note or html.NOTHING),
            ("Closed by", html.NOTHING if closure is None else closure.by),
            *self.about(obj),
        )
        return (Facts("Chat report", facts),)


@admin.register(ModerationAction)
class ModerationActionAdmin(ModerationAdmin):
    """Moderators' actions, newest first."""

    list_display = ("kind_", "player", "reason_", "until_", "operator", "by", "acted")
    list_filter = (operator_filter(), since_by_uuid())
    search_help_text = "id or player's id"
    kind_ = column("action", lambda action: action.kind.removeprefix("Player"))
    reason_ = column("reason", lambda action: action.reason or html.NOTHING)
    until_ = column(
        "until (UTC)",
        lambda action: "no end" if action.reason and action.until is None else html.moment(action.until),
    )
    acted = time_column("acted_at", "time")

    def search_condition(self, term: str) -> Q | None:
        """Search for an id or a player."""
        identity = as_uuid(term)
        return None if identity is None else Q(pk=identity) | Q(player_id=identity)

    def sections(self, _request: HttpRequest, obj: Any) -> Sequence[Section]:
        facts = (
            *self.facts(obj, "kind_", "reason_", "until_", "note", "by", "acted"),
            *self.about(obj),
        )
        return (Facts("Moderator action", facts),)


def _may_edit(request: HttpRequest, word: FilterWord) -> bool:
    """Return whether this person works for all whom a word's list is for."""
    return word.operator_id is not None or scope.operators(request) is None


@admin.register(FilterWord)
class FilterWordAdmin(LabelledRowsAdmin):
    """Masked words, of each operator and of all. The first word of a list comes by the API or a command."""

    names = ("operator",)
    list_display = ("word", "normalized", "list_of", "added")
    list_filter = (operator_filter(),)
    ordering = ("normalized", "id")
    search_help_text = "a word"
    list_of = column(
        "applies to",
        lambda word: (
            "all operators" if word.operator_id is None else html.page("operator", word.operator_id, word.slug)
        ),
    )
    added = time_column("added_at", "added")

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Show everyone the words of all operators."""
        return Q(operator_id__in=operators) | Q(operator_id__isnull=True)

    def search_condition(self, term: str) -> Q | None:
        """Search for a word, however it is spelled."""
        return Q(normalized=normalize_word(term))

    @row_action(
        "Add", name="list", title="Add a word to this list", permission=EDIT_WORDS, form=WordForm, applies=_may_edit
    )
    def add_word(self, request: HttpRequest, word: FilterWord, data: dict[str, Any]) -> str:
        """Add another word to the list of this one. Raises FilterWordNotYours."""
        _require_own(request, word)
        metadata = staff_metadata(request, word.operator_id)
        added = word_lists.add(operator=word.operator_id, word=data["word"], metadata=metadata)
        return f"{added.word} is masked from now on."

    @row_action(
        "Remove from the list",
        title="Remove this word",
        permission=EDIT_WORDS,
        applies=_may_edit,
        tone="bad",
        question="Remove this word from the list? Messages that were sent stay as they were displayed.",
    )
    def drop(self, request: HttpRequest, word: FilterWord, _data: dict[str, Any]) -> str:
        """Remove the word from its list. Raises FilterWordNotYours."""
        _require_own(request, word)
        metadata = staff_metadata(request, word.operator_id)
        word_lists.remove(operator=word.operator_id, word=word.word, metadata=metadata)
        return f"{word.word} is no longer masked."

    def sections(self, _request: HttpRequest, obj: Any) -> Sequence[Section]:
        facts = (
            ("Word", obj.word),
            ("Compared as", html.code(obj.normalized)),
            *self.facts(obj, "list_of", "added"),
            ("Log", html.event_log(f"chat-filter-{obj.operator_id or 'everyone'}", "all changes")),
        )
        return (Facts("Filter word", facts),)


def _require_own(request: HttpRequest, word: FilterWord) -> None:
    if not _may_edit(request, word):
        raise FilterWordNotYours


def _context(request: HttpRequest, row: Any, data: dict[str, Any]) -> ModerationContext:
    metadata = staff_metadata(request, row.operator_id)
    return ModerationContext(row.operator_id, row.player_id, data["note"], metadata)
